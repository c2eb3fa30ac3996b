"""However the work is cut up, the outcome is the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from command_line import assert_same, by_command_line, by_spark
from doublet.errors import OptionError
from doublet.spark import dedup
from doublet.spark.components import connect
from doublet.spark.rundir import RunDirectory
from tables import frame
from texts import collection


def test_one_passage_in_a_third_of_all_texts(spark: SparkSession, tmp_path: Path) -> None:
    texts = collection(1500, seed=3, boilerplate=0.3)
    df = frame(spark, texts, tmp_path, partitions=3)
    arguments = ["--metric=containment-coverage", "--threshold=0.3", "--linkage=star"]
    expected = by_command_line(texts, tmp_path / "command", *arguments)
    cut = dedup(
        df,
        metric="containment-coverage",
        threshold=0.3,
        linkage="star",
        run_dir=str(tmp_path / "cut"),
        most_meeting=16,
        chunk_bytes=20_000,
        most_edges=0,
        partitions=3,
    )
    assert cut.directory.rows_of("frequent") > 0
    assert_same(by_spark(cut), expected)


def test_partitions_make_no_difference(table: DataFrame, tmp_path: Path) -> None:
    part = table.where("id < 3000")
    outcomes = []
    for partitions, df in ((1, part.coalesce(1)), (7, part.repartition(11, "date"))):
        result = dedup(df, threshold=0.6, run_dir=str(tmp_path / str(partitions)), partitions=partitions)
        outcomes.append(by_spark(result))
    assert_same(*outcomes)


def test_both_ways_to_connect(spark: SparkSession, tmp_path: Path) -> None:
    numbers = random.Random(1)
    # A long chain, a hub, loops, and what chance brings.
    edges = [(number, number + 1) for number in range(40)]
    edges += [(1000, 1001 + number) for number in range(60)] + [(2000, 2000), (2001, 2001), (2001, 2002)]
    edges += [(3000 + numbers.randrange(200), 3000 + numbers.randrange(200)) for _ in range(150)]
    numbers.shuffle(edges)
    df = spark.createDataFrame([(max(edge), min(edge)) for edge in edges], "a long, b long").repartition(4)
    directory = RunDirectory(spark, str(tmp_path))
    directory.open({}, fresh=False)
    alone, rounds = (
        sorted(tuple(row) for row in connect(directory, name, df, len(edges), most_edges).collect())
        for name, most_edges in (("alone", 10_000), ("rounds", 0))
    )
    assert alone == rounds
    assert {root for doc, root in alone if doc < 1000} == {0}
    assert len({doc for doc, _ in alone}) == len(alone)


def test_another_run_in_the_same_directory(spark: SparkSession, tmp_path: Path) -> None:
    texts = "the same words again and again in every text of this small collection"
    df = spark.createDataFrame([(number, texts) for number in range(3)], "id long, text string")
    run = str(tmp_path / "run")
    first = dedup(df, run_dir=run)
    assert first.directory.skipped == []
    again = dedup(df, run_dir=run)
    assert list(again.directory.manifests) == again.directory.skipped
    with pytest.raises(OptionError, match=r"other shingle size \(5, not 3\): .*fresh=True"):
        dedup(df, run_dir=run, shingle=3)
    with pytest.raises(OptionError, match=r"other keep \(central, not longest\), threshold \(0\.8, not 0\.9\): "):
        dedup(df, run_dir=run, threshold=0.9, keep="longest")
    with pytest.raises(OptionError, match="checksum of the input"):
        dedup(df.where("id < 2"), run_dir=run)
    fresh = dedup(df, run_dir=run, shingle=3, fresh=True)
    assert fresh.directory.skipped == []
    assert sorted(row["id"] for row in fresh.removed.collect()) == [1, 2]
    with pytest.raises(OptionError, match=r"other shingle size \(3, not 5\)"):
        dedup(df, run_dir=run)
    # A default that is written out is no other option.
    again = dedup(df, run_dir=run, shingle=3, method="shingles", threshold=0.8)
    assert list(again.directory.manifests) == again.directory.skipped
