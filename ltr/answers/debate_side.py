"""Which pole of a debate is for a question: whoever argues for the debate's resolution, or who argues against it.

The resolution is compared with the question, and all arguments of the debate are read: those for the resolution should
speak for what the question claims, those against it should not. So there is one decision for a whole debate. Where a
model can read sides, what it says of the resolution and of some claims of the debate counts, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from features.core.text import words
from features.learned.linear_model import stem
from ltr.answers.claims import agreement, claim_of
from ltr.answers.text_side import cosine, cosines, support

NEAR, MATTER = 0.65, 1.0
"""Least cosine of the resolution with the question, and least sum of it and the share of the question's subject that
arguments name."""
CLAIMED, RESTATED, SPOKEN = 2.0, 2.0, 0.5
"""Log-odds of a resolution that claims the same, added ones where it restates the question, factor for the texts."""
SHARED = 0.3
"""Share of the stems of the question that the resolution must have, for what it claims to count."""
SAME = 0.6
"""Share of the stems of question and resolution that both have, from which on one restates the other."""
OFF, ABOUT = 0.35, 0.55
"""Cosines of a resolution with the question up to which it is about something else, and from which on about that."""
RULES = 0.25
"""Factor for what the rules say beside the model."""
CLAIMS = 2
"""Claims of a debate that are read, at most: those nearest to the question."""

Read = Callable[[str, Sequence[str]], Sequence[float]]
"""Log-odds that each text is for what a question asks."""


class Position(NamedTuple):
    """An argument of a debate."""

    sign: int
    """1 for the resolution, -1 against it"""
    texts: Sequence[str]
    """Some of its sentences; the first one counts as evidence."""
    claim: str = ""
    """Its conclusion, where that is not the resolution."""
    claim_sign: int = 0
    """1 for a claim that is for the resolution, -1 for one against it"""


def may_be_about(question: str, resolution: str) -> float:
    """From 0 to 1: how far the resolution is about what is asked, as far as its words tell; 0 for an open question."""
    near = (cosine(question, resolution) - OFF) / (ABOUT - OFF) if claim_of(question).asks else 0.0
    return min(max(near, 0.0), 1.0)


def read_pole(question: str, resolution: str, debate: Sequence[Position], read: Read) -> float:
    """Like `pole`, with a model that reads the resolution and some claims."""
    claims = {position.claim: position.claim_sign for position in debate if position.claim and position.claim_sign}
    near = dict(zip(claims, cosines(question, list(claims)), strict=True))
    some = sorted(claims, key=lambda claim: -near[claim])[:CLAIMS]
    said, *of_claims = read(question, [resolution, *some])
    said += fsum(claims[claim] * odds for claim, odds in zip(some, of_claims, strict=True)) / max(len(some), 1)
    return said + RULES * pole(question, resolution, debate)


def pole(question: str, resolution: str, debate: Sequence[Position]) -> float:
    """Log-odds that the arguments for ``resolution`` are for what ``question`` claims.

    0 where the debate is about another matter, where it is in doubt what one of both claims, for a question without
    sides ("How ..."), or without arguments.
    """
    asked, claimed = claim_of(question), claim_of(resolution)
    if not asked.asks or not asked.target or not debate:
        return 0.0
    near = cosine(question, resolution)
    if near < NEAR or near + _named(asked.target, debate) < MATTER:
        return 0.0
    shared = len(asked.target & claimed.target)
    same = shared >= SAME * len(asked.target | claimed.target)
    known = asked.sure and claimed.sure and shared >= SHARED * len(asked.target)
    odds = agreement(asked, claimed) * (CLAIMED * known + RESTATED * same)
    if not odds or asked.over or claimed.over:  # texts alone decide no debate; both sides of a comparison praise
        return odds
    spoken = [position.sign * support(question, text) for position in debate for text in position.texts[:1]]
    return odds + SPOKEN * fsum(spoken) / sqrt(len(debate))


def _named(target: frozenset[str], debate: Sequence[Position]) -> float:
    """Mean over the words of the question's subject: the share of arguments that name it."""
    found = [{stem(word) for text in position.texts for word in words(text)} & target for position in debate]
    return sum(map(len, found)) / (len(debate) * len(target))
