"""Stage 4: texts that share keys meet, and what they share is added up.

Every key of a text is a row, and the rows of a key come together in one task. Where a key has very many texts that task would drown:
they are dealt out into buckets, and every two buckets are a task of their own. Each pair of texts still meets once for each key.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, StructType

from .._native import Kernel
from . import kernels
from .options import Cutting
from .rundir import RunDirectory

# Which keys are frequent is told from a sample that has about so many rows of a key at the limit.
_SAMPLED = 64
# So many frequent keys are sent to every executor.
_BROADCAST = 1_000_000
# So many keys are all counted.
_FEW = 4_000_000
# The number of a block is one of 32 bits.
_MOST_BUCKETS = 40_000
# Bytes of a key's row in a shuffle, about.
_ROW = 48


@dataclass(frozen=True)
class Meeting:
    """What brings texts together."""

    directory: RunDirectory
    kernel: Kernel
    cutting: Cutting

    def candidates(self, firsts: DataFrame) -> DataFrame:
        """The pairs worth verifying: `a` and `b`, a < b."""
        frequent = self.directory.stage("frequent", lambda: self._frequent(firsts))
        return self.directory.stage("candidates", lambda: self._candidates(firsts, frequent))

    def boilerplate(self, documents: DataFrame) -> DataFrame:
        """The sentences that occur too often to count, among all texts with their copies: `key`, `rest`."""
        def found() -> DataFrame:
            # Copies have the same words, but not always the same sentences.
            counted = keys_of(documents, []).groupBy("key", "rest").agg(F.sum(F.col("occurrences").cast("long")).alias("occurrences"))
            return counted.where(F.col("occurrences") > self.kernel.most_occurrences).select("key", "rest")

        return self.directory.stage("boilerplate", found)

    def shared(self, firsts: DataFrame, boilerplate: DataFrame) -> DataFrame:
        """What texts share by their sentences but for boilerplate: `a`, `b`, and their sums."""
        def added_up() -> DataFrame:
            keys = keys_of(firsts, self.kernel.traits).join(boilerplate, ["key", "rest"], "left_anti")
            met = self._met(keys.withColumn("copies", F.lit(1)), ["key", "rest"]).where(F.col("kind") == 0)
            sums = (F.sum(name).alias(name) for name in ("count", "words_a", "words_b"))
            return met.groupBy("a", "b").agg(*sums)

        return self.directory.stage("shared", added_up)

    @property
    def keys(self) -> int:
        """Keys of all texts together."""
        return self.directory.sum_of("documents", "keys")

    def _frequent(self, firsts: DataFrame) -> DataFrame:
        every = max(1, self.cutting.most_meeting // _SAMPLED) if self.keys > _FEW else 1
        sample = firsts.where(F.pmod("doc", F.lit(every)) == 0)
        counted = keys_of(sample, []).groupBy("key").agg((F.count(F.lit(1)) * every).alias("texts"))
        frequent = counted.where(F.col("texts") > self.cutting.most_meeting)
        buckets = F.least(F.ceil(F.col("texts") * 2 / self.cutting.most_meeting), F.lit(_MOST_BUCKETS))
        return frequent.select("key", buckets.cast("int").alias("buckets"))

    def _candidates(self, firsts: DataFrame, frequent: DataFrame) -> DataFrame:
        keys = keys_of(firsts, self.kernel.traits)
        count = self.directory.rows_of("frequent")
        if count:
            blocks = in_blocks(keys, F.broadcast(frequent) if count <= _BROADCAST else frequent)
            met = self._met(blocks, ["key", "block"])
        else:
            # One number to sort by is sorted without comparing rows.
            met = self._met(keys, ["key"])
        sums = met.groupBy("a", "b").agg(F.sum("count").alias("count"), F.max("least").alias("least"))
        found = sums.where(F.col("count") >= F.col("least")).select("a", "b")
        if self.kernel.one_sided:
            found = found.select(F.least("a", "b").alias("a"), F.greatest("a", "b").alias("b")).distinct()
        return found

    def _met(self, keys: DataFrame, together: list[str]) -> DataFrame:
        rows = self.cutting.shuffled(keys, self.keys * _ROW, *together)
        return kernels.run(rows.sortWithinPartitions(*together), self.kernel, "meet")


def keys_of(documents: DataFrame, along: list[str]) -> DataFrame:
    """A row for each key of each text, with some columns of the text."""
    kind = documents.schema["keys"].dataType
    exploded = documents.select("doc", *along, F.explode("keys").alias("key"))
    if isinstance(kind, ArrayType) and isinstance(kind.elementType, StructType):
        return exploded.select("doc", *along, "key.*")
    return exploded


def in_blocks(keys: DataFrame, frequent: DataFrame) -> DataFrame:
    """The rows of keys, those of frequent keys once for each block of two buckets that the text is in."""
    joined = keys.join(frequent, "key", "left")
    bucket = F.pmod(F.xxhash64("doc"), F.col("buckets")).cast("int")
    cut = joined.withColumn("bucket", bucket)
    whole = F.array(_block(F.lit(0), F.lit(2)))
    blocks = F.when(F.col("buckets").isNull(), whole).otherwise(
        F.transform(F.sequence(F.lit(0), F.col("buckets") - 1), _block_with)
    )
    exploded = cut.withColumn("place", F.explode(blocks))
    return exploded.select(*keys.columns, "place.block", "place.side")


def _block_with(other: Column) -> Column:
    """The block of a text's own bucket and another one."""
    own, buckets = F.col("bucket"), F.col("buckets")
    block = F.least(own, other) * buckets + F.greatest(own, other)
    side = F.when(own == other, F.lit(2)).when(own < other, F.lit(0)).otherwise(F.lit(1))
    return _block(block, side)


def _block(block: Column, side: Column) -> Column:
    return F.struct(block.cast("int").alias("block"), side.cast("tinyint").alias("side"))
