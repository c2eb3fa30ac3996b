"""Every method finds what the command line finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame

from command_line import assert_same, by_command_line, by_spark
from doublet.spark import dedup
from texts import Text

METHODS = {
    "shingles": ["--threshold=0.7"],
    "connected": ["--threshold=0.7", "--linkage=connected"],
    "max-lost": ["--threshold=0.5", "--max-lost=2"],
    "coverage": ["--metric=containment-coverage", "--threshold=0.8", "--linkage=star", "--keep=longest"],
    "containment": ["--metric=containment", "--threshold=0.6", "--linkage=connected", "--keep=first"],
    "minhash": ["--method=minhash", "--threshold=0.7", "--keep=field:date", "--linkage=complete"],
    "terms": ["--method=terms"],
    "sentences": ["--method=sentences", "--min-sentences=off", "--max-occurrences=9"],
}


@pytest.mark.parametrize("name", METHODS)
def test_finds_what_the_command_line_finds(name: str, table: DataFrame, texts: list[Text], tmp_path: Path) -> None:
    arguments = METHODS[name]
    options: dict[str, Any] = {key.replace("-", "_"): value for key, value in (word[2:].split("=") for word in arguments)}
    result = dedup(table, run_dir=str(tmp_path / "run"), **options)
    bands = result.summary["bands"]
    expected = by_command_line(texts, tmp_path / "command", *arguments, *([f"--bands={bands}"] if bands else []))
    assert_same(by_spark(result), expected)
