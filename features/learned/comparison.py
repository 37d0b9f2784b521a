"""Which of two objects a sentence says is better, learned from labelled sentences.

A multinomial logistic regression over the words before, between and after the two objects, in the order of the
text: the first one named wins, the second does, or nothing is compared. So whichever object is asked for first, the
answer is the same. The weights are whole hundredths in ``comparison.json`` beside this file, written by ``python -m
experiments.learned.comparative.comparison``; that file's ``about`` names the data. Nothing of the data ships.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import Stemmer

from features.core.statistics import FloatArray
from features.core.text import STOP_WORDS
from features.learned.comparatives import BLAME, PRAISE, negates
from features.learned.question import HUNDREDTHS

WEIGHTS = Path(__file__).with_name("comparison.json")
OUTCOMES = ("BETTER", "WORSE", "NONE")
BETTER, WORSE, NONE = range(len(OUTCOMES))
TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*(?:[+#]+(?![^\W_]))?|[^\w\s]")
_FIRST, _SECOND = "*1", "*2"
_LEFT, _RIGHT, _BESIDE = 12, 12, 8
"""How many words before the first object and after the second are seen, and how many of them in pairs."""
_CUED = 10
_BEFORE_THAN = 5
_LONG = 12


@dataclass(frozen=True)
class Weights:
    """A linear model: sign of a sentence, and what it adds to the log-odds of each of the `OUTCOMES`."""

    weights: Mapping[str, Sequence[float]]

    @cached_property
    def _table(self) -> tuple[dict[str, int], FloatArray]:
        rows = np.array([[0.0] * len(OUTCOMES), *self.weights.values()], np.float64)
        return {sign: row for row, sign in enumerate(self.weights, 1)}, rows

    def probabilities(self, signs: Sequence[set[str]]) -> FloatArray:
        """(n, 3) of sentences with these signs."""
        places, rows = self._table
        found: list[int] = []
        starts: list[int] = []
        for own in signs:
            starts.append(len(found))
            found.append(0)  # reduceat gives nonsense for an empty stretch
            # Sorted: a set's order changes from process to process, and with it the last bit of a sum.
            found += sorted([places[sign] for sign in own if sign in places])
        sums = np.add.reduceat(rows[found], starts) if starts else np.zeros((0, len(OUTCOMES)))
        powers = np.exp(sums - sums.max(1, keepdims=True))
        return np.asarray(powers / powers.sum(1, keepdims=True))


def compare(sentences: Sequence[str], first: str, second: str, weights: Weights | None = None) -> FloatArray:
    """(n, 3) probabilities that each sentence says ``first`` is BETTER or WORSE than ``second``, or does not (NONE).

    Objects are found whatever their case and number; a sentence without both has NONE = 1.
    """
    names = object_names(first, second)
    return compare_mentions(find_mentions(list(map(cut, sentences)), names), weights)


def compare_mentions(sentences: Sequence[Mentions], weights: Weights | None = None) -> FloatArray:
    """As `compare`, of sentences that are read already."""
    found = np.zeros((len(sentences), len(OUTCOMES)))
    found[:, NONE] = 1
    marked = {row: one for row, sentence in enumerate(sentences) if (one := mark_objects(sentence))}
    if marked:
        values = (weights or shipped()).probabilities(list(map(sentence_signs, marked.values())))
        turned = [one.turned for one in marked.values()]
        values[turned] = values[turned][:, [WORSE, BETTER, NONE]]
        found[list(marked)] = values
    return found


class Mentions(NamedTuple):
    """Where a sentence names each of two objects."""

    words: list[str]
    """in lower case; none where it names neither"""
    places: tuple[list[int], list[int]]
    sizes: tuple[int, int]
    """words of each object's name"""


def cut(sentence: str) -> list[str]:
    """What stands between blanks, in lower case: words are found in each piece once, however often it comes."""
    return sentence.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split()


def find_mentions(sentences: Sequence[Sequence[str]], names: tuple[list[str], list[str]]) -> list[Mentions]:
    """What each sentence, as `cut` gives it, says of the objects with these names, as `object_names` gives them."""
    heads = {name[0] for name in names if name}
    telling = {piece for piece in set(chain.from_iterable(sentences)) if not heads.isdisjoint(stems(piece))}
    found = []
    for pieces in sentences:
        words = [] if telling.isdisjoint(pieces) else TOKEN.findall(" ".join(pieces))
        own = list(map(_stem, words))
        places = _places(own, names[0]), _places(own, names[1])
        found.append(Mentions(words if any(places) else [], places, (len(names[0]), len(names[1]))))
    return found


@dataclass(frozen=True)
class Marked:
    """A sentence in lower-case words, objects replaced by one word each."""

    words: Sequence[str]
    first: int
    """the place of the first object, the one nearest to the second"""
    second: int
    turned: bool
    """whether the object asked for first comes second"""


def mark_objects(sentence: Mentions) -> Marked | None:
    """The sentence with the two mentions nearest to each other marked; None where an object is missing."""
    words, (one, two), sizes = sentence
    pairs = [(i, j) for i in one for j in two if i + sizes[0] <= j or j + sizes[1] <= i]
    if not pairs:
        return None
    i, j = min(pairs, key=lambda pair: (abs(pair[0] - pair[1]), pair))
    turned = j < i
    begin, end = (j, i) if turned else (i, j)
    size, last = sizes[::-1] if turned else sizes
    others = [(at, sizes[0]) for at in one] + [(at, sizes[1]) for at in two]
    left = _bare(words[:begin], [(at, n) for at, n in others if at + n <= begin], 0)
    middle = _bare(words[begin + size : end], [(at, n) for at, n in others if begin + size <= at < end], begin + size)
    right = _bare(words[end + last :], [(at, n) for at, n in others if at >= end + last], end + last)
    return Marked([*left, _FIRST, *middle, _SECOND, *right], len(left), len(left) + 1 + len(middle), turned)


def sentence_signs(marked: Marked) -> set[str]:
    """What the model sees: words and neighbours by where they stand to the objects, and cues of comparing."""
    words, first, second = marked.words, marked.first, marked.second
    left, middle, right = words[:first], words[first + 1 : second], words[second + 1 :]
    found = {"", *words, *map(" ".join, pairwise(words))}
    for name, part in (("L", left[-_LEFT:]), ("M", middle), ("R", right[:_RIGHT])):
        found |= {f"{name} {word}" for word in part}
    framed = {"L": [*left[-_BESIDE:], _FIRST], "M": words[first : second + 1], "R": [_SECOND, *right[:_BESIDE]]}
    for name, part in framed.items():
        found |= {f"{name} {one} {two}" for one, two in pairwise(part)}
        found |= {f"{name} {one} {two} {three}" for (one, two), three in zip(pairwise(part), part[2:], strict=False)}
    for name, part in (("L", left[-_CUED:]), ("M", middle), ("R", right[:_CUED])):
        praise, blame = not PRAISE.isdisjoint(part), not BLAME.isdisjoint(part)
        denied = any(map(negates, part))
        found |= {f"={name} {praise:d}{blame:d}", f"={name} {praise:d}{blame:d}{denied:d}{'than' in part:d}"}
        if denied:
            found.add(f"={name} denied")
    if "than" in middle:
        found |= _than(middle)
    found |= {f"=middle {min(len(middle), _LONG + 1)}", f"=commas {min(words.count(','), 5)}"}
    return found | {f"=length {min(len(words) // 5, 9)}", f"=ends {words[-1]}"}


@cache
def shipped() -> Weights:
    """The weights beside this file, read once a process."""
    return read_weights(WEIGHTS)


def read_weights(path: Path) -> Weights:
    """Weights as ``experiments.learned.comparative.comparison`` writes them."""
    document = json.loads(path.read_text("utf-8"))
    return Weights({str(sign): [value / HUNDREDTHS for value in row] for sign, row in document["weights"].items()})


def object_names(first: str, second: str) -> tuple[list[str], list[str]]:
    """The stems that name each object: those of `name_stems` where they stand together, else all of them."""
    full = [[_stem(word) for word in TOKEN.findall(name.lower())] for name in (first, second)]
    one, two = (
        kept if _together(kept, own) else own for own, kept in zip(full, name_stems(first, second), strict=True)
    )
    return one, two


def name_stems(first: str, second: str) -> tuple[list[str], list[str]]:
    """The stems of each object without function words and words of both, if something is left."""
    one, two = ([_stem(word) for word in TOKEN.findall(name.lower())] for name in (first, second))
    kept = [
        [word for word in own if word not in other and word not in STOP_WORDS and word[0].isalnum()] or own
        for own, other in ((one, two), (two, one))
    ]
    return kept[0], kept[1]


def _together(part: Sequence[str], whole: Sequence[str]) -> bool:
    return bool(part) and any(whole[at : at + len(part)] == part for at in range(len(whole)))


def _places(stems: list[str], name: list[str]) -> list[int]:
    return (
        [at for at, stem in enumerate(stems) if stem == name[0] and stems[at : at + len(name)] == name] if name else []
    )


def _than(middle: Sequence[str]) -> set[str]:
    """The last "than" between the objects: what is in front of it, and how far the second object is."""
    at = len(middle) - 1 - middle[::-1].index("than")
    denied = any(map(negates, middle))
    ahead = middle[max(0, at - _BEFORE_THAN) : at]
    found = {f"=than {min(len(middle) - 1 - at, 6)}"} | {f"=than {word}" for word in ahead[-3:]}
    if not PRAISE.isdisjoint(ahead):
        found.add(f"=than praise {denied:d}")
    if not BLAME.isdisjoint(ahead):
        found.add(f"=than blame {denied:d}")
    return found


def _bare(words: Sequence[str], mentions: Sequence[tuple[int, int]], start: int) -> list[str]:
    """Words with one mark for each mention of an object, and for each number."""
    inside = {at - start + place for at, size in mentions for place in range(size)}
    begins = {at - start for at, _ in mentions}
    return [
        "*" if at in begins else "0" if word[0].isdigit() else word
        for at, word in enumerate(words)
        if at not in inside or at in begins
    ]


@lru_cache(maxsize=200_000)
def stems(piece: str) -> tuple[str, ...]:
    """Those of the words in what stands between blanks."""
    return tuple(map(_stem, TOKEN.findall(piece)))


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english", 0)  # its caller remembers
