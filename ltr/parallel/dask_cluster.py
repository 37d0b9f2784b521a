"""Share work out to a Dask cluster: one that runs already, or one of processes of this machine.

Every worker must see the corpus and the index under the same paths: a shared file system. What travels is the name of
a part or a topic and numbers back, or labelled rows and a ranker back.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from typing import Any, TypeVar

from ltr.errors import InputError
from ltr.parallel.processes import Call, perform

T = TypeVar("T")

PATIENCE = 30
"""Seconds to wait for the scheduler, and for its first worker."""

_OWN = {
    # Dask's choice also gives memory back to the system after every array, only to ask for it again.
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1, "OPENBLAS_NUM_THREADS": 1},
    "distributed.worker.profile.enabled": False,
}
"""Settings of the workers that we start ourselves."""


class Cluster(ExitStack):
    """The workers of a Dask scheduler; a context manager that lets go of them."""

    def __init__(self, scheduler: str | None = None, workers: int | None = None) -> None:
        """Connect to ``scheduler`` (``tcp://host:8786``), or start ``workers`` processes here. Raises InputError."""
        try:
            distributed: Any = import_module("distributed")
        except ModuleNotFoundError:
            raise InputError("dask", "this Python package is not installed", "pip install 'riposte[dask]'") from None
        super().__init__()
        where = scheduler
        try:
            if where is None:
                self.enter_context(import_module("dask.config").set(_OWN))
                local = distributed.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    memory_limit=0,  # it would kill workers by a guess of what they need
                    dashboard_address="127.0.0.1:0",  # any port: the usual one may be another cluster's
                    silence_logs=logging.CRITICAL,  # errors of a worker are raised here
                )
                where = self.enter_context(local)
            self.client: Any = self.enter_context(distributed.Client(where, timeout=PATIENCE))
            self.client.wait_for_workers(1, timeout=PATIENCE)
        except (OSError, ValueError, TimeoutError) as error:
            self.close()
            reason = str(error).splitlines()[0] if str(error) else "no answer"
            hint = "start `dask scheduler` and `dask worker`, and name the address that the scheduler prints"
            raise InputError(scheduler or "dask", f"no cluster to work on ({reason})", hint) from None

    @property
    def jobs(self) -> int:
        """The number of threads that its workers have at the moment."""
        return max(sum(self.client.nthreads().values()), 2)

    def map(self, calls: Sequence[Call[T]]) -> Iterator[T]:
        """As :meth:`ltr.parallel.processes.Workers.map`; a lost worker's share goes to another, thrice at most."""
        from distributed import KilledWorker

        # Labelled rows travel with the calls that train on them, each once: no reason to warn.
        with import_module("dask.config").set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            futures = self.client.map(perform, calls, pure=False)
        try:
            for future in futures:
                yield future.result()
                future.release()
        except KilledWorker:
            hint = "see the logs of the workers; they may be short of memory"
            raise InputError("dask", "workers died again and again over the same piece of work", hint) from None
        finally:
            self.client.cancel(futures)
