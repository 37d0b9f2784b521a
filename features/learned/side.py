"""The side that an argument takes toward a question: its side of its own conclusion, times what that says of it.

A question is read as a claim about something ("Should cars be banned?": cars, against). A conclusion on the same
thing claims the same or the opposite, by the words of `polarity_words.txt` in both, turned by negations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from features.core.text import STOP_WORDS, Analyzer, words
from features.learned.comparatives import negates

Side = Literal["PRO", "CON", "UNCLEAR"]

SHARED = 0.6
"""How much of what a question is about a conclusion must name to be on the same thing."""

_ARGUED = {"PRO": 1, "CON": -1}


@dataclass(frozen=True)
class Claim:
    """What a text is about, and whether it speaks for it (1) or against it (-1)."""

    target: frozenset[str]
    """Stems of its content words, but for those that say which side it takes."""
    polarity: int


def side_toward(question: str, conclusion: str, stance: str, sentences: Sequence[str] = ()) -> Side:
    """The side toward ``question`` of an argument with this conclusion, of which it takes the side ``stance``.

    ``stance`` is PRO, CON or anything else where the corpus has none; ``sentences`` are those shown of the argument.
    """
    side = relation(question, conclusion) * _ARGUED.get(stance, 0)
    return "PRO" if side > 0 else "CON" if side < 0 else "UNCLEAR"


def relation(question: str, conclusion: str) -> int:
    """1 where the conclusion claims what the question asks, -1 where the opposite, 0 where that is unclear."""
    asked, claimed = claim_of(question), claim_of(conclusion)
    if len(asked.target & claimed.target) < max(SHARED * len(asked.target), 1):
        return 0
    return asked.polarity * claimed.polarity


@lru_cache(maxsize=10_000)
def claim_of(text: str) -> Claim:
    """What ``text`` is about and its polarity: of words on what is to be done, else of words of praise and blame."""
    kinds, stem = polarity_words(), Analyzer().of_word
    found = [(word, stem(word)) for word in words(text)]
    turned = sum(negates(word) for word, _ in found)
    signs: dict[bool, int] = {}
    target = []
    for word, term in found:
        if term in kinds:
            policy, sign = kinds[term]
            signs[policy] = signs.get(policy, 1) * sign
        elif word not in STOP_WORDS:
            target.append(term)
    sign = signs.get(True, signs.get(False, 1))
    return Claim(frozenset(target), -sign if turned % 2 else sign)


@cache
def polarity_words() -> dict[str, tuple[bool, int]]:
    """Stem -> does it say what is to be done (else it praises or blames), and 1 or -1."""
    stem = Analyzer().of_word
    found: dict[str, tuple[bool, int]] = {}
    for line in Path(__file__).with_name("polarity_words.txt").read_text("utf-8").splitlines():
        kind, *rest = line.split()
        for word in rest:
            found.setdefault(stem(word), (kind in ("for", "against"), 1 if kind in ("for", "good") else -1))
    found.pop("", None)  # a stop word says nothing
    return found
