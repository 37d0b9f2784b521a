"""A Bradley-Terry model of preferences between texts: logistic regression over the difference of their features."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, diags, hstack
from sklearn.linear_model import LogisticRegression

from experiments.learned.preferences import Pair
from experiments.learned.trainer import PUBLISHED, common_columns
from features.core.statistics import FloatArray, IntArray
from features.core.text import WORD, words
from features.learned.convincing import features
from features.learned.text_features import MARKER, TextFeatures
from ltr.errors import InputError

SOURCE_WEIGHT = {"argq-pairs": 1.0, "argq-scores": 1.0, "ukp-pairs": 1.0, "eviconv": 1.0, "appropriateness": 0.4}
"""What all pairs of a source count together, however many they are."""
CORPORA = ("argq", "ukp", "eviconv", "appropriateness")
INVERSE_STRENGTH = 0.0015
SOURCE_MASS = 10_000
MARKER_SCALE = 4.0
MIN_TOPICS = 20

_END = re.compile(r"[.!?]+(?=\s|$)")
_WORDS = (3, 5, 8, 11, 14, 18, 22, 27, 33, 40, 50, 62, 75, 90, 110, 140, 200)
_SENTENCES = (6, 10, 14, 18, 22, 27, 34, 45)
_DISTINCT = (0.55, 0.65, 0.75, 0.85, 0.95)


@dataclass(frozen=True)
class Preferences:
    """Pairs with the features of their texts, a row a distinct text."""

    pairs: Sequence[Pair]
    better: IntArray
    """(n_pairs,) row of the better text."""
    worse: IntArray
    names: Sequence[str]
    scale: FloatArray
    """(n_names,) what the values of a feature are multiplied with before learning."""
    features: csr_matrix
    """(n_texts, n_names)"""
    lengths: csr_matrix
    """(n_texts, n_steps)"""
    words: IntArray
    """(n_texts,)"""


def with_features(pairs: Sequence[Pair]) -> Preferences:
    """Which features count, and their scale, comes from the texts to learn from, whatever people preferred."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.better, pair.worse)))
    row = {text: number for number, text in enumerate(texts)}
    better, worse = np.array([(row[pair.better], row[pair.worse]) for pair in pairs]).T
    found = features(texts)
    names = sorted(found.names)
    matrix = found.matrix(names)
    used = training_pairs(pairs)
    topics = [pairs[pair].topics[0] for pair in used] + [pairs[pair].topics[-1] for pair in used]
    learned = np.concatenate([better[used], worse[used]])
    columns = common_columns(matrix, learned, topics, MIN_TOPICS)
    learned = np.unique(learned)
    # A rare stem says more than a common one: the scale is the idf, as in TF-IDF.
    idf = np.log(len(learned) / np.maximum(matrix[learned].getnnz(axis=0), 1))
    scale = np.where([name[0] == MARKER for name in names], MARKER_SCALE, idf)[columns]
    return Preferences(
        pairs,
        better,
        worse,
        [names[column] for column in columns],
        scale,
        matrix[:, columns] @ diags(scale),
        length_features(texts),
        np.array([len(words(text)) for text in texts]),
    )


def length_features(texts: Sequence[str]) -> csr_matrix:
    """Steps of the number of words, of words a sentence, and of the share of distinct words, which falls with length.

    In learning they take the length's share of a preference, and are then dropped.
    """
    said = [WORD.findall(text.lower()) for text in texts]
    size = np.array([len(found) for found in said])
    sentences = np.array([max(len(_END.findall(text)), 1) for text in texts])
    distinct = np.array([len(set(found)) for found in said])
    steps = TextFeatures(len(texts))
    steps.add_steps("words over", size, _WORDS)
    steps.add_steps("words a sentence over", size / sentences, _SENTENCES)
    steps.add_steps("distinct over", distinct / np.maximum(size, 1), _DISTINCT)
    return steps.matrix(sorted(steps.names))


def fit(known: Preferences, hidden: Collection[str] = ()) -> tuple[FloatArray, FloatArray]:
    """(n_texts,) log-odds and (n_names,) coefficients, learned without the topics ``hidden``.

    Each corpus has its own steps of the length, which take what people there owe to length, and the log-odds leave
    them out. Raises InputError when no pair is left.
    """
    pairs = training_pairs(known.pairs, hidden)
    if len(pairs) < 2:
        raise InputError("training data", "no pair is left to learn from", PUBLISHED)
    sources = np.array([known.pairs[pair].source for pair in pairs])
    mass = np.array([known.pairs[pair].weight for pair in pairs])
    for source, weight in SOURCE_WEIGHT.items():
        if (own := sources == source).any():
            mass[own] *= weight * SOURCE_MASS / mass[own].sum()
    better, worse = known.better[pairs], known.worse[pairs]
    longer = known.lengths[better] - known.lengths[worse]
    steps = [diags(np.char.startswith(sources, name).astype(float)) @ longer for name in CORPORA]
    # liblinear wants two labels, so every other difference is turned around.
    labels = np.where(np.arange(len(pairs)) % 2, 1.0, -1.0)
    matrix: Any = diags(labels) @ hstack([known.features[better] - known.features[worse], *steps])
    model = LogisticRegression(C=INVERSE_STRENGTH, solver="liblinear", fit_intercept=False, tol=1e-2)
    model.fit(matrix.tocsr(), labels, sample_weight=mass)
    coefficients = model.coef_[0][: len(known.names)]
    return known.features @ coefficients, coefficients


def training_pairs(pairs: Sequence[Pair], hidden: Collection[str] = ()) -> list[int]:
    """Which pairs to learn from: of no hidden topic, and of no text that stands under one, by another name perhaps."""
    texts = {text for pair in pairs if set(pair.topics) & set(hidden) for text in (pair.better, pair.worse)}
    return [
        number
        for number, pair in enumerate(pairs)
        if pair.source in SOURCE_WEIGHT and not set(pair.topics) & set(hidden) and not texts & {pair.better, pair.worse}
    ]
