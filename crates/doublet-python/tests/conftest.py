"""What tests ask for by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import CommandLine, Record, collection


def pytest_configure(config: pytest.Config) -> None:
    # Small collections are worth a warning, but not here.
    config.addinivalue_line("filterwarnings", "ignore::doublet.DoubletWarning")


@pytest.fixture
def command(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


@pytest.fixture(scope="session")
def records() -> list[Record]:
    return collection()
