"""``python -m experiments.lab.convincing --data DIR``: learn the weights behind the feature ``convincing``.

A Bradley-Terry model of preferences between texts: a logistic regression over the difference of their features.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix, diags, hstack
from sklearn.linear_model import LogisticRegression

from experiments.lab.trainer import Learned, common_columns, cross_validate, named_matrix, trainer
from experiments.published import plain_text, read_preferences, read_set
from features.core.statistics import FloatArray, IntArray
from features.core.text import STOP_WORDS, WORD, words
from features.learned.convincing import WEIGHTS, features
from features.learned.linear_model import MARKER, LinearModel, TextFeatures
from ltr.cli.process import run_command
from ltr.corpora.source import open_corpus
from ltr.data.qrels import read_qrels
from ltr.errors import InputError
from ltr.evaluation.significance import mean_interval
from ltr.settings import setting
from ltr.settings.kinds import FOLDER

SOURCE_WEIGHTS = {"argq-pairs": 1.0, "argq-scores": 1.0, "ukp-pairs": 1.0, "eviconv": 1.0, "appropriateness": 0.4}
"""Source -> weight of all its pairs together."""
MEASURED = {"argq-pairs": 5, "ukp-pairs": 5, "eviconv-test": 1}
"""Source -> number of folds in which its topics are held out."""

_RUN = 8
"""Two texts that share this many words in a row share a sentence, or nearly one."""
# Policy words are left out of the key of a topic, so that both sides of a debate are one topic.
_POLICY = frozenset(
    "abandon abolish adopt allow ban banned brings cancel discourage end fight further exploit good harm increase "
    "introduce legalize limit lower prohibit promote protect protected subsidize support abandoned mandatory".split()
)
_END = re.compile(r"[.!?]+(?=\s|$)")


class Pair(NamedTuple):
    """Two texts of which people found the first better. ``topics`` are the keys of their subjects."""

    better: str
    worse: str
    source: str
    topics: tuple[str, ...]
    weight: float = 1.0


class Rated(NamedTuple):
    """A text with its score; the higher the better, comparable within one ``group``."""

    text: str
    score: float
    group: str
    topic: str


def learn(options: Any) -> Learned:
    """The model of all pairs but the test split, with its figures by source. Raises InputError."""
    everything = read_pairs(options.data, options.seed)
    test = read_preferred(options.data, "eviconv-test")
    pairs = leave_out(everything, judged_runs(options.exclude) if options.exclude else set())
    known = Preferences([*pairs, *test])
    figures = {source: measure(known, source, folds) for source, folds in MEASURED.items()}
    odds, coefficients = fit(known)
    weights = dict(zip(known.names, (coefficients * known.scale).tolist(), strict=True))
    model = LinearModel.binary(-float(odds[known.learned].mean()), weights)
    before, after = (Counter(pair.source for pair in some) for some in (everything, pairs))
    counts = {
        name: {"pairs": after[name], "left out, judged elsewhere": before[name] - after[name]}
        for name in SOURCE_WEIGHTS
    }
    return Learned(counts, figures, {"convincing": model}, 10_000)


def read_pairs(data: Path, seed: int) -> list[Pair]:
    """Every pair to learn from, one source after the other. Raises InputError."""
    return [
        *read_preferred(data, "argq-pairs"),
        *rank(read_argq_scores(data), "argq-scores", random.Random(seed)),
        *read_preferred(data, "ukp-pairs"),
        *read_preferred(data, "eviconv"),
        *rank(read_appropriateness(data), "appropriateness", random.Random(seed)),
    ]


def read_preferred(data: Path, source: str) -> list[Pair]:
    """Pairs of a source; topics of UKPConvArg end in the side: this-or-that_this. Raises InputError."""
    pairs = []
    for topic, texts, better_first in read_preferences(data, source):
        better, worse = texts if better_first else texts[::-1]
        pairs.append(Pair(better, worse, source, (topic_key(topic.partition("_")[0].replace("-", " ")),)))
    return pairs


def read_argq_scores(data: Path) -> list[Rated]:
    """IBM ArgQ: the share of annotators who would use an argument; the two files were rated apart."""
    rows = []
    for name in ("5.3k", "6.3k"):
        for topic, stance, share, text in read_set(data, f"argq-{name}"):
            key = topic_key(topic)
            rows.append(Rated(plain_text(text), float(share), f"{name} {key} {stance} {topic}", key))
    return rows


def read_appropriateness(data: Path) -> list[Rated]:
    """Ziegenbein et al. 2023: minus the share of annotators who found the text inappropriate."""
    # Most issues have one text, so texts compare within the portal that they come from.
    return [
        Rated(plain_text(text), -float(share), portal, topic_key(issue))
        for portal, issue, text, share in read_set(data, "appropriateness")
    ]


def rank(rated: Sequence[Rated], source: str, draw: random.Random) -> Iterator[Pair]:
    """Pairs of each text with a few others of its group, where the scores differ clearly; weight: the difference."""
    groups: dict[str, list[Rated]] = defaultdict(list)
    for text in rated:
        groups[text.group].append(text)
    for group in groups.values():
        for first in group:
            for second in draw.sample(group, min(4, len(group))):
                low, high = sorted((second, first), key=lambda text: text.score)
                if (gap := high.score - low.score) >= 0.2:
                    yield Pair(high.text, low.text, source, (high.topic, low.topic), gap)


def judged_runs(folder: Path) -> set[str]:
    """Runs of words of the arguments that ``qrels-*.qrels`` judge, from the corpus in the same folder.

    Only the ids are read, never the grades. Raises InputError.
    """
    files = sorted(folder.glob("qrels-*.qrels"))
    if not files:
        raise InputError(folder, "there is no qrels-*.qrels in it", "name the folder of the judged collection")
    judged = {document for path in files for grades in read_qrels(path).values() for document in grades}
    arguments = ([text for _, text in a.sentences] for a in open_corpus(str(folder)) if a.id in judged)
    return {run for texts in arguments for text in (*texts, " ".join(texts)) for run in runs(text)}


def leave_out(pairs: Sequence[Pair], hidden: set[str]) -> list[Pair]:
    """The pairs without those of which a text shares a run of words with ``hidden``."""
    texts = dict.fromkeys(text for pair in pairs for text in (pair.better, pair.worse))
    copied = {text for text in texts if hidden and not hidden.isdisjoint(runs(text))}
    return [pair for pair in pairs if not copied & {pair.better, pair.worse}]


def runs(text: str) -> Iterator[str]:
    """Every eight normalised words in a row; a shorter text is one run."""
    tokens = words(text)
    for start in range(max(len(tokens) - _RUN, 0) + 1):
        yield " ".join(tokens[start : start + _RUN])


def topic_key(topic: str) -> str:
    """The words that name a topic, without policy words."""
    return " ".join(word for word in words(topic) if word not in STOP_WORDS and word not in _POLICY)


class Preferences:
    """Pairs with the features of their texts, a row a distinct text.

    The columns and their scale come from the texts to learn from, whatever people preferred.
    """

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.pairs = pd.DataFrame(pairs, columns=Pair._fields)
        rows, distinct = pd.factorize(self.pairs[["better", "worse"]].to_numpy().ravel())
        texts = distinct.tolist()
        self.better, self.worse = rows.reshape(-1, 2).T
        """(n_pairs,) row of the better text, and of the worse one"""
        names, matrix = named_matrix(features(texts))
        used = self.training()
        topics = [*self.pairs.topics[used].str[0], *self.pairs.topics[used].str[-1]]
        learned = np.concatenate([self.better[used], self.worse[used]])
        columns = common_columns(matrix, learned, topics, 20)
        self.learned = np.unique(learned)
        """Rows of the texts to learn from"""
        # A rare stem says more than a common one: the scale is the idf, as in TF-IDF.
        idf = np.log(len(self.learned) / np.maximum(matrix[self.learned].getnnz(axis=0), 1))
        self.scale = np.where([name[0] == MARKER for name in names], 4.0, idf)[columns]
        """(n_names,) factor of the values of a feature in learning"""
        self.names = [names[column] for column in columns]
        self.features = matrix[:, columns] @ diags(self.scale)
        """(n_texts, n_names)"""
        self.lengths = length_features(texts)
        """(n_texts, n_steps)"""
        self.words = np.array([len(words(text)) for text in texts])

    def training(self, hidden: Collection[str] = ()) -> IntArray:
        """Pairs to learn from: of no hidden topic, and of no text that another name of a hidden topic has."""
        texts = self.pairs[["better", "worse"]]
        of_hidden = self.pairs.topics.map(lambda topics: not set(topics).isdisjoint(hidden)).astype(bool)
        left_out = texts.isin(texts[of_hidden].to_numpy().ravel()).any(axis=1)
        return np.flatnonzero(self.pairs.source.isin(SOURCE_WEIGHTS) & ~left_out)


def length_features(texts: Sequence[str]) -> csr_matrix:
    """Steps of the number of words, of words a sentence, and of the share of distinct words, which falls with length.

    In learning they explain the length's share of a preference, and are then dropped.
    """
    tokens = [WORD.findall(text.lower()) for text in texts]
    size = np.array([len(text) for text in tokens])
    sentences = np.array([max(len(_END.findall(text)), 1) for text in texts])
    distinct = np.array([len(set(text)) for text in tokens])
    steps = TextFeatures(len(texts))
    steps.add_steps("words over", size, (3, 5, 8, 11, 14, 18, 22, 27, 33, 40, 50, 62, 75, 90, 110, 140, 200))
    steps.add_steps("words a sentence over", size / sentences, (6, 10, 14, 18, 22, 27, 34, 45))
    steps.add_steps("distinct over", distinct / np.maximum(size, 1), (0.55, 0.65, 0.75, 0.85, 0.95))
    return named_matrix(steps)[1]


def fit(known: Preferences, hidden: Collection[str] = ()) -> tuple[FloatArray, FloatArray]:
    """(n_texts,) log-odds and (n_names,) coefficients, learned without the topics ``hidden``.

    Each corpus has its own steps of the length, which explain people's preferences for length there, and the log-odds
    leave them out.
    """
    pairs = known.training(hidden)
    sources = known.pairs.source[pairs].to_numpy(str)
    mass = known.pairs.weight[pairs].to_numpy(copy=True)
    for source, weight in SOURCE_WEIGHTS.items():
        if (rows := sources == source).any():
            mass[rows] *= weight * 10_000 / mass[rows].sum()
    better, worse = known.better[pairs], known.worse[pairs]
    longer = known.lengths[better] - known.lengths[worse]
    steps = [
        diags(np.char.startswith(sources, name).astype(float)) @ longer
        for name in ("argq", "ukp", "eviconv", "appropriateness")
    ]
    # liblinear wants two labels, so every other difference is turned around.
    labels = np.where(np.arange(len(pairs)) % 2, 1.0, -1.0)
    matrix: Any = diags(labels) @ hstack([known.features[better] - known.features[worse], *steps])
    model = LogisticRegression(C=0.0015, solver="liblinear", fit_intercept=False, tol=1e-2)
    model.fit(matrix.tocsr(), labels, sample_weight=mass)
    coefficients = model.coef_[0][: len(known.names)]
    return known.features @ coefficients, coefficients


def measure(known: Preferences, source: str, folds: int) -> dict[str, Any]:
    """Figures of the pairs of a source, each judged by models that saw nothing of its topic."""
    measured = np.flatnonzero(known.pairs.source == source)
    topics = known.pairs.topics[measured].str[0].tolist()
    better, worse = known.better[measured], known.worse[measured]

    def differences(hidden: set[str], inside: Any) -> FloatArray:
        odds, _ = fit(known, hidden)
        return (odds[better] - odds[worse])[inside]

    longer = known.words[better] - known.words[worse]
    figures = {}
    for name, values in {"score": cross_validate(topics, folds, differences), "longer text": longer}.items():
        # 1 where the order is right, 0 where it is wrong, a half where both texts have the same.
        by_topic = pd.Series((1 + np.sign(values)) / 2).groupby(topics).mean().to_numpy()
        figures[name] = [round(float(one), 4) for one in (by_topic.mean(), *mean_interval(by_topic, (0, 1)))]
    return {"pairs": len(measured), "topics": len(set(topics)), **figures}


EXCLUDE = setting(FOLDER, "a judged collection (corpus and qrels) to keep out")
main = trainer(
    __file__, learn, WEIGHTS, "Learn which of two bare texts people find the better argument.", exclude=EXCLUDE
)

if __name__ == "__main__":
    run_command(main)
