"""Plug-ins that are forgotten again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from features.core import plugins


@contextmanager
def loaded(path: Path) -> Iterator[None]:
    plugin = plugins.load_file(path)
    try:
        yield
    finally:
        plugins.forget(plugin)
