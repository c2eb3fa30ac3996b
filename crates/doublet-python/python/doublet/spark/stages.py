"""The stages one after another."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession

from .. import _native
from .._native import Kernel
from .._options import takes
from ..errors import OptionError
from . import documents as texts
from .clusters import Clustering
from .handles import Input, look
from .learn import learn
from .meet import Meeting
from .options import Columns, Cutting, SparkOptions, arguments_of
from .result import Found, SparkResult
from .rundir import Progress, RunDirectory
from .verify import Verifier

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes(SparkOptions)
def dedup(
    df: DataFrame,
    text: str = "text",
    id: str = "id",
    order: str | Sequence[str] | None = None,
    *,
    run_dir: str | None = None,
    fresh: bool = False,
    drop_empty: bool = False,
    partitions: int | None = None,
    most_meeting: int = Cutting.most_meeting,
    chunk_bytes: int = Cutting.chunk_bytes,
    most_edges: int = Cutting.most_edges,
    progress: Progress | None = None,
    **options: Unpack[SparkOptions],
) -> SparkResult:
    """Finds the duplicates among the rows of a DataFrame.

    `text` and `id` name the columns of texts and ids; `order` the column or columns that stand for the order of the input (the first of
    two copies is the one that stays by default), the id if it is not given. `run_dir` is a directory that driver and executors share, in
    which the stages leave their results; the same call with the same directory goes on behind the last stage that is finished there.
    `fresh` begins anew. `progress` is called with the name, rows and seconds of each stage when it is finished. `partitions`, `most_meeting`,
    `chunk_bytes` and `most_edges` say how the work is cut up. All other options are those of `doublet.dedup`, in its words: method,
    threshold, metric, shingle, keep, linkage …

    Raises OptionError and InputError before any text is compared.
    """
    cutting = Cutting(partitions, most_meeting, chunk_bytes, most_edges)
    run = Run.open(df, arguments_of(options), (text, id, order), run_dir, fresh, progress)
    return run.result(cutting, drop_empty)


@dataclass(frozen=True)
class Run:
    """A run that is begun, or taken up again."""

    directory: RunDirectory
    kernel: Kernel
    """The options; nothing is learnt yet."""
    input: Input

    @staticmethod
    def open(
        df: DataFrame,
        arguments: list[str],
        columns: tuple[str, str, str | Sequence[str] | None],
        run_dir: str | None,
        fresh: bool,
        progress: Progress | None,
    ) -> Run:
        """Looks at the options, the columns of text, id and order, the ids, and what the directory holds."""
        if not isinstance(df, DataFrame):
            raise OptionError(f"{type(df).__name__} is no Spark DataFrame: give one, such as spark.createDataFrame(…), or use doublet.dedup")
        kernel = Kernel(arguments)
        found = Columns.of(df, *columns, _field(kernel.keep))
        input = look(df, found)
        directory = RunDirectory(df.sparkSession, _place(df.sparkSession, run_dir), progress)
        directory.open(_signature(kernel, input), fresh)
        return Run(directory, kernel, input)

    def result(self, cutting: Cutting, drop_empty: bool) -> SparkResult:
        """Runs all stages that are not finished."""
        directory, input = self.directory, self.input
        kernel = learn(directory, self.kernel, input)
        documents = texts.prepare(directory, kernel, input)
        copies = texts.find_copies(directory, documents, input.columns.place())
        firsts = texts.firsts(documents, copies)
        meeting = Meeting(directory, kernel, cutting)
        verifier = Verifier(directory, kernel, cutting, input, documents)
        boilerplate = None
        if kernel.verifies:
            matches = verifier.matches(meeting.candidates(firsts))
        else:
            boilerplate = meeting.boilerplate(documents)
            matches = verifier.decided(meeting.shared(firsts, boilerplate), boilerplate)
        clustering = Clustering(verifier, input.columns, copies, matches, boilerplate)
        members = clustering.members()
        identical = clustering.identical(members)
        clusters = clustering.clusters(members, identical)
        found = Found(documents, copies, matches, members, identical, clusters, kernel)
        return SparkResult(directory, input, found, json.loads(kernel.describe()), drop_empty)


def _field(keep: str) -> str | None:
    """The column that says which text stays, if one does."""
    rule, _, name = keep.partition(":")
    return name.removeprefix("-") if rule == "field" else None


def _place(spark: SparkSession, run_dir: str | None) -> str:
    if run_dir is not None:
        return str(run_dir)
    if (spark.conf.get("spark.master", "") or "").startswith("local"):
        directory = tempfile.mkdtemp(prefix="doublet-")
        # The DataFrames of the result need it to the end.
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
        return f"file://{directory}"
    raise OptionError("run_dir= is missing: give a directory that the driver and all executors share, such as hdfs:// or s3://")


def _signature(kernel: Kernel, input: Input) -> dict[str, Any]:
    """What must be the same for a run to go on. How the work is cut up may change."""
    columns = input.columns
    return {
        "version": _native.__version__,
        **_flat(json.loads(kernel.settings)),
        "columns": [columns.id, columns.text, list(columns.order)],
        "rows": input.read,
        "checksum of the input": input.checksum,
    }


def _flat(settings: dict[str, Any]) -> dict[str, Any]:
    """Each option with its value."""
    flat = {}
    for name, value in settings.items():
        if isinstance(value, dict):
            flat.update({f"{name} {inner}": found for inner, found in _flat(value).items()})
        else:
            flat[name] = value
    return {name.removeprefix("matching "): value for name, value in flat.items()}
