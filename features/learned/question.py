"""What a question compares: how likely it compares at all, its objects and its aspects, learned from labelled ones.

Each word gets one of five tags (outside; first or later word of an object or an aspect) by a multinomial logistic
regression over the words around it and the tag before it; the likeliest sequence is found by Viterbi's algorithm, as in
a maximum-entropy Markov model (McCallum et al. 2000). That the question compares is a logistic regression of its own.
The weights are whole hundredths in ``question.json`` beside this file, written by ``python -m
experiments.learned.comparative.question``; that file's ``about`` names the data. Nothing of the data ships.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from features.core.statistics import FloatArray
from features.learned.comparatives import comparing
from features.learned.title_signs import TOKEN, question_signs, word_signs

WEIGHTS = Path(__file__).with_name("question.json")
HUNDREDTHS = 100
TAGS = ("O", "B-object", "I-object", "B-aspect", "I-aspect")
START = len(TAGS)
"""What stands for the tag before the first word."""

_WITH_TAG_BEFORE = ("0=", "-1=", "+1=", "k=", "s3=", "side ")
"""Which signs of a word are also seen together with the tag before it."""
_LEADING = frozenset({"a", "an", "the", "and", "or"})
"""Words that are taken off the front of an object or aspect."""


@dataclass(frozen=True)
class Question:
    """What was understood of a title."""

    comparative: float
    """probability that it compares, were one question in two comparative"""
    objects: tuple[str, ...]
    """as written, in the order of the title; without a leading article"""
    aspects: tuple[str, ...]
    """in what they are compared: ``for a safari``, ``fever``"""
    predicates: tuple[str, ...]
    """the words that compare: ``better``, ``the most``, ``difference``"""


@dataclass(frozen=True)
class Weights:
    """Two linear models in log-odds: of the tags of words, and of a question being comparative."""

    tags: Mapping[str, Sequence[float]]
    """sign of a word, and what it adds to each of the `TAGS`"""
    comparative: Mapping[str, float]
    """sign of a question, and what it adds; each question has `features.learned.title_signs.BIAS`"""

    @cached_property
    def _alone(self) -> tuple[dict[str, int], FloatArray]:
        """The row of each sign, and (n_signs + 1, 5) what it adds; the first row is for a word without known signs."""
        names = [sign for sign in self.tags if sign[1:2] != "|"]
        rows = np.array([[0.0] * len(TAGS), *map(self.tags.__getitem__, names)], np.float64)
        return {sign: row for row, sign in enumerate(names, 1)}, rows

    @cached_property
    def _after(self) -> tuple[dict[str, int], FloatArray]:
        """The row of each sign that is seen with the tag before it, and (n_signs + 1, 6, 5) what both add."""
        pairs = [(sign.split("|", 1), values) for sign, values in self.tags.items() if sign[1:2] == "|"]
        places = {sign: row for row, sign in enumerate(dict.fromkeys(sign for (_, sign), _ in pairs), 1)}
        rows = np.zeros((len(places) + 1, len(TAGS) + 1, len(TAGS)))
        for (before, sign), values in pairs:
            rows[places[sign], int(before)] = values
        return places, rows

    def tag_scores(self, signs: Sequence[Sequence[str]]) -> FloatArray:
        """(n_words, 6, 5) log-probability of each tag of each word, given each tag before it."""
        sums = _sums(signs, *self._after) + _sums(signs, *self._alone)[:, None]
        return sums - np.log(np.exp(sums).sum(2, keepdims=True))


def understand(title: str, objects: Sequence[str] = (), weights: Weights | None = None) -> Question:
    """What ``title`` compares; ``objects`` that are given take the place of those found."""
    weights = weights or shipped()
    title = title.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    places = [match.span() for match in TOKEN.finditer(title)]
    tokens = [title[start:end] for start, end in places]
    found: dict[str, list[str]] = {"object": list(objects), "aspect": [], "predicate": []}
    for kind, first, end in tag_spans(tag(tokens, weights)):
        begin = next((at for at in range(first, end) if tokens[at].lower() not in _LEADING), first)
        parts = {kind: (begin, end)}
        if kind == "aspect":
            middle = next((at for at in range(begin, end) if not comparing(tokens[at].lower())), end)
            parts = {"predicate": (begin, middle), "aspect": (middle, end)}
        elif objects:
            continue
        for name, (start, stop) in parts.items():
            if start < stop:
                found[name].append(title[places[start][0] : places[stop - 1][1]])
    # fsum: a set's order changes from process to process, and with it the last bit of a sum.
    odds = math.fsum(weights.comparative.get(sign, 0.0) for sign in question_signs(tokens))
    # The same as 1 / (1 + exp(-odds)), but it cannot overflow.
    return Question(0.5 * (1 + math.tanh(odds / 2)), *(tuple(dict.fromkeys(texts)) for texts in found.values()))


def tag(tokens: Sequence[str], weights: Weights) -> list[int]:
    """The likeliest sequence of tags (places in `TAGS`); what no tag may follow is not followed."""
    if not tokens:
        return []
    scores = weights.tag_scores(word_signs(tokens)) + _FORBIDDEN
    best, back = scores[0, START], []
    for given in scores[1:]:
        paths = best[:, None] + given[:START]
        back.append(paths.argmax(0))
        best = paths.max(0)
    path = [int(best.argmax())]
    for came_from in reversed(back):
        path.append(int(came_from[path[-1]]))
    return path[::-1]


def tag_spans(tags: Sequence[int]) -> list[tuple[str, int, int]]:
    """Each object and aspect with its first place and the one after its last."""
    starts = [at for at, tag in enumerate(tags) if TAGS[tag][0] == "B"]
    spans = []
    for start in starts:
        inside = tags[start] + 1
        end = next((at for at in range(start + 1, len(tags)) if tags[at] != inside), len(tags))
        spans.append((TAGS[inside][2:], start, end))
    return spans


def tokenize(title: str) -> list[str]:
    """Words and marks as they are tagged."""
    return TOKEN.findall(title.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


def with_tag_before(signs: Sequence[str], before: int) -> list[str]:
    """The signs of a word after a tag."""
    return [*signs, *(f"{before}|{sign}" for sign in signs if not sign or sign.startswith(_WITH_TAG_BEFORE))]


@cache
def shipped() -> Weights:
    """The weights beside this file, read once a process."""
    return read_weights(WEIGHTS)


def read_weights(path: Path) -> Weights:
    """Weights as ``experiments.learned.comparative.question`` writes them."""
    document = json.loads(path.read_text("utf-8"))
    tags = {str(sign): [value / HUNDREDTHS for value in values] for sign, values in document["tags"].items()}
    return Weights(tags, {str(sign): value / HUNDREDTHS for sign, value in document["comparative"].items()})


def _forbidden() -> FloatArray:
    """(6, 5) minus infinity where a later word of a span would follow none of its kind."""
    table = np.zeros((len(TAGS) + 1, len(TAGS)))
    for inside in (2, 4):
        table[[before for before in range(len(TAGS) + 1) if before not in (inside - 1, inside)], inside] = -np.inf
    return table


_FORBIDDEN = _forbidden()


def _sums(signs: Sequence[Sequence[str]], places: Mapping[str, int], rows: FloatArray) -> FloatArray:
    """The rows of the signs of each word, summed."""
    found: list[int] = []
    starts: list[int] = []
    for own in signs:
        starts.append(len(found))
        found.append(0)  # reduceat gives nonsense for an empty stretch
        found += [places[sign] for sign in own if sign in places]
    return np.asarray(np.add.reduceat(rows[found], starts))
