"""``python -m experiments.learned.side --data DIR --topics FILE``: learn which side of a question a text takes."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_matrix, diags, hstack
from scipy.sparse.csgraph import connected_components
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from experiments.learned import trainer
from experiments.published import published, read_iam, read_json, read_set
from features.core.statistics import FloatArray, IntArray
from features.core.text import STOP_WORDS, normalise, words
from features.learned.linear_model import LinearModel, stem
from ltr.answers.claims import claim_of, polarity_of
from ltr.answers.text_side import WEIGHTS, question_sign, side_features
from ltr.cli.process import run_command
from ltr.evaluation.significance import percentile_interval

MEASURED = ("claim-stance", "iam", "perspectrum")
"""Data sets that figures are on; the others only train."""

ALIKE, INSIDE = 0.5, 0.75
"""Topics are alike where they share this much of the words of both, or two words and this much of the shorter one."""

_ANYBODY = frozenset(map(stem, "house believes world countries states government people citizens public law".split()))
"""Stems that say nothing about the subject of a topic."""
_SIDES = {"PRO": 1, "CON": -1, "1": 1, "-1": -1, "in favor of": 1, "against": -1, "SUPPORT": 1, "UNDERMINE": -1}
PLAIN = 0.5
"""Scale of the features whose sign does not depend on the question: smaller is penalised more."""

BoolArray = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


class Stance(NamedTuple):
    """A text that is for or against the claim of a question, or of a motion."""

    question: str
    text: str
    side: int
    """1 for, -1 against; 0 for neither in questions that `side_reader` learns from"""
    source: str
    topic: int | str
    """equal for similar questions, in whatever data set"""


def learn(options: argparse.Namespace) -> trainer.Learned:
    """The model of all texts, with its figures from folds over topics. Raises InputError."""
    rows, left_out = read_stances(options.data, trainer.read_titles(options.topics))
    examples = Examples(rows)
    counts = {
        "texts": len(rows),
        "topics": len({row.topic for row in rows}),
        **{f"texts, {source}": number for source, number in Counter(row.source for row in rows).items()},
        "texts left out": left_out,
    }
    model = examples.model(np.ones(len(rows), bool))
    return trainer.Learned(counts, examples.figures(options.seed), {"side": model})


def read_stances(data: Path, others: Iterable[str]) -> tuple[list[Stance], int]:
    """All texts, each once, without topics like those of ``others``; and how many texts that left out.

    Raises InputError.
    """
    rows: dict[tuple[str, str], tuple[str, str, int, str]] = {}
    for row in read_texts(data):
        rows.setdefault((normalise(row[0]), normalise(row[1])), row)
    questions = list(dict.fromkeys(row[0] for row in rows.values()))
    keys, left_out = list(map(topic_words, questions)), list(map(topic_words, others))
    pairs = [(i, j) for i, first in enumerate(keys) for j, second in enumerate(keys[:i]) if alike(first, second)]
    links = np.array([(0, 0), *pairs], np.int64).T
    graph = coo_matrix((np.ones(links.shape[1]), links), shape=(len(keys), len(keys)))
    topics = dict(zip(questions, connected_components(graph, directed=False)[1].tolist(), strict=True))
    hidden = {q for q, key in zip(questions, keys, strict=True) if any(alike(key, other) for other in left_out)}
    stances = [Stance(*row, topics[row[0]]) for row in rows.values() if row[0] not in hidden]
    return stances, len(rows) - len(stances)


def topic_words(title: str) -> frozenset[str]:
    """The stems of a title's subject; policy words, praise and blame only where nothing else is left."""
    stems = {stem(word): polarity_of(word) for word in words(title) if word not in STOP_WORDS}
    about = frozenset(term for term, polarity in stems.items() if not polarity and term not in _ANYBODY)
    return about or frozenset(stems)


def alike(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether two titles have the same subject."""
    shared = len(first & second)
    return shared > 0 and (
        shared >= ALIKE * len(first | second) or (shared > 1 and shared >= INSIDE * min(len(first), len(second)))
    )


def read_texts(data: Path) -> list[tuple[str, str, int, str]]:
    """Question, text, side and source of all texts."""
    rows: list[tuple[str, str, int, str]] = []
    folder = data / "perspectrum"
    pool, claims = (read_json(folder / name) for name in ("perspective-pool.json", "claims-perspectives.json"))
    with published(folder):
        texts = {perspective["pId"]: str(perspective["text"]) for perspective in pool}
        for claim in claims:
            for cluster in claim["perspectives"]:
                if side := _SIDES.get(cluster["stance_label_3"]):
                    rows += [(str(claim["text"]), texts[name], side, "perspectrum") for name in cluster["pids"]]
    for part in ("train", "dev", "test"):
        with published(data / f"iam/stance-{part}.tsv"):
            cells = read_iam(data, f"stance-{part}")
            rows += [(question, text, _SIDES[side], "iam") for _, question, text, _, side in cells]
    for source in ("claim-stance", "argkp", "argq", "valueeval"):
        cells = read_set(data, f"stances of {source}", lambda question, text, side: (question, text, _SIDES[side]))
        rows += [(*row, source) for row in cells]
    return rows


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
        names, features = trainer.marker_matrix([side_features(claim_of(row.question), row.text) for row in rows])
        columns = trainer.common_columns(features, np.arange(len(rows)), self.topics, 3)
        self.names, self.features = [names[column] for column in columns], features[:, columns]

    def model(self, seen: BoolArray) -> LinearModel:
        """The model that ships, learned from the rows ``seen``."""
        counts = self.features[seen].getnnz(axis=0)
        weights = trainer.prune(lambda columns: self._fit(seen, columns), self.names, counts, 8000)
        return trainer.rounded(LinearModel(("signed by the question", "plain"), weights, [0.0, 0.0]))

    def by_model(self, seen: BoolArray, hidden: BoolArray) -> FloatArray:
        """Log-odds of the model that ships, learned from the rows ``seen``."""
        weights = self.model(seen).weights
        signed, plain = (self.features[hidden] @ np.array([weights.get(name, (0.0, 0.0)) for name in self.names])).T
        return self.signs[hidden] * signed + plain

    def figures(self, seed: int) -> dict[str, Any]:
        """Precision of the surest texts, by the share that is answered; [mean, low, high] over resampled topics."""
        scores = trainer.cross_validate(self.topics.tolist(), 5, lambda topics, inside: self.by_model(~inside, inside))
        figures: dict[str, Any] = {}
        for source in (*MEASURED, "all"):
            rows = np.flatnonzero(np.isin(self.sources, MEASURED if source == "all" else source))
            surest = rows[np.argsort(-np.abs(scores[rows]), kind="stable")]
            precisions = figures[f"model, {source}"] = {}
            for share in (1.0, 0.75, 0.5, 0.25, 0.1):
                answered = surest[: max(1, round(share * len(rows)))]
                right = scores[answered] * self.sides[answered] > 0
                values = (right.mean(), *interval(right, self.topics[answered], seed))
                precisions[f"precision at {share:g}"] = [round(float(value), 4) for value in values]
        return figures

    def _fit(self, seen: BoolArray, columns: IntArray) -> FloatArray:
        """(n_columns, 2) weights, signed by the question and plain."""
        features = self.features[seen][:, columns]
        matrix = hstack([diags(self.signs[seen]) @ features, PLAIN * features]).tocsr()
        model = LogisticRegression(C=0.05, fit_intercept=False, solver="liblinear", random_state=0)
        with threadpool_limits(1):  # another number of threads gives other last bits
            model.fit(matrix, self.sides[seen], sample_weight=self.mass[seen])
        signed, plain = np.split(model.coef_[0], 2)
        return np.stack([signed, PLAIN * plain], axis=1)


def interval(right: BoolArray, topics: IntArray, seed: int) -> tuple[float, float]:
    """95% interval of a share, from drawing topics with replacement."""
    _, number = np.unique(topics, return_inverse=True)
    hits, sizes = np.bincount(number, right), np.bincount(number)
    drawn = np.random.default_rng(seed).integers(0, len(sizes), (1000, len(sizes)))
    return percentile_interval(hits[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))


main = trainer.main_of(learn, WEIGHTS, "Learn which side of a question a text takes, and measure it.", "--topics")

if __name__ == "__main__":
    run_command(main)
