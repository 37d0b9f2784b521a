"""The side that an argument takes toward a question: its side of its conclusion, times what that says of the question.

How much a text speaks for the claim of a question is a logistic regression over its words. Most of them say what is
good or bad about a thing, so each counts twice: as it is, and turned where the question speaks against that thing
(`features.learned.claims`). The weights are whole hundredths in ``side.json`` beside this file, written by ``python -m
experiments.learned.side``; that file's ``about`` names the data. Nothing of the data ships.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from math import fsum
from pathlib import Path
from typing import Literal

from features.core.text import words
from features.learned.claims import Claim, claim_of, polarity_of, stem
from features.learned.comparatives import negates
from features.learned.question import HUNDREDTHS
from features.learned.vectors import Rows, load_vectors

Side = Literal["PRO", "CON", "UNCLEAR"]

WEIGHTS = Path(__file__).with_name("side.json")
LEAST = 0.8
"""Log-odds from which on a side is named."""
SHARED = 0.5
"""How much of what a question is about an argument must name to have a side."""
UNSURE = 0.4
"""How much turned words count where the polarity of a question is in doubt."""
NEAR = 0.5
"""The least cosine of the word vectors of a question and of an argument that has a side."""
SAME, RESTATED = 0.6, 2.0
"""A conclusion about the same thing as the question, by the share of the stems of both, says the same or the opposite;
and how many log-odds that adds."""
READ = 8
"""How many sentences are read, after the conclusion."""

_ARGUED = {"PRO": 1, "CON": -1}
_DENIED = 4
"""How many words after a negation are denied by it."""


@dataclass(frozen=True)
class Weights:
    """A linear model: sign of a text -> what it adds to the log-odds, turned with the question, and as it is."""

    signs: Mapping[str, Sequence[float]]

    def odds(self, signs: Sequence[str], turn: float) -> float:
        """Log-odds that a text with these signs speaks for the claim of a question that turns words by ``turn``."""
        known = [self.signs[sign] for sign in signs if sign in self.signs]
        return turn * fsum(one[0] for one in known) + fsum(one[1] for one in known)


def side_toward(question: str, conclusion: str, stance: str, sentences: Sequence[str] = ()) -> Side:
    """The side toward ``question`` of an argument with this conclusion, of which it takes the side ``stance``.

    ``stance`` is PRO, CON or anything else where the corpus has none; ``sentences`` are those shown of the argument.
    UNCLEAR for a question without sides ("How ..."), an argument on other things, and wherever the odds are even.
    """
    texts = [text for text in sentences if text != conclusion][:READ]
    if not _on_topic(question, " ".join((conclusion, *texts))):
        return "UNCLEAR"
    argued = _ARGUED.get(stance, 0) if conclusion else 0
    odds = argued * (support(question, conclusion) + RESTATED * relation(question, conclusion))
    if texts:
        odds += fsum(support(question, text) for text in texts) / len(texts)
    return "UNCLEAR" if abs(odds) < LEAST else "PRO" if odds > 0 else "CON"


def relation(question: str, conclusion: str) -> int:
    """1 where the conclusion claims what is asked, -1 where the opposite, 0 where it is about other things."""
    asked, claimed = claim_of(question), claim_of(conclusion)
    same = len(asked.target & claimed.target) >= max(SAME * len(asked.target | claimed.target), 1)
    return asked.polarity * claimed.polarity if same else 0


@lru_cache(maxsize=10_000)
def support(question: str, text: str) -> float:
    """Log-odds that ``text`` by itself speaks for what the question claims."""
    asked = claim_of(question)
    return shipped().odds(text_signs(asked, text), turn_of(asked))


def turn_of(asked: Claim) -> float:
    """What turns the words of praise and blame that a text has for the thing asked about."""
    return asked.polarity * (1.0 if asked.sure else UNSURE)


def text_signs(asked: Claim, text: str) -> list[str]:
    """What the model sees: words and neighbours, what is denied, praise and blame, how much of the target is named."""
    found = words(text)
    stems = [stem(word) for word in found]
    shared = len(asked.target & set(stems)) / max(1, len(asked.target))
    near = "=all" if shared >= 0.6 else "=some" if shared else "=none"
    signs = {"", near}
    sums, left, negations = {True: 0, False: 0}, 0, 0
    for word, term in zip(found, stems, strict=True):
        if term not in asked.target:
            signs.add(("!" if left else "") + term)
            if said := polarity_of(word):
                sums[said.policy] += -said.sign if left else said.sign
        left = _DENIED if negates(word) else max(0, left - 1)
        negations += negates(word)
    signs |= {f"{one} {other}" for one, other in pairwise("*" if term in asked.target else term for term in stems)}
    kind = "".join("+" if total > 0 else "-" if total < 0 else "0" for total in (sums[True], sums[False]))
    odd = "!" if negations % 2 else ""
    signs |= {f"=policy {kind[0]}", f"=value {kind[1]}", f"=policy {kind[0]}{near}", f"=value {kind[1]}{near}"}
    signs |= {f"=denied{odd}{near}", f"=all {kind}{odd}{near}"}
    return sorted(signs)


def _on_topic(question: str, text: str) -> bool:
    """Whether the question has sides, and the text enough to do with it to take one."""
    asked = claim_of(question)
    named = asked.target.intersection(map(stem, words(text)))
    if not asked.asks or len(named) < max(SHARED * len(asked.target), 1):
        return False
    return bool(load_vectors().rows([text]).cosine(_vector(question))[0] >= NEAR)


@lru_cache(maxsize=100)
def _vector(question: str) -> Rows:
    return load_vectors().rows([question])


@cache
def shipped() -> Weights:
    """The weights beside this file, read once a process."""
    document = json.loads(WEIGHTS.read_text("utf-8"))
    return Weights({sign: [value / HUNDREDTHS for value in pair] for sign, pair in document["signs"].items()})
