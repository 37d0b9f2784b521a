"""The opinions of whole texts on two objects: the number of sentences that prefer either, and the stance."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from features.core.sides import Side
from features.core.statistics import FloatArray, IntArray
from features.core.text import negates
from features.core.words import Words
from features.learned.linear_model import LinearModel
from ltr.tasks.comparative.cues import FAVOURABLE, UNFAVOURABLE
from ltr.tasks.comparative.preferences import (
    BETTER,
    TOKEN,
    WORSE,
    compare_mentions,
    cut,
    find_mentions,
    name_stems,
    object_names,
    stems,
)

MARGIN = 0.2
"""Distance of a text's preferences from balance, of 1, from which on they are a stance."""
LEAST = 0.25
"""Comparing sentences (sum of their probabilities) that a text needs to have any stance."""
ALONE = 0.3
"""Weight of a sentence that praises or blames one object and does not name the other, of a comparison's 1."""

_LEANING = {word: (word in FAVOURABLE) - (word in UNFAVOURABLE) for word in FAVOURABLE | UNFAVOURABLE}


class Opinions(NamedTuple):
    """The opinions of texts on two objects."""

    preferred: FloatArray
    """(n_texts, 2) how many of its sentences prefer the first object, and the second: sums of their probabilities"""
    stances: list[Side]
    """FIRST, SECOND, NEUTRAL or NO"""


def opinions(texts: Sequence[Sequence[str]], first: str, second: str, model: LinearModel | None = None) -> Opinions:
    """Preferences and stances of whole texts, given as sentences. Each distinct sentence is read once.

    Comparisons count by their probability, words for or against the only object of a sentence `ALONE`. A sentence
    without an object is about the objects of the sentence before. The last word of an object, or most of them, name it
    here, since answers shorten long names. A text that names both objects without a preference is NEUTRAL.
    """
    names = object_names(first, second)
    found = Words.of(texts)  # their sentences, numbered like words
    owner, number = found.owner, found.number
    sentences = list(map(cut, found.distinct))
    better = compare_mentions(find_mentions(sentences, names), model)[:, [BETTER, WORSE]]
    named = _named(sentences, name_stems(first, second))
    about = _about(named[number], owner)
    alone = np.zeros((len(number), 2))
    for row in np.flatnonzero(about.sum(axis=1) == 1).tolist():
        if leaning := _leaning(sentences[number[row]]):
            alone[row, about[row].argmax() if leaning > 0 else about[row].argmin()] = ALONE

    def summed(values: FloatArray) -> FloatArray:
        """(n_texts, 2) sums over the sentences of each."""
        return np.stack([np.bincount(owner, side, len(texts)) for side in values.T], axis=1)

    preferred, naming = summed(better[number]), summed(named[number])
    votes = preferred + summed(alone)
    total, difference = votes.sum(axis=1), votes[:, 0] - votes[:, 1]
    decided = (total >= LEAST) & (np.abs(difference) >= MARGIN * total)
    neutral = (total >= LEAST) | naming.all(axis=1)
    stances = np.where(
        decided, np.where(difference > 0, Side.FIRST, Side.SECOND), np.where(neutral, Side.NEUTRAL, Side.NO)
    )
    return Opinions(preferred, list(map(Side, stances.tolist())))


def _named(sentences: Sequence[Sequence[str]], names: Sequence[Sequence[str]]) -> npt.NDArray[np.bool_]:
    """(n_sentences, 2) whether each has the last word of an object's name, or most of them."""
    named = np.zeros((len(sentences), 2), np.bool_)
    for row, pieces in enumerate(sentences):
        present = set(chain.from_iterable(map(stems, pieces)))
        for column, name in enumerate(names):
            most = 2 * sum(stem in present for stem in name) > len(name)
            named[row, column] = bool(name) and (name[-1] in present or most)
    return named


def _about(named: npt.NDArray[np.bool_], owner: IntArray) -> npt.NDArray[np.bool_]:
    """(n_sentences, 2) the objects that each sentence names, or else those of the last naming one before it."""
    row = np.arange(len(owner))
    last = np.maximum.accumulate(np.where(named.any(axis=1), row, -1))
    begins = np.searchsorted(owner, owner)
    return np.asarray(np.where((last >= begins)[:, None], named[last], False))


def _leaning(pieces: Sequence[str]) -> int:
    """Words in favour minus words against; the sign changes where a word negates."""
    words = TOKEN.findall(" ".join(pieces))
    leaning = sum(_LEANING.get(word, 0) for word in words)
    return -leaning if any(map(negates, words)) else leaning
