"""What the peers' runs share: arguments, reading JSON lines, cutting into shingles, writing pairs.

Every run is `X_run.py CORPUS OUTPUT THRESHOLD THREADS [--shingle N] [--unit words|chars] [--recall-bands B,R]`. It
writes one `a<TAB>b<TAB>score` line a pair, `a` before `b` in the corpus; the score is the tool's own estimate of the
similarity, 1.0 if it has none. Words are what white space separates, in small letters, unless the tool cuts for itself:
what users of these libraries write, and fast.
"""

import argparse
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import orjson

PERMUTATIONS = 128
# 16 bands of 8 rows: the steepest part of the curve lies at 0.707.
BANDS = (16, 8)


class Arguments(NamedTuple):
    corpus: str
    output: str
    threshold: float
    threads: int
    shingle: int
    unit: str
    # Bands and rows; None if not given.
    bands: tuple[int, int] | None

    def bands_or(self, default: tuple[int, int]) -> tuple[int, int]:
        return self.bands or default

    def permutations(self) -> int:
        return self.bands[0] * self.bands[1] if self.bands else PERMUTATIONS


def pair_of_numbers(text: str) -> tuple[int, int]:
    bands, rows = text.split(",")
    return int(bands), int(rows)


def arguments() -> Arguments:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("output")
    parser.add_argument("threshold", type=float)
    parser.add_argument("threads", type=int)
    parser.add_argument("--shingle", type=int, default=5)
    parser.add_argument("--unit", choices=["words", "chars"], default="words")
    parser.add_argument("--recall-bands", type=pair_of_numbers, dest="bands")
    return Arguments(**vars(parser.parse_args()))


def read(corpus: str) -> tuple[list[str], list[str]]:
    """The ids and texts of a corpus."""
    ids, texts = [], []
    with open(corpus, "rb") as lines:
        for line in lines:
            record = orjson.loads(line)
            ids.append(record["id"])
            texts.append(record["text"])
    return ids, texts


def batches(items, size: int) -> Iterator:
    return (items[start : start + size] for start in range(0, len(items), size))


def shingles(text: str, size: int, unit: str) -> list[str]:
    """Runs of so many words or characters; a shorter text is one shingle."""
    if unit == "chars":
        text = " ".join(text.lower().split())
        return [text[start : start + size] for start in range(max(len(text) - size, 0) + 1)]
    words = text.lower().split()
    if len(words) <= size:
        return [" ".join(words)]
    # Slices of one string are faster than a join for each.
    joined = " ".join(words)
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    return [joined[start : end - 1] for start, end in zip(starts, starts[size:])]


def write_pairs(output: str, ids: list[str], pairs: Iterable[tuple[int, int, float]]) -> None:
    """Write pairs of text numbers with their scores, each once."""
    with open(output, "w", encoding="utf-8") as file:
        for a, b, score in sorted(pairs):
            file.write(f"{ids[a]}\t{ids[b]}\t{score:.6g}\n")


def empty_folder(path: str) -> Path:
    """A folder for what a tool leaves on its way."""
    folder = Path(path)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder.resolve()
