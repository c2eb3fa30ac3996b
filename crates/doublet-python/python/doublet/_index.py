"""An index of sources on disk, to ask about copies of them."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from . import _native
from ._commands import Answer, Data, Paths, Record, json_lines
from ._compare import one_text
from ._job import Job, warn
from ._options import IndexAddOptions, IndexCheckOptions, IndexCreateOptions, NoOptions, StrPath, takes
from ._progress import Wish, shown
from .errors import DoubletError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from typing_extensions import Unpack

    from ._arrow import ArrowStream

# So many ids go on a command line; more go by a file.
_MOST_IDS = 64


class Index:
    """An open index: a snapshot as of its last commit, which any number of threads may ask at once.

    What this object writes it sees afterwards; what others wrote, after `reopen`. One writes at a time: another process that tries meanwhile
    gets a `FileError`.
    """

    def __init__(self, directory: StrPath) -> None:
        self.directory = Path(directory).absolute()
        self._writing = threading.Lock()
        self._snapshot: _native.Index | None = _native.Index.open(str(self.directory))

    @classmethod
    @takes(IndexCreateOptions)
    def create(cls, directory: StrPath, **options: Unpack[IndexCreateOptions]) -> Index:
        """Make an empty index; its options stay with it."""
        job = Job("index create", options, IndexCreateOptions)
        job.inputs = [os.fspath(directory)]
        job.run(quiet=False)
        return cls(directory)

    @classmethod
    def open(cls, directory: StrPath) -> Index:
        """Open an index that is there."""
        return cls(directory)

    @takes(IndexAddOptions)
    def add(self, data: Data, *, progress: Wish = None, **options: Unpack[IndexAddOptions]) -> None:
        """Add texts, all or none; one with the id of another replaces it. Texts without ids are numbered as they were ever added."""
        job = Job("index add", options, IndexAddOptions)
        given = job.read(data)
        job.renumbers = not getattr(given, "has_ids", True)
        job.inputs.insert(0, str(self.directory))
        self._write(job, progress)

    def remove(self, ids: object) -> int:
        """Remove texts by their ids, one or several; gives how many there were.

        An id is a string, a number or a boolean, and `"1"` is not `1`; but a number that is no id of the index is taken as a string, as on the
        command line.
        """
        several = list(ids) if isinstance(ids, Iterable) and not isinstance(ids, (str, bytes, bytearray)) else [ids]
        words = [word for one in several for word in _spellings(one)]
        if not words:
            return 0
        job = self._job("index remove")
        if len(words) > _MOST_IDS:
            listed = job.scratch / "ids.txt"
            listed.write_text("".join(f"{word}\n" for word in words), encoding="utf-8", newline="\n")
            job.options["ids"] = listed
        else:
            job.inputs += words
        self.reopen()
        before = len(self)
        self._write(job)
        return before - len(self)

    def compact(self) -> None:
        """Merge the parts into one, without what was removed or replaced."""
        self._write(self._job("index compact"))

    def verify(self) -> None:
        """Check every byte, and that the files fit together; `IndexDamagedError` if they do not."""
        self._job("index verify").run()

    def snapshot(self, target: StrPath) -> Index:
        """Copy the index as it is now to a new directory; gives the copy."""
        job = self._job("index snapshot")
        job.inputs.append(os.fspath(target))
        job.run()
        return Index(target)

    @overload
    def check(  # type: ignore[overload-overlap]
        self, data: str, *, progress: Wish = None, **options: Unpack[IndexCheckOptions]
    ) -> Answer: ...
    @overload
    def check(
        self,
        data: os.PathLike[str] | Iterable[str] | Iterable[Record] | Sequence[os.PathLike[str]] | ArrowStream,
        *,
        progress: Wish = None,
        **options: Unpack[IndexCheckOptions],
    ) -> list[Answer]: ...
    @takes(IndexCheckOptions)
    def check(self, data: Any, *, progress: Wish = None, **options: Unpack[IndexCheckOptions]) -> Any:
        """Whether texts are copies, of which sources, and in which parts.

        A string is one text, and gives one answer; all other data give one for each text. Files are given as `pathlib.Path`.
        """
        job = Job("check", options, IndexCheckOptions)
        is_one = isinstance(data, str)
        job.read([one_text(data)] if is_one else data)
        with shown(progress) as view:
            ran = self._open().check(["-q", "--json", *job.words()], job.data, view)
        warn(ran)
        answers = json_lines(ran.output)
        return answers[0] if is_one and answers else answers

    def info(self) -> dict[str, Any]:
        """What the index holds, and its options."""
        info: dict[str, Any] = json.loads(self._open().info())
        return info

    def reopen(self) -> None:
        """See what was written since."""
        self._open()
        self._snapshot = _native.Index.open(str(self.directory))

    def close(self) -> None:
        """Let go of the files; the object cannot be used any more."""
        self._snapshot = None

    def _open(self) -> _native.Index:
        if self._snapshot is None:
            raise DoubletError(f"the index `{self.directory}` is closed: open it again")
        return self._snapshot

    def _job(self, command: str) -> Job:
        self._open()
        job = Job(command, {}, NoOptions)
        job.inputs = [str(self.directory)]
        return job

    def _write(self, job: Job, progress: Wish = None) -> None:
        self._open()
        with self._writing:
            job.run(progress)
            self.reopen()

    def __reduce__(self) -> tuple[type[Index], tuple[Path]]:
        return Index, (self.directory,)  # another process opens it

    def __len__(self) -> int:
        return int(self.info()["documents"])

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._snapshot is None:
            return f"<doublet.Index {str(self.directory)!r}: closed>"
        return f"<doublet.Index {str(self.directory)!r}: {len(self):,} texts>"


def _spellings(one: object) -> list[str]:
    """An id as JSON, as an index holds it: a file may have escaped what is not ASCII."""
    value: Any = one.item() if hasattr(one, "item") else one  # a number of NumPy
    if not isinstance(value, (str, int, float)) or value != value:
        raise TypeError(f"{one!r} is no id: give a string, a number or a boolean, or a list of them")
    if not isinstance(value, str):
        return [json.dumps(value).replace("e+", "e")]
    plain, escaped = json.dumps(value, ensure_ascii=False), json.dumps(value)
    try:
        plain.encode()
    except UnicodeEncodeError:
        raise InputError(f"{value!r} is no id: a lone surrogate is no text") from None
    return [plain] if plain == escaped else [plain, escaped]
