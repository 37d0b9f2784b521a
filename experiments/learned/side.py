"""``python -m experiments.learned.side --data DIR --topics FILE``: learn which side of a question a text takes."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import diags, hstack
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from experiments.learned.stances import MEASURED, Stance, read_stances
from experiments.learned.trainer import (
    HUNDREDTHS,
    Learned,
    Trainer,
    common_columns,
    marker_matrix,
    prune,
    rounded,
    topic_folds,
)
from features.core.statistics import FloatArray, IntArray
from features.learned.linear_model import LinearModel
from ltr.answers.claims import claim_of
from ltr.answers.text_side import WEIGHTS, question_sign, side_features
from ltr.cli.process import run_command
from ltr.data.topics import read_topics

FOLDS = 5
STRENGTH = 0.05
"""Inverse strength of the penalty."""
PLAIN = 0.5
"""Scale of the features whose sign does not depend on the question: smaller is penalised more."""
LEAST, KEEP = 3, 8000
"""Number of topics that must have a feature, and number of features that ship."""
COVERAGES = (1.0, 0.75, 0.5, 0.25, 0.1)
RESAMPLES = 1000
OUTPUTS = ("signed by the question", "plain")

BoolArray = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def learn(options: argparse.Namespace) -> Learned:
    """The model of all texts, with its figures from folds over topics. Raises InputError."""
    titles = [topic.title for path in options.topics for topic in read_topics(path)]
    rows, left_out = read_stances(options.data, titles)
    examples = Examples(rows)
    training = {
        "data": "IBM claim stance (CC BY-SA 3.0), IAM stance (no licence stated), Perspectrum (CC BY-SA 4.0), "
        "ArgKP-2021 (CDLA-Sharing 1.0), ArgQ 6.3k (CC BY-SA 3.0), ValueEval'23 (CC BY 4.0)",
        "texts": len(rows),
        "topics": len({row.topic for row in rows}),
        **{f"texts, {source}": number for source, number in sorted(Counter(row.source for row in rows).items())},
        "texts left out": left_out,
        "left out": "questions like those of the topics named",
    }
    model = examples.model(np.ones(len(rows), bool))
    return Learned(training, examples.figures(options.seed), {"side": (model, HUNDREDTHS)})


class Examples:
    """Texts with their features, computed once."""

    def __init__(self, rows: Sequence[Stance]) -> None:
        self.rows = rows
        self.sides = np.array([row.side for row in rows])
        self.topics = np.array([row.topic for row in rows])
        self.sources = np.array([row.source for row in rows])
        asked = Counter(row.question for row in rows)
        # A question with many texts says less with each.
        self.mass = np.array([asked[row.question] ** -0.5 for row in rows])
        self.mass /= self.mass.mean()
        self.signs = np.array([question_sign(claim_of(row.question)) for row in rows])
        names, features = marker_matrix([side_features(claim_of(row.question), row.text) for row in rows])
        columns = common_columns(features, np.arange(len(rows)), self.topics, LEAST)
        self.names, self.features = [names[column] for column in columns], features[:, columns]

    def model(self, seen: BoolArray) -> LinearModel:
        """The model that ships, learned from the rows ``seen``."""
        counts = self.features[seen].getnnz(axis=0)
        weights = prune(lambda columns: self._fit(seen, columns), self.names, counts, KEEP)
        return rounded(LinearModel(OUTPUTS, weights, [0.0, 0.0]))

    def by_model(self, seen: BoolArray, hidden: BoolArray) -> FloatArray:
        """Log-odds of the model that ships, learned from the rows ``seen``."""
        weights = self.model(seen).weights
        signed, plain = (self.features[hidden] @ np.array([weights.get(name, (0.0, 0.0)) for name in self.names])).T
        return self.signs[hidden] * signed + plain

    def by_tfidf(self, seen: BoolArray, hidden: BoolArray) -> FloatArray:
        """Log-odds of a logistic regression over TF-IDF of words and neighbours, the question's words marked."""
        texts = np.array([f"{row.text} {' '.join('q_' + word for word in row.question.split())}" for row in self.rows])
        analysis = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
        seen = seen & np.isin(self.sources, MEASURED)  # better so than with all sources
        model = LogisticRegression(C=3.0, max_iter=300).fit(analysis.fit_transform(texts[seen]), self.sides[seen])
        return np.asarray(model.decision_function(analysis.transform(texts[hidden])))

    def figures(self, seed: int) -> dict[str, Any]:
        """Cross-validated over topics, and from two data sets to the third.

        A way to score takes the rows to learn from and the rows to score, and returns the log-odds of the latter.
        """
        measured = np.isin(self.sources, MEASURED)
        figures: dict[str, Any] = {}
        ways: dict[str, Callable[[BoolArray, BoolArray], FloatArray]] = {
            "model": self.by_model,
            "TF-IDF": self.by_tfidf,
            "majority": lambda seen, hidden: np.full(hidden.sum(), 1.0 if self.sides[seen].mean() > 0 else -1.0),
        }
        folds = topic_folds(self.topics.tolist(), FOLDS, "training data")
        for name, score in ways.items():
            scores = np.zeros(len(self.rows))
            for topics in folds:
                hidden = np.isin(self.topics, list(topics))
                scores[hidden & measured] = score(~hidden, hidden & measured)
            for source in (*MEASURED, "all"):
                rows = measured if source == "all" else self.sources == source
                coverages = COVERAGES[:1] if name == "majority" else COVERAGES
                figures[f"{name}, {source}"] = self._curve(scores[rows], rows, seed, coverages)
        for source in MEASURED:
            rows = self.sources == source
            seen = measured & ~np.isin(self.topics, self.topics[rows])
            for name in ("model", "TF-IDF"):
                figures[f"{name}, {source}, from the other two"] = self._curve(ways[name](seen, rows), rows, seed)
        return figures

    def _curve(
        self, scores: FloatArray, rows: BoolArray, seed: int, coverages: Sequence[float] = COVERAGES
    ) -> dict[str, Any]:
        """Precision of the surest texts, by the share that is answered; [mean, low, high] over resampled topics."""
        right = scores * self.sides[rows] > 0
        order = np.argsort(-np.abs(scores), kind="stable")
        figures = {}
        for coverage in coverages:
            best = order[: max(1, round(coverage * len(order)))]
            values = (right[best].mean(), *interval(right[best], self.topics[rows][best], seed))
            figures[f"precision at {coverage:g}"] = [round(float(value), 4) for value in values]
        return figures

    def _fit(self, seen: BoolArray, columns: IntArray) -> FloatArray:
        """(n_columns, 2) weights by `OUTPUTS`."""
        features = self.features[seen][:, columns]
        matrix = hstack([diags(self.signs[seen]) @ features, PLAIN * features]).tocsr()
        model = LogisticRegression(C=STRENGTH, fit_intercept=False, solver="liblinear", random_state=0)
        with threadpool_limits(1):  # another number of threads gives other last bits
            model.fit(matrix, self.sides[seen], sample_weight=self.mass[seen])
        signed, plain = np.split(model.coef_[0], 2)
        return np.stack([signed, PLAIN * plain], axis=1)


def interval(right: BoolArray, topics: IntArray, seed: int) -> tuple[float, float]:
    """95% interval of a share, from drawing topics with replacement."""
    _, number = np.unique(topics, return_inverse=True)
    hits, sizes = np.bincount(number, right), np.bincount(number)
    drawn = np.random.default_rng(seed).integers(0, len(sizes), (RESAMPLES, len(sizes)))
    low, high = np.quantile(hits[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), (0.025, 0.975))
    return float(low), float(high)


main = Trainer(
    file=__file__,
    description="Learn which side of a question a text takes, and measure it.",
    shipped=WEIGHTS,
    learn=learn,
    add_options=lambda parser: parser.add_argument(
        "--topics",
        type=Path,
        required=True,
        action="append",
        metavar="FILE",
        help="topics XML whose questions are left out; repeat for more",
    ),
).main

if __name__ == "__main__":
    run_command(main)
