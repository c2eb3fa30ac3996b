"""Stage 5: the scores of the candidates, by their texts.

Texts that hang together by candidates are one chunk, so that each text is sent to one task and no more; chunks that are too large are cut
into blocks of two buckets. The texts are read from the input again and go nowhere but into the shuffle. Pairs of sentences need no
texts: what they share was added up already.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .._native import Kernel
from . import kernels
from .components import connect
from .handles import Input
from .learn import joined
from .meet import keys_of
from .options import Cutting
from .rundir import RunDirectory

# So many texts that are needed are sent to every executor as a list of their numbers.
_BROADCAST = 2_000_000


@dataclass(frozen=True)
class Verifier:
    """What scores pairs."""

    directory: RunDirectory
    kernel: Kernel
    cutting: Cutting
    input: Input
    documents: DataFrame

    def matches(self, candidates: DataFrame) -> DataFrame:
        """The candidates at or above the threshold, with their scores."""
        count = self.directory.rows_of("candidates")
        connected = connect(self.directory, "candidate-components", candidates, count, self.cutting.most_edges)
        chunks = self.directory.stage("chunks", lambda: self._chunks(candidates, connected))
        needed = self._needed("texts", chunks)
        return self.directory.stage("matches", lambda: self._verified(chunks, needed, all=False))

    def decided(self, shared: DataFrame, boilerplate: DataFrame) -> DataFrame:
        """The pairs that share enough sentences, with their scores."""
        return self.directory.stage("matches", lambda: self._decided(shared, self.boilerplate_words(boilerplate)))

    def boilerplate_words(self, boilerplate: DataFrame) -> DataFrame:
        """The words of each text that are boilerplate: `doc`, `boilerplate`."""
        keys = keys_of(self.documents, []).join(boilerplate, ["key", "rest"], "left_semi")
        return keys.groupBy("doc").agg(F.sum(F.col("words").cast("long")).alias("boilerplate"))

    def scores(self, pairs: DataFrame, connected: DataFrame, boilerplate: DataFrame | None) -> DataFrame:
        """The scores of some pairs, whatever they are, of texts that are connected already."""
        verifier = self
        if boilerplate is not None:
            sentences = boilerplate.select(F.col("key").alias("a"), F.col("rest").alias("b"))
            model = self.directory.stage("model-boilerplate", lambda: kernels.gather(sentences, self.kernel))
            known = joined(model)
            verifier = replace(self, kernel=Kernel(model=known)) if known else self
        chunks = self.directory.stage("other-chunks", lambda: self._chunks(pairs, connected))
        needed = self._needed("other-texts", chunks)
        return self.directory.stage("other-scores", lambda: verifier._verified(chunks, needed, all=True))

    def _chunks(self, pairs: DataFrame, connected: DataFrame) -> DataFrame:
        """The pairs with the chunk of each."""
        lengths = connected.join(self.documents.select("doc", "length"), "doc")
        sizes = lengths.groupBy("root").agg(F.sum(F.col("length").cast("long")).alias("size"))
        large = sizes.where(F.col("size") > self.cutting.chunk_bytes)
        buckets = F.ceil(F.col("size") * 2 / self.cutting.chunk_bytes).cast("int")
        rooted = pairs.join(connected.withColumnRenamed("doc", "a"), "a").join(
            large.select("root", buckets.alias("buckets")), "root", "left"
        )
        x, y = (F.pmod(F.xxhash64(name), F.col("buckets")) for name in ("a", "b"))
        block = F.xxhash64("root", F.least(x, y), F.greatest(x, y))
        chunk = F.when(F.col("buckets").isNull(), F.col("root")).otherwise(block)
        return rooted.select(chunk.alias("chunk"), "a", "b")

    def _needed(self, name: str, chunks: DataFrame) -> DataFrame:
        """The texts that each chunk needs: `chunk`, `a`."""
        both = chunks.select("chunk", "a").union(chunks.select("chunk", "b"))
        needed = self.directory.stage(name, lambda: both.distinct())
        # A list that every executor can hold spares a shuffle of all texts of the input.
        return F.broadcast(needed) if self.directory.rows_of(name) <= _BROADCAST else needed

    def _verified(self, chunks: DataFrame, needed: DataFrame, all: bool) -> DataFrame:
        texts = self.input.rows().select(F.col("doc").alias("a"), "text").join(needed, "a")
        texts = texts.select("chunk", F.lit(0).cast("tinyint").alias("kind"), "a", F.lit(None).cast("long").alias("b"), "text")
        pairs = chunks.select("chunk", F.lit(1).cast("tinyint").alias("kind"), "a", "b", F.lit(None).cast("string").alias("text"))
        rows = self.cutting.shuffled(texts.union(pairs), self.input.bytes, "chunk")
        return kernels.run(rows.sortWithinPartitions("chunk", "kind"), self.kernel, "verify", all)

    def _decided(self, shared: DataFrame, boilerplate: DataFrame) -> DataFrame:
        sums = shared
        counts = self.documents.select("doc", "distinct", "tokens").join(boilerplate, "doc", "left")
        for side in ("a", "b"):
            named = [F.col(name).alias(f"{name}_{side}") for name in ("distinct", "tokens", "boilerplate")]
            sums = sums.join(counts.select(F.col("doc").alias(side), *named), side)
        return kernels.run(sums, self.kernel, "decide")
