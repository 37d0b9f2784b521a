"""A logistic regression that tells pairs of sentences that stand together from others, and how well it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from experiments.learned.coherence_pairs import TEST, TRAINING, Rows, pools
from experiments.learned.debates import FOLDS, Sentence
from experiments.learned.term_space import TermSpaces
from experiments.learned.trainer import mean_figure, topic_auc
from features.core.feature import find
from features.core.statistics import FloatArray, IntArray
from features.core.tables import ArgumentTable, Context, PairTable, SentenceTable, Texts
from features.learned.coherence import Model
from features.learned.pair_features import (
    EMBEDDING_SIMILARITIES,
    STYLE_MARKERS,
    Space,
    embedding_similarities,
    pair_features,
)
from ltr.index.reader import Index

INVERSE_STRENGTH = 1.0
ROW_WEIGHT = {"debate": 1.0, "opposite": 1.0, "elsewhere": 0.2}
"""What one false pair counts in training, beside 1 for a true one: another argument of the debate, one of its other
side, another debate."""

MATCH_WEIGHT = 0.2
"""What one labelled pair of ArgKP-2021 counts, matching or not."""


def learn(
    sentences: Sequence[Sentence], texts: Sequence[str], rows: Rows, fold: Mapping[int, int], index: Index
) -> tuple[dict[str, Any], Model]:
    """Figures from models that did not see the debate, and the model fitted on everything."""
    # One BLAS thread: the weights must not depend on the number of cores.
    with threadpool_limits(1):
        context = make_context(texts, rows, index)
        spaces = TermSpaces(sentences, context, fold)
        names, table, kinship = feature_values(sentences, context, rows, spaces)
        odds = np.zeros(len(rows.first))
        for hidden in range(FOLDS + 1):  # the last: nothing is hidden
            space = spaces.without(*({hidden} - {FOLDS}))
            every = np.concatenate([table, kinship[:, hidden]], axis=1)
            model = fit([*names, *EMBEDDING_SIMILARITIES], every, rows, hidden, space)
            here = rows.fold == (TEST if hidden == FOLDS else hidden)
            odds[here] = model.intercept + every[here] @ np.array(list(model.weights.values()))
    return measure(rows, odds, table[:, names.index("tf-idf cosine")]), model


def make_context(texts: Sequence[str], rows: Rows, index: Index) -> Context:
    """The rows as one big topic. Whatever would tell a true pair is left empty."""
    terms = [index.analyzer.terms(text) for text in texts]
    nothing: dict[str, Any] = {field.name: np.zeros(len(texts), np.int64) for field in fields(SentenceTable)}
    nothing_at_all: dict[str, Any] = {field.name: () for field in fields(ArgumentTable)}
    sentences = SentenceTable(**nothing | {"text": texts, "terms": terms})
    arguments = ArgumentTable(**nothing_at_all)
    table = Texts(texts)
    values = {name: find(name).compute(table) for name in STYLE_MARKERS}
    return Context("", [], sentences, arguments, PairTable(rows.first, rows.second), index.statistics, values)


def feature_values(
    sentences: Sequence[Sentence], context: Context, rows: Rows, spaces: TermSpaces
) -> tuple[list[str], FloatArray, FloatArray]:
    """Names of features, (n_rows, n_features) values, and (n_rows, FOLDS + 1, n_similarities) similarities of terms.

    The similarities of a row come from a space that saw neither its own fold nor the hidden one (the last: none is
    hidden), or they would be trusted too much.
    """
    names: list[str] = []
    table = np.zeros((0, 0), np.float32)
    kinship = np.zeros((len(rows.first), FOLDS + 1, len(EMBEDDING_SIMILARITIES)), np.float32)
    for here, members in pools(sentences, context, rows):
        own = narrowed(context, members, rows.first[here], rows.second[here])
        found = pair_features(own)
        if not names:
            names, table = list(found), np.zeros((len(rows.first), len(found)), np.float32)
        table[here] = np.stack(list(found.values()), axis=1)
        fold = {int(rows.fold[here[0]])} - {TRAINING, TEST}
        values: dict[frozenset[int], FloatArray] = {}
        for hidden in range(FOLDS + 1):
            unseen = frozenset(fold | ({hidden} - {FOLDS}))
            if unseen not in values:
                values[unseen] = np.stack(list(embedding_similarities(own, spaces.without(*unseen)).values()), axis=1)
            kinship[here, hidden] = values[unseen]
    return names, table, kinship


def narrowed(context: Context, members: IntArray, first: IntArray, second: IntArray) -> Context:
    """The pairs of some texts of the context as a topic of those texts alone."""
    table = context.sentences
    texts = [table.text[row] for row in members.tolist()]
    terms = [table.terms[row] for row in members.tolist()]
    values = {name: context.text_values[name][members] for name in STYLE_MARKERS}
    pairs = PairTable(np.searchsorted(members, first), np.searchsorted(members, second))
    return replace(context, sentences=replace(table, text=texts, terms=terms), pairs=pairs, text_values=values)


def fit(names: Sequence[str], table: FloatArray, rows: Rows, hidden: int, space: Space) -> Model:
    """A logistic regression on the rows outside the ``hidden`` fold."""
    true = rows.against == ""
    weight = np.array([{"": 1.0, **ROW_WEIGHT}.get(name, 0.0) for name in rows.against.tolist()])
    weight[rows.fold == TRAINING] = MATCH_WEIGHT
    weight[np.isin(rows.fold, [hidden, TEST])] = 0
    weight[~true] *= weight[true].sum() / max(weight[~true].sum(), 1)
    used = weight > 0
    seen = table[used]
    centre, spread = seen.mean(axis=0, dtype=np.float64), seen.std(axis=0, dtype=np.float64)
    spread[spread < 1e-6] = 1
    model = LogisticRegression(C=INVERSE_STRENGTH, max_iter=1000)
    model.fit((seen - centre) / spread, true[used], sample_weight=weight[used])
    weights = model.coef_[0] / spread
    intercept = float(model.intercept_[0] - weights @ centre)
    rounded = {name: round(float(w), 5) for name, w in zip(names, weights, strict=True)}
    return Model(round(intercept, 5), rounded, space)


def measure(rows: Rows, odds: FloatArray, cosine: FloatArray) -> dict[str, dict[str, list[float]]]:
    """AUC within debates of the log-odds and of TF-IDF cosine, by what the false pairs are."""
    figures = {}
    for against in ("debate", "opposite", "no match"):
        false = np.flatnonzero((rows.against == against) & (rows.fold != TRAINING))
        # Labelled pairs do not come in twos; any other false pair stands beside its true one.
        unpaired = (rows.fold == TEST) & (rows.against == "")
        true = np.flatnonzero(unpaired) if against == "no match" else rows.true[false]
        if len(false) and len(true):
            both = np.concatenate([true, false])
            labels, debate = np.repeat([1, 0], [len(true), len(false)]), rows.debate[both]
            figures[against] = {
                name: mean_figure(topic_auc(labels, values[both], debate))
                for name, values in (("coherence", odds), ("TF-IDF cosine", cosine))
            }
    return figures
