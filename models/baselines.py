"""The baselines: orders by one score, and systems of the Touché lab as formulas over feature columns.

Nothing is learned. A system's docstring says how ours differs from theirs; see https://ceur-ws.org/Vol-2696/ for 2020
and https://ceur-ws.org/Vol-2936/paper-205.pdf for 2021.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from features.core.feature import Unit, first_paragraph
from models.base import DECIMALS, Rows, Scores, percentile, ranker, standardise

PAIR_SHARE = 0.01
"""Small enough that arguments are ordered by their own score: the pair's text decides inside them."""


class ColumnOrder:
    """Whole arguments by a column (of a pair's two, the lower value counts), then pairs by one of their own text."""

    def __init__(self, argument: str, pair: str, unit: Unit = "pair") -> None:
        self.columns = [f"{argument}_min", pair] if unit == "pair" else [argument]

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        first, *rest = (standardise(matrix.features[column], matrix.groups) for column in self.columns)
        return np.asarray(first + sum(PAIR_SHARE * values for values in rest))


for _name, _column, _model in (
    ("bm25", "bm25_k1.2_b0.75", "BM25 (k1=1.2, b=.75)"),  # the first stage's own order
    ("bm25-tuned", "bm25_k4_b0.15", "BM25 (k1=4, b=.15)"),  # as it works best on this kind of corpus
    ("dirichlet", "dirichlet_2500", "DirichletLM (mu=2500)"),  # the strongest of the three
):
    _description = f"{_model} over whole arguments, then over the pair's text"
    ranker(_name, _description)(partial(ColumnOrder, f"{_column}_argument", f"{_column}_pair"))

# Some of the best runs of 2021 began with divergence from randomness; judges of quality are fond of length.
_description = "DPH over whole arguments, free of parameters (Amati et al. 2007)"
ranker("dph", _description, units=("argument",))(partial(ColumnOrder, "dph_argument", "dph_pair"))
_description = "the longest argument that matches, then the longest pair"
ranker("length", _description)(partial(ColumnOrder, "argument_terms", "n_words_pair"))


@ranker("random", "a random order of the candidates, the same each time")
class Shuffled:
    """No order at all: the floor of every table."""

    def __init__(self, unit: Unit = "pair") -> None:
        self.columns = ["same_argument" if unit == "pair" else "argument_terms"]  # a matrix has at least one

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,)"""
        return np.random.default_rng(0).random(len(matrix.features))


DENSE = "dense"
DENSE_COLUMN: dict[Unit, str] = {"pair": "meaning_pair", "argument": "meaning_text", "document": "meaning_text"}

SOURCE = ("source_strength", "bm25_k1.2_b0.75_argument")
"""The columns of `source_scores`."""


@dataclass(frozen=True)
class Formula:
    """A ranker that is a formula over feature columns."""

    columns: list[str]
    terms: Callable[[Rows], Scores]
    """(n_rows,) scores; or (n_rows, n_columns) what each column adds, which explanations show."""

    def score(self, matrix: Rows) -> Scores:
        """(n_rows,) the scores, rounded: they do not depend on the processor."""
        terms = self.terms(matrix).round(DECIMALS)
        return terms if terms.ndim == 1 else np.asarray(terms.sum(axis=1).round(DECIMALS))


def formula(*columns: str, name: str = "", unit: Unit = "document") -> Callable[..., Callable[[Rows], Scores]]:
    """Register the decorated function of ``columns`` as a baseline, described by its docstring's first paragraph.

    The name, where left out, is that of the function.
    """

    def register(score: Callable[[Rows], Scores]) -> Callable[[Rows], Scores]:
        make = ranker(name or score.__name__, first_paragraph(score.__doc__ or ""), units=(unit,))
        make(lambda unit: Formula(list(columns), score))
        return score

    return register


def values_of(matrix: Rows, column: str) -> Scores:
    """(n_rows,) a feature column."""
    return matrix.features[column].to_numpy(np.float64)


@ranker(DENSE, "the cosine of an encoder's vectors of the question and of the item, and nothing else", units=())
def dense(unit: Unit = "pair") -> Formula:
    """The baseline of an encoder; tables show it where they have one."""
    return Formula([DENSE_COLUMN[unit]], partial(values_of, column=DENSE_COLUMN[unit]))


@formula("coverage_argument_min", "coverage_pair", "dirichlet_2500_argument_min", unit="pair")
def words(matrix: Rows) -> Scores:
    """The share of the question's rare words + .2 x standardised DirichletLM.

    Evidence for the decisive word, which rankers that learn from pools give up for quality: docs/laboratory.md.

    The share is the mean of those in the pair and in the weaker of its arguments.
    """
    argument, pair = (values_of(matrix, column) for column in ("coverage_argument_min", "coverage_pair"))
    match = standardise(matrix.features["dirichlet_2500_argument_min"], matrix.groups)
    return np.column_stack([argument / 2, pair / 2, 0.2 * match])


@formula("argumentative_min", unit="pair")
def argues(matrix: Rows) -> Scores:
    """The probability that the less argumentative sentence argues.

    That is what the task asks of each sentence, and what people mark in texts: docs/laboratory.md.
    """
    return values_of(matrix, "argumentative_min")


def topic_of_row(matrix: Rows) -> npt.NDArray[np.int64]:
    """(n_rows,) the position of each row's topic."""
    return np.repeat(np.arange(len(matrix.groups)), matrix.groups)


def best_of_topic(matrix: Rows, values: Scores) -> Scores:
    """(n_rows,) the highest value of the row's topic, 0 where there is none above."""
    best = np.zeros(len(matrix.groups))
    np.maximum.at(best, topic_of_row(matrix), values)
    return best[topic_of_row(matrix)]


def shares_of_best(matrix: Rows, values: Scores) -> Scores:
    """(n_rows,) values as shares of the topic's highest."""
    best = best_of_topic(matrix, values)
    return np.asarray(values / np.where(best > 0, best, 1))


def source_scores(matrix: Rows) -> Scores:
    """(n_rows,) in [0, 1]: the source's score as a share of its best; where no source ranked a topic, BM25's."""
    given, searched = (values_of(matrix, column) for column in SOURCE)
    return np.where(best_of_topic(matrix, given) > 0, given, shares_of_best(matrix, searched))


@formula("dirichlet_2500_argument", "dirichlet_2500_title", unit="argument")
def elrond(matrix: Rows) -> Scores:
    """DirichletLM of the argument and, where it matches, of the debate's title (2021).

    The best system of 2021 in relevance: a Boolean query of Lucene with DirichletLM over both fields.

    Ours differs in stems, stop words, mu (2500 for 2000) and in the statistics of titles, which are those of
    conclusions.
    """
    body, title = values_of(matrix, "dirichlet_2500_argument"), values_of(matrix, "dirichlet_2500_title")
    return np.where(body > 0, body + title, 0.0)


@formula("dirichlet_2500_argument", "latent_topic_argument", "convincing_argument", unit="argument")
def heimdall(matrix: Rows) -> Scores:
    """DirichletLM x meaning x learned quality (2021).

    The best system of 2021 in quality: an argument has to be good in all three.

    Theirs clusters conclusions by the Universal Sentence Encoder, and learned quality from Webis-ArgQuality-20. Ours
    compares whole arguments with the topic in the latent space of the index, and takes our own learned quality.
    """
    match, subject = values_of(matrix, "dirichlet_2500_argument"), values_of(matrix, "latent_topic_argument")
    return np.asarray(match * (1 + (subject + 1)) * (1 + values_of(matrix, "convincing_argument")))


@formula("source_reciprocal_rank", *SOURCE, name="source")
def source_order(matrix: Rows) -> Scores:
    """The order in which the source gave the documents; BM25's where there was none.

    ChatNoir's order, where the list is ChatNoir's: the baseline of the lab; or a share of the best score.
    """
    fusion = 60  # ranks over which the first places differ little: reciprocal rank fusion (Cormack et al. 2009)
    rank = values_of(matrix, "source_reciprocal_rank")
    return np.where(rank > 0, fusion / (fusion + 1 / np.where(rank > 0, rank, 1)), source_scores(matrix))


@formula("comparative_cues")
def cues(matrix: Rows) -> Scores:
    """The number of comparatives, superlatives and words of contrast."""
    return values_of(matrix, "comparative_cues")


@formula("comparative_sentences", "mean_argumentative", "page_rank", "spam_rank", *SOURCE)
def bilbo(matrix: Rows) -> Scores:
    """Source + support by comparisons and arguments + credibility (2020).

    Team Bilbo Baggins (Abye, Sager & Triebel 2020), the best of 2020: the sum of three standard scores in the topic.

    Theirs sends ChatNoir four queries and reads whole documents, with CAM for comparative sentences and TARGER for
    arguments. Ours takes the list that it is given, words that compare and the learned argumentativeness.
    """
    support, credibility = (
        sum((standardise(matrix.features[column], matrix.groups) for column in columns), np.zeros(1)) / 2
        for columns in (("comparative_sentences", "mean_argumentative"), ("page_rank", "spam_rank"))
    )
    return np.asarray(standardise(source_scores(matrix), matrix.groups) + support + credibility)


@formula("tagged_claims", "tagged_premises", "mean_argumentative", SOURCE[1])
def inigo(matrix: Rows) -> Scores:
    """BM25 x the share of claims and premises (2020).

    Team Inigo Montoya (2020): the query is matched with the claims and premises that TARGER tags.

    Ours is BM25 of the document by its share in argument units: TARGER's of words where `riposte collect` asked it,
    else the mean learned argumentativeness of the sentences.
    """
    tagged = values_of(matrix, "tagged_claims") + values_of(matrix, "tagged_premises")
    return values_of(matrix, SOURCE[1]) * (tagged if tagged.any() else values_of(matrix, "mean_argumentative"))


@formula("compared_sentences", "objects_held", *SOURCE, name="katana-2020")
def katana(matrix: Rows) -> Scores:
    """Source x (.5 x comparative sentences + objects), of the first 20 (2020).

    Team Katana's run Baseline_CAM_OBJ (Chekalina & Panchenko 2020): what the source puts low stays low.

    Theirs classifies sentences with CAM; ours counts those with both objects and a word that compares, and its score
    of the objects is the share of their terms.
    """
    sentences, source = np.expm1(values_of(matrix, "compared_sentences")), source_scores(matrix)
    scores = source * (0.5 * sentences + values_of(matrix, "objects_held"))
    topic = topic_of_row(matrix)
    above = (1 - percentile(source, topic)) * (np.asarray(matrix.groups)[topic] - 1)
    # The source orders what is equal, and all of a question without objects.
    return np.where(above < 20, 1 + scores + 1e-3 * source, source)


@formula("query_term_count", *SOURCE)
def mercutio(matrix: Rows) -> Scores:
    """How often the question's terms come + the source's score (2021).

    Team Mercutio's simplest and best ranking (Helmrich et al. 2021, paper 214): both parts weigh the same.

    Theirs expands the query and reads whole documents; ours counts the terms of the question alone.
    """
    return shares_of_best(matrix, np.expm1(values_of(matrix, "query_term_count"))) + source_scores(matrix)


@formula("best_argumentative", "page_rank", *SOURCE)
def zorro(matrix: Rows) -> Scores:
    """Pages that argue first, in the order of their page rank (2020).

    Team Zorro (Shahshahani & Kamps 2020, paper 207): argumentative pages first, by page rank and web domain.

    Ours takes the learned argumentativeness of the best sentence, and the source's own score where page ranks are not
    known; domains are left out.
    """
    argues = values_of(matrix, "best_argumentative") >= 0.5
    rank = standardise(matrix.features["page_rank"], matrix.groups)
    # Standard scores of a topic are bounded by the root of its rows, and the source only breaks ties.
    return np.asarray(1_000 * argues + rank + 1e-3 * source_scores(matrix))
