"""The run directory: what each stage left, and which stages are done.

A stage is a directory of Parquet files beside its manifest, a line of JSON that Spark writes when the files are committed. A manifest
names the run that it belongs to, so that nothing of an earlier run in the same directory is taken for a result of this one. A run that
was interrupted finds the manifests of the stages that it finished and goes on behind the last.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from typing import Any

from pyspark.errors import AnalysisException, PySparkAttributeError
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from ..errors import OptionError

Progress = Callable[[str, int, float], None]
"""Told the name, rows and seconds of a stage that is finished."""

_MANIFESTS = "manifests"
_RUN = "run"


@dataclass(frozen=True)
class Manifest:
    """What a finished stage says of itself."""

    stage: str
    run: str
    rows: int
    seconds: float
    finished: str
    schema: str = ""
    values: dict[str, Any] = field(default_factory=dict)


class RunDirectory:
    """The stages of one run."""

    def __init__(self, spark: SparkSession, path: str, progress: Progress | None = None) -> None:
        self.spark = spark
        self.progress = progress
        self.path = path.rstrip("/")
        self.run = ""
        self.manifests: dict[str, Manifest] = {}
        """Of the stages of this run, in order, whether they were run now or before."""
        self.skipped: list[str] = []
        """Stages that were found finished."""
        self._before: dict[str, Manifest] = {}

    def open(self, signature: Mapping[str, Any], fresh: bool) -> None:
        """Takes up the run that the directory holds, or begins one.

        Raises OptionError if the directory holds a run of other options, another input or another version, unless `fresh`.
        """
        signature = json.loads(json.dumps(signature))
        found = self._read_all()
        if _RUN not in found or fresh:
            self.run = uuid.uuid4().hex
            self._write(Manifest(_RUN, self.run, 0, 0.0, _now(), values=dict(signature)))
            return
        others = _differences(found[_RUN].values, signature)
        if others:
            raise OptionError(
                f"the run directory {self.path} holds a run with other {', '.join(others)}: give another run_dir, "
                "or fresh=True to begin anew in this one"
            )
        self.run = found[_RUN].run
        self._before = {name: manifest for name, manifest in found.items() if manifest.run == self.run}

    def stage(self, name: str, make: Callable[[], DataFrame], sums: Mapping[str, Column] | None = None) -> DataFrame:
        """The rows of a stage: those that it left, or else those of `make`, written. What they sum up to goes into the manifest."""
        found = self._finished(name)
        if found is None:
            self.announce(name)
            start = time.monotonic()
            made = make()
            made.write.mode("overwrite").parquet(self._place(name))
            columns = [F.count(F.lit(1)).alias("rows"), *(column.alias(sum) for sum, column in (sums or {}).items())]
            values = self._rows(name, made.schema).agg(*columns).collect()[0].asDict()
            rows, seconds = values.pop("rows"), time.monotonic() - start
            found = Manifest(name, self.run, rows, seconds, _now(), made.schema.json(), values)
            self._finish(found)
        return self._rows(name, StructType.fromJson(json.loads(found.schema)))

    def fact(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What a stage that leaves no rows found out."""
        found = self._finished(name)
        if found is None:
            self.announce(name)
            start = time.monotonic()
            values = json.loads(json.dumps(make()))
            found = Manifest(name, self.run, 0, time.monotonic() - start, _now(), values=values)
            self._finish(found)
        return found.values

    def announce(self, name: str) -> None:
        """Gives the jobs that follow a name in Spark's own pages, where the driver is at hand."""
        with suppress(PySparkAttributeError):
            self.spark.sparkContext.setJobDescription(f"doublet: {name}")

    def forget(self, name: str) -> None:
        """Has a stage run again."""
        self._before.pop(name, None)
        self.manifests.pop(name, None)

    def rows_of(self, name: str) -> int:
        """How many rows a stage of this run has, which must be finished."""
        return self.manifests[name].rows

    def sum_of(self, name: str, sum: str) -> int:
        """What the rows of a finished stage sum up to; 0 if there are none."""
        return self.manifests[name].values[sum] or 0

    def _finished(self, name: str) -> Manifest | None:
        if name not in self.manifests and name in self._before:
            self.manifests[name] = self._before[name]
            self.skipped.append(name)
        return self.manifests.get(name)

    def _finish(self, manifest: Manifest) -> None:
        self._write(manifest)
        if self.progress is not None:
            self.progress(manifest.stage, manifest.rows, manifest.seconds)
        self.manifests[manifest.stage] = manifest

    def _rows(self, name: str, schema: StructType) -> DataFrame:
        # With the schema nothing has to be inferred, from files that may all be empty.
        return self.spark.read.schema(schema).parquet(self._place(name))

    def _place(self, name: str) -> str:
        return f"{self.path}/{name}"

    def _read_all(self) -> dict[str, Manifest]:
        """All manifests, of whatever run; one whose writing was interrupted has no line."""
        try:
            lines = self.spark.read.text(self._place(f"{_MANIFESTS}/*")).collect()
        except AnalysisException as error:
            if error.getCondition() == "PATH_NOT_FOUND":
                return {}
            raise
        found = [Manifest(**json.loads(line[0])) for line in lines]
        return {manifest.stage: manifest for manifest in found}

    def _write(self, manifest: Manifest) -> None:
        line = json.dumps(asdict(manifest), ensure_ascii=False)
        rows = self.spark.range(1, numPartitions=1).select(F.lit(line).alias("value"))
        rows.write.mode("overwrite").text(self._place(f"{_MANIFESTS}/{manifest.stage}"))


def _differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    names = sorted(found.keys() | wanted.keys())
    return [f"{name} ({found.get(name)}, not {wanted.get(name)})" for name in names if found.get(name) != wanted.get(name)]


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")
