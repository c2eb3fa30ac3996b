"""Progress, Ctrl-C, memory, the console script, and what an import brings with it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from importlib.metadata import distributions
from itertools import groupby
from pathlib import Path
from typing import Any

import doublet
import pytest
from support import METHODS, SAMPLES
from waiting import LIMIT

Step = tuple[str, int, "int | None", str]

# A run over them takes no time to speak of.
FEW = ["one text of some words here", "ONE TEXT OF SOME WORDS HERE", "and another one of them all"]


def python(code: str, **more: Any) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def stages(seen: list[Step]) -> list[str]:
    """The names of the stages that were reported, each from its start to its end."""
    names = []
    for (name, unit), steps in groupby(seen, key=lambda step: (step[0], step[3])):
        counts = [(done, total) for _, done, total, _ in steps]
        amounts = [done for done, _ in counts]
        assert len(counts) > 1, name
        assert amounts[0] == 0, name
        assert counts[-1][0] == counts[-1][1], name
        assert amounts == sorted(amounts), name
        assert all(total is None or done <= total for done, total in counts), name
        assert unit, name
        names.append(name)
    return names


@pytest.mark.parametrize("method", METHODS)
def test_every_stage_is_reported_however_short(method: str) -> None:
    seen: list[Step] = []
    result = doublet.dedup(FEW, method=method, progress=lambda *step: seen.append(step))
    names = stages(seen)
    assert "reading" in names
    assert names[-3:] == ["writing pairs", "writing", "writing the report"]
    assert result.summary["removed"] == 1
    # Reported in the order in which they come, which is the same in every run.
    again: list[Step] = []
    doublet.dedup(FEW, method=method, progress=lambda *step: again.append(step))
    assert stages(again) == names


def test_an_index_reports_its_stages(tmp_path: Path) -> None:
    seen: list[Step] = []
    index = doublet.Index.create(tmp_path / "index")
    index.add(FEW, progress=lambda *step: seen.append(step))
    assert stages(seen)[-1] == "adding"
    seen.clear()
    index.check(FEW, progress=lambda *step: seen.append(step))
    assert stages(seen) == ["checking"]


@pytest.mark.skipif(os.name != "posix", reason="a pipe with a name")
def test_progress_within_a_stage(tmp_path: Path) -> None:
    """A run that waits for the reader of its output goes on being reported, at most ten times a second."""
    pipe = tmp_path / "pairs.jsonl"
    os.mkfifo(pipe)
    seen: list[tuple[float, str]] = []
    enough = threading.Event()
    read: list[int] = []

    def tell(stage: str, done: int, total: int | None, unit: str) -> None:
        seen.append((time.monotonic(), stage))
        waiting = [name for _, name in seen[-5:]]
        if len(waiting) == 5 and len(set(waiting)) == 1:
            enough.set()

    def drain() -> None:
        with pipe.open("rb") as output:
            # The run fills the pipe and waits.
            assert enough.wait(LIMIT)
            read.append(len(output.read()))

    reader = threading.Thread(target=drain)
    reader.start()
    doublet.pairs(["the same words in every text"] * 300, output=pipe, progress=tell)
    reader.join()
    assert read[0] > 1 << 20
    for (before, stage), (after, same), (_, end) in zip(seen, seen[1:], seen[2:]):
        if stage == same == end:
            assert after - before > 0.099


@pytest.mark.parametrize("at", ["start", "end"])
def test_what_progress_raises_ends_the_run(at: str, tmp_path: Path) -> None:
    seen: list[Step] = []
    doublet.dedup(FEW, progress=lambda *step: seen.append(step))
    names = stages(seen)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    for name in names:
        calls: list[bool] = []

        def stop(stage: str, done: int, total: int | None, unit: str) -> None:
            calls.append(stage == name and done == (0 if at == "start" else total))
            if calls[-1]:
                raise LookupError(stage)

        out = tmp_path / f"until {name}"
        with pytest.raises(LookupError, match=name):
            doublet.dedup(FEW, progress=stop, output=out, temp_dir=scratch)
        # What raised is not called again.
        assert calls[-1] and not any(calls[:-1])
        # At the end of the last stage the results are there.
        assert out.exists() == (at == "end" and name == names[-1])
        assert list(scratch.iterdir()) == []


def test_bars(capsys: pytest.CaptureFixture[str]) -> None:
    doublet.dedup(FEW)
    assert capsys.readouterr().err == ""
    doublet.dedup(FEW, progress=True)
    shown = capsys.readouterr().err
    for bar in ("reading: 100%", "verifying", "writing the report", "/s]"):
        assert bar in shown


def test_a_line_where_there_is_no_tqdm(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    doublet.dedup(FEW, progress=True)
    shown = capsys.readouterr().err
    assert re.match(r"\r\x1b\[K\w+: 0 of [\d,]+ bytes\r", shown)
    assert "\x1b[Kreading: 0 of " in shown
    assert "\rwriting the report: " in shown.replace("\x1b[K", "")
    assert shown.endswith("\x1b[K")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_control_c(tmp_path: Path) -> None:
    """A run that waits for the reader of its output is interrupted, and goes on only when it knows."""
    pipe, scratch = tmp_path / "pairs.jsonl", tmp_path / "scratch"
    os.mkfifo(pipe)
    scratch.mkdir()
    code = f"""
import os, signal, sys, threading, time
import doublet

heard = threading.Event()
main = threading.main_thread().ident

def interrupt(*_):
    heard.set()
    raise KeyboardInterrupt

def drain():
    with open({str(pipe)!r}, "rb") as output:
        heard.wait()
        # The run was told when the handler is left and another thread has its turn.
        while sys._current_frames()[main].f_code is interrupt.__code__:
            time.sleep(0.01)
        output.read()

signal.signal(signal.SIGINT, interrupt)
reader = threading.Thread(target=drain)
reader.start()
texts = ["the same words in every text"] * 300
try:
    # Whole at once: what print writes can be interrupted before the end of the line.
    running = lambda *_: os.write(1, b"running\\n")
    doublet.pairs(texts, output={str(pipe)!r}, progress=running, temp_dir={str(scratch)!r})
    print("finished")
except KeyboardInterrupt:
    print("interrupted", len(doublet.dedup(texts).kept), flush=True)
"""
    child = python(code)
    assert child.stdout is not None
    assert child.stdout.readline() == "running\n"
    child.send_signal(signal.SIGINT)
    output, errors = child.communicate(timeout=LIMIT)
    assert output.splitlines()[-1] == "interrupted 1", (output[-200:], errors)
    assert list(scratch.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from the system as Linux tells it")
def test_a_stream_larger_than_memory(tmp_path: Path) -> None:
    """The process grows by a fraction of what streams through it."""
    code = f"""
import resource, random
import doublet, pyarrow
rows, batches = 2_000, 100
schema = pyarrow.schema([("id", pyarrow.int64()), ("text", pyarrow.string()), ("more", pyarrow.string())])
random.seed(7)
letters = bytes(b"abcdefghijklmnop"[byte % 16] for byte in range(256))
streamed = 0
def stream():
    global streamed
    for number in range(batches):
        # Long texts of one word, so that the bytes are many and the work is not.
        texts = [random.randbytes(1000).translate(letters).decode() for _ in range(rows)]
        batch = pyarrow.record_batch([range(number * rows, (number + 1) * rows), texts, texts], schema=schema)
        streamed += batch.nbytes
        yield batch
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
import pyarrow.parquet
doublet.dedup(["warm", "up"])
before = peak()
result = doublet.dedup(pyarrow.RecordBatchReader.from_batches(schema, stream()), memory="16M", threads=1, temp_dir={str(tmp_path)!r})
kept = sum(batch.num_rows for batch in result.kept)
print(streamed, peak() - before, kept, result.summary["kept"])
"""
    child = python(code)
    output, errors = child.communicate(timeout=10 * LIMIT)
    assert child.returncode == 0, errors
    streamed, grown, kept, counted = map(int, output.split())
    assert kept == counted == 200_000
    assert streamed > 400_000_000
    assert grown < streamed / 2, f"{grown:,} of {streamed:,} bytes"


def test_an_import_is_light() -> None:
    code = """
import sys
import doublet
heavy = {"pandas", "polars", "pyarrow", "datasets", "numpy", "tqdm", "pyspark", "asyncio", "urllib.request"}
print(sorted(heavy & set(sys.modules)))
doublet.dedup(["a text of some words", "and another one of them"])
doublet.dedup([{"text": "a text of some words"}])
heavy.discard("pyarrow")
print(sorted(heavy & set(sys.modules)))
"""
    output, errors = python(code).communicate(timeout=LIMIT)
    assert output == "[]\n[]\n", errors


@pytest.mark.parametrize("library", ["pyarrow", "tqdm"])
def test_without_a_library(library: str) -> None:
    code = f"""
import sys
sys.modules[{library!r}] = None
import doublet
texts = ["one text of some words here", "ONE TEXT OF SOME WORDS HERE", "and another one of them all"]
result = doublet.dedup(texts, progress=True)
assert result.kept == [texts[0], texts[2]]
assert len(doublet.dedup([{{"id": n, "text": text}} for n, text in enumerate(texts)]).pairs) == 1
assert doublet.dedup({str(SAMPLES / "articles.jsonl")!r}).pairs.num_rows == 0
import polars
found = doublet.dedup(polars.DataFrame({{"text": texts}}))
assert found.kept["text"].to_list() == [texts[0], texts[2]]
assert found.pairs["a"].to_list() == [0]
"""
    child = python(code)
    _, errors = child.communicate(timeout=LIMIT)
    assert child.returncode == 0, errors


def test_the_command_line() -> None:
    line = ["compare", str(SAMPLES / "rulff-a.txt"), str(SAMPLES / "rulff-b.txt"), "--json"]
    starts = [[sys.executable, "-m", "doublet"]]
    if any(distributions(name="doublet")):  # and not only on the path
        starts.append([str(Path(sys.executable).parent / "doublet")])
    for start in starts:
        ran = subprocess.run([*start, *line], capture_output=True, text=True, check=False)
        assert ran.returncode == 1, ran.stderr
        assert '"resemblance"' in ran.stdout
        wrong = subprocess.run([*start, "pairs", "none.jsonl"], capture_output=True, text=True, check=False)
        assert wrong.returncode == 2
        assert "no input found" in wrong.stderr
        told = subprocess.run([*start, "--version"], capture_output=True, text=True, check=False)
        assert told.stdout.split() == ["doublet", doublet.__version__]


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_control_c_of_the_command_line(tmp_path: Path) -> None:
    """Also where a command waits: here for a text on standard input."""
    line = [sys.executable, "-m", "doublet", "compare", "-", str(SAMPLES / "rulff-b.txt")]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    waiting = subprocess.Popen(line, **pipes, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert waiting.stdin is not None
    # More than a pipe holds: when all of it is written, the command is reading.
    waiting.stdin.write(b"word " * (1 << 18))
    waiting.stdin.flush()
    waiting.send_signal(signal.SIGINT)
    # The end of the input comes after that of the command.
    waiting.wait(LIMIT)
    _, said = waiting.communicate(timeout=LIMIT)
    assert waiting.returncode == 2
    assert b"interrupted" in said
