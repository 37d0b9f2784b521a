"""Share work out to a Dask cluster: one that runs already, or one of processes of this machine.

Every worker must see the corpus and the index under the same paths: a shared file system. Calls carry the name of
a part or a topic and return numbers, or carry labelled rows and return a ranker. A worker must have the same program
and packages, or it would make another index and other numbers: each call says which it expects.

The calls go through `distributed` itself. joblib's Dask backend waits for ever when workers die over a call: it never
runs the callback of a future that failed (joblib 1.6, ``DaskDistributedBackend._collect``).
"""

from __future__ import annotations

import logging
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any, Self, TypeVar

import ltr
from ltr.errors import InputError, WorkersError
from ltr.parallel import Call, Workers, perform
from ltr.plugins import LoadedPlugins

T = TypeVar("T")

PATIENCE = 30
"""Seconds to wait for the scheduler, for its first worker, and for a replacement of the last worker that died."""

_LOCAL = {
    # Dask's default also gives memory back to the system after every array, only to ask for it again.
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1, "OPENBLAS_NUM_THREADS": 1},
    "distributed.worker.profile.enabled": False,
    # Labelled rows travel with the calls that train on them, each once: no reason to warn.
    "distributed.admin.large-graph-warning-threshold": "1TB",
}
"""Settings of this process and of workers that it starts."""

_SAME = "install the same on all machines, and start scheduler and workers again"
_AGAIN = "and this command again"


class Cluster(Workers):
    """The workers of a Dask scheduler; a context manager that disconnects from them."""

    def __init__(self, scheduler: str | None = None, workers: int | None = None) -> None:
        """Connect to ``scheduler`` (``tcp://host:8786``), or start ``workers`` processes here. Raises InputError."""
        distributed: Any = import_module("distributed")
        self.name = scheduler or "dask"
        where: Any = scheduler
        with ExitStack() as stack:
            try:
                stack.enter_context(import_module("dask.config").set(_LOCAL))
                if where is None:
                    local = distributed.LocalCluster(
                        n_workers=workers,
                        threads_per_worker=1,
                        memory_limit=0,  # it would kill workers by a guess of what they need
                        dashboard_address="127.0.0.1:0",  # any port: the usual one may be another cluster's
                        silence_logs=logging.CRITICAL,  # errors of a worker are raised here
                    )
                    where = stack.enter_context(local)
                # Errors are printed in one line.
                stack.enter_context(distributed.utils.silence_logging_cmgr(logging.CRITICAL))
                self.client: Any = stack.enter_context(distributed.Client(where, timeout=PATIENCE))
                self.client.wait_for_workers(1, timeout=PATIENCE)
            except (OSError, ValueError, TimeoutError) as error:
                reason = str(error).splitlines()[0] if str(error) else "no answer"
                hint = "start `dask scheduler` and `dask worker`, and name the address that the scheduler prints"
                raise InputError(self.name, f"no cluster to work on ({reason})", hint) from None
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def jobs(self) -> int:
        """The number of threads that its workers have at the moment."""
        return max(sum(self.client.nthreads().values()), 2)

    def map(self, calls: Sequence[Call[T]], shared: tuple[Any, ...] = ()) -> Iterator[T]:
        """Like :meth:`ltr.parallel.Workers.map`; a lost worker's calls go to another, three times at most."""
        from distributed import KilledWorker  # noqa: PLC0415 an extra, which not everybody installs

        plugins = [LoadedPlugins()] * len(calls)
        # A task, not scattered data: it is made again where a worker that has it dies.
        sent = self.client.submit(_same, LoadedPlugins(), shared, pure=False) if shared else ()
        futures = self.client.map(_perform, plugins, calls, shared=sent, expected=versions(), pure=False)
        try:
            for future in futures:
                yield self._result(future)
                future.release()
        except KilledWorker:
            hint = "see the logs of the workers; they may be short of memory"
            raise WorkersError(self.name, "workers died again and again over the same piece of work", hint) from None
        except CancelledError:
            raise WorkersError(self.name, "the scheduler has gone", f"start it, its workers {_AGAIN}") from None
        except FileNotFoundError as error:
            hint = "all machines need the corpus and the index at the same paths"
            raise WorkersError(error.filename or self.name, "a worker sees no such file", hint) from None
        except RuntimeError as error:
            if "deserialization of the task graph" not in str(error):
                raise
            raise WorkersError(self.name, "the scheduler cannot read what it is sent", _SAME) from None
        finally:
            self.client.cancel(futures)

    def _result(self, future: Any) -> Any:
        """The result. Raises WorkersError when no worker is left to send it, and none comes back."""
        seen = time.monotonic()
        while True:
            try:
                return future.result(timeout=1)
            except TimeoutError:
                if future.done():  # just now, or the call itself ran out of time
                    return future.result()
            if self.client.scheduler_info()["workers"]:
                seen = time.monotonic()
            elif time.monotonic() - seen > PATIENCE:
                raise WorkersError(self.name, "no worker is left", f"see their logs, start them {_AGAIN}")


def _same(_: LoadedPlugins, shared: tuple[Any, ...]) -> tuple[Any, ...]:
    return shared


def _perform(plugins: LoadedPlugins, call: Call[T], expected: Mapping[str, str], shared: tuple[Any, ...]) -> T:
    """Make a call, in a worker that has the same versions of everything. Raises WorkersError."""
    from distributed import get_worker  # noqa: PLC0415 an extra, which not everybody installs

    here = versions()
    for name in expected:
        if expected[name] != here.get(name):
            what = f"the worker {get_worker().address} has {name} {here.get(name)}, and this command {expected[name]}"
            raise WorkersError("dask", what, _SAME)
    return perform(plugins, call, shared)


@cache
def versions() -> dict[str, str]:
    """Versions of Python, Riposte and its required packages, on which all numbers depend."""
    known = {"Python": f"{sys.version_info.major}.{sys.version_info.minor}", "Riposte": ltr.__version__}
    with suppress(PackageNotFoundError):
        for line in requires("riposte-ltr") or ():
            if "extra ==" not in line:
                name = re.split(r"[^\w.-]", line)[0]
                known[name] = version(name)
    return known
