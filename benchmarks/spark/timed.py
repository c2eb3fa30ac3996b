"""Times doublet's kernels in the Python workers of Spark, which are forked from the process that imports this.

What a call of a kernel takes is the CPU time of its thread from one batch to the next, without what the batches that it asks for
take to arrive. A task leaves its sum in a file of its own.
"""

import os
import pathlib
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from doublet import _native
from doublet.spark import kernels

FOLDER = "DOUBLET_KERNEL_TIMES"


class Clock:
    """CPU seconds of one call."""

    def __init__(self) -> None:
        self.sum = 0.0

    def inputs(self, batches: Iterable[Any]) -> Iterator[Any]:
        rest = iter(batches)
        while True:
            start = time.thread_time()
            batch = next(rest, None)
            self.sum -= time.thread_time() - start
            if batch is None:
                return
            yield batch

    def outputs(self, call: Callable[..., Any], batches: Iterable[Any], named: dict[str, Any]) -> Iterator[Any]:
        start = time.thread_time()
        made = iter(call(self.inputs(batches), **named))
        while True:
            batch = next(made, None)
            self.sum += time.thread_time() - start
            if batch is None:
                break
            yield batch
            start = time.thread_time()
        self.keep()

    def bytes(self, call: Callable[..., Any], batches: Iterable[Any], named: dict[str, Any]) -> Any:
        start = time.thread_time()
        made = call(self.inputs(batches), **named)
        self.sum += time.thread_time() - start
        self.keep()
        return made

    def keep(self) -> None:
        name = f"{os.getpid()}-{time.monotonic_ns()}"
        pathlib.Path(os.environ[FOLDER], name).write_text(str(self.sum))


class TimedKernel:
    """A kernel whose calls are timed."""

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self.kernel, name)
        of = Clock.bytes if name in ("learn", "boilerplate") else Clock.outputs
        return lambda batches, **named: of(Clock(), call, batches, named)


def timed(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda batches: Clock().outputs(function, batches, {})


made = kernels._kernel
kernels._kernel = lambda pickled: TimedKernel(made(pickled))  # type: ignore[assignment]
kernels._native = type("Timed", (), {"contract": timed(_native.contract), "components": timed(_native.components)})  # type: ignore[assignment]
