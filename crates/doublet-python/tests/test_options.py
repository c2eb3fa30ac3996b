"""Keywords are the options of the command line, and the other way round: neither gets one that the other has not."""

from __future__ import annotations

import inspect
import re
import subprocess
import typing
from collections.abc import Callable
from typing import Any, Literal

import doublet
import pytest
from support import DOUBLET
from doublet import _options
from doublet.errors import _FLAGS

# What Python has otherwise: errors and warnings are exceptions and warnings, results are values.
OTHERWISE = {"help", "version", "quiet", "json"}
SERVICE = {"server", "token_file", "ca"}
Index = doublet.Index
# The command, its function, the arguments that are no options, the options that the function does not take.
COMMANDS: list[tuple[str, Callable[..., Any], set[str], set[str]]] = [
    ("dedup", doublet.dedup, {"data", "progress"}, set()),
    ("pairs", doublet.pairs, {"data", "progress"}, set()),
    ("clusters", doublet.clusters, {"data", "progress"}, set()),
    ("compare", doublet.compare, {"a", "b"}, set()),
    ("check", doublet.check, {"data", "progress"}, {"ping"}),
    ("eval", doublet.eval, {"data", "progress"}, set()),
    ("inspect", doublet.inspect, {"data"}, set()),
    ("advise", doublet.advise, {"data", "progress"}, set()),
    ("background", doublet.background, {"data", "progress"}, set()),
    ("index create", Index.create, {"directory"}, set()),
    ("index add", Index.add, {"self", "data", "progress"}, SERVICE),
    ("index remove", Index.remove, {"self"}, SERVICE),
    ("index info", Index.info, {"self"}, {"common_words"}),
    ("index compact", Index.compact, {"self"}, set()),
    ("index verify", Index.verify, {"self"}, set()),
    ("index snapshot", Index.snapshot, {"self", "target"}, set()),
]
# An open index takes the options of `check`, without those that say where the sources are.
OPENED = ("check", Index.check, {"self", "data", "progress"}, SERVICE | {"ping", "index", "against"})


def help_of(command: str) -> dict[str, tuple[bool, list[str]]]:
    """The options of a command: whether they take a value, and which values there are."""
    line = [str(DOUBLET), *command.split(), "--help"]
    told = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    options = {}
    parts = re.split(r"(?m)^  (?:-\w, |    )--", told)
    for part in parts[1:]:
        found = re.match(r"([a-z][a-z-]*)( <)?", part)
        assert found is not None
        text = re.sub(r"\s+", " ", part)
        values = re.search(r"\[possible values: ([^\]]*)\]", text)
        options[found[1].replace("-", "_")] = (found[2] is not None, values[1].split(", ") if values else [])
    return options


@pytest.mark.parametrize(("command", "function", "own", "left_out"), [*COMMANDS, OPENED])
def test_keywords_are_options(command: str, function: Callable[..., Any], own: set[str], left_out: set[str]) -> None:
    options = set(help_of(command)) - OTHERWISE
    assert left_out <= options
    keywords = set(inspect.signature(function).parameters) - own
    assert keywords == options - left_out


def values_of(note: Any) -> list[str]:
    """The words that a type allows."""
    if typing.get_origin(note) is Literal:
        return [value for value in typing.get_args(note) if isinstance(value, str)]
    return [value for part in typing.get_args(note) for value in values_of(part)]


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("dedup", _options.DedupOptions),
        ("compare", _options.CompareOptions),
        ("check", _options.CheckOptions),
        ("eval", _options.EvalOptions),
        ("advise", _options.AdviseOptions),
        ("background", _options.BackgroundOptions),
        ("index create", _options.IndexCreateOptions),
        ("index add", _options.IndexAddOptions),
    ],
)
def test_types_are_those_of_the_command_line(command: str, kind: type) -> None:
    options = help_of(command)
    for name, note in typing.get_type_hints(kind).items():
        takes_value, values = options[name]
        assert (bool in typing.get_args(note) and name not in _options._ON_OFF) != takes_value, name
        assert (name.replace("_", "-") in _FLAGS) != takes_value, name
        if values:
            assert set(values_of(note)) == set(values), name


def test_words_on_the_command_line() -> None:
    line = _options.command_line(
        {
            "text_field": "body",
            "strict": True,
            "renumber": False,
            "threshold": None,
            "stop_words": ["de", "more.txt"],
            "reorder": False,
            "df_cutoff": 0.2,
            "min_sentences": "off",
            "sweep": {"threshold": [0.3, 0.5], "shingle": "1..5:1"},
            "keep": "field:-date",
        }
    )
    assert line == [
        "--text-field=body",
        "--strict",
        "--stop-words=de",
        "--stop-words=more.txt",
        "--reorder=off",
        "--df-cutoff=0.2",
        "--min-sentences=off",
        "--sweep=threshold=0.3,0.5",
        "--sweep=shingle=1..5:1",
        "--keep=field:-date",
    ]


def test_help_tells_the_keywords() -> None:
    told = inspect.signature(doublet.dedup)
    assert told.parameters["threshold"].kind is inspect.Parameter.KEYWORD_ONLY
    assert "text_field" in str(told)
    assert "**options" not in str(told)
