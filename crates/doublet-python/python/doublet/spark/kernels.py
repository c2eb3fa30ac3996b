"""What runs inside the executors: native kernels between two streams of Arrow batches.

A kernel travels as its pickled form, and is made of it once for each Python process, not once for each task.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from .. import _native
from .._native import Kernel

Batches = Iterator[pa.RecordBatch]
# A row of a Parquet file that holds a part of a model is at most so long.
_PART = 4 << 20


def run(df: DataFrame, kernel: Kernel, stage: str, all: bool = False) -> DataFrame:
    """The rows of a DataFrame through a stage of the kernel, partition by partition."""
    run = partial(_run, pickle.dumps(kernel), stage, all)
    return df.mapInArrow(run, kernel.schema("verify" if stage == "decide" else stage))


def prepare(df: DataFrame, kernel: Kernel, carried: list[str]) -> DataFrame:
    """What the kernel makes of each text, with some columns that go along."""
    made = StructType.fromDDL(kernel.schema("prepare"))
    schema = StructType([*cast(StructType, made), *(df.schema[name] for name in carried)])
    return df.mapInArrow(partial(_prepare, pickle.dumps(kernel), carried), schema)


def learn(df: DataFrame, kernel: Kernel, texts: int) -> DataFrame:
    """The model that the kernel learns from what was surveyed, in parts: `number`, `part`."""
    run = partial(_learn, pickle.dumps(kernel), texts)
    return df.repartition(1).mapInArrow(run, "number int, part binary")


def gather(df: DataFrame, kernel: Kernel) -> DataFrame:
    """The model with the boilerplate of all texts, in parts: `number`, `part`."""
    return df.repartition(1).mapInArrow(partial(_gather, pickle.dumps(kernel)), "number int, part binary")


def contract(df: DataFrame) -> DataFrame:
    """The edges of each partition without those that close a circle in it."""
    return df.mapInArrow(_contract, "a bigint, b bigint")


def components(df: DataFrame) -> DataFrame:
    """The component of every text that has an edge: `doc`, `root`, in one task."""
    return df.repartition(1).mapInArrow(_components, "doc bigint, root bigint")


@lru_cache(maxsize=2)
def _kernel(pickled: bytes) -> Kernel:
    kernel: Kernel = pickle.loads(pickled)
    return kernel


def _run(pickled: bytes, stage: str, all: bool, batches: Batches) -> Batches:
    run: Callable[..., Iterable[Any]] = getattr(_kernel(pickled), stage)
    return _batches(run(batches, all=True) if all else run(batches))


def _prepare(pickled: bytes, carried: list[str], batches: Batches) -> Batches:
    kernel = _kernel(pickled)
    for batch in batches:
        done = 0
        for prepared in _batches(kernel.prepare([batch])):
            along = batch.slice(done, prepared.num_rows)
            done += prepared.num_rows
            columns = [*prepared.columns, *(along.column(name) for name in carried)]
            yield pa.RecordBatch.from_arrays(columns, names=[*prepared.schema.names, *carried])


def _learn(pickled: bytes, texts: int, batches: Batches) -> Batches:
    return _parts(_kernel(pickled).learn(batches, texts=texts))


def _gather(pickled: bytes, batches: Batches) -> Batches:
    return _parts(_kernel(pickled).boilerplate(batches))


def _parts(model: bytes) -> Batches:
    for number, start in enumerate(range(0, len(model), _PART)):
        yield pa.RecordBatch.from_pydict(
            {"number": pa.array([number], pa.int32()), "part": pa.array([model[start : start + _PART]], pa.binary())}
        )


def _contract(batches: Batches) -> Batches:
    return _batches(_native.contract(batches))


def _components(batches: Batches) -> Batches:
    return _batches(_native.components(batches))


def _batches(made: Iterable[Any]) -> Batches:
    return (pa.record_batch(batch) for batch in made)
