"""How far a debate, or one argument, is for what is asked, in log-odds: positive for, negative against.

A model reads the question with the resolution of a debate and with some claims that the debate counts for or against
it, so there is one decision for a whole debate. Without the model simple rules compare the question with the resolution
(`ltr.answers.claims`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import fsum

from features.learned.vectors import Rows, load_vectors
from ltr.answers.claims import has_sides, relation
from ltr.text_models.stance import Reader

OFF, ABOUT = 0.45, 0.55
"""Cosines of a resolution with the question up to which it is about something else, and from which on about that."""
CLAIMS = 2
"""Claims of a debate that are read: those nearest to the question."""
RULE = 1.0
"""Log-odds of two claims that say the same by the rules: likely, never sure."""


def may_be_about(question: str, resolution: str) -> float:
    """From 0 to 1: how far the resolution is about what is asked, as far as its words tell; 0 for an open question."""
    near = (_cosines(question, (resolution,))[0] - OFF) / (ABOUT - OFF) if has_sides(question) else 0.0
    return min(max(near, 0.0), 1.0)


def read_pole(question: str, resolution: str, claims: Mapping[str, int], read: Reader | None) -> float:
    """Log-odds that the arguments for ``resolution`` are for what is asked.

    ``claims`` of its debate are for it (1) or against it (-1).
    """
    if read is None:
        return RULE * relation(question, resolution)
    near = dict(zip(claims, _cosines(question, tuple(claims)), strict=True))
    some = sorted(claims, key=lambda claim: -near[claim])[:CLAIMS]
    said, *of_claims = read(question, [resolution, *some])
    mean = fsum(claims[claim] * one for claim, one in zip(some, of_claims, strict=True)) / max(len(some), 1)
    return said + mean


def odds_toward(question: str, conclusion: str, sign: int, texts: Sequence[str], read: Reader | None) -> float:
    """Log-odds that an argument is for what is asked, by its own words.

    ``sign`` is its stance on its ``conclusion``, 0 where that is unknown.
    """
    if not has_sides(question):
        return 0.0
    odds = read_pole(question, conclusion, {}, read) if sign and conclusion else 0.0
    spoken = fsum(read(question, texts)) if read else 0.0  # a sentence that says nothing has even odds
    return sign * odds + spoken


@lru_cache(maxsize=10_000)
def _cosines(question: str, texts: tuple[str, ...]) -> list[float]:
    """The cosines of the word vectors of several texts with those of the question."""
    found: list[float] = load_vectors().rows(texts).cosine(_vector(question)).tolist()
    return found


@lru_cache(maxsize=100)
def _vector(question: str) -> Rows:
    return load_vectors().rows([question])
