"""``python -m experiments.learned.coherence -i DIR --data DIR``: learn which two sentences go together."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from experiments.learned.coherence_pairs import (
    TEST,
    TRAINING,
    Rows,
    Sentence,
    lay_out,
    linked_debates,
    pools,
    read_matches,
    read_sentences,
    sample,
)
from experiments.learned.term_space import FOLDS, TermSpaces
from experiments.learned.trainer import finish, mean_figure, topic_auc, topic_folds, trainer_parser
from features.core.feature import find
from features.core.statistics import FloatArray, IntArray
from features.core.tables import ArgumentTable, Context, PairTable, SentenceTable, Texts
from features.learned.coherence import Coherence, space_arrays
from features.learned.linear_model import LinearModel
from features.learned.pair_features import EMBEDDING_SIMILARITIES, STYLE_MARKERS, embedding_similarities, pair_features
from ltr.cli.options import add_index_options
from ltr.cli.process import run_command
from ltr.corpora.source import open_corpus
from ltr.errors import InputError
from ltr.index.cache import index_place, open_index
from ltr.index.reader import Index
from ltr.progress import Progress

INVERSE_STRENGTH = 1.0
SCALE = 100_000
ROW_WEIGHT = {"": 1.0, "debate": 1.0, "opposite": 1.0, "elsewhere": 0.2}
"""Weight in training of a true pair, and of a false one: from another argument of the debate, from one of its other
side, from another debate."""
MATCH_WEIGHT = 0.2
"""Weight of a labelled pair of ArgKP-2021, matching or not."""


def main(argv: list[str] | None = None) -> int:
    """Train, print the figures and write the weights. Raises InputError for bad input."""
    description = "Learn without labels whether two sentences go together, and measure it on unseen debates."
    parser = trainer_parser("coherence", description, __file__)
    parser.add_argument("-i", "--input", required=True, metavar="DIR", help="the corpus")
    add_index_options(parser)
    options = parser.parse_args(argv)
    matches = read_matches(options.data / "argkp2021")
    corpus = open_corpus(options.input)
    index = open_index(corpus, index_place(corpus, options.index, [options.output]), Progress())
    sentences = read_sentences(corpus, index)
    pairs = sample(sentences, random.Random(options.seed))
    linked = linked_debates(sentences)
    larger = "name a larger corpus"
    held_out = topic_folds([linked[sentence.debate] for sentence in sentences], FOLDS, options.input, larger)
    fold_of = {label: fold for fold, labels in enumerate(held_out) for label in labels}
    fold = {debate: fold_of.get(label, 0) for debate, label in enumerate(linked)}
    if len({fold[pair.debate] for pair in pairs}) < FOLDS:
        what = f"fewer than {FOLDS} unconnected debates with two arguments that have several sentences"
        raise InputError(options.input, what, larger)
    rows, texts = lay_out(sentences, pairs, fold, matches)
    figures, model = learn(sentences, make_context(texts, rows, index), rows, fold)
    about = {
        "what": "do two sentences go together: weights and term vectors of features.learned.coherence",
        "command": "python -m experiments.learned.coherence -i DIR --data DIR -o features/learned/coherence.json",
        "training": {
            "corpus": f"SHA-256 {index.corpus_fingerprint}; no label of it is used",
            "matches": "IBM ArgKP-2021, train and dev; test only measured; CDLA-Sharing 1.0",
            "sentences": len(sentences),
            "debates": len(fold),
            "pairs": dict(sorted(Counter(name or "true" for name in rows.against.tolist()).items())),
        },
        "figures": figures,
    }
    packages = "numpy PyStemmer scikit-learn scipy spacy"
    return finish(options.output, about, packages, {"coherence": (model.linear, SCALE)}, space_arrays(model.space))


def learn(
    sentences: Sequence[Sentence], context: Context, rows: Rows, fold: Mapping[int, int]
) -> tuple[dict[str, Any], Coherence]:
    """Figures from models that did not see the debate, and the model fitted on everything."""
    with threadpool_limits(1):  # another number of threads gives other weights
        spaces = TermSpaces(context, [(s.argument, s.debate, fold[s.debate]) for s in sentences])
        names, table, kinship = feature_values(sentences, context, rows, spaces)
        odds = np.zeros(len(rows.first))
        for hidden in range(FOLDS + 1):  # the last: nothing is hidden
            every = np.concatenate([table, kinship[:, hidden]], axis=1)
            linear = fit([*names, *EMBEDDING_SIMILARITIES], every, rows, hidden)
            here = rows.fold == (TEST if hidden == FOLDS else hidden)
            odds[here] = linear.intercept[0] + every[here] @ np.array(list(linear.plain.values()))
    return measure(rows, odds, table[:, names.index("tf-idf cosine")]), Coherence(linear, spaces.without())


def make_context(texts: Sequence[str], rows: Rows, index: Index) -> Context:
    """The rows as one big topic. Whatever would give a true pair away is left empty."""
    terms = [index.analyzer.terms(text) for text in texts]
    zeros: dict[str, Any] = {field.name: np.zeros(len(texts), np.int64) for field in fields(SentenceTable)}
    nothing: dict[str, Any] = {field.name: () for field in fields(ArgumentTable)}
    sentences = SentenceTable(**zeros | {"text": texts, "terms": terms})
    table = Texts(texts)
    values = {name: find(name).compute(table) for name in STYLE_MARKERS}
    pairs = PairTable(rows.first, rows.second)
    return Context("", [], sentences, ArgumentTable(**nothing), pairs, index.statistics, values)


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


def fit(names: Sequence[str], table: FloatArray, rows: Rows, hidden: int) -> LinearModel:
    """A logistic regression on the rows outside the ``hidden`` fold."""
    true = rows.against == ""
    weight = np.array([ROW_WEIGHT.get(name, 0.0) for name in rows.against.tolist()])
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
    intercept = round(float(model.intercept_[0] - weights @ centre), 5)
    return LinearModel.binary(intercept, {name: round(float(w), 5) for name, w in zip(names, weights, strict=True)})


def measure(rows: Rows, odds: FloatArray, cosine: FloatArray) -> dict[str, dict[str, list[float]]]:
    """AUC within debates of the log-odds and of TF-IDF cosine, by the kind of false pairs."""
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


if __name__ == "__main__":
    run_command(main)
