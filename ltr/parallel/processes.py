"""Share work out: to processes of this machine, or to the workers of a Dask cluster."""

from __future__ import annotations

import gc
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ltr.errors import WorkersError
from ltr.interrupts import interrupts_held

T = TypeVar("T")
SHARED = Path("/dev/shm")
LEFT = 3600
"""Seconds after which a semaphore without its process is taken for left: a container may share memory, not numbers."""

Call = tuple[Callable[..., T], tuple[Any, ...]]


class Workers(Protocol):
    """Whoever does independent pieces of work."""

    @property
    def jobs(self) -> int:
        """How many pieces are worked on at once."""
        ...

    def map(self, calls: Sequence[Call[T]]) -> Iterator[T]:
        """Yield the result of every call, in order. An error in a call is raised here."""
        ...


class Processes:
    """``jobs`` processes of this machine. With one job, or one call, it is this process itself."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    def map(self, calls: Sequence[Call[T]]) -> Iterator[T]:
        """As :meth:`Workers.map`."""
        if self.jobs == 1 or len(calls) < 2:
            for function, arguments in calls:
                yield function(*arguments)
            return
        from concurrent.futures import BrokenExecutor
        from multiprocessing import resource_tracker

        from loky import get_reusable_executor

        resource_tracker.ensure_running()  # by itself it would start inside, and end the hold
        jobs, remaining = min(self.jobs, len(calls)), iter(calls)
        waiting: deque[Any] = deque()

        def submit(count: int) -> None:
            with interrupts_held():
                waiting.extend(executor.submit(perform, call) for call in islice(remaining, count))

        sweep_semaphores()
        with interrupts_held():
            executor = get_reusable_executor(jobs, initializer=_begin)
        try:
            submit(2 * jobs)  # no more than the executor's thread hands on at once
            while waiting:
                result = waiting.popleft().result()
                submit(1)
                yield result
        except BrokenExecutor:
            what = "it was ended from outside, perhaps for want of memory"
            raise WorkersError("a worker process", what, "run the command again, with fewer --jobs") from None
        finally:
            # Killed while it holds calls that it has not handed on, the thread stumbles over them, and says so.
            until = time.monotonic() + 5
            while not all(future.running() or future.done() for future in waiting) and time.monotonic() < until:
                time.sleep(0.001)
            executor.shutdown(kill_workers=True)  # left alone they hold memory, and end slowly


def sweep_semaphores() -> None:
    """Remove what a process group that was killed left in shared memory: nobody else lives to do it."""
    for path in SHARED.glob("sem.loky-*-*"):
        with suppress(OSError, ValueError):
            found = path.stat()
            if found.st_uid == os.getuid() and time.time() - found.st_mtime > LEFT:
                try:
                    os.kill(int(path.name.split("-")[1]), 0)  # 0 only asks whether there is one
                except ProcessLookupError:
                    path.unlink()


def _begin() -> None:
    from loky import process_executor

    # Where psutil is installed, a worker that grows by 300 MB is taken to leak, and is replaced. Ours fill caches.
    process_executor._USE_PSUTIL = False
    # And where it is not, a worker collects garbage every second: a fifth of its time; see `calm_collector`.
    process_executor._MEMORY_LEAK_CHECK_DELAY = float("inf")


def perform(call: Call[T]) -> T:
    """Make a call, in a worker."""
    calm_collector()
    function, arguments = call
    return function(*arguments)


def calm_collector() -> None:
    """Let the garbage collector look seldom.

    Features and indexing make dictionaries of 100,000s of objects. None is ever garbage, and looking through them again
    and again, while they grow and once more at the end, would be a third of the time of a short command.
    """
    gc.set_threshold(1_000_000)


def collect_often() -> None:
    """Let the garbage collector look often again, but not at what is loaded already: for a process that goes on.

    Each connection of a server leaves reference cycles of 8 kB behind; to wait for a million objects is to hold 600 MB
    of them.
    """
    gc.freeze()
    gc.set_threshold(10_000)


def usable_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
