"""One call: keywords and data become a command line, which the native module runs.

Inputs in memory have names on that command line (`data`, `against`, `a`, `b`); the native module finds them by these.
"""

from __future__ import annotations

import os
import sys
import warnings
import weakref
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _native
from ._data import ROW, Fields, Files, Reader, Rows, field, source, whole_table
from ._options import check_names, command_line
from ._progress import Wish, shown
from .errors import DoubletError, DoubletWarning, InputError, OptionError

if TYPE_CHECKING:
    from ._arrow import ArrowStream
    from ._native import Ran

_NAMES = frozenset({"data", "against", "a", "b"})


class Job:
    """A command line in the making."""

    def __init__(self, command: str, options: Mapping[str, Any], kind: type) -> None:
        check_names(command.replace(" ", "."), options, kind)
        self.command = command
        self.options = {name: value for name, value in options.items() if value is not None}
        self.fields = Fields.of(self.options)
        self.inputs: list[str] = []
        self.data: dict[str, ArrowStream] = {}
        self.renumbers = False
        self._given: list[Files | Reader | Rows] = []
        self._waiting: dict[Reader, Path] = {}
        self._spooled: dict[str, str] = {}
        self._scratch: Path | None = None

    @property
    def scratch(self) -> Path:
        """A directory for what this call writes on its way, which goes with the job."""
        if self._scratch is None:
            import tempfile

            parent = self.options.get("temp_dir")
            if parent is not None and not os.path.isdir(parent):
                raise OptionError(f"`--temp-dir {os.fspath(parent)}` is no directory: name one that is there")
            self._scratch = Path(tempfile.mkdtemp(prefix="doublet-", dir=parent))
            self._remove_scratch = weakref.finalize(self, _remove, self._scratch, os.getpid())
        return self._scratch

    def read(self, data: object, name: str = "data", *, as_file: bool = False) -> Files | Reader | Rows:
        """Take data as an input."""
        given = source(data, self.fields)
        self.inputs.extend(self._words(given, name, as_file))
        return given

    def compare_with(self, against: object, *, as_file: bool = False) -> None:
        """Take references."""
        if against is not None:
            given = source(against, self.fields)
            self.options["against"] = self._words(given, "against", as_file)

    def _words(self, given: Files | Reader | Rows, name: str, as_file: bool) -> list[str]:
        self._given.append(given)
        if isinstance(given, Files):
            # A file may be called like data in memory.
            return [f"./{path}" if path in _NAMES else path for path in given.paths]
        for option in ("format", "resume"):
            if self.options.get(option):
                raise OptionError(f"`--{option}` goes with files; here are data in memory")
        if isinstance(given, Reader):
            path = self.scratch / f"{name}.parquet"
            self._waiting[given] = path
            return [self._named(path, name)]
        stream = None if as_file else given.stream()
        if stream is None:
            path = self.scratch / f"{name}.jsonl"
            _write_lines(path, given.lines())
            return [self._named(path, name)]
        self.data[name] = stream
        return [name]

    def _named(self, path: Path, name: str) -> str:
        """A file that stands for data in memory, and goes by their name in results and messages."""
        self._spooled[str(path)] = name
        return str(path)

    def _spool(self) -> None:
        """Write the readers to files. Rows without ids are numbered, and those that have ids keep them."""
        if not self._waiting:
            return
        self.renumbers |= not any(isinstance(given, Files) or given.has_ids for given in self._given)
        numbers_all = self.renumbers or self.options.get("renumber")
        rows = 0
        for given in self._given:
            if isinstance(given, Rows):
                rows += given.count()
            if isinstance(given, Reader):
                rows += given.spool(self._waiting.pop(given), None if given.has_ids or numbers_all else rows)

    def table(self, data: object, name: str) -> str:
        """A table of other columns than texts (a truth, pairs) as a file."""
        if isinstance(data, (str, os.PathLike)):
            return os.fspath(data)
        if isinstance(data, Sequence):
            path = self.scratch / f"{name}.jsonl"
            _write_lines(path, data)
        else:
            path = self.scratch / f"{name}.parquet"
            _native.spool(whole_table(data), str(path))
        return str(path)

    def holds(self, directory: Path) -> bool:
        """Whether a directory goes with the job."""
        return self._scratch is not None and directory.is_relative_to(self._scratch)

    def close(self) -> None:
        """Remove what this call wrote on its way."""
        if self._scratch is not None:
            self._remove_scratch()

    def words(self) -> list[str]:
        """The command line without the command."""
        self._spool()
        options = dict(self.options)
        if self.renumbers:
            options["renumber"] = True
        return [*command_line(options), "--", *self.inputs]

    def run(self, progress: Wish = None, *, quiet: bool = True, extra: Sequence[str] = ()) -> Ran:
        """Run it; what it warns of becomes a warning of Python."""
        words = [*self.command.split(), *(["-q"] if quiet else []), *extra, *self.words()]
        with shown(progress) as view:
            try:
                ran = _native.run(words, self.data, view)
            except DoubletError as error:
                error.args = (self._explained(str(error)),)
                raise
        warn(ran)
        return ran

    def _explained(self, message: str) -> str:
        hint = "; a single string is a path: give a list for texts" if "no input found at" in message else ""
        return self._renamed(message) + hint

    def rename(self, directory: Path) -> None:
        """Name data in memory as such where results tell the places of records."""
        if not self._spooled:
            return
        for name in ("removed.jsonl", "rejected.jsonl", "summary.json", "report.html"):
            path = directory / name
            fresh = directory / f".{name}"
            with path.open(encoding="utf-8", newline="") as old, fresh.open("w", encoding="utf-8", newline="") as new:
                new.writelines(self._renamed(line) for line in old)
            fresh.replace(path)

    def _renamed(self, line: str) -> str:
        for path, name in self._spooled.items():
            line = line.replace(path, name)
        return line


def _remove(directory: Path, owner: int) -> None:
    """Remove the directory of a job; only in the process that made it, for a forked one has a copy of every job."""
    if os.getpid() == owner:
        import shutil

        shutil.rmtree(directory, ignore_errors=True)


def read_kept(path: Path, fields: Fields) -> tuple[array[int], list[str]]:
    """The rows and texts that stayed, of JSON lines that were made from data in memory."""
    import json

    rows, texts = array("Q"), []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            rows.append(record[ROW])
            texts.append(field(record, fields.text))
    return rows, texts


def rows_of(kept: bytes) -> array[int]:
    """Row numbers as the native module gives them."""
    rows = array("Q", kept)
    if sys.byteorder == "big":
        rows.byteswap()
    return rows


def warn(ran: Ran) -> None:
    """Say what a run warned of, at the line that called the package."""
    if not ran.warnings:
        return
    from .errors import in_python

    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("doublet."):
        level, frame = level + 1, frame.f_back
    for message in ran.warnings:
        warnings.warn(in_python(message), DoubletWarning, stacklevel=level)


def _write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    import json

    # Written plainly: an id is compared as it is written.
    with path.open("w", encoding="utf-8", newline="\n") as lines:
        for row, record in enumerate(records):
            try:
                lines.write(json.dumps(record, ensure_ascii=False, default=_plain) + "\n")
            except UnicodeEncodeError:
                raise InputError(f"row {row}: a lone surrogate is no text") from None


def _plain(value: Any) -> Any:
    """A value that JSON does not know: numbers of NumPy as numbers, the rest as text."""
    return value.item() if hasattr(value, "item") else str(value)
