"""How much memory a block takes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_most(megabytes: int) -> Iterator[None]:
    """Fail when Python's objects of the block take more at any moment."""
    tracemalloc.start()
    yield
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < megabytes << 20
