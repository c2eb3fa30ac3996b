"""doublet.spark: pairs, clusters and what is kept.

Kernels are timed where they run: each task adds the CPU time of its calls to a file of its own.
"""

import json
import os
import pathlib
import tempfile

import common
from pyspark.sql import SparkSession

run = common.arguments(__doc__)
FOLDER = "DOUBLET_KERNEL_TIMES"


def work(spark: SparkSession) -> dict[str, object]:
    from doublet import spark as doublet_spark

    texts = spark.read.parquet(run.corpus)
    with tempfile.TemporaryDirectory(prefix="doublet-run-") as run_dir:
        result = doublet_spark.dedup(texts, method=run.method, threshold=run.threshold, run_dir=run_dir)
        result.kept.write.mode("overwrite").parquet(run.output + "/kept")
        result.clusters.write.mode("overwrite").parquet(run.output + "/clusters")
        summary = result.summary
    kernels = sum(float(path.read_text()) for path in pathlib.Path(os.environ[FOLDER]).iterdir())
    return {
        "tool": f"doublet.spark {run.method}",
        "kept": spark.read.parquet(run.output + "/kept").count(),
        "kernel_cpu_seconds": round(kernels, 2),
        "summary": json.loads(json.dumps(summary, default=str)),
    }


with tempfile.TemporaryDirectory(prefix="doublet-kernels-") as folder:
    os.environ[FOLDER] = folder
    here = str(pathlib.Path(__file__).parent)
    os.environ["PYTHONPATH"] = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
    common.measure(run, work)
