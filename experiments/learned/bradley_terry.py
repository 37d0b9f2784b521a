"""A Bradley-Terry model of preferences between texts: logistic regression over the difference of their features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import diags, hstack
from sklearn.linear_model import LogisticRegression

from experiments.learned.preferences import Pair
from experiments.learned.trainer import PUBLISHED, feature_matrix, names_of_many_topics
from features.core.text import words
from features.learned.convincing import length_signs, signs
from features.learned.ngrams import SHAPE
from ltr.errors import InputError

SOURCE_WEIGHT = {"argq-pairs": 1.0, "argq-scores": 1.0, "ukp-pairs": 1.0, "eviconv": 1.0, "appropriateness": 0.4}
"""What all pairs of a source count together, however many they are."""
CORPORA = ("argq", "ukp", "eviconv", "appropriateness")
INVERSE_STRENGTH = 0.0015
SOURCE_MASS = 10_000
SHAPE_SCALE = 4.0
MIN_TOPICS = 20


@dataclass(frozen=True)
class Preferences:
    """Pairs with the features of their texts, a row a distinct text."""

    pairs: Sequence[Pair]
    better: Any
    """(n_pairs,) row of the better text."""
    worse: Any
    row: Mapping[str, int]
    names: Sequence[str]
    scale: Any
    """(n_names,) what the values of a feature are multiplied with before learning."""
    features: Any
    """(n_texts, n_names) sparse"""
    lengths: Any
    """(n_texts, n_steps) sparse"""
    words: Any
    """(n_texts,)"""


def with_features(pairs: Sequence[Pair]) -> Preferences:
    """Which features count, and their scale, comes from the texts to learn from, whatever people preferred."""
    row = {text: 0 for pair in pairs for text in (pair.better, pair.worse)}
    row = {text: number for number, text in enumerate(row)}
    found = [signs(text) for text in row]
    learned = [
        (row[text], topic)
        for pair in pairs
        if pair.source in SOURCE_WEIGHT
        for text, topic in ((pair.better, pair.topics[0]), (pair.worse, pair.topics[-1]))
    ]
    names = names_of_many_topics(((found[text], topic) for text, topic in learned), MIN_TOPICS)
    texts = {text for text, _ in learned}
    count = Counter(name for text in texts for name in found[text])
    # A rare stem says more than a common one: the scale is the idf, as in TF-IDF.
    scale = np.array([SHAPE_SCALE if name[0] == SHAPE else np.log(len(texts) / count[name]) for name in names])
    lengths = [dict.fromkeys(length_signs(text), 1.0) for text in row]
    return Preferences(
        pairs,
        np.array([row[pair.better] for pair in pairs]),
        np.array([row[pair.worse] for pair in pairs]),
        row,
        names,
        scale,
        feature_matrix(found, names) @ diags(scale),
        feature_matrix(lengths, {step for one in lengths for step in one}),
        np.array([len(words(text)) for text in row]),
    )


def fit(known: Preferences, hidden: Collection[str] = (), without: str = "", length: bool = False) -> tuple[Any, Any]:
    """(n_texts,) log-odds and (n_names,) coefficients, learned without the topics ``hidden`` and a corpus.

    With ``length``, steps of the length are part of the log-odds. Otherwise each corpus has its own steps, which
    take what people there owe to length, and the log-odds leave them out. Raises InputError when no pair is left.
    """
    pairs = training_pairs(known.pairs, hidden, without)
    if len(pairs) < 2:
        raise InputError("training data", "no pair is left to learn from", PUBLISHED)
    sources = np.array([known.pairs[pair].source for pair in pairs])
    mass = np.array([known.pairs[pair].weight for pair in pairs])
    for source, weight in SOURCE_WEIGHT.items():
        if (own := sources == source).any():
            mass[own] *= weight * SOURCE_MASS / mass[own].sum()
    better, worse = known.better[pairs], known.worse[pairs]
    longer = known.lengths[better] - known.lengths[worse]
    corpora = ("",) if length else CORPORA
    steps = [diags(np.char.startswith(sources, name).astype(float)) @ longer for name in corpora]
    # liblinear wants two labels, so every other difference is turned around.
    labels = np.where(np.arange(len(pairs)) % 2, 1.0, -1.0)
    matrix = diags(labels) @ hstack([known.features[better] - known.features[worse], *steps])
    model = LogisticRegression(C=INVERSE_STRENGTH, solver="liblinear", fit_intercept=False, tol=1e-2)
    model.fit(matrix.tocsr(), labels, sample_weight=mass)
    coefficients, of_length = np.split(model.coef_[0], [len(known.names)])
    odds = known.features @ coefficients
    return (odds + known.lengths @ of_length if length else odds), coefficients


def training_pairs(pairs: Sequence[Pair], hidden: Collection[str] = (), without: str = "") -> list[int]:
    """Which pairs to learn from: of no hidden topic, and of no text that stands under one, by another name perhaps."""
    texts = {text for pair in pairs if set(pair.topics) & set(hidden) for text in (pair.better, pair.worse)}
    return [
        number
        for number, pair in enumerate(pairs)
        if pair.source in SOURCE_WEIGHT
        and not (without and pair.source.startswith(without))
        and not set(pair.topics) & set(hidden)
        and not texts & {pair.better, pair.worse}
    ]
