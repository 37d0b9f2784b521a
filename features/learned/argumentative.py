"""How likely a bare sentence is a claim or evidence rather than talk or noise, learned from labelled debate texts.

A logistic regression over signs of the sentence: its words as written (tense tells), their stems, pairs of
neighbouring stems, and its shape. The weights are plain numbers in ``argumentative.json`` beside this file, written
by ``python -m experiments.learned.argumentative``; that file's ``about`` names the data. Nothing of the data ships.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import Stemmer

from features.core.registry import feature
from features.core.sentences import Texts
from features.core.statistics import FloatArray
from features.core.text import words
from features.learned.ngrams import NGrams, Words

WEIGHTS = Path(__file__).with_name("argumentative.json")
FORM = "~"
"""The first character of the sign of a word as written, to tell ``argued`` and ``argues``, or a word from its stem."""

_LENGTHS = (1, 2, 4, 6, 8, 10, 13, 16, 20, 25, 30, 40, 60)
_CAPITALS = (0, 1, 2, 4, 7)
_MARKS = "\"'\u201c\u2019(:;,%$?!-\u2013\u2014/[|*\u2022&"
_ENDS = frozenset(".?!:;,\"')]\u201d")
_CAPITAL = re.compile(r"(?<=\s)[\"'(\u201c]?[A-Z]")
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d")
_DIGIT = re.compile(r"\d")
_REFERENCE = re.compile(r"\[(?:ref|REF|citation needed|\d{1,3})\]")
_LONGER = [[f"=longer than {step}" for step in _LENGTHS if n > step] for n in range(_LENGTHS[-1] + 2)]
_SHORTEST = 4


@dataclass(frozen=True)
class Weights:
    """A linear model in the log-odds of being argumentative."""

    intercept: float
    weights: Mapping[str, float]

    @cached_property
    def grams(self) -> NGrams:
        """Those of words and of neighbours."""
        return NGrams(self.weights)


def signs(text: str) -> dict[str, float]:
    """What the model sees of ``text``: sign -> value.

    Stems (function words included, they carry the modality), pairs of neighbours and words as written share
    the value ``1 / sqrt(distinct stems)``, so that a long sentence is not more certain only because it is long; each
    sign of the shape has the value 1.
    """
    bare, references = without_references(text)
    forms = words(bare)
    terms = [_stem(form) for form in forms]
    value = 1 / math.sqrt(max(len(set(terms)), _SHORTEST))
    found = dict.fromkeys([*terms, *map(" ".join, pairwise(terms)), *[FORM + form for form in forms]], value)
    for sign in _shape(bare.strip(), len(terms)):
        found[sign] = 1.0
    if references:
        found["=reference"] = 1.0
    return found


def without_references(text: str) -> tuple[str, int]:
    """The text, and how many references were taken out of it.

    Encyclopedias cite as [ref] or [3]; the sign should be that they cite, not the word "ref".
    """
    return _REFERENCE.subn("", text) if "[" in text else (text, 0)


def log_odds(found: Mapping[str, float], model: Weights) -> float:
    """Log-odds of a sentence with the signs ``found``; unknown signs weigh nothing."""
    weight = model.weights.get
    return model.intercept + sum([weight(sign, 0.0) * value for sign, value in found.items()])


def score(texts: Iterable[str], model: Weights) -> FloatArray:
    """(n_texts,) probability of each text to be argumentative, were one sentence in two so.

    From the `log_odds` of its `signs`, summed over all texts at once.
    """
    bare = [without_references(text) for text in texts]
    forms = Words.of([words(text) for text, _ in bare])
    terms = forms.renamed(map(_stem, forms.distinct))
    value = 1 / np.sqrt(np.maximum(terms.once().sizes, _SHORTEST))
    weights, weight = model.grams, model.weights.get
    odds = value * (weights.of_words(terms) + weights.of_neighbours(terms) + weights.of_words(forms, FORM))
    odds += model.intercept
    odds += [
        sum([weight(sign, 0.0) for sign in _shape(text.strip(), size)], weight("=reference", 0.0) if references else 0)
        for (text, references), size in zip(bare, terms.sizes.tolist(), strict=True)
    ]
    # The same as 1 / (1 + exp(-odds)), but it cannot overflow.
    return np.asarray(0.5 * (1 + np.tanh(odds / 2)), np.float64)


@cache
def shipped() -> Weights:
    """The weights beside this file, read once a process."""
    return read_weights(WEIGHTS)


def read_weights(path: Path) -> Weights:
    """Weights as ``experiments.learned.argumentative`` writes them."""
    document = json.loads(path.read_text("utf-8"))
    weights = {str(sign): float(weight) for sign, weight in document["weights"].items()}
    return Weights(float(document["intercept"]), weights)


@feature(
    "text",
    group="argumentativeness",
    unit="probability",
    range=(0, 1),
    lift=("min", "max"),
    description="learned probability that the sentence is a claim or evidence rather than talk or noise",
    source="logistic regression on IAM (Cheng et al. 2022), ArgKP-2021, EviConv and argument-cleansing",
)
def argumentative(texts: Texts) -> FloatArray:
    """Looks at the bare sentence only; the topic plays no part."""
    return score(texts.texts, shipped())


def _shape(text: str, n_words: int) -> list[str]:
    """Length, first and last character, capitals, digits and marks of a stripped text."""
    found = list(_LONGER[min(n_words, len(_LONGER) - 1)])
    if not text:
        return found
    found.append(f"=ends {_kind(text[-1], _ENDS)}")
    found.append(f"=begins {_kind(text[0])}")
    capitals = len(_CAPITAL.findall(text))
    if capitals:
        found += [f"=capitals over {step}" for step in _CAPITALS if capitals > step]
        if 2 * capitals >= n_words:
            found.append("=title")
    # In the order of _MARKS: a set's order changes from process to process, and with it the last bit of a sum.
    found += [f"=has {mark}" for mark in _MARKS if mark in text]
    if _DIGIT.search(text):
        found.append("=digit")
        if _YEAR.search(text):
            found.append("=year")
    return found


def _kind(character: str, themselves: frozenset[str] = frozenset()) -> str:
    if character in themselves:
        return character
    if character.isalpha():
        return "A" if character.isupper() else "a"
    return "0" if character.isdigit() else "other"


@lru_cache(maxsize=500_000)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english", 0)  # its caller remembers
