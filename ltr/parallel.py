"""Work shared out to processes of this machine; :mod:`ltr.cluster` shares it out to a Dask cluster."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from pickle import PicklingError
from threading import Thread
from typing import Any, TypeVar

from ltr.errors import InputError, WorkersError
from ltr.plugins import LoadedPlugins, plugin_error

T = TypeVar("T")

Call = tuple[Callable[..., T], tuple[Any, ...]]


class Workers:
    """``jobs`` processes of this machine. With one job, or one call, this process does the work itself."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    @property
    def jobs(self) -> int:
        """How many calls are worked on at once."""
        return self._jobs

    def map(self, calls: Sequence[Call[T]], shared: tuple[Any, ...] = ()) -> Iterator[T]:
        """Yield the result of every call, in order. An error in a call is raised here.

        ``shared``: the first arguments of every call. They are sent to each process once.
        """
        if self.jobs == 1 or len(calls) < 2:
            for function, arguments in calls:
                yield function(*shared, *arguments)
            return
        # A command with one process starts sooner without joblib, whose loky takes a fifth of a second.
        from joblib.externals.loky import ProcessPoolExecutor  # noqa: PLC0415

        plugins, lent = LoadedPlugins(), Lent(shared)
        count = min(self.jobs, len(calls))
        threads = dict.fromkeys(_THREADS, str(max(usable_cores() // count, 1)))
        # One of this call alone: a shared one would end the work of another thread when it ends.
        executor = ProcessPoolExecutor(
            count,
            initializer=start_worker,
            initargs=(os.getpid(), plugins, lent),
            env=threads | {name: os.environ[name] for name in threads if name in os.environ},
        )
        futures = deque[Any]()
        try:
            with block_signals():
                try:
                    futures.extend(executor.submit(perform_here, plugins, call) for call in calls)
                except (TypeError, AttributeError) as error:  # of what the calls share
                    raise PicklingError(str(error)) from error
            while futures:
                yield futures.popleft().result()
        except BrokenExecutor:
            what = "it was ended from outside, perhaps for lack of memory"
            raise WorkersError("a worker process", what, "run the command again, with fewer jobs") from None
        except PicklingError as error:  # of a component that a user brought
            *_, reason = f"{error.__cause__ or error}".strip('"\n ').splitlines()  # the cause is a traceback
            what = f"an object cannot be sent to worker processes ({reason})"
            hint = "define classes and functions at the top of a module, or take one job"
            raise InputError("this work", what, hint) from error
        finally:
            lent.values = ()
            if futures:  # nobody reads them; loky's own `kill_workers` fails while calls wait (joblib 1.6)
                kill_workers([*executor._processes.values()])
            executor.shutdown(kill_workers=not futures)


_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""Variables with the threads of libraries: workers share the cores."""


@dataclass
class Lent:
    """The values that all calls share, until the last one ends.

    The objects of loky refer to each other and outlive their work: an index among them would stay open.
    """

    values: tuple[Any, ...]


_shared: tuple[Any, ...] = ()
"""The values that the calls of this worker process share."""


def start_worker(parent: int, _: LoadedPlugins, lent: Lent) -> None:
    """Keep what all calls of this worker process share, after the plug-ins are loaded; see `end_with_parent`."""
    global _shared  # noqa: PLW0603 a worker process serves one `Workers.map`
    _shared = lent.values
    end_with_parent(parent)


def end_with_parent(parent: int) -> None:
    """End this process, a worker, soon after its parent: one that is killed cannot end its workers itself."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def kill_workers(workers: Iterable[BaseProcess] | None = None) -> None:
    """End worker processes, by default all of this process, whatever they are doing."""
    for pid in filter(None, [worker.pid for worker in (active_children() if workers is None else workers)]):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)  # loky's processes have no method for it


@contextmanager
def block_signals() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until the block ends. Workers that start in the block never see one: their parent ends
    them."""
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def perform_here(plugins: LoadedPlugins, call: Call[T]) -> T:
    """`perform` a call with what all calls of this process share."""
    return perform(plugins, call, _shared)


def perform(plugins: LoadedPlugins, call: Call[T], shared: tuple[Any, ...] = ()) -> T:
    """Make a call, in a worker, with ``shared`` values as its first arguments.

    Raises InputError for an error in a plug-in: the traceback does not travel.
    """
    relax_gc()
    if loky := sys.modules.get("joblib.externals.loky.process_executor"):
        # Where psutil is there, a worker that grew by 300 MB would be replaced, and a mapped index is more: the next
        # one imports, opens and reads everything again.
        loky._MAX_MEMORY_LEAK_SIZE = sys.maxsize  # type: ignore[attr-defined]
    plugins.check()
    function, arguments = call
    try:
        return function(*shared, *arguments)
    except Exception as error:
        if (of_plugin := plugin_error(error)) is not None:
            raise of_plugin from None
        raise
    finally:
        gc.freeze()  # loky has a worker collect garbage every second; frozen objects are not looked at again


def relax_gc() -> None:
    """Let the garbage collector run seldom.

    Features and indexing make dictionaries of 100,000s of objects. None is ever garbage, and looking through them again
    and again, while they grow and once more at the end, would be a third of the time of a short command.
    """
    gc.set_threshold(1_000_000)


def restore_gc() -> None:
    """Let the garbage collector run often again, but not over what is loaded already: for a process that goes on.

    Each connection of a server leaves reference cycles of 8 kB behind; to wait for a million objects is to hold 600 MB
    of them.
    """
    gc.freeze()
    gc.set_threshold(10_000)


def usable_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
