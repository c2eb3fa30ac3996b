"""What the command line finds, and what Spark found, in a form in which they are the same or not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from doublet.spark import SparkResult
from texts import Text


@dataclass
class Outcome:
    """The results of a run."""

    pairs: list[tuple[Any, ...]]
    clusters: list[tuple[Any, ...]]
    removed: list[tuple[Any, ...]]
    kept: list[Any]
    counts: dict[str, Any]

    def without_losses(self) -> Outcome:
        """The same but for the words that removals lose."""
        counts = {name: count for name, count in self.counts.items() if name != "words_lost"}
        return replace(self, removed=[row[:-1] for row in self.removed], counts=counts)


COUNTS = ("read", "kept", "removed", "below_threshold", "words_lost", "empty", "rejected", "clusters")


def doublet(*arguments: str) -> None:
    """Runs the program: that of the variable DOUBLET, or the wheel's."""
    program = [os.environ["DOUBLET"]] if "DOUBLET" in os.environ else [sys.executable, "-m", "doublet"]
    done = subprocess.run([*program, *arguments, "-q"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def by_command_line(texts: Sequence[Text], directory: Path, *arguments: str) -> Outcome:
    """What `doublet pairs` and `doublet dedup` find."""
    directory.mkdir()
    input = directory / "input.jsonl"
    with input.open("w") as lines:
        for row in texts:
            lines.write(json.dumps({"id": row.id, "text": row.text, "date": row.date}) + "\n")
    out = directory / "out"
    doublet("dedup", str(input), "-o", str(out), *arguments)
    pairs = directory / "pairs.jsonl"
    # Options of clusters alone say nothing of pairs.
    matching = [argument for argument in arguments if not argument.startswith(("--keep", "--linkage", "--max-lost"))]
    doublet("pairs", str(input), "-o", str(pairs), *matching)
    clusters: list[tuple[Any, ...]] = []
    for line in _lines(out / "clusters.jsonl"):
        whole = (line["cluster"], line["representative"], line["size"], rounded(line["weakest"]))
        clusters.extend((*whole, member["id"], rounded(member["score"])) for member in line["members"])
    summary = json.loads((out / "summary.json").read_text())
    return Outcome(
        sorted(_pair(line) for line in _lines(pairs)),
        sorted(clusters),
        sorted(_removed(line) for line in _lines(out / "removed.jsonl")),
        sorted(line["id"] for line in _lines(next(out.glob("kept*")))),
        {name: summary[name] for name in COUNTS},
    )


def by_spark(result: SparkResult) -> Outcome:
    """What a run on Spark found."""
    clusters = result.clusters.select("cluster", "representative", "size", "weakest", "id", "score").collect()
    removed = result.removed.collect()
    return Outcome(
        sorted(_pair(row.asDict()) for row in result.pairs.collect()),
        sorted((*row[:3], rounded(row["weakest"]), row["id"], rounded(row["score"])) for row in clusters),
        sorted(_removed(row) for row in removed),
        sorted(row["id"] for row in result.kept.select("id").collect()),
        {name: result.summary[name] for name in COUNTS},
    )


def _removed(row: Any) -> tuple[Any, ...]:
    return row["id"], row["representative"], rounded(row["score"]), row["cluster"], row["lost"]


def assert_same(found: Outcome, expected: Outcome) -> None:
    """All parts are the same, and there is something in each. A cluster does not know all losses."""
    if found.counts["words_lost"] is None:
        assert all(row[-1] is None for row in found.removed)
        found, expected = found.without_losses(), expected.without_losses()
    for field in fields(Outcome):
        x, y = getattr(found, field.name), getattr(expected, field.name)
        if x != y and isinstance(x, list):
            more, less = [row for row in x if row not in set(y)], [row for row in y if row not in set(x)]
            raise AssertionError(f"{field.name}: {len(x)} for {len(y)}; too many {more[:5]}, missing {less[:5]}")
        assert x == y, field.name
        assert x, field.name


def rounded(score: float) -> int:
    """A score in millionths, as the command line writes it."""
    return int(score * 1e6 + 0.5)


def _pair(line: dict[str, Any]) -> tuple[Any, ...]:
    scores = (rounded(line[name]) for name in sorted(line) if name not in ("a", "b", "metric"))
    return (line["a"], line["b"], line["metric"], *scores)


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    with path.open() as lines:
        return [json.loads(line) for line in lines]
