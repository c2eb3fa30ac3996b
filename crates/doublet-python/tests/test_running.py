"""Progress, Ctrl-C, memory, the console script, and what an import brings with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import doublet
import pytest
from support import SAMPLES

# Texts enough for some seconds of work.
MANY = """
import random
random.seed(7)
letters = "abcdefghijklmnopqrst"
words = [a + b + c for a in letters for b in letters for c in letters]
texts = [" ".join(random.choices(words, k=150)) for _ in range(40_000)]
"""


def python(code: str, **more: Any) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def test_progress_by_a_function() -> None:
    seen: list[tuple[str, int, int | None, str]] = []
    texts = [f"some text {n} of several words that differ {n * n}" for n in range(100_000)]
    doublet.dedup(texts, progress=lambda *step: seen.append(step))
    assert seen
    for stage, done, total, unit in seen:
        assert stage
        assert unit is not None
        assert total is None or done <= total


def test_what_progress_raises_ends_the_run(tmp_path: Path) -> None:
    def stop(stage: str, done: int, total: int | None, unit: str) -> None:
        raise LookupError(stage)

    with pytest.raises(LookupError):
        doublet.dedup([f"text {n} with words" for n in range(100_000)], progress=stop, temp_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_bars(capsys: pytest.CaptureFixture[str]) -> None:
    texts = [f"some text {n} of several words that differ {n * n}" for n in range(100_000)]
    doublet.dedup(texts)
    assert capsys.readouterr().err == ""
    doublet.dedup(texts, progress=True)
    assert "/s]" in capsys.readouterr().err


def test_a_line_where_there_is_no_tqdm(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    doublet.dedup([f"some text {n} of several words that differ {n * n}" for n in range(100_000)], progress=True)
    shown = capsys.readouterr().err
    assert shown.startswith("\r")
    assert shown.endswith("\x1b[K")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_control_c(tmp_path: Path) -> None:
    code = f"""
import doublet
{MANY}
def tell(*step):
    print("running", flush=True)
try:
    doublet.dedup(texts, progress=tell, threshold=0.1, temp_dir={str(tmp_path)!r})
    print("finished")
except KeyboardInterrupt:
    print("interrupted", len(doublet.dedup(texts[:100]).kept), flush=True)
"""
    child = python(code)
    assert child.stdout is not None
    assert child.stdout.readline() == "running\n"
    child.send_signal(signal.SIGINT)
    sent = time.monotonic()
    output, errors = child.communicate(timeout=120)
    assert output.splitlines()[-1] == "interrupted 100", (output[-200:], errors)
    assert time.monotonic() - sent < 60
    assert list(tmp_path.iterdir()) == []


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
    output, errors = child.communicate(timeout=600)
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
    output, errors = python(code).communicate(timeout=60)
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
    _, errors = child.communicate(timeout=60)
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
    time.sleep(2)
    assert waiting.poll() is None
    waiting.send_signal(signal.SIGINT)
    _, said = waiting.communicate(timeout=60)
    assert waiting.returncode == 2
    assert b"interrupted" in said
