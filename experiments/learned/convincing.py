"""``python -m experiments.learned.convincing --data DIR``: learn the weights behind the feature ``convincing``.

A Bradley-Terry model of preferences between texts: a logistic regression over the difference of their features.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix, diags, hstack
from sklearn.linear_model import LogisticRegression

from experiments.learned.preferences import Pair, judged_runs, leave_out, read_pairs, read_preferences
from experiments.learned.trainer import (
    PUBLISHED,
    Learned,
    Trainer,
    common_columns,
    mean_figure,
    named_matrix,
    topic_folds,
)
from features.core.statistics import FloatArray
from features.core.text import WORD, words
from features.learned.convincing import WEIGHTS, features
from features.learned.linear_model import MARKER, LinearModel, TextFeatures
from ltr.cli.process import run_command
from ltr.errors import InputError

DATA_SETS = {
    "argq-pairs": (1.0, "IBM ArgQ 9.1k and 14k pairs (Toledo et al. 2019); CC BY-SA 3.0 (unconfirmed)"),
    "argq-scores": (1.0, "IBM ArgQ 5.3k and 6.3k scores (Toledo et al. 2019), as pairs; CC BY-SA 3.0 (unconfirmed)"),
    "ukp-pairs": (1.0, "UKPConvArg, strict pairs (Habernal & Gurevych 2016); CC BY 4.0"),
    "eviconv": (1.0, "IBM EviConv, train (Gleize et al. 2019); CC BY-SA 3.0 (unconfirmed)"),
    "appropriateness": (
        0.4,
        "Appropriateness corpus, annotators' mean (Ziegenbein et al. 2023), as pairs; none stated",
    ),
}
"""Source -> the weight of all its pairs together, and its licence."""
MEASURED = {"argq-pairs": 5, "ukp-pairs": 5, "eviconv-test": 1}
"""Source -> number of folds in which its topics are held out."""
CORPORA = ("argq", "ukp", "eviconv", "appropriateness")
INVERSE_STRENGTH = 0.0015
SOURCE_MASS = 10_000
MARKER_SCALE = 4.0
MIN_TOPICS = 20
SCALE = 10_000

_END = re.compile(r"[.!?]+(?=\s|$)")
_WORDS = (3, 5, 8, 11, 14, 18, 22, 27, 33, 40, 50, 62, 75, 90, 110, 140, 200)
_SENTENCES = (6, 10, 14, 18, 22, 27, 34, 45)
_DISTINCT = (0.55, 0.65, 0.75, 0.85, 0.95)


def learn(options: argparse.Namespace) -> Learned:
    """The model of all pairs but the test split, with its figures by source. Raises InputError."""
    everything = read_pairs(options.data, options.seed)
    test = list(read_preferences(options.data, "eviconv-test"))
    pairs = leave_out(everything, judged_runs(options.exclude) if options.exclude else set())
    known = Preferences([*pairs, *test])
    figures = {source: measure(known, source, folds) for source, folds in MEASURED.items()}
    odds, coefficients = fit(known)
    weights = dict(zip(known.names, (coefficients * known.scale).tolist(), strict=True))
    model = LinearModel.binary(-float(odds[known.learned].mean()), weights)
    before, after = (Counter(pair.source for pair in some) for some in (everything, pairs))
    training = {
        name: {
            "data": data,
            "pairs": after[name],
            "left out, judged elsewhere": before[name] - after[name],
            "source weight": weight,
        }
        for name, (weight, data) in DATA_SETS.items()
    }
    return Learned(training, figures, {"convincing": (model, SCALE)})


class Preferences:
    """Pairs with the features of their texts, a row a distinct text.

    The columns and their scale come from the texts to learn from, whatever people preferred.
    """

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.pairs = pairs
        texts = list(dict.fromkeys(text for pair in pairs for text in (pair.better, pair.worse)))
        row = {text: number for number, text in enumerate(texts)}
        self.better, self.worse = np.array([(row[pair.better], row[pair.worse]) for pair in pairs]).T
        """(n_pairs,) row of the better text, and of the worse one"""
        names, matrix = named_matrix(features(texts))
        used = training_pairs(pairs)
        topics = [pairs[pair].topics[end] for end in (0, -1) for pair in used]
        learned = np.concatenate([self.better[used], self.worse[used]])
        columns = common_columns(matrix, learned, topics, MIN_TOPICS)
        self.learned = np.unique(learned)
        """Rows of the texts to learn from"""
        # A rare stem says more than a common one: the scale is the idf, as in TF-IDF.
        idf = np.log(len(self.learned) / np.maximum(matrix[self.learned].getnnz(axis=0), 1))
        self.scale = np.where([name[0] == MARKER for name in names], MARKER_SCALE, idf)[columns]
        """(n_names,) factor of the values of a feature in learning"""
        self.names = [names[column] for column in columns]
        self.features = matrix[:, columns] @ diags(self.scale)
        """(n_texts, n_names)"""
        self.lengths = length_features(texts)
        """(n_texts, n_steps)"""
        self.words = np.array([len(words(text)) for text in texts])


def length_features(texts: Sequence[str]) -> csr_matrix:
    """Steps of the number of words, of words a sentence, and of the share of distinct words, which falls with length.

    In learning they explain the length's share of a preference, and are then dropped.
    """
    tokens = [WORD.findall(text.lower()) for text in texts]
    size = np.array([len(text) for text in tokens])
    sentences = np.array([max(len(_END.findall(text)), 1) for text in texts])
    distinct = np.array([len(set(text)) for text in tokens])
    steps = TextFeatures(len(texts))
    steps.add_steps("words over", size, _WORDS)
    steps.add_steps("words a sentence over", size / sentences, _SENTENCES)
    steps.add_steps("distinct over", distinct / np.maximum(size, 1), _DISTINCT)
    return named_matrix(steps)[1]


def fit(known: Preferences, hidden: Collection[str] = ()) -> tuple[FloatArray, FloatArray]:
    """(n_texts,) log-odds and (n_names,) coefficients, learned without the topics ``hidden``.

    Each corpus has its own steps of the length, which explain people's preferences for length there, and the log-odds
    leave them out. Raises InputError when no pair is left.
    """
    pairs = training_pairs(known.pairs, hidden)
    if len(pairs) < 2:
        raise InputError("training data", "no pair is left to learn from", PUBLISHED)
    sources = np.array([known.pairs[pair].source for pair in pairs])
    mass = np.array([known.pairs[pair].weight for pair in pairs])
    for source, (weight, _) in DATA_SETS.items():
        if (rows := sources == source).any():
            mass[rows] *= weight * SOURCE_MASS / mass[rows].sum()
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
    """Which pairs to learn from: of no hidden topic, and of no text that another name of a hidden topic has."""
    texts = {text for pair in pairs if set(pair.topics) & set(hidden) for text in (pair.better, pair.worse)}
    return [
        number
        for number, pair in enumerate(pairs)
        if pair.source in DATA_SETS and not set(pair.topics) & set(hidden) and not texts & {pair.better, pair.worse}
    ]


def measure(known: Preferences, source: str, folds: int) -> dict[str, Any]:
    """Figures of the pairs of a source, each judged by models that saw nothing of its topic. Raises InputError."""
    measured = [number for number, pair in enumerate(known.pairs) if pair.source == source]
    topics = [known.pairs[number].topics[0] for number in measured]
    better, worse = known.better[measured], known.worse[measured]
    scores = np.zeros(len(measured))
    for hidden in topic_folds(topics, folds, source):
        inside = np.isin(topics, list(hidden))
        odds, _ = fit(known, hidden)
        scores[inside] = (odds[better] - odds[worse])[inside]
    # 1 where the order is right, 0 where it is wrong, a half where both texts have the same.
    differences = {"score": scores, "longer text": known.words[better] - known.words[worse]}
    right = pd.DataFrame({name: (1 + np.sign(values)) / 2 for name, values in differences.items()})
    by_topic = right.groupby(topics).mean()
    figures = {name: mean_figure(by_topic[name].to_numpy()) for name in differences}
    return {"pairs": len(measured), "topics": len(set(topics)), **figures}


main = Trainer(
    file=__file__,
    description="Learn which of two bare texts people find the better argument.",
    shipped=WEIGHTS,
    learn=learn,
    add_options=lambda parser: parser.add_argument(
        "--exclude", type=Path, metavar="DIR", help="a judged collection (corpus and qrels) to keep out"
    ),
).main

if __name__ == "__main__":
    run_command(main)
