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
from waiting import LIMIT, wait_until

from cluster import Cluster, ancestors, configuration, environment, session, standalone
from command_line import Outcome, assert_same, by_command_line, by_spark
from doublet._native import Kernel
from doublet.spark import dedup, kernels
from tables import frame
from texts import Text, collection

ARGUMENTS = ["--threshold=0.7"]

# Seconds: several stages of Spark on a slow core.
LONG = 5 * LIMIT

# The command, which waits for its death behind the candidates; the first argument is the file that says so.
DRIVER = """
import sys, time
from pathlib import Path
from doublet.spark import __main__ as command

tell, reached = command._tell, Path(sys.argv.pop(1))

def wait(stage, rows, seconds):
    tell(stage, rows, seconds)
    if stage == "candidates":
        reached.touch()
        time.sleep(100_000)

command._tell = wait
command.main()
"""


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
    arguments, reached = [str(input), str(output), *ARGUMENTS], tmp_path / "reached"
    command = [sys.executable, "-m", "doublet.spark", *arguments]
    master = {"spark.master": cluster.master, **configuration()}
    submit = " ".join(f"--conf {shlex.quote(f'{name}={value}')}" for name, value in master.items())
    environ = {**environment(), "PYSPARK_SUBMIT_ARGS": f"{submit} pyspark-shell"}
    manifests = output / "run" / "manifests"
    with (tmp_path / "first.log").open("wb") as log:
        waiting = [sys.executable, "-c", DRIVER, str(reached), *arguments]
        driver = subprocess.Popen(waiting, env=environ, stdout=log, stderr=log, start_new_session=True)

    def is_there() -> bool:
        assert driver.poll() is None, (tmp_path / "first.log").read_text()[-3000:]
        return reached.exists()

    try:
        wait_until("the candidates of the driver", is_there, LONG)
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
        result = dedup(hold.on(rows, 77), threshold=0.7, run_dir=str(tmp_path / "run"), progress=hold.after("model-0"))
    assert_same(by_spark(result), expected)


def test_an_executor_dies_while_texts_meet(
    cluster: Cluster, rows: DataFrame, expected: Outcome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = Hold(tmp_path / "hold", cluster)
    run = kernels.run

    def held(df: DataFrame, kernel: Kernel, stage: str, all: bool = False) -> DataFrame:
        # Behind the shuffle, in the tasks that reduce: what their executor has shuffled is lost with it.
        return run(hold.on(df) if stage == "meet" else df, kernel, stage, all)

    monkeypatch.setattr(kernels, "run", held)
    hold.begin()
    with hold.killing():
        result = dedup(rows, threshold=0.7, run_dir=str(tmp_path / "run"))
    assert_same(by_spark(result), expected)


def test_an_executor_dies_while_results_are_committed(
    cluster: Cluster, remote: SparkSession, rows: DataFrame, expected: Outcome, tmp_path: Path
) -> None:
    hold = Hold(tmp_path / "hold", cluster)
    result = dedup(hold.on(rows, 77), threshold=0.7, run_dir=str(tmp_path / "run"))
    kept = tmp_path / "kept"
    hold.begin()
    with hold.killing(until=lambda: any(kept.glob("_temporary/*/task_*"))):
        result.kept.write.parquet(str(kept))
    written = sorted(row["id"] for row in remote.read.parquet(str(kept)).select("id").collect())
    assert written == expected.kept


class Hold:
    """Keeps tasks waiting, so that the executor of one can be killed meanwhile."""

    def __init__(self, path: Path, cluster: Cluster) -> None:
        self.path = path
        self.reached = path.with_suffix(".reached")
        self.cluster = cluster
        self.given_up = False

    def on(self, df: DataFrame, id: int | None = None) -> DataFrame:
        """The rows, through tasks of which that with an id may have to wait, or each one."""
        path, reached = str(self.path), str(self.reached)

        # Within another function, so that it travels as a whole: executors cannot import the tests.
        def wait(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                if os.path.exists(path) and (id is None or id in batch.column("id").to_pylist()):
                    # It appears as a whole.
                    process = os.getpid()
                    Path(f"{reached}.{process}").write_text(str(process))
                    os.replace(f"{reached}.{process}", reached)
                    while os.path.exists(path):
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
        wait_until("a task that waits", lambda: self.given_up or self.reached.exists(), LONG)
        wait_until("the moment to kill it", lambda: self.given_up or until(), LONG)
        if self.given_up:
            return
        executors = set(self.cluster.executors())
        victims = [process for process in ancestors(int(self.reached.read_text())) if process in executors]
        os.kill(victims[0], signal.SIGKILL)
        self.path.unlink()


class _Killing:
    """Kills the executor of a waiting task while something else runs."""

    def __init__(self, hold: Hold, until: Callable[[], bool]) -> None:
        self.hold = hold
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

    def __exit__(self, raised: type[BaseException] | None, *_: object) -> None:
        self.hold.given_up = raised is not None
        self.thread.join()
        assert not self.failed, self.failed


def _finished(manifests: Path) -> dict[str, str]:
    """When each stage was finished."""
    found = {}
    for manifest in manifests.iterdir():
        for part in manifest.glob("part-*"):
            line = json.loads(part.read_text())
            found[line["stage"]] = line["finished"]
    return found
