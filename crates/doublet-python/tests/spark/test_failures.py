"""A cluster of a master and two workers, of which something dies in the middle."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from cluster import Cluster, ancestors, configuration, environment, session, standalone
from command_line import Outcome, assert_same, by_command_line, by_spark
from doublet.spark import dedup
from tables import frame
from texts import Text, collection

ARGUMENTS = ["--threshold=0.7"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    running = SparkSession.getActiveSession()
    if running is not None:
        # One session a process: the tests on it are done.
        running.stop()
    with standalone(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def remote(cluster: Cluster) -> Iterator[SparkSession]:
    spark = session(cluster.master)
    yield spark
    spark.stop()


@pytest.fixture(scope="module")
def some() -> list[Text]:
    return collection(3000, seed=5)


@pytest.fixture(scope="module")
def expected(some: list[Text], tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return by_command_line(some, tmp_path_factory.mktemp("expected") / "command", *ARGUMENTS)


@pytest.fixture(scope="module")
def rows(remote: SparkSession, some: list[Text], tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    return frame(remote, some, tmp_path_factory.mktemp("rows"), partitions=4)


def test_the_driver_dies(cluster: Cluster, some: list[Text], expected: Outcome, tmp_path: Path) -> None:
    input, output = tmp_path / "input.jsonl", tmp_path / "out"
    input.write_text("".join(json.dumps({"id": row.id, "text": row.text}) + "\n" for row in some))
    command = [sys.executable, "-m", "doublet.spark", str(input), str(output), *ARGUMENTS]
    master = {"spark.master": cluster.master, **configuration()}
    submit = " ".join(f"--conf {shlex.quote(f'{name}={value}')}" for name, value in master.items())
    environ = {**environment(), "PYSPARK_SUBMIT_ARGS": f"{submit} pyspark-shell"}
    manifests = output / "run" / "manifests"
    with (tmp_path / "first.log").open("wb") as log:
        driver = subprocess.Popen(command, env=environ, stdout=log, stderr=log, start_new_session=True)
    try:
        _wait(lambda: (manifests / "candidates" / "_SUCCESS").exists(), driver)
    finally:
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
    before = _finished(manifests)
    assert "candidates" in before and "clusters" not in before
    again = subprocess.run(command, env=environ, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr[-3000:]
    after = _finished(manifests)
    assert {stage: after[stage] for stage in before} == before
    assert "clusters" in after
    kept = [json.loads(line)["id"] for part in (output / "kept").glob("part-*") for line in part.read_text().splitlines()]
    assert sorted(kept) == expected.kept
    summary = json.loads(next((output / "summary.json").glob("part-*")).read_text())
    assert summary["pairs"] == len(expected.pairs)
    assert {name: summary[name] for name in expected.counts} == expected.counts


def test_an_executor_dies_while_texts_are_read(
    cluster: Cluster, rows: DataFrame, expected: Outcome, tmp_path: Path
) -> None:
    hold = Hold(tmp_path / "hold", cluster)
    with hold.killing():
        result = dedup(hold.on(rows), threshold=0.7, run_dir=str(tmp_path / "run"), progress=hold.after("model-0"))
    assert_same(by_spark(result), expected)


def test_an_executor_dies_while_texts_meet(
    cluster: Cluster, remote: SparkSession, rows: DataFrame, expected: Outcome, tmp_path: Path
) -> None:
    watch = Watch(remote, cluster)
    result = dedup(rows, threshold=0.7, run_dir=str(tmp_path / "run"), progress=watch.after("frequent"))
    watch.thread.join()
    assert watch.killed, "no reducing task was seen"
    assert_same(by_spark(result), expected)


def test_an_executor_dies_while_results_are_committed(
    cluster: Cluster, remote: SparkSession, rows: DataFrame, expected: Outcome, tmp_path: Path
) -> None:
    hold = Hold(tmp_path / "hold", cluster)
    result = dedup(hold.on(rows), threshold=0.7, run_dir=str(tmp_path / "run"))
    kept = tmp_path / "kept"
    hold.begin()
    with hold.killing(until=lambda: any(kept.glob("_temporary/*/task_*"))):
        result.kept.write.parquet(str(kept))
    written = sorted(row["id"] for row in remote.read.parquet(str(kept)).select("id").collect())
    assert written == expected.kept


class Hold:
    """Keeps the task that reads a certain text waiting, so that its executor can be killed meanwhile."""

    def __init__(self, path: Path, cluster: Cluster) -> None:
        self.path = path
        self.cluster = cluster

    def on(self, df: DataFrame) -> DataFrame:
        """The rows, through a task that may have to wait."""
        path = str(self.path)

        # Within another function, so that it travels as a whole: executors cannot import the tests.
        def wait(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                while 77 in batch.column("id").to_pylist() and os.path.exists(path):
                    Path(f"{path}.reached").write_text(str(os.getpid()))
                    time.sleep(0.1)
                yield batch

        return df.mapInArrow(wait, df.schema)

    def begin(self) -> None:
        self.path.touch()

    def after(self, stage: str) -> Callable[[str, int, float], None]:
        """Begins when a stage is finished."""
        return lambda finished, rows, seconds: self.begin() if finished == stage else None

    def killing(self, until: Callable[[], bool] = lambda: True) -> "_Killing":
        return _Killing(self, until)

    def kill(self, until: Callable[[], bool]) -> None:
        reached = Path(f"{self.path}.reached")
        _wait(lambda: reached.exists() and bool(reached.read_text()) and until())
        executors = set(self.cluster.executors())
        victims = [process for process in ancestors(int(reached.read_text())) if process in executors]
        os.kill(victims[0], signal.SIGKILL)
        self.path.unlink()


class _Killing:
    """Kills the executor of the waiting task while something else runs."""

    def __init__(self, hold: Hold, until: Callable[[], bool]) -> None:
        self.failed: list[BaseException] = []
        self.thread = threading.Thread(target=self._kill, args=(hold, until), daemon=True)

    def _kill(self, hold: Hold, until: Callable[[], bool]) -> None:
        try:
            hold.kill(until)
        except BaseException as error:
            hold.path.unlink(missing_ok=True)
            self.failed.append(error)

    def __enter__(self) -> None:
        self.thread.start()

    def __exit__(self, *_: object) -> None:
        self.thread.join()
        assert not self.failed, self.failed


class Watch:
    """Kills an executor as soon as a second stage of Spark's runs on both, after a stage of ours."""

    def __init__(self, spark: SparkSession, cluster: Cluster) -> None:
        self.tracker = spark.sparkContext.statusTracker()
        self.cluster = cluster
        self.killed = False
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def after(self, stage: str) -> Callable[[str, int, float], None]:
        return lambda finished, rows, seconds: self.thread.start() if finished == stage else None

    def _watch(self) -> None:
        first: set[int] = set()
        end = time.monotonic() + 60
        while time.monotonic() < end and not self.killed:
            active = set(self.tracker.getActiveStageIds())
            first = first or active
            later = [self.tracker.getStageInfo(stage) for stage in active if first and stage > max(first)]
            if any(info is not None and info.numActiveTasks > 1 for info in later):
                os.kill(self.cluster.executors()[0], signal.SIGKILL)
                self.killed = True
            time.sleep(0.02)


def _wait(done: Callable[[], bool], process: "subprocess.Popen[bytes] | None" = None) -> None:
    end = time.monotonic() + 300
    while not done():
        assert time.monotonic() < end, "it did not happen in time"
        assert process is None or process.poll() is None, "the driver ended by itself"
        time.sleep(0.1)


def _finished(manifests: Path) -> dict[str, str]:
    """When each stage was finished."""
    found = {}
    for manifest in manifests.iterdir():
        for part in manifest.glob("part-*"):
            line = json.loads(part.read_text())
            found[line["stage"]] = line["finished"]
    return found
