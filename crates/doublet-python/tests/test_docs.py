"""The examples of the documentation run, one after the other, where `samples` is."""

from __future__ import annotations

import re
from pathlib import Path

import nbclient
import nbformat
import pytest
from support import ROOT, SAMPLES
from waiting import LIMIT


def blocks(path: Path) -> list[str]:
    """The blocks of Python in a page, but for those under `<!-- not run here: … -->`."""
    found = re.findall(r"(?ms)^(<!-- not run here: [^\n]*\n)?```python\n(.*?)^```$", path.read_text(encoding="utf-8"))
    return [block for not_run, block in found if not not_run]


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "samples").symlink_to(SAMPLES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("workplace")
@pytest.mark.parametrize("name", ["docs/python.md", "README.md"])
def test_pages(name: str) -> None:
    page = ROOT / name
    names: dict[str, object] = {"__name__": "examples"}
    for number, block in enumerate(blocks(page), 1):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)


def test_the_notebook(workplace: Path) -> None:
    notebook = nbformat.read(ROOT / "docs/doublet.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=5 * LIMIT, resources={"metadata": {"path": str(workplace)}}).execute()
    shown = [output.data for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs if "data" in output]
    assert any("<mark" in data.get("text/html", "") for data in shown)
    assert any("doublet.dedup" in data.get("text/html", "") for data in shown)


def test_the_notebook_is_kept_without_results() -> None:
    notebook = nbformat.read(ROOT / "docs/doublet.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if cell.cell_type == "code")
