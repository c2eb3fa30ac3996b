"""Libraries that are used where they are installed, and imported when they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def optional(name: str) -> Any:
    """A library if it is installed."""
    try:
        return import_module(name)
    except ImportError:
        return None


def needed(name: str, why: str) -> Any:
    """A library without which it cannot be done."""
    library = optional(name)
    if library is None:
        raise ImportError(f"{name} is needed {why}: pip install {name}")
    return library
