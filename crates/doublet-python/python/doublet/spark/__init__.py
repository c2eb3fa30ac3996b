"""Finds duplicates in collections beyond one machine, on Apache Spark.

    from doublet.spark import dedup

    result = dedup(spark.read.parquet("s3://bucket/crawl"), method="minhash", threshold=0.8, run_dir="s3://bucket/run")
    result.kept.write.parquet("s3://bucket/clean")

Spark reads, shuffles, joins and writes; the native kernels of doublet run inside its tasks, on Arrow batches. The pairs, clusters and
rows that stay are those of the command line on the same texts, however the rows are partitioned.
"""

from .stages import dedup as dedup
from .result import SparkResult as SparkResult

__all__ = ["SparkResult", "dedup"]
