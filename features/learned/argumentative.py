"""How likely a bare sentence is a claim or evidence rather than talk or noise, learned from labelled debate texts.

A logistic regression over the words of the sentence as written (tense tells), their stems, pairs of neighbouring
stems, and markers of its shape. The weights are plain numbers in ``argumentative.json`` beside this file, written
by ``python -m experiments.lab.argumentative``; that file's ``about`` names the data. Nothing of the data ships.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Texts
from features.core.text import words
from features.core.words import Words
from features.learned.linear_model import STEMS, LinearModel, TextFeatures, edges, read_model, without_references

WEIGHTS = Path(__file__).with_name("argumentative.json")
shipped = partial(read_model, WEIGHTS)
FORM = "~"
"""The first character of a word as written, to tell ``argued`` and ``argues``, or a word from its stem."""

_LENGTHS = (1, 2, 4, 6, 8, 10, 13, 16, 20, 25, 30, 40, 60)
_CAPITALS = (0, 1, 2, 4, 7)
_MARKS = "\"'\u201c\u2019(:;,%$?!-\u2013\u2014/[|*\u2022&"
_CAPITAL = re.compile(r"\s[\"'(\u201c]?[A-Z]")
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d")
_DIGIT = re.compile(r"\d")


def features(texts: Iterable[str], model: LinearModel | None = None) -> TextFeatures:
    """The model's features of texts; with a ``model``, fewer of those that it has no weight for.

    Stems, pairs of neighbours and words as written have the value ``1 / sqrt(distinct stems)``, markers 1.
    """
    bare = [without_references(text) for text in texts]
    forms = Words.of([words(text) for text, _ in bare])
    stems = forms.renamed(STEMS.of_words(forms.distinct))
    value, sizes = stems.share(), stems.sizes
    seen = TextFeatures(len(bare))
    seen.add_words(stems, value)
    seen.add_words(stems.neighbours(model.neighbours if model else ()), value)
    seen.add_words(replace(forms, distinct=[FORM + form for form in forms.distinct]), value)
    seen.add_steps("=longer than", sizes, _LENGTHS)
    seen.add_markers(
        [_shape(text.strip(), size, cites > 0) for (text, cites), size in zip(bare, sizes.tolist(), strict=True)]
    )
    return seen


def score(texts: Iterable[str], model: LinearModel) -> FloatArray:
    """(n_texts,) probability of each text to be argumentative, were one sentence in two so."""
    return model.probability(features(texts, model))


_SOURCE = "logistic regression on IAM (Cheng et al. 2022), ArgKP-2021, EviConv and argument-cleansing"


@feature(
    "text", group="argumentativeness", measured_in="probability", range=(0, 1), lift=("min", "max"), source=_SOURCE
)
def argumentative(texts: Texts) -> FloatArray:
    """Learned probability that the sentence is a claim or evidence rather than talk or noise."""
    return score(texts.texts, shipped())


def _shape(text: str, n_words: int, cites: bool) -> list[str]:
    """Markers of the first and last character, capitals, digits and marks of a stripped text."""
    markers = edges(text, _MARKS)
    if cites:
        markers.append("=reference")
    if capitals := len(_CAPITAL.findall(text)):
        markers += [f"=capitals over {step}" for step in _CAPITALS if capitals > step]
        if 2 * capitals >= n_words:
            markers.append("=title")
    if _DIGIT.search(text):
        markers.append("=digit")
        if _YEAR.search(text):
            markers.append("=year")
    return markers
