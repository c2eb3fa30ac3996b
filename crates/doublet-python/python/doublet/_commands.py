"""The commands as functions: `dedup`, `pairs`, `clusters`, `check`, `eval`, `inspect`, `advise` and `background`.

Each takes data of any kind (`_data.py`) and the options of its command (`_options.py`), and runs that command.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Union, overload

from ._compare import one_text
from ._job import Job
from ._options import (
    AdviseOptions,
    BackgroundOptions,
    CheckOptions,
    ClustersOptions,
    DedupOptions,
    EvalOptions,
    InspectOptions,
    PairsOptions,
    StrPath,
    takes,
)
from ._result import Result
from .errors import OptionError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._arrow import ArrowStream
    from ._progress import Wish

    Table = TypeVar("Table", bound=ArrowStream)

Record = Mapping[str, Any]
Paths = Union[StrPath, Sequence["os.PathLike[str]"]]
Data = Union[Paths, Iterable[Union[str, None]], Iterable[Record], "ArrowStream"]
FoundList = list[dict[str, Any]]


class Source(TypedDict, total=False):
    """A source that a text was copied from."""

    id: Any
    score: float
    sentences: int
    division: float
    passages: list[dict[str, int]]


class Answer(TypedDict, total=False):
    """What `check` says of one text."""

    id: Any
    duplicate: bool
    share: float
    sentences: int
    of: int
    sources: list[Source]


@overload
def dedup(  # type: ignore[overload-overlap]
    data: Paths,
    *,
    against: Data | None = None,
    output: StrPath | None = None,
    progress: Wish = None,
    **options: Unpack[DedupOptions],
) -> Result[list[Path], Any]: ...
@overload
def dedup(
    data: Iterable[str],
    *,
    against: Data | None = None,
    output: StrPath | None = None,
    progress: Wish = None,
    **options: Unpack[DedupOptions],
) -> Result[list[str], FoundList]: ...
@overload
def dedup(
    data: Iterable[Record],
    *,
    against: Data | None = None,
    output: StrPath | None = None,
    progress: Wish = None,
    **options: Unpack[DedupOptions],
) -> Result[list[dict[str, Any]], FoundList]: ...
@overload
def dedup(
    data: Table,
    *,
    against: Data | None = None,
    output: StrPath | None = None,
    progress: Wish = None,
    **options: Unpack[DedupOptions],
) -> Result[Table, Any]: ...
@takes(DedupOptions)
def dedup(
    data: Any,
    *,
    against: Any = None,
    output: StrPath | None = None,
    progress: Wish = None,
    **options: Unpack[DedupOptions],
) -> Result[Any, Any]:
    """Keep one copy of everything.

    The result's `kept` is of the kind given. `against` are texts that are never removed; texts of `data` that match them are. `output` names a directory
    for the files that the command line writes; without it they are temporary. `progress=True` shows bars; a function is called with the stage,
    what is done, the total if it is known, and the unit: at the start and the end of each stage, and at most ten times a second in between.
    """
    job = Job("dedup", options, DedupOptions)
    if options.get("resume") and output is None:
        raise OptionError("`--resume` continues a run that writes to a directory: give `--output`")
    as_file = options.get("remove") == "passages"
    given = job.read(data, as_file=as_file)
    job.compare_with(against)
    directory = job.scratch / "result" if output is None else Path(output).absolute()
    ran = job.run(progress, extra=[f"--output={directory}"])
    job.rename(directory)
    return Result(job, given, ran, directory)


@overload
def pairs(
    data: Data,
    *,
    output: StrPath,
    against: Data | None = None,
    progress: Wish = None,
    **options: Unpack[PairsOptions],
) -> Path: ...
@overload
def pairs(
    data: Paths,
    *,
    output: None = None,
    against: Data | None = None,
    progress: Wish = None,
    **options: Unpack[PairsOptions],
) -> Any: ...
@overload
def pairs(
    data: Iterable[str] | Iterable[Record],
    *,
    output: None = None,
    against: Data | None = None,
    progress: Wish = None,
    **options: Unpack[PairsOptions],
) -> FoundList: ...
@overload
def pairs(
    data: ArrowStream,
    *,
    output: None = None,
    against: Data | None = None,
    progress: Wish = None,
    **options: Unpack[PairsOptions],
) -> Any: ...
@takes(PairsOptions)
def pairs(
    data: Any,
    *,
    output: StrPath | None = None,
    against: Any = None,
    progress: Wish = None,
    **options: Unpack[PairsOptions],
) -> Any:
    """Every pair at or above the threshold, with all scores: the similarity matrix.

    As dicts for lists, a data frame for data frames, Arrow for all else. With `output` they go to that file alone (JSON lines, `.csv` or
    `.parquet`), and its path comes back.
    """
    job = Job("pairs", options, PairsOptions)
    return _found(job, data, against, output, progress)


@overload
def clusters(
    data: Data,
    *,
    output: StrPath,
    against: Data | None = None,
    progress: Wish = None,
    **options: Unpack[ClustersOptions],
) -> Path: ...
@overload
def clusters(
    data: Paths,
    *,
    output: None = None,
    against: Data | None = None,
    progress: Wish = None,
    **options: Unpack[ClustersOptions],
) -> Any: ...
@overload
def clusters(
    data: Iterable[str] | Iterable[Record],
    *,
    output: None = None,
    against: Data | None = None,
    progress: Wish = None,
    **options: Unpack[ClustersOptions],
) -> FoundList: ...
@overload
def clusters(
    data: ArrowStream,
    *,
    output: None = None,
    against: Data | None = None,
    progress: Wish = None,
    **options: Unpack[ClustersOptions],
) -> Any: ...
@takes(ClustersOptions)
def clusters(
    data: Any,
    *,
    output: StrPath | None = None,
    against: Any = None,
    progress: Wish = None,
    **options: Unpack[ClustersOptions],
) -> Any:
    """Groups of texts that say the same, each with its representative and members.

    As dicts for lists, a data frame for data frames, Arrow for all else. With `output` they go to that file alone, and its path comes back.
    """
    job = Job("clusters", options, ClustersOptions)
    return _found(job, data, against, output, progress)


def _found(job: Job, data: object, against: object, output: StrPath | None, progress: Wish) -> Any:
    if job.options.get("resume") and output is None:
        raise OptionError("`--resume` continues a run that writes to a file: give `--output`")
    given = job.read(data)
    job.compare_with(against)
    path = job.scratch / f"{job.command}.jsonl" if output is None else Path(output)
    job.run(progress, extra=[f"--output={path}"])
    return given.found(path) if output is None else path


@takes(CheckOptions)
def check(
    data: Data,
    *,
    against: Data | None = None,
    index: StrPath | None = None,
    progress: Wish = None,
    **options: Unpack[CheckOptions],
) -> list[Answer]:
    """Whether texts are copies, of which sources, and in which parts.

    The sources are `against`, an `index` on disk, or those of a running service (`server`). One answer for each text, in their order. To ask one
    index often, open it: `doublet.Index.open(…).check(…)`.
    """
    job = Job("check", options, CheckOptions)
    job.read(data, as_file=options.get("server") is not None)
    job.compare_with(against)
    if index is not None:
        job.options["index"] = index
    ran = job.run(progress, extra=["--json"])
    answers: list[Answer] = json_lines(ran.output)
    return answers


@takes(EvalOptions)
def eval(
    data: Data,
    *,
    truth: Data | None = None,
    against: Data | None = None,
    pairs: Data | None = None,
    output: StrPath | None = None,
    progress: Wish = None,
    **options: Unpack[EvalOptions],
) -> dict[str, Any]:
    """Judge what is found by what you know: precision, recall, F1, and which setting is best.

    `truth` has labelled pairs (`a`, `b`, `label`), clusters (`id`, `cluster`) or copies (`target`, `source`); `pairs` are those of another tool, to
    be judged. `sweep={"threshold": [0.5, 0.6, 0.7]}` tries several values. `output` names a directory for `eval.html` and the plot.
    """
    job = Job("eval", options, EvalOptions)
    if options.get("tune") and output is None:
        raise OptionError("`--tune` writes weights.toml: give `--output`, a directory")
    # Methods are compared in processes of their own, which do not see data in memory.
    as_file = options.get("methods") is not None
    job.read(data, as_file=as_file)
    job.compare_with(against, as_file=as_file)
    for name, table in (("truth", truth), ("pairs", pairs)):
        if table is not None:
            job.options[name] = job.table(table, name)
    if output is not None or options.get("sweep"):
        job.options["output"] = output if output is not None else job.scratch / "eval"
    ran = job.run(progress, extra=["--json"])
    judged: dict[str, Any] = json.loads(ran.output)
    return judged


@overload
def inspect(  # type: ignore[overload-overlap]
    data: str, **options: Unpack[InspectOptions]
) -> dict[str, Any]: ...
@overload
def inspect(
    data: os.PathLike[str] | Iterable[str] | Iterable[Record] | Sequence[os.PathLike[str]] | ArrowStream,
    **options: Unpack[InspectOptions],
) -> FoundList: ...
@takes(InspectOptions)
def inspect(data: Any, **options: Unpack[InspectOptions]) -> Any:
    """How texts are seen: tokens and shingles, sketches, terms and weights, or sentences, with fingerprints.

    A string is one text, and gives one dict; all other data give one for each text. Files are given as `pathlib.Path`.
    """
    job = Job("inspect", options, InspectOptions)
    is_one = isinstance(data, str)
    job.read([one_text(data)] if is_one else data)
    seen: FoundList = json_lines(job.run(quiet=False).output)
    if seen and "groups" in seen[0]:  # what holds for all texts comes first
        common = seen.pop(0)
        seen = [{**text, **common} for text in seen]
    return seen[0] if is_one and seen else seen


@takes(AdviseOptions)
def advise(data: Data, *, progress: Wish = None, **options: Unpack[AdviseOptions]) -> dict[str, Any]:
    """Look at a collection and say which method, metric, threshold and options go with it, and why."""
    job = Job("advise", options, AdviseOptions)
    job.read(data)
    advice: dict[str, Any] = json.loads(job.run(progress, extra=["--json"]).output)
    return advice


@takes(BackgroundOptions)
def background(
    data: Data, *, output: StrPath, progress: Wish = None, **options: Unpack[BackgroundOptions]
) -> Path:
    """Count how often words occur, for `background=` of `terms` and `sentences`; gives the path of the table."""
    job = Job("background", options, BackgroundOptions)
    job.read(data)
    job.run(progress, extra=[f"--output={os.fspath(output)}"])
    return Path(output)


def json_lines(output: bytes) -> Any:
    """One value a line."""
    return [json.loads(line) for line in output.splitlines()]
