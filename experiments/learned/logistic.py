"""A logistic regression of labelled sentences over their features, and over vectors of words from unlabelled text."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import Stemmer
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from experiments.learned.debate_data import Example
from experiments.learned.trainer import PUBLISHED, feature_matrix, names_of_many_topics
from features.core.text import STOP_WORDS, Analyzer, words
from features.learned.argumentative import FORM, Weights, signs
from features.learned.ngrams import SHAPE
from ltr.errors import InputError

ROW_WEIGHT = {"claims-dev": 1.0, "stance-train": 1.0, "argkp": 0.02, "eviconv": 0.1, "talk": 0.3}
"""What one sentence of a source counts; afterwards both classes count the same in all."""

INVERSE_STRENGTH = 0.007
SHAPE_SCALE = 2.0
VECTOR_SCALE = 0.7
MIN_TOPICS = 10
DECIMALS = 3
DIMENSIONS = 50
WINDOW = 2
MIN_COUNT = 25
"""Words seen less often in the unlabelled text have no vector."""


def with_features(examples: Sequence[Example], seed: int) -> list[Example]:
    """Each example with its features.

    Mined talk has lost its function words, its capitals and its marks. Taken as it is, their absence would
    tell talk; so each line lends its content words to the frame of a random IAM sentence, and only the words can tell.
    """
    analyzer = Analyzer(stem=True, stop=False)
    function = {term for word in STOP_WORDS for term in analyzer.terms(word)}
    found = [replace(example, features=signs(example.text)) for example in examples]
    halves = [[e for e in found if e.source == "claims-dev" and e.label == label] for label in (False, True)]
    draw = random.Random(seed)
    for row, example in enumerate(found):
        if example.source == "talk" and all(halves):
            frame = draw.choice(draw.choice(halves)).features
            kept = {name: value for name, value in frame.items() if name[0] == SHAPE or name in function}
            value = next((value for name, value in frame.items() if name[0] != SHAPE), 0.5)
            # Its forms stay out: of them the model should learn what tells claims from other sentences of one article.
            left = (SHAPE, FORM)
            lent = [n for n in example.features if n[0] not in left and " " not in n and n not in function]
            found[row] = replace(example, features=kept | dict.fromkeys(lent, value))
    return found


def fit(examples: Sequence[Example], tables: Sequence[Vectors], seed: int) -> Weights:
    """Logistic regression over the features of many topics and over the sums of word vectors.

    A sum of vectors is linear in the words, so what it learns is added to the weights of the words: a rare word
    gets its weight from the words that are used like it, and only plain weights remain.
    """
    rows = [example.features for example in examples]
    names = names_of_many_topics(((example.features, example.topic) for example in examples), MIN_TOPICS)
    labels = np.array([example.label for example in examples])
    mass = np.array([ROW_WEIGHT[example.source] for example in examples])
    for label in (False, True):
        if not (labels == label).any():
            raise InputError("training data", "needs both labels", PUBLISHED)
        mass[labels == label] *= len(examples) / 2 / mass[labels == label].sum()
    # A rare stem says more than a common one: the scale grows with the idf.
    count = Counter(name for row in rows for name in row)
    scale = np.array([SHAPE_SCALE if n[0] == SHAPE else 2 * np.log(len(examples) / count[n]) ** 0.5 for n in names])
    plain = feature_matrix(rows, names).multiply(scale)
    sums = np.hstack([feature_matrix(rows, table.places) @ table.rows for table in tables])
    middle, spread = sums.mean(0), sums.std(0)
    shrink = np.divide(VECTOR_SCALE, spread, out=np.zeros_like(spread), where=spread > 0)
    model = LogisticRegression(C=INVERSE_STRENGTH, tol=1e-3, max_iter=200, random_state=seed)
    with threadpool_limits(1):
        model.fit(hstack([plain, csr_matrix((sums - middle) * shrink)]).tocsr(), labels, sample_weight=mass)
    own, shared = np.split(model.coef_[0], [len(names)])
    shared *= shrink
    weights = defaultdict(float, zip(names, (own * scale).tolist(), strict=True))
    for table, part in zip(tables, np.split(shared, len(tables)), strict=True):
        for name, weight in zip(table.places, (table.rows @ part).tolist(), strict=True):
            weights[name] += weight
    rounded = {name: round(weights[name], DECIMALS) for name in sorted(weights)}
    intercept = round(float(model.intercept_[0] - middle @ shared), DECIMALS)
    return Weights(intercept, {name: weight for name, weight in rounded.items() if weight})


@dataclass(frozen=True)
class Vectors:
    """``rows`` (n_words, DIMENSIONS), and the row of each feature."""

    places: Mapping[str, int]
    rows: Any


def learn_vectors(texts: Sequence[str], seed: int) -> list[Vectors]:
    """Vectors of stems, and of words as written. Raises InputError."""
    stemmer = Stemmer.Stemmer("english")
    forms = [words(text) for text in texts]
    return [
        _vectors([stemmer.stemWords(sentence) for sentence in forms], seed),
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
