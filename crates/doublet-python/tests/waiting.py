"""Waiting in tests: for a condition, never for a time."""

from __future__ import annotations

import time
from collections.abc import Callable

# Seconds: more than any step of a test takes on a slow core that does other work too.
LIMIT = 120


def wait_until(what: str, condition: Callable[[], bool], limit: float = LIMIT) -> None:
    """Polls until a condition holds; what it raises ends the wait."""
    end = time.monotonic() + limit
    while True:
        late = time.monotonic() > end
        if condition():
            return
        assert not late, f"waited {limit} s in vain for {what}"
        time.sleep(0.05)
