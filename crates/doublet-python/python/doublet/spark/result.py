"""Stage 7: what a run found, as DataFrames over the run directory and the input."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from .._native import Kernel
from .handles import Input
from .rundir import RunDirectory

# Columns of a pair whose names end in the text that they are about.
_SIDES = ("containment", "coverage")


@dataclass(frozen=True)
class Found:
    """The stages that results are made of."""

    documents: DataFrame
    copies: DataFrame
    matches: DataFrame
    members: DataFrame
    identical: DataFrame
    clusters: DataFrame
    kernel: Kernel
    """What decided about pairs and clusters."""


class SparkResult:
    """What a run found. The DataFrames read the run directory, and `kept` the input, whenever they are used."""

    def __init__(self, directory: RunDirectory, input: Input, found: Found, described: dict[str, Any], drop_empty: bool) -> None:
        self.directory = directory
        self._input = input
        self._found = found
        self._described = described
        self._drop_empty = drop_empty

    def __repr__(self) -> str:
        return f"<doublet.spark.SparkResult: {self._described['method']}, {self._input.read} rows read, in {self.directory.path}>"

    @cached_property
    def clusters(self) -> DataFrame:
        """Texts that belong together, a row for each: `cluster` (numbered in input order), `representative`, `id`, `score` with
        the representative, `size` and `weakest` of the cluster."""
        return self._found.clusters.drop("doc", "removed", "lost", "below")

    @cached_property
    def removed(self) -> DataFrame:
        """The removed texts: `id`, the `representative` that is kept for it, the `score` of the two, their `cluster`, and how many words
        are `lost`: those outside the passages that the kept text shares, or null where scores do not count every word."""
        return self._found.clusters.where("removed").select("id", "representative", "score", "cluster", "lost")

    @cached_property
    def kept(self) -> DataFrame:
        """The rows of the input that stay, with all their columns."""
        name = "doc"
        while name in self._input.df.columns:
            name += "_"
        gone = self._found.clusters.where("removed").select(F.col("doc").alias(name))
        if self._drop_empty:
            empty = self._found.documents.where(F.col("tokens") == 0)
            gone = gone.union(empty.select("doc"))
        texts = self._input.df.where(self._input.reason().isNull())
        return texts.withColumn(name, self._input.handle()).join(gone, name, "left_anti").drop(name)

    @cached_property
    def rejected(self) -> DataFrame:
        """The rows without a text: `id`, `reason`."""
        df, reason = self._input.df, self._input.reason()
        id = self._input.columns.selected(df)["id"]
        return df.where(reason.isNotNull()).select(id.alias("id"), reason.alias("reason"))

    @cached_property
    def pairs(self) -> DataFrame:
        """All pairs at or above the threshold, those of copies too: `a` stands before `b`, `score` is that of `metric`, and the
        other scores have their names."""
        place = self._input.columns.place()
        texts = self._found.members.select("doc", "first", F.col("id"), F.struct(*place).alias("place"))
        scores = self._scores()
        across = self._found.matches.select("a", "b", *scores)
        for side in ("a", "b"):
            across = across.join(_side(texts, side), side)
        within = self._found.identical.select(F.col("doc").alias("a"), *scores)
        copies = self._found.copies.select("doc", F.col("first"))
        several = texts.join(copies.select("doc"), "doc", "left_semi")
        within = within.join(_side(several, "a"), "a").join(_side(several, "b"), F.col("a") == F.col("b"))
        within = within.where(F.col("place_a") < F.col("place_b")).select(*across.columns)
        return self._oriented(across.union(within), scores)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The figures of the run. `kept`, `removed`, `empty` and `rejected` add up to `read`."""
        directory = self.directory
        counts = directory.fact("counts", self._counts)
        read, rejected, empty = self._input.read, self._input.rejected, directory.sum_of("documents", "empty")
        removed, below = directory.sum_of("clusters", "removed"), directory.sum_of("clusters", "below")
        kept = read - rejected - empty - removed
        largest = directory.sum_of("clusters", "largest")
        return {
            "read": read,
            "kept": kept,
            "removed": removed,
            "below_threshold": below,
            "words_lost": directory.sum_of("clusters", "lost") if self._found.kernel.counts_losses else None,
            "empty": empty,
            "rejected": rejected,
            "pairs": counts["pairs"],
            "clusters": directory.sum_of("clusters", "last") + 1 if directory.rows_of("clusters") else 0,
            "tokens": directory.sum_of("documents", "tokens"),
            "bytes": self._input.bytes,
            "bands": self._described.get("bands"),
            "warnings": self._found.kernel.warnings(read, kept, removed, below, rejected, largest),
            "options": self._described,
            "run_dir": directory.path,
            "stages": [
                {
                    "stage": manifest.stage,
                    "rows": manifest.rows,
                    "seconds": round(manifest.seconds, 3),
                    "finished": manifest.finished,
                    "skipped": manifest.stage in directory.skipped,
                }
                for manifest in directory.manifests.values()
            ],
        }

    def _counts(self) -> dict[str, Any]:
        found = self._found
        sizes = found.copies.where(F.col("doc") == F.col("first")).select("first", F.col("copies").cast("long"))
        across = found.matches.select("a", "b")
        for side in ("a", "b"):
            across = across.join(sizes.select(F.col("first").alias(side), F.col("copies").alias(f"copies_{side}")), side, "left")
        one = F.lit(1).cast("long")
        product = F.coalesce("copies_a", one) * F.coalesce("copies_b", one)
        within = sizes.select(F.expr("copies * (copies - 1) div 2").alias("pairs"))
        pairs = across.select(product.alias("pairs")).union(within).agg(F.sum("pairs"))
        return {"pairs": pairs.collect()[0][0] or 0}

    def _scores(self) -> list[str]:
        """The names of a pair's scores, the metric's first."""
        names = self._found.matches.columns
        return names[names.index("score") : names.index("common")]

    def _oriented(self, pairs: DataFrame, scores: list[str]) -> DataFrame:
        """The pairs with the text that stands first as `a`."""
        is_before = F.col("place_a") < F.col("place_b")
        columns: list[Column] = [
            F.when(is_before, F.col("id_a")).otherwise(F.col("id_b")).alias("a"),
            F.when(is_before, F.col("id_b")).otherwise(F.col("id_a")).alias("b"),
            F.col("score"),
            F.lit(self._described["metric"]).alias("metric"),
        ]
        for name in scores[1:]:
            other = _other(name)
            columns.append(F.when(is_before, F.col(name)).otherwise(F.col(other)).alias(name))
        return pairs.select(*columns)


def _side(texts: DataFrame, side: str) -> DataFrame:
    return texts.select(F.col("first").alias(side), F.col("id").alias(f"id_{side}"), F.col("place").alias(f"place_{side}"))


def _other(name: str) -> str:
    """The column that is about the other text, or the same if it is about both."""
    base, _, side = name.rpartition("_")
    if base in _SIDES and side in ("a", "b"):
        return f"{base}_{'b' if side == 'a' else 'a'}"
    return name
