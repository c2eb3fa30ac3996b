"""Stages 2 and 3: the fingerprints of every text, and which texts are copies of others."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .._native import Kernel
from . import kernels
from .handles import Input
from .rundir import RunDirectory


def prepare(directory: RunDirectory, kernel: Kernel, input: Input) -> DataFrame:
    """All texts: `doc`, what the kernel makes of them, and where they stand."""
    carried = input.columns.carried()
    sums = {
        "empty": F.count_if(F.col("tokens") == 0),
        "tokens": F.sum(F.col("tokens").cast("long")),
        "keys": F.sum(F.size("keys").cast("long")),
    }
    return directory.stage("documents", lambda: kernels.prepare(input.rows(), kernel, carried), sums)


def find_copies(directory: RunDirectory, documents: DataFrame, place: list[str]) -> DataFrame:
    """The texts that several rows have: `doc`, the `first` row of the text, and how many `copies` there are."""
    return directory.stage("copies", lambda: _copies(documents, place))


def firsts(documents: DataFrame, copies: DataFrame) -> DataFrame:
    """The distinct texts with a word in them, each by its first row; `copies` says how many rows it has."""
    found = documents.where(F.col("tokens") > 0).join(copies, "doc", "left")
    found = found.where(F.col("first").isNull() | (F.col("first") == F.col("doc")))
    return found.withColumn("copies", F.coalesce("copies", F.lit(1))).drop("first")


def _copies(documents: DataFrame, place: list[str]) -> DataFrame:
    texts = documents.where(F.col("tokens") > 0)
    groups = texts.groupBy("identity").agg(
        F.min_by("doc", F.struct(*place)).alias("first"), F.count(F.lit(1)).cast("int").alias("copies")
    )
    several = groups.where(F.col("copies") > 1)
    return texts.select("doc", "identity").join(several, "identity").select("doc", "first", "copies")
