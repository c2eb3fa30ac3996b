"""Texts as tables of Spark."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from texts import Text


def frame(spark: SparkSession, texts: list[Text], place: Path, partitions: int) -> DataFrame:
    """Texts in so many files of Parquet."""
    rows = [(row.id, row.text, row.date) for row in texts]
    df = spark.createDataFrame(rows, "id long, text string, date int")
    df.repartition(partitions, "text").write.parquet(str(place / "parquet"))
    return spark.read.parquet(str(place / "parquet"))
