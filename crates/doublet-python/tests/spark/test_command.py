"""The command, from files to files."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from doublet.spark import __main__ as command

FERRY = "The ferry leaves at nine from the north pier, and tickets are sold on board."
OTHER = "Nothing of the kind was ever said by anybody in this town, or so they think."


@pytest.mark.parametrize(
    ("input", "format"),
    [
        ("s3://bucket/crawl", "parquet"),
        ("crawl.parquet/", "parquet"),
        ("crawl/*.jsonl.gz", "jsonl"),
        ("news.JSON", "jsonl"),
        ("posts.csv", "csv"),
        ("posts.tsv.zst", "tsv"),
        ("web.pages", "table"),
    ],
)
def test_the_format_is_told_by_the_ending(input: str, format: str) -> None:
    assert command._format(input) == format


def test_a_table_of_lines(spark: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    input, output = tmp_path / "posts.csv", tmp_path / "out"
    odd = ["  two  ", "ends in a backslash\\", f'{OTHER}\r\n"So" they say,\n\n"so".', "", "a\tb"]
    texts = [FERRY, *odd, FERRY.upper()]
    quoted = [text.replace('"', '""') for text in texts]
    input.write_text("key,body\n" + "".join(f'{key},"{text}"\n' for key, text in enumerate(quoted)) + "7,\n", newline="")
    line = [str(input), str(output), "--id", "key", "--text", "body", "--threshold", "0.5"]
    assert command.main(line) == 0
    assert "   removed              1" in capfd.readouterr().out
    stay = [*enumerate(texts[:-1]), (7, "")]
    assert kept(output) == stay
    pairs = spark.read.parquet(str(output / "pairs")).collect()
    assert [(row["a"], row["b"], row["score"]) for row in pairs] == [("0", "6", 1.0)]
    assert spark.read.parquet(str(output / "rejected")).count() == 0
    summary = json.loads(next((output / "summary.json").glob("part-*")).read_text())
    assert (summary["read"], summary["kept"], summary["empty"]) == (8, 5, 2)
    # The same again has nothing to do; another run must not write over it.
    assert command.main(line) == 0
    assert "rows" not in capfd.readouterr().err
    assert command.main([*line, "--run-dir", str(tmp_path / "other")]) == 2
    assert "is there already: give another OUTPUT" in capfd.readouterr().err
    # What is written in another way is written again, and so is what was deleted.
    shutil.rmtree(output / "removed")
    assert command.main([*line, "--drop-empty", "--most-pairs", "0"]) == 0
    assert "none was written" in capfd.readouterr().err
    assert spark.read.parquet(str(output / "pairs")).count() == 0
    assert spark.read.parquet(str(output / "removed")).count() == 1
    assert kept(output) == [row for row in stay if row[1]]
    assert command.main(line) == 0
    assert spark.read.parquet(str(output / "pairs")).count() == 1


def kept(output: Path) -> list[tuple[int, str]]:
    """The rows that stay, read by another reader than wrote them."""
    rows: list[tuple[int, str]] = []
    for part in (output / "kept").glob("part-*"):
        with part.open(newline="") as lines:
            rows.extend((int(key), text) for key, text in list(csv.reader(lines))[1:])
    return sorted(rows)


def test_what_is_refused(spark: SparkSession, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        command.main(["--method", "minhash", "in", "out"])
    assert "INPUT and OUTPUT first" in capfd.readouterr().err
    for line, said in (
        (["none.parquet", "out"], "cannot read none.parquet as parquet"),
        (["none", "out"], "cannot read none as table"),
        (["none.parquet", "out", "--threads", "3"], "cores of the executors"),
    ):
        assert command.main(line) == 2
        assert said in capfd.readouterr().err
