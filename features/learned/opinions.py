"""What whole texts say of two objects: how many of their sentences prefer either, and their stance."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from features.core.statistics import FloatArray, IntArray
from features.learned.comparatives import FAVOURABLE, UNFAVOURABLE, negates
from features.learned.comparison import (
    BETTER,
    TOKEN,
    WORSE,
    Weights,
    compare_mentions,
    cut,
    find_mentions,
    name_stems,
    object_names,
    stems,
)

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

    Comparisons count by their probability, words for or against the only object of a sentence `ALONE`. A sentence
    that names no object speaks of those of the sentence before. The last word of an object, or most of them, name it
    here, since answers shorten long names. A text that names both without a preference abstains to NEUTRAL.
    """
    names = object_names(first, second)
    owner = np.repeat(np.arange(len(texts)), np.array(list(map(len, texts)), np.int64))
    places = {sentence: place for place, sentence in enumerate(dict.fromkeys(chain.from_iterable(texts)))}
    number = np.array([places[sentence] for sentence in chain.from_iterable(texts)], np.int64)
    sentences = [cut(sentence) for sentence in places]
    better = compare_mentions(find_mentions(sentences, names), weights)[:, [BETTER, WORSE]]
    named = _named(sentences, name_stems(first, second))
    spoken_of = _spoken_of(named[number], owner)
    alone = np.zeros((len(number), 2))
    for row in np.flatnonzero(spoken_of.sum(axis=1) == 1).tolist():
        if side := _leaning(sentences[number[row]]):
            alone[row, spoken_of[row].argmax() if side > 0 else spoken_of[row].argmin()] = ALONE

    def summed(values: FloatArray) -> FloatArray:
        """(n_texts, 2) sums over the sentences of each."""
        return np.stack([np.bincount(owner, side, len(texts)) for side in values.T], axis=1)

    preferred, naming = summed(better[number]), summed(named[number])
    votes = preferred + summed(alone)
    total, difference = votes.sum(axis=1), votes[:, 0] - votes[:, 1]
    decided = (total >= LEAST) & (np.abs(difference) >= MARGIN * total)
    neutral = (total >= LEAST) | naming.all(axis=1)
    stances = np.where(decided, np.where(difference > 0, "FIRST", "SECOND"), np.where(neutral, "NEUTRAL", "NO"))
    return Opinions(preferred, stances.tolist())


def stance_of(sentences: Sequence[str], first: str, second: str, weights: Weights | None = None) -> Stance:
    """The stance of a single text, see `opinions`."""
    return opinions([sentences], first, second, weights).stances[0]


def _named(sentences: Sequence[Sequence[str]], names: Sequence[Sequence[str]]) -> npt.NDArray[np.bool_]:
    """(n_sentences, 2) whether each has the last word of an object's name, or most of them."""
    wanted = frozenset(chain.from_iterable(names))
    telling = {
        piece: own for piece in set(chain.from_iterable(sentences)) if (own := wanted.intersection(stems(piece)))
    }
    found = np.zeros((len(sentences), 2), np.bool_)
    for row, pieces in enumerate(sentences):
        if not telling.keys().isdisjoint(pieces):
            own = frozenset().union(*(telling[piece] for piece in pieces if piece in telling))
            found[row] = [
                bool(name) and (name[-1] in own or 2 * sum(stem in own for stem in name) > len(name)) for name in names
            ]
    return found


def _spoken_of(named: npt.NDArray[np.bool_], owner: IntArray) -> npt.NDArray[np.bool_]:
    """(n_sentences, 2) the objects that each sentence names, or else the last one before it in its text that does."""
    place = np.arange(len(owner))
    last = np.maximum.accumulate(np.where(named.any(axis=1), place, -1))
    begins = np.searchsorted(owner, owner)
    return np.asarray(np.where((last >= begins)[:, None], named[last], False))


def _leaning(pieces: Sequence[str]) -> int:
    """Words of favour less those against, turned by a negation."""
    found = list(map(_leaning_of, pieces))
    side = sum([side for side, _ in found])
    return -side if side and any(denied for _, denied in found) else side


@lru_cache(maxsize=200_000)
def _leaning_of(piece: str) -> tuple[int, int]:
    words = TOKEN.findall(piece)
    return sum(_SIDE.get(word, 0) for word in words), sum(map(negates, words))
