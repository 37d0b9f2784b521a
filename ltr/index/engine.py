"""The engines of an index: tantivy, written so that the same input gives the same bytes."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tantivy

ENGINES = {"sentence": ("text",), "argument": ("text", "conclusion", "title")}
"""Engines and their fields of text."""

META = "meta.json"
"""Tantivy's list of an engine's segments."""

HEAP = 96_000_000
"""Bytes that a writer of tantivy gathers before it writes a segment."""

PART_BITS = 40
"""A row in an engine is the part's number, shifted by so many bits, and the row within the part."""


class Engine:
    """One tantivy index with one writer thread, so that the same input gives the same segments; a context manager."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        builder = tantivy.SchemaBuilder()
        for name in ENGINES[folder.name]:
            builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
        builder.add_unsigned_field("row", fast=True)
        self._writer: Any = tantivy.Index(builder.build(), path=str(folder)).writer(HEAP, num_threads=1)

    def add(self, first: int, fields: Mapping[str, list[str]]) -> None:
        """Add documents, numbered from ``first`` on; for each, fields hold terms with spaces between them."""
        document, add = tantivy.Document, self._writer.add_document
        (name, texts), *others = fields.items()
        for row, text in enumerate(texts):
            made = document()
            made.add_unsigned("row", first + row)
            made.add_text(name, text)
            for other, more in others:
                made.add_text(other, more[row])
            add(made)

    def close(self) -> None:
        """Write everything to the disk: before, the index is not whole."""
        self._writer.commit()
        self._writer.wait_merging_threads()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self._writer = None  # ends its threads, which would go on writing into a folder that is being removed


_NUMBERLESS = {"index writer was killed": errno.EIO, "Failed to spawn": errno.ENOMEM, "FileDoesNotExist": errno.ENOENT}
"""Tantivy's words for errors without a number: in a thread, a thread that cannot start, an index that was removed."""


def open_engine(folder: Path) -> tuple[Any, Any]:
    """A finished engine and its searcher; tantivy puts a lock file into the folder. Raises OSError and ValueError."""
    with system_errors(folder):
        engine = tantivy.Index.open(str(folder))
        return engine, engine.searcher()


@contextmanager
def system_errors(folder: Path) -> Iterator[None]:
    """Turn tantivy's only exception into an OSError with its number and ``folder``, and a panic into a ValueError."""
    try:
        yield
    except BaseException as error:
        panic = type(error).__name__ == "PanicException"  # Rust's, which is not an Exception and cannot be imported
        if not panic and not isinstance(error, ValueError):
            raise
        match = re.search(r"(?:os error|Os \{ code:) ([0-9]+)", str(error))
        known = (number for what, number in _NUMBERLESS.items() if what in str(error))
        if number := int(match[1]) if match else next(known, 0):
            raise OSError(number, os.strerror(number), str(folder)) from None
        if panic:
            raise ValueError(str(error)) from None
        raise
