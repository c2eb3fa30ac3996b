"""What is refused, and what is taken as it is."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from doublet.errors import InputError, OptionError
from doublet.spark import dedup
from doublet.spark.options import Columns

FERRY = "The ferry leaves at nine from the north pier, and tickets are sold on board."
OTHER = "Nothing of the kind was ever said by anybody in this town, or so they think."
ROWS = [(0, FERRY), (1, OTHER), (2, FERRY.upper()), (3, None), (4, "")]
KINDS = "id long, text string"
IDS: dict[str, list[Any]] = {
    "int": [-2, -1, 0, 1, 2],
    "string": ["a", "b", "c", "d", "e"],
    "binary": [bytearray([0, number]) for number in range(5)],
    "decimal(30,2)": [Decimal(number) / 4 for number in range(5)],
    "date": [datetime.date(2026, 1, 1 + number) for number in range(5)],
    "timestamp": [datetime.datetime(2026, 1, 1, number) for number in range(5)],
    "array<string>": [["x", str(number)] for number in range(5)],
    # The hash of Spark passes over nulls.
    "struct<x: int, y: int>": [(None, 1), (1, None), (1, 1), (None, None), (2, 1)],
}


def test_ids_of_any_type(spark: SparkSession, tmp_path: Path) -> None:
    kinds = ", ".join(f"id{number}: {kind}" for number, kind in enumerate(IDS))
    rows = [(id, text) for id, (_, text) in zip(zip(*IDS.values()), ROWS)]
    df = spark.createDataFrame(rows, f"id struct<{kinds}>, text string")
    for number in range(len(IDS)):
        assert Columns.of(df, "text", f"id.id{number}", None, None).place() == ["id"]
    result = dedup(df, run_dir=str(tmp_path))
    ids = [row["id"] for row in df.orderBy("id").select("id").collect()]
    assert len({row["doc"] for row in result.directory.stage("documents", lambda: df).collect()}) == 4
    assert [(row["a"], row["b"]) for row in result.pairs.collect()] == [(ids[0], ids[2])]
    assert [row["id"] for row in result.removed.collect()] == [ids[2]]
    assert result.kept.schema == df.schema


def test_rows_that_are_no_texts_are_counted(spark: SparkSession, tmp_path: Path) -> None:
    df = spark.createDataFrame(ROWS, KINDS).union(spark.sql("select 5L, cast(X'41ff42' as string)")).repartition(7)
    result = dedup(df, run_dir=str(tmp_path))
    counts = {name: result.summary[name] for name in ("read", "kept", "removed", "empty", "rejected", "pairs", "clusters")}
    assert counts == {"read": 6, "kept": 2, "removed": 1, "empty": 1, "rejected": 2, "pairs": 1, "clusters": 1}
    assert sorted(row["id"] for row in result.kept.collect()) == [0, 1, 4]
    rejected = sorted(tuple(row) for row in result.rejected.collect())
    assert rejected == [(3, "the text is null"), (5, "the text is not UTF-8")]
    again = dedup(df, run_dir=str(tmp_path), drop_empty=True)
    assert sorted(row["id"] for row in again.kept.collect()) == [0, 1]


@pytest.mark.parametrize("method", ["shingles", "sentences"])
def test_no_rows(method: Literal["shingles", "sentences"], spark: SparkSession, tmp_path: Path) -> None:
    df = spark.createDataFrame([], KINDS)
    result = dedup(df, run_dir=str(tmp_path), method=method)
    assert result.summary["read"] == 0
    for found in (result.kept, result.pairs, result.clusters, result.removed, result.rejected):
        assert found.count() == 0


def test_the_order_says_which_is_first(spark: SparkSession, tmp_path: Path) -> None:
    rank = F.when(F.col("id") == 2, F.lit("0.5")).cast("decimal(9,3)")
    df = spark.createDataFrame(ROWS, KINDS).withColumns({"page.date": -F.col("id"), "rank": rank, "doc": F.lit("mine")})
    result = dedup(df, order="page.date", run_dir=str(tmp_path / "order"))
    assert [(row["a"], row["b"]) for row in result.pairs.collect()] == [(2, 0)]
    assert [row["id"] for row in result.removed.collect()] == [0]
    assert {row["doc"] for row in result.kept.collect()} == {"mine"}
    # A text without the field comes last, whichever end of it stays.
    for keep in ("field:rank", "field:-rank"):
        result = dedup(df, keep=keep, run_dir=str(tmp_path / keep.replace(":", "")))
        assert [row["id"] for row in result.removed.collect()] == [0]


@pytest.mark.parametrize(
    ("made", "options", "error", "said"),
    [
        ("id, text", {"text": "body"}, InputError, "no column `body`: give text="),
        ("id, text", {"id": "key"}, InputError, "no column `key`: give id="),
        ("id, text", {"order": "date"}, InputError, "no column `date`: give order="),
        ("id, text", {"keep": "field:date"}, InputError, "no column `date`: give keep="),
        ("id, id as text", {}, InputError, "of type bigint, not string"),
        ("map(id, 1) as id, text", {}, InputError, "cast it to string"),
        ("id * 0.5D as id, text", {}, InputError, "of type double"),
        ("id div 2 as id, text", {}, InputError, "the id 0 of the column `id` stands 2 times"),
        ("nullif(id, 1) as id, text", {}, InputError, "1 rows have no id in the column `id`"),
        ("id, text", {"threshold": 2}, OptionError, "threshold"),
        ("id, text", {"threads": 2}, OptionError, "cores of the executors"),
        ("id, text", {"treshold": 0.5}, TypeError, "did you mean 'threshold'"),
        ("id, text", {"partitions": 0}, OptionError, "at least 1"),
    ],
)
def test_clear_errors(
    made: str, options: dict[str, Any], error: type[Exception], said: str, spark: SparkSession, tmp_path: Path
) -> None:
    spark.createDataFrame(ROWS, KINDS).createOrReplaceTempView("made")
    with pytest.raises(error, match=said.replace("(", r"\(")):
        dedup(spark.sql(f"select {made} from made"), run_dir=str(tmp_path), **options)
