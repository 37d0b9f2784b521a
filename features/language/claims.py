"""Claims of questions and conclusions: their subject, and whether they are for or against it.

A question is read as a claim ("Should cars be banned?": cars, against) by rules over `polarity_words.txt`: policy words
(for, against), and words of praise and blame (good, bad).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from features.core.text import STOP_WORDS, words
from features.language.comparatives import negates
from features.learned.text_features import stem

OPEN = frozenset("how what which who whom whose where when why".split())
"""First words of questions that have no two sides."""

_MODALS = frozenset("should shouldn't must ought would".split())
_COPULAS = frozenset("is are was were be been isn't aren't wasn't weren't".split())
_AUXILIARIES = frozenset("do does did is are was were can could will has have".split())
_BETWEEN = frozenset("the a an all of on for to any".split())
"""Words that may stand between two policy words that are multiplied: "end the ban"."""
_MOTION = re.compile(r"^this house (would|supports|believes( that| in)?)\s+", re.IGNORECASE)


class Polarity(NamedTuple):
    """Kind and sign of a listed word."""

    policy: bool
    """whether the word is about what should be done; else it praises or blames"""
    sign: int
    """1 for, -1 against"""


@dataclass(frozen=True)
class Claim:
    """The subject of a text, and whether the text is for (1) or against it (-1)."""

    target: frozenset[str]
    """Stems of the content words, without those that decide the polarity."""
    polarity: int
    sure: bool
    """whether the product of all words of the same kind, read without grammar, agrees"""
    asks: bool = True
    """whether the text is a question with two sides, or a statement"""


@lru_cache(maxsize=2000)
def claim_of(text: str) -> Claim:
    """Subject and polarity of ``text``, by the verb after "should" or the predicate after "is"."""
    found = words(_MOTION.sub("", text))
    known = [polarity_of(word) for word in found]
    start, after_modal = _start(found)
    verbs = _operator(found, known, start, after_modal)
    if verbs:
        sign, said = 1, verbs
        negatable = found[start : verbs[0]]
    else:
        said = _value(found, known, start, after_modal)
        sign, negatable = 1, found[start:]
    for at in said:
        if one := known[at]:
            sign *= one.sign
    # "Shouldn't cars be banned?" hopes for a yes; "Cars shouldn't be banned" and "Chess isn't a sport" deny.
    negations = sum(map(negates, negatable)) + (start > 1 and negates(found[start - 1]))
    polarity = -sign if negations % 2 else sign
    target = {stem(word) for at, word in enumerate(found) if at not in said and word not in STOP_WORDS}
    return Claim(frozenset(target), polarity, polarity == _flat(found, known), not OPEN & {*found[:1]})


@lru_cache(maxsize=100_000)
def polarity_of(word: str) -> Polarity | None:
    """Polarity of a lower-case word that is listed or an inflection of a listed one."""
    return next((polarity for begins, polarity in _listed().get(stem(word), ()) if word.startswith(begins)), None)


@cache
def _listed() -> dict[str, list[tuple[str, Polarity]]]:
    """Stem -> listed words without their last letter: "effects" has the stem of "effective", but is no form of it."""
    found: dict[str, list[tuple[str, Polarity]]] = {}
    for line in Path(__file__).with_name("polarity_words.txt").read_text("utf-8").splitlines():
        kind, *rest = line.split()
        said = Polarity(kind in ("for", "against"), 1 if kind in ("for", "good") else -1)
        for word in rest:
            found.setdefault(stem(word), []).append((word[:-1] if len(word) > 4 else word, said))
    return found


def _start(found: Sequence[str]) -> tuple[int, bool]:
    """Position at which the claim begins, and whether it follows a modal verb; else it follows "is"."""
    for at, word in enumerate(found):
        if word in _MODALS or (at and word in ("has", "have", "need", "needs") and found[at + 1 : at + 2] == ["to"]):
            return at + 1, True
    copula = next((at for at, word in enumerate(found) if word in _COPULAS), 0)
    return (copula + 1 if copula else int(bool(_AUXILIARIES & {*found[:1]}))), False


def _operator(found: Sequence[str], known: Sequence[Polarity | None], start: int, after_modal: bool) -> list[int]:
    """Positions of the policy verb and of policy words that it governs ("end the ban on"); none for other claims."""
    places = [at for at in range(start, len(found)) if (one := known[at]) and one.policy]
    if after_modal:
        be = next((at for at in range(start, len(found)) if found[at] in ("be", "being", "get")), len(found))
        places = [at for at in places if be < at < be + 3] or places
    elif start > 1:  # "X is banned", and not what a later word says
        places = [at for at in places if at < start + 3]
    elif not start:
        places = places[:1] if places[:1] == [0] else []  # "Ban X"
    if not places:
        return []
    said = [places[0]]
    for at in range(places[0] + 1, min(places[0] + 4, len(found))):
        one = known[at]
        if one and one.policy:
            said.append(at)
        elif found[at] not in _BETWEEN:
            break
    return said


def _value(found: Sequence[str], known: Sequence[Polarity | None], start: int, after_modal: bool) -> list[int]:
    """Position of the deciding word of praise or blame: the last after "is" or before "than", else the first."""
    end = found.index("than") if "than" in found else len(found)
    if after_modal:
        start = found.index("be", start) if "be" in found[start:] else end
        end = min(end, start + 4)
    places = [at for at in range(start, end) if (one := known[at]) and not one.policy]
    return places[-1:] if start or "than" in found else places[:1]


def _flat(found: Sequence[str], known: Sequence[Polarity | None]) -> int:
    """Product of the policy words, else of praise and blame, and of negations."""
    said = [one for one in known if one]
    sign = 1
    for one in said:
        if one.policy or not any(other.policy for other in said):
            sign *= one.sign
    return -sign if sum(map(negates, found)) % 2 else sign
