"""Two texts side by side: `compare`, and how a comparison shows in a notebook."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from . import _native
from ._job import Job
from ._options import CompareOptions, StrPath, takes
from .errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Unpack

# Files whose text is what stands in them.
_PLAIN = (".txt", ".text", ".md")
_MARK = "background:#ffe08a;color:#1b1b1b;padding:0;border-radius:2px"
_CELL = "width:50%;vertical-align:top;text-align:left;white-space:pre-wrap;overflow-wrap:anywhere"


class Passage(TypedDict):
    """Where something stands: from `start` up to and not including `end`, in code points, so that `text[start:end]` is it."""

    start: int
    end: int


@dataclass(frozen=True)
class Comparison:
    """Two texts compared."""

    duplicate: bool
    """Whether the score is at or above the threshold."""
    score: float
    """The score by `metric`."""
    metric: str
    scores: dict[str, float]
    """Every score by its name."""
    passages_a: list[Passage]
    """What of the first text stands in the second."""
    passages_b: list[Passage]
    """What of the second text stands in the first."""
    details: dict[str, Any] = field(repr=False)
    """All that `doublet compare --json` says: counts, terms with their weights, fingerprints."""
    a: str | None = field(default=None, repr=False)
    """The first text; None for files other than plain text."""
    b: str | None = field(default=None, repr=False)
    """The second text."""

    def __bool__(self) -> bool:
        return self.duplicate

    def _repr_html_(self) -> str:
        verdict = "duplicate" if self.duplicate else "no duplicate"
        rows = "".join(
            f"<tr><th style='text-align:left'>{name}</th><td style='text-align:right'>{value:.6f}</td></tr>"
            for name, value in self.scores.items()
        )
        texts = ""
        if self.a is not None and self.b is not None:
            cells = (_marked(self.a, self.passages_a), _marked(self.b, self.passages_b))
            columns = "".join(f"<td style='{_CELL}'>{cell}</td>" for cell in cells)
            texts = f"<table style='width:100%;table-layout:fixed'><tr>{columns}</tr></table>"
        return f"<div><p><b>{verdict}</b>: {self.metric} {self.score:.6f}</p>{texts}<table>{rows}</table></div>"


def _marked(text: str, passages: Sequence[Passage]) -> str:
    """A text as HTML with its passages marked."""
    from html import escape

    parts, place = [], 0
    for passage in passages:
        start, end = max(passage["start"], place), passage["end"]
        parts.append(escape(text[place:start]))
        parts.append(f"<mark style='{_MARK}'>{escape(text[start:end])}</mark>")
        place = max(end, place)
    parts.append(escape(text[place:]))
    return "".join(parts)


@takes(CompareOptions)
def compare(a: StrPath | Sequence[str], b: StrPath | Sequence[str], **options: Unpack[CompareOptions]) -> Comparison:
    """Compare two texts: every score, and the passages that they share.

    Strings are texts; files are given as `pathlib.Path`, and a text that is called like a file as a list of it alone. In a notebook the texts show
    side by side with what they share marked.
    """
    job = Job("compare", options, CompareOptions)
    for name, text in (("a", a), ("b", b)):
        job.read(_one(text), name)
    ran = job.run(quiet=False, extra=["--json"])
    details = json.loads(ran.output)
    scores = {name: details[name] for name in _native.SCORES if name in details}
    return Comparison(
        details["duplicate"],
        details["score"],
        details["metric"],
        scores,
        details["passages_a"],
        details["passages_b"],
        details,
        _text_of(a),
        _text_of(b),
    )


def _one(text: object) -> object:
    """What is to be read where one text is asked for."""
    if isinstance(text, str):
        return [one_text(text)]
    if isinstance(text, os.PathLike) or (isinstance(text, (list, tuple)) and [type(one) for one in text] == [str]):
        return text
    raise TypeError(f"{type(text).__name__} is no text: give a string, a pathlib.Path, or a list of one string")


def one_text(text: str) -> str:
    """A string where a text is asked for; one that names a file was most likely meant as a path."""
    if text and len(text) < 256 and "\n" not in text and "\0" not in text and os.path.isfile(text):
        raise InputError(
            f"{text!r} is a file, and a string here is a text: give pathlib.Path({text!r}) to read it, or [{text!r}] for this very text"
        )
    return text


def _text_of(text: StrPath | Sequence[str]) -> str | None:
    if not isinstance(text, os.PathLike):
        return text if isinstance(text, str) else text[0]
    path = Path(text)
    if path.suffix.lower() not in _PLAIN:
        return None
    return path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
