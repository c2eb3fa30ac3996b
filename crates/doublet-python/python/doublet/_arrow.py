"""What Arrow data are, whichever library they come from."""

from __future__ import annotations

from typing import Protocol


class ArrowStream(Protocol):
    """Anything that hands its rows over by the C stream interface of Arrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
