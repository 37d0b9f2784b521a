"""What whole texts say of two objects: how many of their sentences prefer either, and their stance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np

from features.core.statistics import FloatArray
from features.learned.comparatives import FAVOURABLE, UNFAVOURABLE, negates
from features.learned.comparison import BETTER, WORSE, Weights, compare_mentions, find_mentions, object_names

MARGIN = 0.2
"""How far the preferences of a text must be from balance, of 1, to be a stance."""
LEAST = 0.25
"""How many comparing sentences (sum of their probabilities) a text needs to have any stance."""
ALONE = 0.3
"""How much of a comparison a sentence is that speaks for or against one object and does not name the other."""

Stance = Literal["FIRST", "SECOND", "NEUTRAL", "NO"]

_SIDE = {word: (word in FAVOURABLE) - (word in UNFAVOURABLE) for word in FAVOURABLE | UNFAVOURABLE}


class Opinions(NamedTuple):
    """What texts say of two objects."""

    preferred: FloatArray
    """(n_texts, 2) how many of its sentences prefer the first object, and the second: sums of their probabilities"""
    stances: list[Stance]
    """for one of the objects, for neither (NEUTRAL), or nothing (NO)"""


def opinions(texts: Sequence[Sequence[str]], first: str, second: str, weights: Weights | None = None) -> Opinions:
    """What texts, as sentences, say as a whole. A sentence is read once, however many of them have it.

    Comparisons count by their probability, words for or against the only object of a sentence `ALONE`. A text that
    names both objects without a preference abstains to NEUTRAL.
    """
    names = object_names(first, second)
    owner = np.repeat(np.arange(len(texts)), np.array(list(map(len, texts)), np.int64))
    places = {sentence: place for place, sentence in enumerate(dict.fromkeys(chain.from_iterable(texts)))}
    number = np.array([places[sentence] for sentence in chain.from_iterable(texts)], np.int64)
    read = find_mentions(list(places), names)
    better = compare_mentions(read, weights)[:, [BETTER, WORSE]]
    named = np.array([list(map(bool, one.places)) for one in read]).reshape(-1, 2)
    alone = np.zeros((len(read), 2))
    for row in np.flatnonzero(named.sum(axis=1) == 1).tolist():
        if side := _leaning(read[row].words):
            alone[row, named[row].argmax() if side > 0 else named[row].argmin()] = ALONE

    def summed(*values: FloatArray) -> FloatArray:
        """(n_texts, 2) sums over all sentences, one of the values after the other."""
        of, owners = np.concatenate([one[number] for one in values]), np.tile(owner, len(values))
        return np.stack([np.bincount(owners, side, len(texts)) for side in of.T], axis=1)

    preferred, votes, naming = summed(better), summed(better, alone), summed(named)
    total, difference = votes.sum(axis=1), votes[:, 0] - votes[:, 1]
    decided = (total >= LEAST) & (np.abs(difference) >= MARGIN * total)
    neutral = (total >= LEAST) | naming.all(axis=1)
    stances = np.where(decided, np.where(difference > 0, "FIRST", "SECOND"), np.where(neutral, "NEUTRAL", "NO"))
    return Opinions(preferred, stances.tolist())


def stance_of(sentences: Sequence[str], first: str, second: str, weights: Weights | None = None) -> Stance:
    """The stance of a single text, see `opinions`."""
    return opinions([sentences], first, second, weights).stances[0]


def _leaning(words: Sequence[str]) -> int:
    """Words of favour less those against, turned by a negation."""
    found = sum([_SIDE[word] for word in words if word in _SIDE])
    return -found if any(map(negates, words)) else found
