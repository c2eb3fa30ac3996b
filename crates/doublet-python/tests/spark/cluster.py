"""A Spark cluster on this machine: a master and two workers, each a process of its own, that surely end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession
from waiting import LIMIT, wait_until

HOST = "127.0.0.1"
_CONFIGURATION = {
    "spark.driver.host": HOST,
    "spark.driver.bindAddress": HOST,
    "spark.driver.memory": "1g",
    "spark.executor.memory": "1g",
    "spark.executor.cores": "1",
    # One executor a worker.
    "spark.cores.max": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.default.parallelism": "4",
    "spark.log.level": "ERROR",
    # Tests are many small jobs: what takes its time to begin does not pay.
    "spark.locality.wait": "0s",
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@dataclass(frozen=True)
class Cluster:
    """A standalone cluster."""

    master: str
    workers: list[int]
    """Their process ids."""

    def executors(self) -> list[int]:
        """The processes of all executors that run now."""
        return [child for worker in self.workers for child in children(worker)]


def environment() -> dict[str, str]:
    """What Spark's processes have to know."""
    found = {**os.environ, "SPARK_LOCAL_IP": HOST, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    found.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
    return found


def session(master: str, **more: str) -> SparkSession:
    """A session of the tests."""
    os.environ.update(environment())
    builder = SparkSession.builder.master(master).appName("doublet tests")
    for name, value in {**configuration(), **more}.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def configuration() -> Mapping[str, str]:
    """The settings of all sessions."""
    path = os.environ.get("PYTHONPATH")
    return {**_CONFIGURATION, **({"spark.executorEnv.PYTHONPATH": path} if path else {})}


@contextmanager
def standalone(directory: Path) -> Iterator[Cluster]:
    """A master and two workers of two cores each; their logs go into the directory."""
    processes = []

    def end(*_: object) -> None:
        # As an error of the test at hand, so that what it began is ended too.
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        deploy = "org.apache.spark.deploy"
        options = ["--host", HOST, "--port", "0", "--webui-port", "0"]
        master = _start([f"{deploy}.master.Master", *options], directory / "master.log")
        processes.append(master)
        address = _wait_for(directory / "master.log", "Starting Spark master at ", master)
        for number in range(2):
            log = directory / f"worker-{number}.log"
            work = ["--cores", "2", "--memory", "2g", "--work-dir", str(directory / f"work-{number}")]
            worker = _start([f"{deploy}.worker.Worker", *options, *work, address], log)
            processes.append(worker)
        for number in range(2):
            _wait_for(directory / f"worker-{number}.log", "Successfully registered with master ", processes[number + 1])
        yield Cluster(address, [process.pid for process in processes[1:]])
    finally:
        signal.signal(signal.SIGTERM, before)
        for process in processes:
            _end(process)


def children(process: int) -> list[int]:
    """The processes that a process started."""
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        # A thread may end meanwhile.
        with suppress(OSError):
            found.extend(int(child) for child in task.read_text().split())
    return found


def ancestors(process: int) -> list[int]:
    """The process that started a process, the one that started that, and so on."""
    found = []
    while process > 1:
        status = Path(f"/proc/{process}/status").read_text()
        process = int(status.split("PPid:")[1].split()[0])
        found.append(process)
    return found


def _start(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    environ = {**environment(), "SPARK_DAEMON_MEMORY": "256m", "SPARK_NO_DAEMONIZE": "1"}
    program = str(Path(environ["SPARK_HOME"]) / "bin" / "spark-class")
    with log.open("wb") as out:
        # A group of its own, so that it can be ended with all that it started.
        return subprocess.Popen([program, *command], stdout=out, stderr=out, env=environ, start_new_session=True)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def _wait_for(log: Path, line: str, process: subprocess.Popen[bytes]) -> str:
    """The word that follows in the log, where lines are written as a whole."""

    def text() -> str:
        return log.read_text(errors="replace")

    def is_there() -> bool:
        ended = process.poll() is not None
        found = line in text() and "\n" in text().split(line)[1]
        assert found or not ended, f"a process of the cluster ended:\n{text()[-3000:]}"
        return found

    wait_until(f"`{line}` in {log}", is_there, 3 * LIMIT)
    return text().split(line)[1].split()[0].rstrip(",")
