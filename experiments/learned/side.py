"""``python -m experiments.learned.side --data DIR --topics FILE``: learn which side of a question a text takes."""

from __future__ import annotations

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
    feature_matrix,
    finish,
    most_moving,
    rounded,
    topic_folds,
    trainer_parser,
)
from features.core.statistics import FloatArray, IntArray
from features.language.claims import claim_of
from features.language.side import question_sign, side_features
from features.learned.linear_model import LinearModel
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


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for bad input."""
    parser = trainer_parser("side", "Learn which side of a question a text takes, and measure it.", __file__)
    what = "topics XML whose questions are left out; repeat for more"
    parser.add_argument("--topics", type=Path, required=True, action="append", metavar="FILE", help=what)
    options = parser.parse_args(argv)
    titles = [topic.title for path in options.topics for topic in read_topics(path)]
    rows, left_out = read_stances(options.data, titles)
    examples = Examples(rows)
    about = {
        "what": "logistic regression for features.language.side: is a text for or against the claim of a question",
        "command": "python -m experiments.learned.side --data DIR --topics FILE ... -o features/language/side.json",
        "training": {
            "data": "IBM claim stance (CC BY-SA 3.0), IAM stance (no licence stated), Perspectrum (CC BY-SA 4.0), "
            "ArgKP-2021 (CDLA-Sharing 1.0), ArgQ 6.3k (CC BY-SA 3.0), ValueEval'23 (CC BY 4.0)",
            "texts": len(rows),
            "topics": len({row.topic for row in rows}),
            **{f"texts, {source}": number for source, number in sorted(Counter(row.source for row in rows).items())},
            "texts left out": left_out,
            "left out": "questions like those of the topics named",
        },
        "figures": examples.figures(options.seed),
    }
    model = examples.model(np.ones(len(rows), bool))
    return finish(options.output, about, "numpy scikit-learn scipy", {"side": (model, HUNDREDTHS)})


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
        found = [side_features(claim_of(row.question), row.text) for row in rows]
        known: dict[str, set[int]] = {}
        for names, row in zip(found, rows, strict=True):
            for name in names:
                known.setdefault(name, set()).add(row.topic)
        self.names = sorted(name for name, topics in known.items() if len(topics) >= LEAST)
        self.features = feature_matrix(found, self.names)

    def model(self, seen: BoolArray) -> LinearModel:
        """The features that move scores most, fitted once more without the others."""
        fitted = self._fit(seen, np.arange(len(self.names)))
        columns = most_moving(fitted, np.asarray(self.features[seen].sum(axis=0)).ravel(), KEEP)
        names = [self.names[column] for column in columns.tolist()]
        weights = dict(zip(names, self._fit(seen, columns).tolist(), strict=True))
        return rounded(LinearModel(OUTPUTS, weights, [0.0, 0.0]))

    def by_model(self, seen: BoolArray, held: BoolArray) -> FloatArray:
        """Log-odds of the model that ships, learned from the rows ``seen``."""
        weights = self.model(seen).weights
        signed, plain = (self.features[held] @ np.array([weights.get(name, (0.0, 0.0)) for name in self.names])).T
        return self.signs[held] * signed + plain

    def by_tfidf(self, seen: BoolArray, held: BoolArray) -> FloatArray:
        """Log-odds of a logistic regression over TF-IDF of words and neighbours, the question's words marked."""
        texts = np.array([f"{row.text} {' '.join('q_' + word for word in row.question.split())}" for row in self.rows])
        analysis = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
        seen = seen & np.isin(self.sources, MEASURED)  # better so than with all sources
        model = LogisticRegression(C=3.0, max_iter=300).fit(analysis.fit_transform(texts[seen]), self.sides[seen])
        return np.asarray(model.decision_function(analysis.transform(texts[held])))

    def figures(self, seed: int) -> dict[str, Any]:
        """Cross-validated over topics, and from two data sets to the third.

        A way to score takes the rows to learn from and the rows to score, and returns the log-odds of the latter.
        """
        measured = np.isin(self.sources, MEASURED)
        found: dict[str, Any] = {}
        ways: dict[str, Callable[[BoolArray, BoolArray], FloatArray]] = {
            "model": self.by_model,
            "TF-IDF": self.by_tfidf,
            "majority": lambda seen, held: np.full(held.sum(), 1.0 if self.sides[seen].mean() > 0 else -1.0),
        }
        for name, score in ways.items():
            scores = np.full(len(self.rows), np.nan)
            for topics in topic_folds(self.topics.tolist(), FOLDS, "training data"):
                held = np.isin(self.topics, list(topics))
                scores[held & measured] = score(~held, held & measured)
            for source in (*MEASURED, "all"):
                own = measured if source == "all" else self.sources == source
                found[f"{name}, {source}"] = self._curve(scores, own, seed, flat=name == "majority")
        for source in MEASURED:
            held = self.sources == source
            seen = measured & ~np.isin(self.topics, self.topics[held])
            for name in ("model", "TF-IDF"):
                scores = np.full(len(self.rows), np.nan)
                scores[held] = ways[name](seen, held)
                found[f"{name}, {source}, from the other two"] = self._curve(scores, held, seed)
        return found

    def _curve(self, scores: FloatArray, own: BoolArray, seed: int, flat: bool = False) -> dict[str, Any]:
        """Precision of the surest texts, by the share that is answered; [mean, low, high] over resampled topics."""
        right = (scores * self.sides > 0)[own]
        order = np.argsort(-np.abs(scores[own]), kind="stable")
        found = {}
        for coverage in (1.0,) if flat else COVERAGES:
            rows = order[: max(1, round(coverage * len(order)))]
            low, high = interval(right[rows], self.topics[own][rows], seed)
            found[f"precision at {coverage:g}"] = [round(float(value), 4) for value in (right[rows].mean(), low, high)]
        return found

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
    _, place = np.unique(topics, return_inverse=True)
    hits, sizes = np.bincount(place, right), np.bincount(place)
    drawn = np.random.default_rng(seed).integers(0, len(sizes), (RESAMPLES, len(sizes)))
    low, high = np.quantile(hits[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), (0.025, 0.975))
    return float(low), float(high)


if __name__ == "__main__":
    run_command(main)
