"""Find the objects of a comparative question, by weights that were learned from labelled questions.

Each word gets one of five tags (outside; first or later word of an object or an aspect) by a multinomial logistic
regression over the words around it and the tag before it; Viterbi's algorithm finds the likeliest sequence, as in a
maximum-entropy Markov model (McCallum et al. 2000).
``python -m experiments.lab.question`` writes the weights, ``question.json`` beside this file; its ``about`` names
the data. None of the data ships.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from pathlib import Path

import numpy as np

from features.core.statistics import FloatArray
from features.learned.linear_model import LinearModel, read_models
from ltr.tasks.comparative.title_features import TOKEN, word_features

WEIGHTS = Path(__file__).with_name("question.json")
TAGS = ("O", "B-object", "I-object", "B-aspect", "I-aspect")
START = len(TAGS)
"""Stands for the tag before the first word."""

_WITH_TAG_BEFORE = ("0=", "-1=", "+1=", "k=", "s3=", "side ")
"""Features of a word that are also combined with the tag before it."""
_LEADING = frozenset({"a", "an", "the", "and", "or"})
"""Words that are taken off the front of an object."""
_TWO_VERBS = re.compile(
    r"(?:^(?:should|can|could|would|must|do|does) (?:(?:an?|the|my|our|your) )?(?!(?:an?|the|my|our|your) )[\w-]+"
    r"|\b(?:better|best|cheaper|wiser),? to) ([\w-]+) or (?:to )?([\w-]+) ",
    re.IGNORECASE,
)
"""Two verbs after a subject, or after a comparative: what follows the second one belongs to both."""
# Minus infinity where a later word of a span would follow a tag of another kind, (6, 5).
_FORBIDDEN = np.zeros((len(TAGS) + 1, len(TAGS)))
for _inside in (2, 4):
    _FORBIDDEN[[before for before in range(len(TAGS) + 1) if before not in (_inside - 1, _inside)], _inside] = -np.inf


@dataclass(frozen=True)
class QuestionModel:
    """The linear model behind `named_objects`."""

    tags: LinearModel
    """of a word, one output a tag; the features of `with_tag_before` begin with the number of that tag and a bar"""

    @cached_property
    def _alone(self) -> LinearModel:
        return LinearModel(TAGS, {name: row for name, row in self.tags.weights.items() if name[1:2] != "|"}, [0.0] * 5)

    @cached_property
    def _after(self) -> LinearModel:
        """Features that are combined with the tag before: one output for each tag before and each tag."""
        rows: dict[str, list[float]] = {}
        for name, values in self.tags.weights.items():
            if name[1:2] == "|":
                row = rows.setdefault(name[2:], [0.0] * (len(TAGS) + 1) * len(TAGS))
                start = int(name[0]) * len(TAGS)
                row[start : start + len(TAGS)] = values
        outputs = tuple(f"{before}|{tag}" for before, tag in product((*TAGS, "START"), TAGS))
        return LinearModel(outputs, rows, [0.0] * len(outputs))

    def tag_scores(self, words: Sequence[Sequence[str]]) -> FloatArray:
        """(n_words, 6, 5) log-probability of each tag of each word, given each tag before it."""
        sums = self._after.sums(words).reshape(-1, len(TAGS) + 1, len(TAGS)) + self._alone.sums(words)[:, None]
        return sums - np.log(np.exp(sums).sum(2, keepdims=True))


@cache
def shipped() -> QuestionModel:
    """The weights beside this file, read once per process."""
    return QuestionModel(**read_models(WEIGHTS))


def named_objects(title: str, model: QuestionModel | None = None) -> tuple[str, ...]:
    """The objects that a title compares, as written and in its order; without a leading article."""
    title = title.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    spans = [match.span() for match in TOKEN.finditer(title)]
    tokens = [title[start:end] for start, end in spans]
    found = []
    for kind, first, end in tag_spans(tag(tokens, model or shipped())):
        if kind == "object":
            begin = next((at for at in range(first, end) if tokens[at].lower() not in _LEADING), first)
            found.append(title[spans[begin][0] : spans[end - 1][1]])
    if found and (verbs := _TWO_VERBS.search(title)):
        second, _, shared = found[-1].removeprefix("to ").partition(" ")
        if shared and second == verbs[2]:
            found = [f"{verbs[1]} {shared}", f"{second} {shared}"]
    return tuple(dict.fromkeys(found))


def tag(tokens: Sequence[str], model: QuestionModel) -> list[int]:
    """The likeliest allowed sequence of tags, as positions in `TAGS`."""
    if not tokens:
        return []
    scores = model.tag_scores(word_features(tokens)) + _FORBIDDEN
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
    """Each object and aspect with its first position and the position after its last word."""
    spans = []
    for start in (at for at, tag in enumerate(tags) if TAGS[tag][0] == "B"):
        inside = tags[start] + 1
        end = next((at for at in range(start + 1, len(tags)) if tags[at] != inside), len(tags))
        spans.append((TAGS[inside][2:], start, end))
    return spans


def with_tag_before(features: Sequence[str], before: int) -> list[str]:
    """The features of a word, with those that combine some of them with the tag before it."""
    return [*features, *(f"{before}|{name}" for name in features if not name or name.startswith(_WITH_TAG_BEFORE))]
