"""A logistic regression that tells pairs of sentences that stand together from others, and how well it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from experiments.learned.coherence_pairs import FAR, TEST, TRAINING, Rows, pools
from experiments.learned.debates import FOLDS, Sentence
from experiments.learned.term_space import TermSpaces
from features.core.registry import find
from features.core.sentences import Texts
from features.core.statistics import FloatArray, IntArray
from features.core.tables import ArgumentTable, Context, PairTable, SentenceTable
from features.learned.coherence import Model
from features.learned.pair_signs import EMBEDDING_SIMILARITIES, STYLE_MARKERS, Space, embedding_similarities, signs
from ltr.index.reader import Index

INVERSE_STRENGTH = 1.0
ROW_WEIGHT = {"debate": 1.0, "opposite": 1.0, "elsewhere": 0.2}
"""What one false pair counts in training, beside 1 for a true one; comparisons not listed are only measured."""

MATCH_WEIGHT = 0.2
"""What one labelled pair of ArgKP-2021 counts, matching or not."""
COMPARED = {"TF-IDF cosine": "tf-idf cosine", "latent cosine": "latent cosine"}
"""Features that are measured on their own."""
RESAMPLES = 1000
AGAINST = {
    "debate": "another argument of the debate",
    "opposite": "an argument of the other side of the debate",
    "debate, like length": "another argument of the debate, the second sentence of nearly the same length",
    "opposite, like length": "the other side of the debate, the second sentence of nearly the same length",
    "further on": f"the same argument, {FAR} sentences or more further on",
    "elsewhere": "another debate",
    "no match": "ArgKP-2021: an argument that does not match the key point",
}


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
    scores = {"coherence": odds}
    scores |= {score: table[:, names.index(name)] for score, name in COMPARED.items()}
    return measure(rows, scores), model


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
        found = signs(own)
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
    signs = table[used]
    centre, spread = signs.mean(axis=0, dtype=np.float64), signs.std(axis=0, dtype=np.float64)
    spread[spread < 1e-6] = 1
    model = LogisticRegression(C=INVERSE_STRENGTH, max_iter=1000)
    model.fit((signs - centre) / spread, true[used], sample_weight=weight[used])
    weights = model.coef_[0] / spread
    intercept = float(model.intercept_[0] - weights @ centre)
    rounded = {name: round(float(w), 5) for name, w in zip(names, weights, strict=True)}
    return Model(round(intercept, 5), rounded, space)


def measure(rows: Rows, scores: Mapping[str, FloatArray]) -> dict[str, Any]:
    """AUC of each score with its interval, for each kind of true pair and each kind of false pair set against it."""
    figures: dict[str, Any] = {}
    measured = rows.fold != TRAINING
    for kind in ("neighbours", "conclusion", "all", "key point"):
        of_kind = measured & ((rows.kind == kind) | ((kind == "all") & (rows.kind != "key point")))
        for against in AGAINST:
            false = np.flatnonzero(of_kind & (rows.against == against))
            # Labelled pairs do not come in twos; any other false pair stands beside its true one.
            true = np.flatnonzero(of_kind & (rows.against == "")) if kind == "key point" else rows.true[false]
            if len(false) and len(true) and not (kind == "all" and against == "further on"):
                figures[f"{kind} | {against}"] = compare(rows.debate, true, false, scores)
    return figures


def compare(debate: IntArray, true: IntArray, false: IntArray, scores: Mapping[str, FloatArray]) -> dict[str, Any]:
    """AUC of each score, and what it has over TF-IDF cosine, each with a 95% interval over resampled debates."""
    found: dict[str, Any] = {"pairs": [len(true), len(false)]}
    _, place = np.unique(debate[np.concatenate([true, false])], return_inverse=True)
    count = place.max() + 1
    times = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), RESAMPLES)
    drawn = {}
    for name, values in scores.items():
        drawn[name] = bootstrap(values[true], values[false], place[: len(true)], place[len(true) :], times)
        found[name] = [auc(values[true], values[false]), *np.quantile(drawn[name], (0.025, 0.975)).tolist()]
    gain = np.quantile(drawn["coherence"] - drawn["TF-IDF cosine"], (0.025, 0.975)).tolist()
    found["gain"] = [found["coherence"][0] - found["TF-IDF cosine"][0], *gain]
    return {name: [round(value, 4) for value in values] for name, values in found.items()}


def auc(true: FloatArray, false: FloatArray) -> float:
    """The share of (true, false) pairs in the right order; a tie counts one half."""
    return float(roc_auc_score([1] * len(true) + [0] * len(false), [*true, *false]))


def bootstrap(
    true: FloatArray, false: FloatArray, of_true: IntArray, of_false: IntArray, times: IntArray
) -> FloatArray:
    """(n_resamples,) AUC when debate d is taken ``times[:, d]`` times, from scores in at most 400 steps."""
    steps = np.unique(np.quantile(np.concatenate([true, false]), np.linspace(0, 1, 401)))
    drawn = []
    for values, place in ((true, of_true), (false, of_false)):
        counts = np.zeros((times.shape[1], len(steps) + 1))
        np.add.at(counts, (place, np.searchsorted(steps, values)), 1)
        drawn.append(times @ counts)
    positive, negative = drawn
    below = np.cumsum(negative, axis=1) - negative / 2
    pairs = positive.sum(axis=1) * negative.sum(axis=1)
    return np.asarray((positive * below).sum(axis=1) / np.maximum(pairs, 1))
