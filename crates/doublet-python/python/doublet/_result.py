"""What a run of `dedup` gives: the records that stay, and why the others went."""

from __future__ import annotations

import shutil
from array import array
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar, cast

from ._data import Files, Reader, Rows
from ._job import read_kept, rows_of
from ._options import StrPath
from .errors import DoubletError, in_python

if TYPE_CHECKING:
    from types import TracebackType

    from ._job import Job
    from ._native import Ran

    _Path = Path
else:
    _Path = type(Path())  # the class for this system, the only one that has subclasses in Python 3.10 and 3.11

Kept = TypeVar("Kept")
Found = TypeVar("Found")


class _KeptPath(_Path):
    """A path to a temporary file, which stays as long as the path does."""

    _job: Job | None = None

    @classmethod
    def of(cls, path: Path, job: Job | None) -> _KeptPath:
        kept = cls(path)
        kept._job = job
        return kept

    def with_segments(self, *segments: StrPath) -> _KeptPath:
        return self.of(Path(*segments), self._job)  # what is made of it holds the file as well

    def __reduce__(self) -> tuple[type[Path], tuple[str]]:
        return Path, (str(self),)

    def __repr__(self) -> str:
        return f"{type(Path()).__name__}({self.as_posix()!r})"


class Summary(TypedDict, total=False):
    """The counts of a run: what `summary.json` holds."""

    version: str
    read: int
    kept: int
    removed: int
    below_threshold: int
    words_lost: int
    kept_for_loss: int | None
    differ_in_numbers: int
    shortened: int
    passages: int
    sentences_removed: int
    characters_removed: int
    empty: int
    rejected: int
    references: int
    pairs: int
    pairs_written: int
    clusters: int
    tokens: int
    bytes: int
    candidates: int
    verifications: int
    comparisons_saved: int
    term_search: dict[str, Any]
    blocks: dict[str, Any]
    sketches: dict[str, Any]
    peak_memory: int
    seconds: float
    stages: dict[str, float]
    warnings: list[str]
    inputs: list[dict[str, str | None]]
    against: list[dict[str, str | None]]
    options: dict[str, Any]


class Result(Generic[Kept, Found]):
    """What `dedup` found. `kept` is of the kind given, the other tables go with it.

    The files of the run are in `directory`, a temporary one unless `output=` named another. It goes with the result, or at the end of
    `with doublet.dedup(…) as result:`; what was asked for before stays.
    """

    def __init__(self, job: Job, given: Files | Reader | Rows, ran: Ran, directory: Path) -> None:
        self._job = job
        self._given = given
        self._rows = None if ran.kept is None else rows_of(ran.kept)
        self.directory = directory

    @property
    def kept(self) -> Kept:
        """The records that stay, in the kind that was given: paths for paths, a new reader for a reader.

        Without `output=` the files are temporary: they go with the last of the result and of these paths.
        """
        return cast("Kept", self._read_kept())

    def _read_kept(self) -> Any:
        given = self._given
        if isinstance(given, Files):
            paths = sorted(path for path in self._files() if path.name.startswith("kept"))
            return [_KeptPath.of(path, self._job) for path in paths] if self._job.holds(self.directory) else paths
        if isinstance(given, Reader):
            return given.kept(self._kept_file(), self)
        return self._taken

    @cached_property
    def _taken(self) -> Any:
        given = self._given
        assert isinstance(given, Rows)
        if self._rows is not None:
            return given.take(self._rows)
        rows, texts = self._lines
        cuts = self._job.options.get("remove") == "passages"
        return given.take_shortened(rows, texts) if cuts else given.take(rows)

    @cached_property
    def _lines(self) -> tuple[array[int], list[str]]:
        return read_kept(self._kept_file(), self._job.fields)

    def _kept_file(self) -> Path:
        for path in self._files():
            if path.name.startswith("kept"):
                return path
        raise DoubletError("no kept records were written: run without `--dry-run`")

    def _files(self) -> list[Path]:
        if not self.directory.is_dir():
            raise DoubletError("the result is closed, and its files are gone: give `--output` to keep them")
        return list(self.directory.iterdir())

    @property
    def kept_rows(self) -> array[int]:
        """The row numbers of the records that stay; for data in memory."""
        if not isinstance(self._given, Rows):
            raise DoubletError("rows are numbered for data in memory; here are files")
        return self._rows if self._rows is not None else self._lines[0]

    @cached_property
    def removed(self) -> Found:
        """What went, with the record that stands for it; with `remove="passages"` a row for every passage."""
        return self._found("removed.jsonl")

    @cached_property
    def pairs(self) -> Found:
        """Every pair that was found, with all scores."""
        return self._found("pairs.jsonl")

    @cached_property
    def clusters(self) -> Found:
        """The groups, each with its representative and members."""
        return self._found("clusters.jsonl")

    @cached_property
    def rejected(self) -> Found:
        """Records that could not be read, and why."""
        return self._found("rejected.jsonl")

    def _found(self, name: str) -> Found:
        self._files()
        return cast("Found", self._given.found(self.directory / name))

    @cached_property
    def summary(self) -> Summary:
        """The counts, the options in force, and what the run took."""
        import json

        self._files()
        summary: Summary = json.loads((self.directory / "summary.json").read_bytes())
        return summary

    @property
    def warnings(self) -> list[str]:
        """What to look at before the result is relied on."""
        return [in_python(message) for message in self.summary["warnings"]]

    def report(self, path: StrPath) -> Path:
        """Write the page to look at; gives its path."""
        self._files()
        return Path(shutil.copyfile(self.directory / "report.html", path))

    def close(self) -> None:
        """Remove the temporary files; `kept` of data in memory and what was asked for before stay."""
        self._job.close()

    def __enter__(self) -> Result[Kept, Found]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _counts(self) -> list[tuple[str, int, str]]:
        summary = self.summary
        groups = f"{summary['pairs']:,} pairs in {summary['clusters']:,} clusters"
        counts = [("read", summary["read"], ""), ("kept", summary["kept"], ""), ("removed", summary["removed"], groups)]
        if summary["shortened"]:
            counts.append(("shortened", summary["shortened"], f"by {summary['passages']:,} passages"))
        return [*counts, ("empty", summary["empty"], ""), ("rejected", summary["rejected"], "")]

    def __repr__(self) -> str:
        if "summary" not in self.__dict__ and not self.directory.is_dir():
            return "<doublet.Result: closed>"
        counts = (f"{name} {count:,}" + (f" ({note})" if note else "") for name, count, note in self._counts())
        return f"<doublet.Result: {', '.join(counts)}>"

    def _repr_html_(self) -> str:
        from html import escape

        if "summary" not in self.__dict__ and not self.directory.is_dir():
            return escape(repr(self))
        total = max(self.summary["read"], 1)
        rows = "".join(
            f"<tr><th>{name}</th><td style='text-align:right'>{count:,}</td>"
            f"<td style='text-align:right'>{100 * count / total:.2f} %</td><td style='text-align:left'>{note}</td></tr>"
            for name, count, note in self._counts()
        )
        notes = "".join(f"<p>{escape(message)}</p>" for message in self.warnings)
        return f"<table><caption>doublet.dedup</caption>{rows}</table>{notes}"
