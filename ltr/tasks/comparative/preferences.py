"""Which of two objects a sentence says is better, learned from labelled sentences; and the opinions of whole texts.

A multinomial logistic regression over the words before, between and after the two objects, in the order of the text:
the first one named wins, the second does, or nothing is compared. So the answer is the same whichever object is asked
for first. ``python -m experiments.lab.comparison`` writes the weights, ``comparison.json`` beside this file; its
``about`` names the data. None of the data ships.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from features.core.sides import Side
from features.core.statistics import FloatArray, IntArray
from features.core.text import STOP_WORDS, negates
from features.core.words import Words
from features.learned.linear_model import LinearModel, read_model, stem
from ltr.tasks.comparative.cues import BLAME, FAVOURABLE, PRAISE, UNFAVOURABLE

WEIGHTS = Path(__file__).with_name("comparison.json")
shipped = partial(read_model, WEIGHTS)
OUTCOMES = ("BETTER", "WORSE", "NONE")
BETTER, WORSE, NONE = range(len(OUTCOMES))
# Unlike `features.core.text.WORD` it keeps marks and "C++": the weights were learned from such words.
TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*(?:[+#]+(?![^\W_]))?|[^\w\s]")
_FIRST, _SECOND = "*1", "*2"
_LEFT, _RIGHT, _BESIDE = 12, 12, 8
"""How many words before the first object and after the second are seen, and how many of them in pairs."""
_CUED = 10
_BEFORE_THAN = 5
_LONG = 12


MARGIN = 0.2
"""Distance of a text's preferences from balance, of 1, from which on they are a stance."""
LEAST = 0.25
"""Comparing sentences (sum of their probabilities) that a text needs to have any stance."""
ALONE = 0.3
"""Weight of a sentence that praises or blames one object and does not name the other, of a comparison's 1."""

_LEANING = {word: (word in FAVOURABLE) - (word in UNFAVOURABLE) for word in FAVOURABLE | UNFAVOURABLE}


class Mentions(NamedTuple):
    """Positions at which a sentence names each of two objects."""

    words: list[str]
    """in lower case; empty where it names neither"""
    positions: tuple[list[int], list[int]]
    sizes: tuple[int, int]
    """words of each object's name"""


class Marked(NamedTuple):
    """A sentence in lower-case words, each object replaced by one word."""

    words: Sequence[str]
    first: int
    """position of the first object, the mention nearest to the second"""
    second: int
    swapped: bool
    """whether the object asked for first comes second"""


class Opinions(NamedTuple):
    """The opinions of texts on two objects."""

    preferred: FloatArray
    """(n_texts, 2) how many of its sentences prefer the first object, and the second: sums of their probabilities"""
    stances: list[Side]
    """FIRST, SECOND, NEUTRAL or NO"""


def compare(sentences: Sequence[str], first: str, second: str, model: LinearModel | None = None) -> FloatArray:
    """(n, 3) probabilities that each sentence says ``first`` is BETTER or WORSE than ``second``, or neither (NONE).

    Objects are found whatever their case and number; a sentence without both has NONE = 1.
    """
    names = object_names(first, second)
    return compare_mentions(find_mentions(list(map(cut, sentences)), names), model)


def compare_mentions(sentences: Sequence[Mentions], model: LinearModel | None = None) -> FloatArray:
    """Like `compare`, for sentences in which the objects have been found."""
    probabilities = np.zeros((len(sentences), len(OUTCOMES)))
    probabilities[:, NONE] = 1
    marked = {row: marks for row, sentence in enumerate(sentences) if (marks := mark_objects(sentence))}
    if marked:
        values = (model or shipped()).softmax(list(map(sentence_features, marked.values())))
        swapped = [marks.swapped for marks in marked.values()]
        values[swapped] = values[swapped][:, [WORSE, BETTER, NONE]]
        probabilities[list(marked)] = values
    return probabilities


def cut(sentence: str) -> list[str]:
    """Lower-case pieces between blanks; the words of each distinct piece are found once."""
    return sentence.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split()


def find_mentions(sentences: Sequence[Sequence[str]], names: tuple[list[str], list[str]]) -> list[Mentions]:
    """Mentions of two objects, with names from `object_names`, in sentences from `cut`."""
    heads = {name[0] for name in names if name}
    naming = {piece for piece in set(chain.from_iterable(sentences)) if not heads.isdisjoint(stems(piece))}
    mentions = []
    for pieces in sentences:
        words = [] if naming.isdisjoint(pieces) else TOKEN.findall(" ".join(pieces))
        stemmed = list(map(stem, words))
        positions = _positions(stemmed, names[0]), _positions(stemmed, names[1])
        mentions.append(Mentions(words if any(positions) else [], positions, (len(names[0]), len(names[1]))))
    return mentions


def mark_objects(sentence: Mentions) -> Marked | None:
    """The sentence with the two mentions nearest to each other marked; None where an object is missing."""
    words, (one, two), sizes = sentence
    pairs = [(i, j) for i in one for j in two if i + sizes[0] <= j or j + sizes[1] <= i]
    if not pairs:
        return None
    i, j = min(pairs, key=lambda pair: (abs(pair[0] - pair[1]), pair))
    swapped = j < i
    begin, end = (j, i) if swapped else (i, j)
    size, last = sizes[::-1] if swapped else sizes
    others = [(at, sizes[0]) for at in one] + [(at, sizes[1]) for at in two]
    size_all = len(words)
    left, middle, right = (
        _without_mentions(
            words[start:stop], [(at - start, n) for at, n in others if start <= at < stop and at + n <= far]
        )
        for start, stop, far in ((0, begin, begin), (begin + size, end, size_all), (end + last, size_all, size_all))
    )
    return Marked([*left, _FIRST, *middle, _SECOND, *right], len(left), len(left) + 1 + len(middle), swapped)


def sentence_features(marked: Marked) -> set[str]:
    """Words and neighbours by their position relative to the objects, and cues of comparing."""
    words, first, second, _ = marked
    left, middle, right = words[:first], words[first + 1 : second], words[second + 1 :]
    features = {"", *words, *map(" ".join, pairwise(words))}
    for name, part in (("L", left[-_LEFT:]), ("M", middle), ("R", right[:_RIGHT])):
        features |= {f"{name} {word}" for word in part}
    framed = {"L": [*left[-_BESIDE:], _FIRST], "M": words[first : second + 1], "R": [_SECOND, *right[:_BESIDE]]}
    for name, part in framed.items():
        features |= {f"{name} {one} {two}" for one, two in pairwise(part)}
        features |= {f"{name} {one} {two} {three}" for (one, two), three in zip(pairwise(part), part[2:], strict=False)}
    for name, part in (("L", left[-_CUED:]), ("M", middle), ("R", right[:_CUED])):
        praise, blame = not PRAISE.isdisjoint(part), not BLAME.isdisjoint(part)
        denied = any(map(negates, part))
        features |= {f"={name} {praise:d}{blame:d}", f"={name} {praise:d}{blame:d}{denied:d}{'than' in part:d}"}
        if denied:
            features.add(f"={name} denied")
    if "than" in middle:
        features |= _than(middle)
    features |= {f"=middle {min(len(middle), _LONG + 1)}", f"=commas {min(words.count(','), 5)}"}
    return features | {f"=length {min(len(words) // 5, 9)}", f"=ends {words[-1]}"}


def object_names(first: str, second: str) -> tuple[list[str], list[str]]:
    """The stems that name each object: those of `name_stems` where they are neighbours, else all of them."""
    full = [list(stems(name.lower())) for name in (first, second)]
    one, two = (
        kept if kept and any(own[at : at + len(kept)] == kept for at in range(len(own))) else own
        for own, kept in zip(full, name_stems(first, second), strict=True)
    )
    return one, two


def name_stems(first: str, second: str) -> tuple[list[str], list[str]]:
    """The stems of each object without function words and shared words, unless nothing else is left."""
    one, two = (list(stems(name.lower())) for name in (first, second))
    kept = [
        [word for word in own if word not in other and word not in STOP_WORDS and word[0].isalnum()] or own
        for own, other in ((one, two), (two, one))
    ]
    return kept[0], kept[1]


@lru_cache(maxsize=200_000)
def stems(piece: str) -> tuple[str, ...]:
    """Stems of the words in a piece between blanks."""
    return tuple(map(stem, TOKEN.findall(piece)))


def _positions(stems: list[str], name: list[str]) -> list[int]:
    return [at for at, one in enumerate(stems) if name and one == name[0] and stems[at : at + len(name)] == name]


def _than(middle: Sequence[str]) -> set[str]:
    """The last "than" between the objects: the words before it, and its distance from the second object."""
    at = len(middle) - 1 - middle[::-1].index("than")
    denied = any(map(negates, middle))
    ahead = middle[max(0, at - _BEFORE_THAN) : at]
    features = {f"=than {min(len(middle) - 1 - at, 6)}"} | {f"=than {word}" for word in ahead[-3:]}
    for name, listed in (("praise", PRAISE), ("blame", BLAME)):
        if not listed.isdisjoint(ahead):
            features.add(f"=than {name} {denied:d}")
    return features


def _without_mentions(words: Sequence[str], mentions: Sequence[tuple[int, int]]) -> list[str]:
    """Words with one mark for each mention of an object, and for each number."""
    inside = {at + step for at, size in mentions for step in range(size)}
    begins = {at for at, _ in mentions}
    return [
        "*" if at in begins else "0" if word[0].isdigit() else word
        for at, word in enumerate(words)
        if at not in inside or at in begins
    ]


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
