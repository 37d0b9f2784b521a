"""Items of a pool, as `experiments.pool` writes it, with the texts that a grader sees."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from experiments.pool import files
from features.core.feature import Unit
from ltr.errors import InputError


class Item(NamedTuple):
    """An item to grade."""

    topic: str
    id: str
    anchor: bool
    """Whether it was graded before."""
    question: str
    texts: dict[str, str]
    """Column of the pool -> text."""


def read_items(folder: Path) -> tuple[Unit, list[Item]]:
    """The unit of a pool and its items. Raises InputError."""
    key = folder / files.KEY
    pooled, _, unit = files.read_pool(key)
    sheet, hint = folder / f"{unit}s.tsv", "leave the files as experiments.pool wrote them"
    lines = files.read_text(sheet, "name the folder of a pool, as experiments.pool wrote it").split("\n")
    names, *rows = (line.split("\t") for line in lines if line) if any(lines) else [[""]]
    if names[:2] != ["number", "topic"] or len(rows) != len(pooled):
        raise InputError(sheet, f"does not belong to {key}", hint)
    items = []
    for (number, entry), row in zip(pooled.items(), rows, strict=True):
        if row[0] != str(number) or len(row) != len(names):
            raise InputError(f"{sheet} line {number + 1}", f"is not {unit} {number} of {key}", hint)
        columns = dict(zip(names[2:], map(str.strip, row[2:]), strict=True))
        items.append(Item(entry.topic, entry.pair, entry.anchor, row[1].strip(), columns))
    return unit, items
