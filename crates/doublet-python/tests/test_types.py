"""The package, its stubs and the examples of the documentation by mypy in strict mode."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT
from test_docs import blocks

PACKAGE = ROOT / "crates/doublet-python/python/doublet"

RIGHT = """
from pathlib import Path
import doublet, pandas, polars, pyarrow

paths: list[Path] = doublet.dedup("a.jsonl").kept
files: list[Path] = doublet.dedup([Path("a.jsonl")]).kept
texts: list[str] = doublet.dedup(["a"], method="terms", threshold=0.3).kept
dicts: list[dict[str, object]] = doublet.dedup([{"text": "a"}]).pairs
frame: pandas.DataFrame = doublet.dedup(pandas.DataFrame({"text": ["a"]})).kept
other: polars.DataFrame = doublet.dedup(polars.DataFrame({"text": ["a"]})).kept
table: pyarrow.Table = doublet.dedup(pyarrow.table({"text": ["a"]})).kept
written: Path = doublet.pairs(["a"], output="pairs.csv")
answer: bool = doublet.Index.open("index").check("text")["duplicate"]
"""
WRONG = [
    'doublet.dedup(["a"], treshold=0.3)',
    'doublet.dedup(["a"], method="foo")',
    'doublet.dedup(["a"], threshold="much")',
    "doublet.dedup(7)",
    'doublet.compare("a")',
    'doublet.background(["a"])',
    'doublet.Index.create("index", commit_every=3)',
]


def mypy(tmp_path: Path, *arguments: object) -> str:
    line = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(cache(tmp_path))]
    ran = subprocess.run([*line, *map(str, arguments)], capture_output=True, text=True, check=False, cwd=tmp_path)
    return ran.stdout + ran.stderr


def cache(tmp_path: Path) -> Path:
    """One for all tests of a run."""
    return tmp_path.parent / "mypy"


def test_the_package(tmp_path: Path) -> None:
    # Where it is written: what is installed lies among other packages, whose files mypy takes for modules that hide its own.
    assert mypy(tmp_path, PACKAGE) == ""


def test_stubs_are_those_of_the_native_module(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "mypy.stubtest", "doublet._native", "--ignore-missing-stub"]
    settings = tmp_path / "mypy.ini"
    settings.write_text(f"[mypy]\ncache_dir = {cache(tmp_path)}\n", encoding="utf-8")
    ran = subprocess.run([*line, "--mypy-config-file", str(settings)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_right_calls(tmp_path: Path) -> None:
    (tmp_path / "calls.py").write_text(RIGHT, encoding="utf-8")
    assert mypy(tmp_path, "calls.py") == ""


def test_wrong_calls(tmp_path: Path) -> None:
    (tmp_path / "calls.py").write_text("\n".join(["import doublet", *WRONG]), encoding="utf-8")
    told = mypy(tmp_path, "calls.py")
    for number, call in enumerate(WRONG, 2):
        assert f"calls.py:{number}: error" in told, call


@pytest.mark.parametrize("name", ["python.md"])
def test_examples(tmp_path: Path, name: str) -> None:
    (tmp_path / "examples.py").write_text("\n".join(blocks(ROOT / "docs" / name)), encoding="utf-8")
    # datasets comes without types.
    (tmp_path / "mypy.ini").write_text("[mypy]\n[mypy-datasets.*]\nignore_missing_imports = true\n", encoding="utf-8")
    assert mypy(tmp_path, "examples.py") == ""
