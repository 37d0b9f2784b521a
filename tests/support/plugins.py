"""Plug-ins that are forgotten again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ltr import plugins


@contextmanager
def loaded(path: Path) -> Iterator[None]:
    plugins.load_plugin(path)
    try:
        yield
    finally:
        plugins.forget(plugins.LOADED[path.stem])
