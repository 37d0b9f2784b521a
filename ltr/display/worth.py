"""Which results are worth showing, by their expected relevance; the others are folded away as weaker results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from models.base import TOP_GRADE

LEAST: Final = 1.0
"""Expected relevance from which on a result is worth showing."""

FIRST, LITTLE = 5, 1.0
"""Displayed results that the note is about, and their mean expected relevance below which there is little."""


def is_weak(relevance: float | None) -> bool:
    """Whether a result of this expected relevance is folded away; not where the model estimates none."""
    return relevance is not None and relevance < LEAST


def note_on(relevance: Sequence[float | None]) -> str:
    """A line where there is little on a question, else empty.

    ``relevance``: expected grades of the displayed results, best first; None where the model estimates none.
    """
    known = [grade for grade in relevance if grade is not None]
    worth = sum(not is_weak(grade) for grade in known)
    mean = sum(known[:FIRST]) / max(len(known[:FIRST]), 1)
    if not known or (worth >= FIRST and mean >= LITTLE):
        return ""
    return f"Little on this question: expected relevance of the best results {mean:.2f} of {TOP_GRADE:g}."
