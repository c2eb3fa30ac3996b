"""What can go wrong, by kind.

Messages are those of the command line, with options by their names in Python: `text_field=` for `--text-field`.
"""

from __future__ import annotations

import re

__all__ = [
    "DoubletError",
    "DoubletWarning",
    "FileError",
    "IndexDamagedError",
    "InputError",
    "OptionError",
]

# Options that stand alone on the command line and are true or false here.
_FLAGS = frozenset(
    {
        "ascii",
        "baseline",
        "drop-empty",
        "dry-run",
        "estimate",
        "fold-elongation",
        "force",
        "labelled-only",
        "no-texts",
        "renumber",
        "resume",
        "strict",
    }
)
# What stands in quotes is data (ids, texts, names of files, whole command lines), unless it begins with an option.
_PARTS = re.compile(
    r"""
    '--(?P<clap>[a-z][a-z-]*)(?:[ ]<[^>]*>)?(?:\.\.\.)?'
    | `--(?P<quoted>[a-z][a-z-]*)(?:[ =](?P<value>[^`]*))?`
    | `[^`]*` | "(?:[^"\\]|\\.)*"
    | (?<![\w`'"./\\-])--(?P<bare>[a-z][a-z-]*)(?![\w/\\-]|\.\w)
    """,
    re.VERBOSE,
)
_VALUES = re.compile(r"\n\s*\[possible values: ([^\]]*)\]")
_TIP = re.compile(r"\n+\s*tip: ")


def _keyword(name: str, value: str | None = None) -> str:
    keyword = name.replace("-", "_") + "="
    if value is not None and not re.match(r"[A-Z]", value):
        return keyword + (value if re.fullmatch(r"[\d.]+", value) else repr(value))
    return keyword + "True" if name in _FLAGS else keyword


def _part(found: re.Match[str]) -> str:
    if found["bare"]:
        return _keyword(found["bare"])
    if found["clap"]:
        return f"`{_keyword(found['clap'])}`"
    return f"`{_keyword(found['quoted'], found['value'])}`" if found["quoted"] else found[0]


def in_python(message: str) -> str:
    """A message of the command line in the words of Python."""
    message = _PARTS.sub(_part, message)
    message = _VALUES.sub(r": give one of \1", message)
    return _TIP.sub("; ", message).strip()


class DoubletError(Exception):
    """Any error of doublet."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(in_python(part) if isinstance(part, str) else part for part in arguments))


class OptionError(DoubletError, ValueError):
    """An option, or a combination of options, that has no meaning."""


class InputError(DoubletError, ValueError):
    """Data that cannot be used: no such column, an id twice, a bad record with `strict=True`, a damaged file."""


class FileError(DoubletError, OSError):
    """Reading or writing failed."""


class IndexDamagedError(DoubletError):
    """An index whose files do not fit together."""


class DoubletWarning(UserWarning):
    """What the command line prints as a warning."""
