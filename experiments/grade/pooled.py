"""Items of a pool, as `experiments.pool` writes it, with the texts that a grader sees."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from experiments.pool.files import KEY, read_text
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


def read_pool(folder: Path) -> tuple[str, list[Item]]:
    """The unit of a pool ("pair", "argument" or "document") and its items. Raises InputError."""
    key = folder / KEY
    (head, *rows), hint = _table(key), "leave the files as experiments.pool wrote them"
    if len(head) != 4 or (head[0], head[1], head[3]) != ("number", "topic", "anchor"):
        raise InputError(key, "is not the key of a pool", f"name the folder of a {KEY} that experiments.pool wrote")
    unit, sheet = head[2], folder / f"{head[2]}s.tsv"
    (names, *shown) = _table(sheet)
    if names[:2] != ["number", "topic"] or len(shown) != len(rows) or not rows:
        raise InputError(sheet, f"does not belong to {key}", hint)
    items = []
    for number, (row, texts) in enumerate(zip(rows, shown, strict=True), 1):
        if row[0] != str(number) or texts[0] != row[0] or len(row) != len(head) or len(texts) != len(names):
            raise InputError(f"{sheet} line {number + 1}", f"is not {unit} {number} of {key}", hint)
        columns = {name: text.strip() for name, text in zip(names[2:], texts[2:], strict=True)}
        items.append(Item(row[1], row[2], row[3] == "yes", texts[1].strip(), columns))
    return unit, items


def _table(path: Path) -> list[list[str]]:
    """Rows of tab-separated cells."""
    lines = read_text(path, "name the folder of a pool, as experiments.pool wrote it").split("\n")
    return [line.split("\t") for line in lines if line] or [[""]]
