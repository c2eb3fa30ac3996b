"""Stage 6: texts that belong together, and the one of them that stays."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import NumericType

from . import kernels
from .components import connect
from .options import Columns
from .verify import Verifier

_TINY = "tinyint"
# What is known of the removal of either text of a scored pair, with the types: the score that counts, whether it is below the threshold,
# and the words that are lost.
_SCORED = {f"{name}_{side}": kind for side in "ab" for name, kind in {"score": "double", "below": "boolean", "lost": "int"}.items()}
# The counts behind a score.
_COUNTS = ["common", "distinct_a", "distinct_b", "covered_a", "covered_b", "tokens_a", "tokens_b", "compared"]


@dataclass(frozen=True)
class Clustering:
    """What groups the matches."""

    verifier: Verifier
    columns: Columns
    copies: DataFrame
    matches: DataFrame
    boilerplate: DataFrame | None
    """Sentences that count for nothing, where sentences decide."""

    def members(self) -> DataFrame:
        """Every text that has a copy or a match, its `first` copy, and the `root` of what it hangs together with."""
        directory = self.verifier.directory
        count = directory.rows_of("matches")
        connected = connect(directory, "components", self.matches, count, self.verifier.cutting.most_edges)
        return directory.stage("members", lambda: self._members(connected))

    def identical(self, members: DataFrame) -> DataFrame:
        """The scores of each first text with a copy of itself."""
        firsts = members.where(F.col("doc") == F.col("first")).select("doc", "tokens", "distinct", "weight")
        if self.boilerplate is not None:
            firsts = firsts.join(self.verifier.boilerplate_words(self.boilerplate), "doc", "left")
        return kernels.run(firsts, self.verifier.kernel, "identical")

    def clusters(self, members: DataFrame, identical: DataFrame) -> DataFrame:
        """A row for each text in a cluster: the `cluster` by number, `representative`, `id`, `score`, `size`, `weakest`, `doc`,
        whether it is `removed`, how many words are `lost` with it (null where scores do not count every word), and whether it scores `below` the threshold."""
        directory = self.verifier.directory
        grouped = directory.stage("groups", lambda: self._grouped(members))
        unknown = F.col("score_a").isNull() & (F.col("a") != F.col("b"))
        sums = {"unknown": F.count_if(unknown)}
        pairs = directory.stage("represented", lambda: self._represented(grouped, members), sums)
        scored = pairs.select("*", *(F.lit(None).cast(kind).alias(f"other_{name}") for name, kind in _SCORED.items()))
        if directory.sum_of("represented", "unknown"):
            others = pairs.where(unknown).select("a", "b").distinct()
            roots = members.where(F.col("doc") == F.col("first")).select("doc", "root")
            found = self.verifier.scores(others, roots, self.boilerplate)
            others = self._scored(found).select("a", "b", *(F.col(name).alias(f"other_{name}") for name in _SCORED))
            scored = pairs.join(others, ["a", "b"], "left")
        heads = directory.stage("heads", lambda: self._heads(grouped, members))
        sums = {
            "removed": F.count_if("removed"),
            "below": F.count_if(F.col("removed") & F.col("below")),
            "lost": F.sum(F.when(F.col("removed"), F.col("lost")).cast("long")),
            "last": F.max("cluster"),
            "largest": F.max("size"),
        }
        return directory.stage("clusters", lambda: self._clusters(grouped, scored, members, identical, heads), sums)

    def _scored(self, pairs: DataFrame) -> DataFrame:
        """Pairs with what is known of both removals. Losses are null where scores do not count every word."""
        kernel = self.verifier.kernel
        is_enough = F.lit(False) if kernel.min_sentences is None else F.col("common") >= kernel.min_sentences
        columns = {}
        for side, name in zip("ab", kernel.removal_scores, strict=True):
            lost = F.col(f"tokens_{side}") - F.col(f"covered_{side}")
            columns[f"score_{side}"] = F.col(name)
            columns[f"below_{side}"] = (F.col(name) < kernel.threshold) & ~is_enough
            columns[f"lost_{side}"] = lost if kernel.counts_losses else F.lit(None).cast("int")
        return pairs.withColumns(columns)

    def _members(self, connected: DataFrame) -> DataFrame:
        of_matches = connected.select(F.col("doc").alias("first"), "root")
        of_copies = self.copies.select("doc", "first").join(of_matches, "first", "left")
        of_copies = of_copies.select("doc", "first", F.coalesce("root", "first").alias("root"))
        alone = of_matches.join(self.copies.select("first").distinct(), "first", "left_anti")
        everyone = of_copies.union(alone.select("first", "first", "root"))
        counts = ["tokens", "distinct", "length", "weight"]
        return everyone.join(self.verifier.documents.select("doc", *counts, *self.columns.carried()), "doc")

    def _grouped(self, members: DataFrame) -> DataFrame:
        place, keep = self.columns.place(), self.verifier.kernel.keep
        rank = F.lit(None).cast("long")
        if keep == "longest":
            rank = F.col("length").cast("long")
        elif keep.startswith("field:"):
            numeric = isinstance(members.schema["field"].dataType, NumericType)
            rank = F.col("field") if numeric else F.col("field").cast("string")
        texts = members.select(
            F.col("root").alias("component"), F.lit(0).cast(_TINY).alias("kind"), "doc", "first", rank.alias("rank"), *place
        )
        roots = members.where(F.col("doc") == F.col("first")).select(F.col("doc").alias("a"), F.col("root").alias("component"))
        pairs = self.matches.select("a", "b", "score", *_COUNTS).join(roots, "a")
        pairs = pairs.select("component", F.lit(1).cast(_TINY).alias("kind"), F.col("a").alias("doc"), "b", "score", *_COUNTS)
        rows = texts.unionByName(pairs, allowMissingColumns=True)
        size = self.verifier.directory.rows_of("matches") + self.verifier.directory.rows_of("members")
        rows = self.verifier.cutting.shuffled(rows, size * 64, "component").sortWithinPartitions("component", "kind", *place)
        rows = rows.select("component", "kind", "doc", "first", "rank", "b", "score", *_COUNTS)
        return kernels.run(rows, self.verifier.kernel, "cluster")

    def _represented(self, grouped: DataFrame, members: DataFrame) -> DataFrame:
        """Every text in a cluster with the first copies of itself and of its representative."""
        firsts = members.select("doc", "first")
        of_member = firsts.select(F.col("doc").alias("member"), F.col("first").alias("x"))
        of_representative = firsts.select(F.col("doc").alias("representative"), F.col("first").alias("y"))
        found = grouped.select("member", "representative").join(of_member, "member").join(of_representative, "representative")
        is_a = (F.col("x") <= F.col("y")).alias("is_a")
        found = found.select("member", is_a, F.least("x", "y").alias("a"), F.greatest("x", "y").alias("b"))
        known = self._scored(self.matches).select("a", "b", *_SCORED)
        return found.join(known, ["a", "b"], "left").select("member", "is_a", "a", "b", *_SCORED)

    def _heads(self, grouped: DataFrame, members: DataFrame) -> DataFrame:
        """The first text of each cluster with the partition that it falls into when they are in the order of the input."""
        place = self.columns.place()
        heads = grouped.where(F.col("place") == 0).select(F.col("member").alias("doc"), "cluster")
        sorted = heads.join(members.select("doc", *place), "doc").orderBy(*place)
        return sorted.select("cluster", F.spark_partition_id().alias("part"), *place)

    def _clusters(
        self, grouped: DataFrame, pairs: DataFrame, members: DataFrame, identical: DataFrame, heads: DataFrame
    ) -> DataFrame:
        own = identical.select(F.col("doc").alias("a"), F.col("score").alias("own"))
        known = pairs.join(own, "a", "left")
        is_copy = F.col("a") == F.col("b")

        def of_member(name: str) -> Column:
            of_a, of_b = (F.coalesce(f"{name}_{side}", f"other_{name}_{side}") for side in "ab")
            return F.when(F.col("is_a"), of_a).otherwise(of_b)

        score = F.when(is_copy, F.col("own")).otherwise(of_member("score"))
        lost = of_member("lost")
        if self.verifier.kernel.counts_losses:
            lost = F.when(is_copy, F.lit(0)).otherwise(lost)
        below = ~is_copy & of_member("below")
        known = known.select("member", score.alias("score"), lost.alias("lost"), below.alias("below"))
        scored = grouped.join(known, "member")
        scored = scored.join(self._numbers(heads), "cluster")
        scored = scored.join(scored.groupBy("number").agg(F.min("score").alias("weakest")), "number")
        ids = members.select("doc", "id")
        scored = scored.join(ids.select(F.col("doc").alias("member"), "id"), "member")
        scored = scored.join(ids.select(F.col("doc").alias("representative"), F.col("id").alias("kept")), "representative")
        return scored.select(
            F.col("number").alias("cluster"),
            F.col("kept").alias("representative"),
            "id",
            "score",
            "size",
            "weakest",
            F.col("member").alias("doc"),
            (F.col("member") != F.col("representative")).alias("removed"),
            "lost",
            "below",
        )

    def _numbers(self, heads: DataFrame) -> DataFrame:
        """The clusters numbered in the order of their first texts."""
        counts = heads.groupBy("part").count().orderBy("part").collect()
        before, sum = [], 0
        for row in counts:
            before.append((row["part"], sum))
            sum += row["count"]
        starts = heads.sparkSession.createDataFrame(before, "part int, start bigint")
        within = F.row_number().over(Window.partitionBy("part").orderBy(*self.columns.place()))
        return heads.withColumn("within", within).join(F.broadcast(starts), "part").select(
            "cluster", (F.col("start") + F.col("within") - 1).alias("number")
        )
