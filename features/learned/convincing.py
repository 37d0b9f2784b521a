"""How convincing a bare text is beside an average argument, learned from people's preferences.

A Bradley-Terry model over the stems of the text, pairs of neighbouring stems, and markers of its manner: spelling,
shouting, hedges, insults, evidence, numbers, names. Length took part in the learning and was then left out, so the
score says what length does not. The weights are plain numbers in ``convincing.json`` beside this file, written by
``python -m experiments.lab.convincing``; that file's ``about`` names the data. Nothing of the data itself ships.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache, lru_cache, partial
from pathlib import Path

import numpy as np

from features.content.readability import dictionary
from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context, Texts
from features.core.text import WORD
from features.core.words import Words
from features.learned.linear_model import STEMS, LinearModel, TextFeatures, edges, read_model, without_references

WEIGHTS = Path(__file__).with_name("convincing.json")
shipped = partial(read_model, WEIGHTS)
_OF_WORD: dict[str, list[str]] = defaultdict(list)
"""Word -> its classes, each of one topic no more than of another. A line of the file is a class and words of it."""
for _line in Path(__file__).with_name("word_classes.txt").read_text("utf-8").splitlines():
    _name, *_words = _line.split()
    for _one in _words:
        _OF_WORD[_one].append(f"={_name}")

_MARKS = "\"'(:;,%$?!\u2013\u2014/[&*"
_PATTERNS = {
    "=name": re.compile(r"[A-Z](?<=[a-z,;] [A-Z])[a-z]+"),
    "=tight mark": re.compile(r"[a-z][,.;:!?][a-zA-Z]"),
    "=loose mark": re.compile(r"\w +[,.;:!?]"),
    "=many marks": re.compile(r"[!?]{2,}|\.{2,}"),
    "=link": re.compile(r"https?:|www\."),
}
"""Marker -> what is counted."""

_REPEATED = re.compile(r"([a-z])\1\1")
_MISSPELT = (0, 0.03, 0.06, 0.1, 0.2, 0.4)
_LETTERS = (3.6, 4, 4.4, 4.8, 5.2, 5.6, 6.2)


def features(texts: Iterable[str], model: LinearModel | None = None) -> TextFeatures:
    """The model's features of texts; with a ``model``, fewer of those that it has no weight for.

    Stems (function words included) and pairs of neighbours have the value ``1 / sqrt(distinct stems)``. A class of
    words has it once a word, up to 1, so that a table of numbers is not all evidence. Other markers have the value 1.
    """
    pairs = [without_references(text) for text in texts]
    bare = [text.strip().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'") for text, _ in pairs]
    words = Words.of([WORD.findall(text) for text in bare])
    stems = words.renamed(STEMS.of_words(map(str.lower, words.distinct)))
    value, sizes = stems.share(), np.maximum(words.sizes, 1)
    seen = TextFeatures(len(bare))
    seen.add_words(stems, value)
    seen.add_words(stems.neighbours(model.neighbours if model else ()), value)
    members: dict[str, FloatArray] = defaultdict(partial(np.zeros, len(words.distinct)))
    for number, word in enumerate(words.distinct):
        for name in _classes(word):
            members[name][number] += 1
    table = np.array([*members.values()]).reshape(len(members), len(words.distinct))
    counts = dict(zip(members, words.sums(table.T).T, strict=True))
    misspelt = counts.get("=misspelt", np.zeros(len(bare)))
    for name, pattern in _PATTERNS.items():
        counts[name] = np.array([len(pattern.findall(text)) for text in bare], np.float64)
    for name, count in counts.items():
        seen.add(name, np.minimum(count * value, 1))
    letters = words.sums(np.array([len(word) for word in words.distinct], np.float64))
    seen.add_steps("=misspelt over", misspelt / sizes, _MISSPELT)
    seen.add_steps("=letters a word over", letters / sizes, _LETTERS)
    seen.add("=reference", np.array([float(cites > 0) for _, cites in pairs]))
    seen.add_markers([edges(text, _MARKS) for text in bare])
    return seen


def score(texts: Iterable[str], model: LinearModel) -> FloatArray:
    """(n_texts,) probability that people prefer each text to an average argument of its length."""
    return model.probability(features(texts, model))


_SOURCE = "Bradley-Terry model on IBM ArgQ, UKPConvArg, IBM EviConv and appropriateness (Ziegenbein et al. 2023)"
_feature = partial(feature, group="quality", measured_in="probability", range=(0, 1), source=_SOURCE)


@_feature("text", lift=("min",))
def convincing(texts: Texts) -> FloatArray:
    """Learned probability that people find the sentence better than an average argument of its length."""
    return score(texts.texts, shipped())


@_feature("argument", kinds=("argument",))
def convincing_argument(c: Context) -> FloatArray:
    """Learned probability that people find the whole argument better than an average one of its length.

    All sentences are read as one text.
    """
    return score(c.arguments.text, shipped())


@lru_cache(maxsize=200_000)
def _classes(word: str) -> tuple[str, ...]:
    """The classes that a word as written is in."""
    lower = word.lower()
    classes = list(_OF_WORD[lower]) if lower in _OF_WORD else []
    if word == "i":
        classes.append("=small i")
    if word[0].isdigit():
        classes.append("=year" if len(word) == 4 and word[:2] in ("18", "19", "20") else "=number")
    elif word.isupper() and len(word) > 3:
        classes.append("=shouted")
    elif word.islower() and lower.isascii():
        if _REPEATED.search(lower):
            classes.append("=drawn out")
        if not _in_dictionary(lower):
            classes.append("=misspelt")
    return tuple(classes)


def _in_dictionary(word: str) -> bool:
    """Whether the pronouncing dictionary has the word, another form of it, or its American spelling."""
    whole = word.split("'", maxsplit=1)[0]
    words, stems = _dictionary()
    return whole in words or STEMS.of_word(word) in stems or whole.replace("is", "iz").replace("our", "or") in words


@cache
def _dictionary() -> tuple[frozenset[str], frozenset[str]]:
    """CMU pronouncing dictionary: its words, and their stems."""
    words = list(dictionary())
    return frozenset(words), frozenset(map(STEMS.of_word, words))
