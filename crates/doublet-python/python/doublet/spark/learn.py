"""Stage 1: what the kernel has to know of the whole collection before it can tell of a text.

Which shingles are frequent, which bands suit, is learnt from a sample of the texts, chosen by their handles; how often words occur, from
all of them. There may be several rounds: terms ask for the languages first.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .._native import Kernel
from . import kernels
from .handles import Input
from .rundir import RunDirectory


def learn(directory: RunDirectory, kernel: Kernel, input: Input) -> Kernel:
    """A kernel that knows what it needs."""
    round = 0
    while kernel.survey_kind:
        asking = kernel
        parts = directory.stage(f"model-{round}", lambda: _model(asking, input))
        # Of no rows Spark makes no task.
        kernel = Kernel(model=joined(parts) or kernel.learn([], texts=input.texts))
        round += 1
    return kernel


def joined(parts: DataFrame) -> bytes:
    """A model of its parts."""
    return b"".join(bytes(row["part"]) for row in parts.orderBy("number").collect())


def _model(kernel: Kernel, input: Input) -> DataFrame:
    every = kernel.sample_every(input.texts, input.bytes)
    texts = input.rows().where(F.pmod("doc", F.lit(every)) == 0).select("text")
    surveyed = kernels.run(texts, kernel, "survey")
    if kernel.survey_kind == "counts":
        surveyed = surveyed.groupBy("form", "group").agg(
            F.sum("occurrences").alias("occurrences"), F.sum("texts").alias("texts")
        )
    return kernels.learn(surveyed, kernel, input.texts)
