"""Which texts hang together by pairs: the connected components of a graph.

Every partition drops the edges that close a circle in it. One task connects what is left while that is not too much; beyond, the edges
are turned in rounds by Spark (large star and small star: Kiveris and others, Connected Components in MapReduce and Beyond, 2014) until
every text points to the least of its component.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from . import kernels
from .rundir import RunDirectory


def connect(directory: RunDirectory, name: str, edges: DataFrame, count: int, most_edges: int) -> DataFrame:
    """The component of every text with one of so many edges (`a`, `b`): `doc`, and the least handle of the component as `root`."""
    forest = kernels.contract(edges.select("a", "b"))
    if count > most_edges:
        contracted = forest
        forest = directory.stage(f"{name}-edges", lambda: contracted)
        count = directory.rows_of(f"{name}-edges")
    if count > most_edges:
        return by_stars(directory, name, forest)
    return directory.stage(name, lambda: kernels.components(forest))


def by_stars(directory: RunDirectory, name: str, edges: DataFrame) -> DataFrame:
    """The same by rounds of Spark, each a stage of its own."""
    stars = edges.select(F.greatest("a", "b").alias("a"), F.least("a", "b").alias("b")).distinct()
    before: dict[str, Any] = {}
    round = 0
    while True:
        last = stars
        stars = directory.stage(f"{name}-round-{round}", lambda: _small_star(_large_star(last)))
        found = stars
        now = directory.fact(f"{name}-round-{round}-sum", lambda: _sum(found))
        if now == before:
            break
        before, round = now, round + 1
    done = stars
    return directory.stage(name, lambda: _roots(done))


def _large_star(edges: DataFrame) -> DataFrame:
    """Of every text, the neighbours above it now point to the least of all its neighbours and itself."""
    both = edges.union(edges.select("b", "a"))
    least = both.groupBy("a").agg(F.min("b").alias("least"))
    above = both.where(F.col("b") > F.col("a")).join(least, "a")
    return above.select(F.col("b").alias("a"), F.least("a", "least").alias("b")).distinct()


def _small_star(edges: DataFrame) -> DataFrame:
    """Of every text, itself and the neighbours below it now point to the least of these."""
    least = edges.groupBy("a").agg(F.min("b").alias("least"))
    below = edges.join(least, "a").where(F.col("b") != F.col("least"))
    return below.select(F.col("b").alias("a"), F.col("least").alias("b")).union(least).distinct()


def _sum(edges: DataFrame) -> dict[str, Any]:
    found = edges.agg(F.count(F.lit(1)).alias("edges"), F.bit_xor(F.xxhash64("a", "b")).alias("hash")).collect()
    return {"edges": found[0]["edges"], "hash": found[0]["hash"]}


def _roots(stars: DataFrame) -> DataFrame:
    leaves = stars.select(F.col("a").alias("doc"), F.col("b").alias("root"))
    return leaves.union(stars.select(F.col("b").alias("doc"), F.col("b").alias("root")).distinct())
