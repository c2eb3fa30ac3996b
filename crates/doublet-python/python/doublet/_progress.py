"""How far a run is: a bar of tqdm, a line on standard error, or a function of your own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Optional, Union

from ._optional import optional

if TYPE_CHECKING:
    from collections.abc import Iterator

# The stage, how much of it is done, of how much if that is known, and what is counted. The first call of a stage has 0 done, the last one
# the total; in between there are at most ten a second.
Progress = Callable[[str, int, Optional[int], str], object]
Wish = Union[bool, Progress, None]


@contextmanager
def shown(wish: Wish) -> Iterator[Progress | None]:
    """What the native module calls; bars are closed at the end."""
    if callable(wish):
        yield wish
    elif not wish:
        yield None
    else:
        view = _view()
        try:
            yield view
        finally:
            view.close()


def _view() -> _Bars | _Line:
    tqdm = optional("tqdm.auto")
    return _Line() if tqdm is None else _Bars(tqdm.tqdm)


class _Bars:
    """One bar for each stage."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int | None, unit: str) -> None:
        # A stage may come again: it starts with nothing done.
        if self._bar is None or stage != self._stage or done < self._bar.n:
            self.close()
            scaled = unit in ("B", "bytes")
            self._bar = self._tqdm(desc=stage, total=total, unit="B" if scaled else f" {unit}", unit_scale=scaled)
            self._stage = stage
        if total is not None and self._bar.total != total:
            self._bar.total = total
        self._bar.n = done
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Line:
    """One line that is written over, where there is no tqdm."""

    def __init__(self) -> None:
        self._used = False

    def __call__(self, stage: str, done: int, total: int | None, unit: str) -> None:
        of = f" of {total:,}" if total else ""
        sys.stderr.write(f"\r\x1b[K{stage}: {done:,}{of} {unit}")
        sys.stderr.flush()
        self._used = True

    def close(self) -> None:
        if self._used:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
