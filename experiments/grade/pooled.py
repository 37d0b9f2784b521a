"""Items of a pool, as `experiments.pool` writes it, with the texts that a grader sees."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from experiments.pool.files import KEY, read_text
from features.core.feature import UNITS, Unit
from ltr.errors import InputError

SUGGESTED = "suggested_"
"""Begin of the columns with grades by somebody else, which a grader must not see."""


class Item(NamedTuple):
    """An item to grade."""

    topic: str
    id: str
    anchor: bool
    """Whether it was graded before."""
    question: str
    texts: dict[str, str]
    """Column of the pool -> text."""


def read_pool(folder: Path) -> tuple[Unit, list[Item]]:
    """The unit of a pool and its items, without suggested grades. Raises InputError."""
    key, hint = folder / KEY, "leave the files as experiments.pool wrote them"
    head, *rows = _table(key)
    unit = next((unit for unit in UNITS if head[:4] == ["number", "topic", unit, "anchor"]), None)
    if unit is None:
        raise InputError(key, "is not the key of a pool", f"name the folder of a {KEY} that experiments.pool wrote")
    sheet = folder / f"{unit}s.tsv"
    names, *shown = _table(sheet)
    if names[:2] != ["number", "topic"] or len(shown) != len(rows) or not rows:
        raise InputError(sheet, f"does not belong to {key}", hint)
    items = []
    for number, (row, texts) in enumerate(zip(rows, shown, strict=True), 1):
        if not row[0] == texts[0] == str(number) or len(row) != len(head) or len(texts) != len(names):
            raise InputError(f"{sheet} line {number + 1}", f"is not {unit} {number} of {key}", hint)
        columns = {
            name: text.strip() for name, text in zip(names, texts, strict=True) if not name.startswith(SUGGESTED)
        }
        question, _ = columns.pop("topic"), columns.pop("number")
        items.append(Item(row[1], row[2], row[3] == "yes", question, columns))
    return unit, items


def _table(path: Path) -> list[list[str]]:
    """Rows of tab-separated cells."""
    lines = read_text(path, "name the folder of a pool, as experiments.pool wrote it").split("\n")
    return [line.split("\t") for line in lines if line] or [[""]]
