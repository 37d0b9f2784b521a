"""A logistic regression of labelled sentences over their features, and over vectors of words from unlabelled text."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, diags, hstack, vstack
from sklearn.linear_model import LogisticRegression
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from experiments.learned.debate_data import Example
from experiments.learned.trainer import PUBLISHED, common_columns
from features.core.text import STOP_WORDS, words
from features.learned.argumentative import FORM, features
from features.learned.text_features import MARKER, STEMS, LinearModel
from ltr.errors import InputError

ROW_WEIGHT = {"claims-dev": 1.0, "stance-train": 1.0, "argkp": 0.02, "eviconv": 0.1, "talk": 0.3}
"""What one sentence of a source counts; afterwards both classes count the same in all."""

INVERSE_STRENGTH = 0.007
MARKER_SCALE = 2.0
VECTOR_SCALE = 0.7
MIN_TOPICS = 10
DECIMALS = 3
DIMENSIONS = 50
WINDOW = 2
MIN_COUNT = 25
"""Words seen less often in the unlabelled text have no vector."""


@dataclass(frozen=True)
class Labelled:
    """Examples with their features."""

    examples: Sequence[Example]
    names: Sequence[str]
    matrix: csr_matrix
    """(n_examples, n_names)"""

    def rows(self, rows: Sequence[int]) -> Labelled:
        """Some of the examples."""
        return Labelled([self.examples[row] for row in rows], self.names, self.matrix[rows])


def with_features(examples: Sequence[Example], seed: int) -> Labelled:
    """Each example with its features.

    Mined talk has lost its function words, its capitals and its marks. Taken as it is, their absence would
    tell talk; so each line lends its content words to the frame of a random IAM sentence, and only the words can tell.
    """
    found = features(example.text for example in examples)
    names = sorted(found.names)
    matrix = found.matrix(names)
    halves = [
        [row for row, e in enumerate(examples) if e.source == "claims-dev" and e.label == label]
        for label in (False, True)
    ]
    draw = random.Random(seed)
    talk = [row for row, example in enumerate(examples) if example.source == "talk"]
    if not (talk and all(halves)):
        return Labelled(examples, names, matrix)
    frames = [draw.choice(draw.choice(halves)) for _ in talk]
    markers = np.array([name[0] == MARKER for name in names])
    function = np.isin(names, [STEMS.of_word(word) for word in STOP_WORDS])
    # Forms stay out: of them the model should learn what tells claims from other sentences of one article.
    content = np.array([name[0] not in (MARKER, FORM) and " " not in name for name in names]) & ~function
    share = (matrix[frames] @ diags(~markers * 1.0)).max(axis=1).toarray().ravel()
    lent = diags(np.where(share > 0, share, 0.5)) @ (matrix[talk] @ diags(content * 1.0)).sign()
    framed = csr_matrix(matrix[frames] @ diags((markers | function) * 1.0) + lent)
    framed.eliminate_zeros()
    order = np.arange(len(examples))
    order[talk] = len(examples) + np.arange(len(talk))
    return Labelled(examples, names, vstack([matrix, framed]).tocsr()[order])


def fit(known: Labelled, tables: Sequence[Vectors], seed: int) -> LinearModel:
    """Logistic regression over the features of many topics and over the sums of word vectors.

    A sum of vectors is linear in the words, so what it learns is added to the weights of the words: a rare word
    gets its weight from the words that are used like it, and only plain weights remain.
    """
    examples, number = known.examples, len(known.examples)
    columns = common_columns(known.matrix, np.arange(number), [example.topic for example in examples], MIN_TOPICS)
    names = [known.names[column] for column in columns]
    labels = np.array([example.label for example in examples])
    mass = np.array([ROW_WEIGHT[example.source] for example in examples])
    for label in (False, True):
        if not (labels == label).any():
            raise InputError("training data", "needs both labels", PUBLISHED)
        mass[labels == label] *= number / 2 / mass[labels == label].sum()
    # A rare stem says more than a common one: the scale grows with the idf.
    plain = known.matrix[:, columns]
    scale = 2 * np.log(number / plain.getnnz(axis=0)) ** 0.5
    scale[[name[0] == MARKER for name in names]] = MARKER_SCALE
    sums = np.hstack([table.sums(known) for table in tables])
    middle, spread = sums.mean(0), sums.std(0)
    shrink = np.divide(VECTOR_SCALE, spread, out=np.zeros_like(spread), where=spread > 0)
    model = LogisticRegression(C=INVERSE_STRENGTH, tol=1e-3, max_iter=200, random_state=seed)
    with threadpool_limits(1):
        model.fit(hstack([plain.multiply(scale), csr_matrix((sums - middle) * shrink)]).tocsr(), labels, mass)
    own, shared = np.split(model.coef_[0], [len(names)])
    shared *= shrink
    weights = Counter(dict(zip(names, (own * scale).tolist(), strict=True)))
    for table, part in zip(tables, np.split(shared, len(tables)), strict=True):
        weights.update(dict(zip(table.places, (table.rows @ part).tolist(), strict=True)))
    rounded = {name: round(weights[name], DECIMALS) for name in sorted(weights)}
    intercept = round(float(model.intercept_[0] - middle @ shared), DECIMALS)
    return LinearModel(intercept, {name: weight for name, weight in rounded.items() if weight})


@dataclass(frozen=True)
class Vectors:
    """``rows`` (n_words, DIMENSIONS), and the row of each feature."""

    places: Mapping[str, int]
    rows: Any

    def sums(self, known: Labelled) -> Any:
        """(n_examples, DIMENSIONS) sums of the vectors of the words, weighed by their values."""
        columns = [column for column, name in enumerate(known.names) if name in self.places]
        return known.matrix[:, columns] @ self.rows[[self.places[known.names[column]] for column in columns]]


def learn_vectors(texts: Sequence[str], seed: int) -> list[Vectors]:
    """Vectors of stems, and of words as written. Raises InputError."""
    forms = [words(text) for text in texts]
    return [
        _vectors([STEMS.of_words(sentence) for sentence in forms], seed),
        _vectors([[FORM + word for word in sentence] for sentence in forms], seed),
    ]


def _vectors(sentences: Sequence[Sequence[str]], seed: int) -> Vectors:
    """Leading singular vectors of the positive pointwise mutual information, contexts smoothed (Levy et al. 2015)."""
    counts = Counter(word for sentence in sentences for word in sentence)
    names = sorted(name for name, count in counts.items() if count >= MIN_COUNT)
    if len(names) <= DIMENSIONS:
        raise InputError("unlabelled text", f"has only {len(names)} common words", "name a larger corpus")
    place = {name: row for row, name in enumerate(names)}
    gap = [-1] * WINDOW  # no neighbours across sentences
    run = np.array([row for sentence in sentences for row in (*(place.get(word, -1) for word in sentence), *gap)])
    near = csr_matrix((len(names), len(names)))
    for step in range(1, WINDOW + 1):
        left, right = run[:-step], run[step:]
        both = (left >= 0) & (right >= 0)
        near += csr_matrix((np.ones(both.sum()), (left[both], right[both])), shape=near.shape)
    pairs = (near + near.T).tocoo()
    often = np.bincount(pairs.row, pairs.data, len(names))
    smooth = often**0.75
    information = np.log(pairs.data * smooth.sum() / (often[pairs.row] * smooth[pairs.col]))
    kept = information > 0
    matrix = csr_matrix((information[kept], (pairs.row[kept], pairs.col[kept])), shape=near.shape)
    with threadpool_limits(1):  # another number of threads gives other last bits
        left, strength, _ = randomized_svd(matrix, DIMENSIONS, n_iter=3, random_state=seed)
    return Vectors(place, left * np.sqrt(strength))
