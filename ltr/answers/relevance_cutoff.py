"""Which results are worth showing, by their expected relevance; the others are folded away as weaker results.

How the two thresholds were chosen, and how good they are, is in docs/laboratory.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from models.base import TOP_GRADE

LEAST: Final = 1.2
"""Expected relevance from which on a result is worth showing."""

FIRST: Final = 5
"""Results worth showing that a question should have, and displayed ones whose mean expected relevance counts."""

LITTLE: Final = 1.45
"""Mean expected relevance of the first displayed results below which there may be little on a question."""


def note_on(worth: int, relevance: Sequence[float]) -> str:
    """A line where there is little on a question, else empty.

    ``worth``: number of arguments worth showing; ``relevance``: expected grades of the first displayed results.

    >>> note_on(2, [1.8, 1.2, 0.4])
    'Little on this question: 2 arguments are worth showing.'
    >>> note_on(9, [1.4, 1.3, 1.3, 1.2, 1.2])
    'Perhaps little on this question: expected relevance of the first results 1.28 of 2.'
    >>> note_on(9, [1.8, 1.8, 1.7, 1.6, 1.2])
    ''
    """
    if not relevance:
        return ""
    if worth < FIRST:
        found = {0: "no argument is", 1: "1 argument is"}.get(worth, f"{worth} arguments are")
        return f"Little on this question: {found} worth showing."
    first = relevance[:FIRST]
    mean = sum(first) / len(first)
    what = f"expected relevance of the first results {mean:.2f} of {TOP_GRADE:g}"
    return f"Perhaps little on this question: {what}." if mean < LITTLE else ""
