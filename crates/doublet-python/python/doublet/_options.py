"""The options of the command line as keywords: `text_field="body"` is `--text-field body`.

One class for each heading of `doublet dedup --help`, and one for each command that puts them together. `None` is the command line's
default, so that defaults are said in one place, there. Nothing is checked here: the command line does.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict, TypeVar, Union

from .errors import OptionError

StrPath = Union[str, "os.PathLike[str]"]

Method = Literal["shingles", "minhash", "simhash", "terms", "sentences", "imatch"]
Metric = Literal["resemblance", "coverage", "containment", "containment-coverage", "degree", "agreement"]
Format = Literal["jsonl", "csv", "tsv", "parquet", "text", "lines", "html", "xml", "warc"]
Tokens = Literal["words", "spaces", "characters"]
Numbers = Literal["token", "keep", "drop"]
Case = Literal["fold", "keep"]
Accents = Literal["keep", "fold"]
Fingerprint = Literal["fold", "rabin"]
Candidates = Literal["auto", "features", "exact", "baseline", "bands", "values"]
Weighting = Literal["frequency", "idf", "log"]
Sketch = Literal["permutations", "smallest", "modulo"]
Voters = Literal["shingles", "terms"]
Linkage = Literal["connected", "star", "complete"]
Remove = Literal["documents", "passages"]
Unlabelled = Literal["ignore", "different"]
OnOff = Union[bool, Literal["on", "off"]]


class Matching(TypedDict, total=False):
    """What a duplicate is."""

    method: Method | None
    metric: Metric | None
    threshold: float | None
    shingle: int | None


class Reading(TypedDict, total=False):
    """Where the text and the id are; `format` is for files."""

    format: Format | None
    text_field: str | None
    id_field: str | None
    renumber: bool | None
    strict: bool | None


class PlainWords(TypedDict, total=False):
    """What makes words the same."""

    tokens: Tokens | None
    numbers: Numbers | None
    case: Case | None
    accents: Accents | None
    ascii: bool | None
    stop_words: StrPath | Sequence[StrPath] | None
    lang: str | None
    fold_elongation: bool | None


class Words(PlainWords, total=False):
    """What makes words the same, and how they become numbers."""

    fingerprint: Fingerprint | None
    fingerprint_bits: int | None
    seed: int | None


class Terms(TypedDict, total=False):
    """Short texts."""

    candidates: Candidates | None
    transitivity: OnOff | None
    background: StrPath | None
    weights: StrPath | None
    weighting: Weighting | None
    features: int | str | None
    gram: int | None
    short: int | None


class Sketches(TypedDict, total=False):
    """`minhash` and `simhash`."""

    sketch: Sketch | None
    sketch_size: int | None
    recall: float | None
    bands: str | None
    min_common: int | None
    estimate: bool | None
    distance: int | None
    voters: Voters | None


class Sentences(TypedDict, total=False):
    """Texts copied in part."""

    df_cutoff: float | Literal["off"] | None
    reorder: OnOff | None
    min_words: int | None
    min_sentences: int | Literal["off"] | None
    min_share: float | None
    max_occurrences: int | None


class Running(TypedDict, total=False):
    """What a run may use; `memory` is a number of bytes, or a size such as "500M"."""

    threads: int | None
    memory: int | str | None
    temp_dir: StrPath | None


class Resuming(TypedDict, total=False):
    """Interrupted runs over files."""

    resume: bool | None
    checkpoint: float | None


class Clustering(TypedDict, total=False):
    """What makes a cluster, and which of its texts stays."""

    linkage: Linkage | None
    keep: str | None


class TextOptions(Matching, Words, Terms, Sketches, Sentences, total=False):
    """How two texts are compared."""


class JoinOptions(TextOptions, Reading, Running, Resuming, total=False):
    """Options of everything that joins a collection with itself."""


class PairsOptions(JoinOptions, total=False):
    """Options of `pairs`."""

    max_pairs: int | None


class ClustersOptions(JoinOptions, Clustering, total=False):
    """Options of `clusters`."""


class DedupOptions(ClustersOptions, total=False):
    """Options of `dedup`."""

    remove: Remove | None
    max_lost: float | None
    force: bool | None
    dry_run: bool | None
    drop_empty: bool | None


class CompareOptions(TextOptions, Reading, total=False):
    """Options of `compare`."""


class InspectOptions(TextOptions, Reading, total=False):
    """Options of `inspect`."""


class IndexCheckOptions(TextOptions, Reading, Running, total=False):
    """Options of `check` that an open index takes."""

    top: int | Literal["all"] | None
    stats: StrPath | None


class CheckOptions(IndexCheckOptions, total=False):
    """Options of `check`."""

    server: str | None
    token_file: StrPath | None
    ca: StrPath | None


class EvalOptions(TextOptions, Reading, Running, Clustering, total=False):
    """Options of `eval`."""

    baseline: bool | None
    labelled_only: bool | None
    label_field: str | None
    positive: str | Sequence[str] | None
    unlabelled: Unlabelled | None
    sweep: str | Sequence[str] | Mapping[str, str | Iterable[object]] | None
    methods: Method | Sequence[Method] | None
    tune: Literal["weights"] | None
    errors: int | None


class AdviseOptions(Reading, Running, total=False):
    """Options of `advise`."""

    sample: int | None
    seed: int | None


class BackgroundOptions(Reading, PlainWords, Running, total=False):
    """Options of `background`."""

    method: Literal["terms", "sentences"] | None


class IndexCreateOptions(TextOptions, total=False):
    """Options of `index create`."""

    no_texts: bool | None


class IndexAddOptions(Reading, Running, total=False):
    """Options of `index add`."""

    commit_every: int | None


class NoOptions(TypedDict):
    """A command whose options are arguments."""


# Options with the values `on` and `off`, for which True and False will do.
_ON_OFF = frozenset({"reorder", "transitivity"})


def names(kind: type) -> tuple[str, ...]:
    """The keywords of a class of options."""
    return tuple(kind.__annotations__)


def command_line(options: Mapping[str, object]) -> list[str]:
    """The words on the command line that say the same as these keywords."""
    words: list[str] = []
    for name, value in options.items():
        words.extend(_words(name, value))
    return words


def _words(name: str, value: object) -> list[str]:
    option = "--" + name.replace("_", "-")
    if value is None:
        return []
    if isinstance(value, bool) and name not in _ON_OFF:
        return [option] if value else []
    return [f"{option}={text}" for text in _values(name, value)]


def _values(name: str, value: object) -> list[str]:
    if isinstance(value, bool):
        return ["on" if value else "off"]
    if isinstance(value, (str, os.PathLike)):
        return [os.fsdecode(value)]
    if isinstance(value, Mapping):
        return [f"{key}={_joined(several)}" for key, several in value.items()]
    if isinstance(value, Iterable):
        return [text for one in value for text in _values(name, one)]
    if hasattr(value, "item"):  # a number of NumPy
        value = value.item()
    if not isinstance(value, (int, float)):
        raise OptionError(f"`--{name.replace('_', '-')}`: give a string or a number, not {value!r}")
    return [str(value)]


def _joined(several: object) -> str:
    if isinstance(several, Iterable) and not isinstance(several, str):
        return ",".join(str(one) for one in several)
    return str(several)


Function = TypeVar("Function", bound=Callable[..., Any])


def takes(kind: type) -> Callable[[Function], Function]:
    """Tell `help` and notebooks, which look at the running function, the keywords that `**options` stands for."""

    def tell(function: Function) -> Function:
        from inspect import Parameter, Signature, signature

        known = signature(function)
        parameters = [one for one in known.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
        notes = kind.__annotations__
        parameters += [
            Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=getattr(note, "__forward_arg__", note))
            for name, note in notes.items()
        ]
        told = Signature(parameters, return_annotation=known.return_annotation)
        function.__signature__ = told  # type: ignore[attr-defined]
        return function

    return tell


def check_names(command: str, options: Mapping[str, object], kind: type) -> None:
    """Refuse a keyword that is none, as Python does for functions that name theirs."""
    known = names(kind)
    for name in options:
        if name not in known:
            from difflib import get_close_matches

            close = get_close_matches(name, known, 1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise TypeError(f"{command}() got an unexpected keyword argument {name!r}{hint}")
