"""What the programs of this folder share: a Spark session on this machine, and what a run used.

Every program takes a Parquet file, runs in a session of `local[CORES]`, and prints one line of JSON: seconds from the first
line of work to the last row written, CPU seconds of the JVM and of the Python workers, bytes and records shuffled.
"""

import argparse
import json
import os
import pathlib
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

from pyspark.sql import SparkSession


# What is summed up over tasks.
FIGURES = ("tasks", "task_cpu_seconds", "shuffle_bytes", "shuffle_records", "input_bytes", "output_bytes", "spilled_bytes", "largest_read")


def arguments(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("corpus", help="Parquet file or folder with the columns id and text")
    parser.add_argument("output", help="folder for what is found; made anew")
    parser.add_argument("--threshold", type=float, default=0.7)
    parser.add_argument("--shingle", type=int, default=5)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--partitions", type=int, default=8, help="partitions of a shuffle")
    parser.add_argument("--memory", default="4g", help="of the JVM")
    parser.add_argument("--method", default="minhash", help="for doublet")
    parser.add_argument("--limit", type=int, default=0, help="minutes after which the run is given up")
    return parser.parse_args()


def settings(run: argparse.Namespace, events: str) -> dict[str, str]:
    """A session that is the same for everybody."""
    return {
        "spark.master": f"local[{run.cores}]",
        "spark.driver.memory": run.memory,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events,
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.sql.shuffle.partitions": str(run.partitions),
        "spark.default.parallelism": str(run.partitions),
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }


def session(run: argparse.Namespace, events: str) -> SparkSession:
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.appName("benchmark")
    for name, value in settings(run, events).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def python_workers() -> dict[int, float]:
    """CPU seconds of each Python worker of this machine's sessions, those that ended counted with the daemon."""
    found = {}
    tick = os.sysconf("SC_CLK_TCK")
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes()
            if b"pyspark.daemon" not in line and b"pyspark/daemon" not in line:
                continue
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            # User and system time, its own and that of children that ended.
            found[int(folder.name)] = sum(int(field) for field in fields[11:15]) / tick
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def jvm_cpu() -> float:
    """CPU seconds of the JVM, a child of this process."""
    tick = os.sysconf("SC_CLK_TCK")
    total = 0.0
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == os.getpid() and b"java" in (folder / "cmdline").read_bytes():
                total += sum(int(field) for field in fields[11:13]) / tick
        except (FileNotFoundError, ProcessLookupError):
            continue
    return total


def event_lines(folder: str) -> Iterator[dict[str, Any]]:
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file() and not path.name.endswith(".crc"):
            with path.open() as lines:
                yield from (json.loads(line) for line in lines)


def shuffled(folder: str) -> dict[str, Any]:
    """What tasks used and wrote for others to read, in all and for each kind of job by its name."""
    jobs: dict[str, dict[str, float]] = {}
    names: dict[int, str] = {}
    for event in event_lines(folder):
        if event["Event"] == "SparkListenerStageSubmitted":
            properties = event.get("Properties") or {}
            names[event["Stage Info"]["Stage ID"]] = properties.get("spark.job.description", "")
        metrics = event.get("Task Metrics") if event["Event"] == "SparkListenerTaskEnd" else None
        if not metrics:
            continue
        written, read = metrics["Shuffle Write Metrics"], metrics["Shuffle Read Metrics"]
        job = jobs.setdefault(names.get(event["Stage ID"], ""), dict.fromkeys(FIGURES, 0.0))
        job["tasks"] += 1
        # Of the threads of the JVM that ran tasks; Python workers and the compiler of the JVM are not among it.
        job["task_cpu_seconds"] += metrics["Executor CPU Time"] / 1e9
        job["shuffle_bytes"] += written["Shuffle Bytes Written"]
        job["shuffle_records"] += written["Shuffle Records Written"]
        job["input_bytes"] += metrics["Input Metrics"]["Bytes Read"]
        job["output_bytes"] += metrics["Output Metrics"]["Bytes Written"]
        job["spilled_bytes"] += metrics["Disk Bytes Spilled"]
        job["largest_read"] = max(job["largest_read"], read["Local Bytes Read"] + read["Remote Bytes Read"])
    totals: dict[str, Any] = {name: round(sum(job[name] for job in jobs.values()), 2) for name in FIGURES}
    totals["largest_read"] = max((job["largest_read"] for job in jobs.values()), default=0)
    return totals | {"jobs": jobs}


def give_up(run: argparse.Namespace) -> None:
    """Says that it takes too long, and what it has used so far; the JVM goes with this process."""
    used = {"over_limit": True, "seconds": 60 * run.limit, "task_cpu_seconds": round(jvm_cpu(), 2)}
    print(json.dumps(used | {"python_cpu_seconds": round(sum(python_workers().values()), 2)}), flush=True)
    os._exit(0)


def measure(run: argparse.Namespace, work: Callable[[SparkSession], dict[str, Any]]) -> None:
    """Runs `work` in a session, and prints what it used."""
    with tempfile.TemporaryDirectory(prefix="doublet-events-") as events:
        spark = session(run, events)
        before = jvm_cpu()
        signal.signal(signal.SIGALRM, lambda *_: give_up(run))
        signal.alarm(60 * run.limit)
        start = time.perf_counter()
        found = work(spark)
        seconds = time.perf_counter() - start
        workers = sum(python_workers().values())
        java = jvm_cpu() - before
        spark.stop()
        driver = resource.getrusage(resource.RUSAGE_SELF)
        used = {
            "seconds": round(seconds, 2),
            "jvm_cpu_seconds": round(java, 2),
            "python_cpu_seconds": round(workers, 2),
            "driver_cpu_seconds": round(driver.ru_utime + driver.ru_stime, 2),
        }
        print(json.dumps(used | shuffled(events) | found))
