"""What a form of another program is made for, and which columns it shows."""

from __future__ import annotations

from typing import NamedTuple

from experiments.pool.files import SUGGESTED, Row
from features.core.feature import Unit


class Form(NamedTuple):
    """The pool of the units, their kind, and the dimensions to grade."""

    pool: str
    unit: Unit
    dimensions: tuple[str, ...]


def texts_of(row: Row) -> list[str]:
    """The columns with texts, in the order of reading.

    >>> texts_of({"number": 1, "topic": "t", "conclusion": "a", "text": "b", "suggested_quality": 1})
    ['conclusion', 'text']
    """
    return [name for name in row if name not in ("number", "topic") and not name.startswith(SUGGESTED)]
