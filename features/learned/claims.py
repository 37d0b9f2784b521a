"""What a question or a conclusion claims: what it is about, and whether it speaks for or against that.

A question is read as a claim ("Should cars be banned?": cars, against) by rules over `polarity_words.txt`: words on
what is to be done (for, against), and words of praise and blame (good, bad).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from features.core.text import STOP_WORDS, Analyzer, words
from features.learned.comparatives import negates

OPEN = frozenset("how what which who whom whose where when why".split())
"""A question that begins so asks for no side."""

_MODALS = frozenset("should shouldn't must ought would".split())
_COPULAS = frozenset("is are was were be been isn't aren't wasn't weren't".split())
_AUXILIARIES = frozenset("do does did is are was were can could will has have".split())
_BETWEEN = frozenset("the a an all of on for to any".split())
"""What may stand between two words of which the second turns the first: "end the ban"."""
_MOTION = re.compile(r"^this house (would|supports|believes( that| in)?)\s+", re.IGNORECASE)


class Polarity(NamedTuple):
    """What a word says."""

    policy: bool
    """on what is to be done; else it praises or blames"""
    sign: int
    """1 for, -1 against"""


@dataclass(frozen=True)
class Claim:
    """What a text is about, and whether it speaks for it (1) or against it (-1)."""

    target: frozenset[str]
    """Stems of its content words, but for those that say which side it takes."""
    polarity: int
    sure: bool
    """whether all the words of its kind say the same, read without grammar"""
    asks: bool = True
    """whether there are sides to take"""


@lru_cache(maxsize=2000)
def claim_of(text: str) -> Claim:
    """What ``text`` is about and its polarity, by the verb after "should" or by what something is said to be."""
    found = words(_MOTION.sub("", text))
    known = [polarity_of(word) for word in found]
    start, after_modal = _start(found)
    verbs = _operator(found, known, start, after_modal)
    if verbs:
        sign, said = 1, verbs
        turned = found[start : verbs[0]]
    else:
        said = _value(found, known, start, after_modal)
        sign, turned = 1, found[start:]
    for place in said:
        if one := known[place]:
            sign *= one.sign
    # "Shouldn't cars be banned?" hopes for a yes; "Cars shouldn't be banned" and "Chess isn't a sport" deny.
    negations = sum(map(negates, turned)) + (start > 1 and negates(found[start - 1]))
    polarity = -sign if negations % 2 else sign
    target = {stem(word) for at, word in enumerate(found) if at not in said and word not in STOP_WORDS}
    return Claim(frozenset(target), polarity, polarity == _flat(found, known), not OPEN & {*found[:1]})


@lru_cache(maxsize=100_000)
def polarity_of(word: str) -> Polarity | None:
    """What a lower-case word says, if it is listed or an inflection of a listed one."""
    return next((said for begins, said in _listed().get(stem(word), ()) if word.startswith(begins)), None)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The stem of a lower-case word, function words too."""
    return _analyzer().of_word(word)


@cache
def _analyzer() -> Analyzer:
    return Analyzer(stop=False)


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
    """Where what is claimed begins, and whether that is after "should" or its like; else it is after "is"."""
    for at, word in enumerate(found):
        if word in _MODALS or (at and word in ("has", "have", "need", "needs") and found[at + 1 : at + 2] == ["to"]):
            return at + 1, True
    copula = next((at for at, word in enumerate(found) if word in _COPULAS), 0)
    return (copula + 1 if copula else int(bool(_AUXILIARIES & {*found[:1]}))), False


def _operator(found: Sequence[str], known: Sequence[Polarity | None], start: int, after_modal: bool) -> list[int]:
    """Places of the verb of a policy and of those that it governs ("end the ban on"); none for other claims."""
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
    """The place of the word of praise or blame that counts: after "is", or before "than", the last; else the first."""
    end = found.index("than") if "than" in found else len(found)
    if after_modal:
        start = found.index("be", start) if "be" in found[start:] else end
        end = min(end, start + 4)
    places = [at for at in range(start, end) if (one := known[at]) and not one.policy]
    return places[-1:] if start or "than" in found else places[:1]


def _flat(found: Sequence[str], known: Sequence[Polarity | None]) -> int:
    """The product of the words on what is to be done, else of praise and blame, and of negations."""
    said = [one for one in known if one]
    sign = 1
    for one in said:
        if one.policy or not any(other.policy for other in said):
            sign *= one.sign
    return -sign if sum(map(negates, found)) % 2 else sign
