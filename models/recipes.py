"""Recipes of systems of the Touché lab, by name, as formulas over feature columns; each says how it differs from ours.

Documents that answer comparative questions have two floors beside them: the order in which they came, and the number
of words that compare. See https://ceur-ws.org/Vol-2696/ for 2020, https://ceur-ws.org/Vol-2936/paper-205.pdf for 2021.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from features.core.feature import Unit
from models.base import Rows, Scores, percentile, ranker, standardise

Formula = Callable[[Rows], Scores]
"""(n_rows,) scores; higher is better."""
SOURCE = ("source_strength", "bm25_k1.2_b0.75_argument")
"""The columns of `source_scores`."""
FUSION = 60
"""Ranks over which the first places of a list differ little: reciprocal rank fusion (Cormack et al. 2009)."""
DEPTH = 20
"""Documents that Katana re-ranks; the rest stays below them as it was."""
ARGUES = 0.5
"""Probability from which on a page argues, for Zorro."""


@dataclass(frozen=True)
class Recipe:
    """A ranker that is a formula over feature columns."""

    columns: list[str]
    score: Formula


def recipe(
    name: str, what: str, columns: Sequence[str], unit: Unit = "document", *, brought: bool = False
) -> Callable[[Formula], Formula]:
    """Register the decorated formula over ``columns`` as a baseline, see `models.base.ranker`."""

    def register(formula: Formula) -> Formula:
        ranker(name, what, units=(unit,), brought=brought)(lambda unit: Recipe(list(columns), formula))
        return formula

    return register


def values_of(matrix: Rows, column: str) -> Scores:
    """(n_rows,) a feature column."""
    return matrix.features[column].to_numpy(np.float64)


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


# ---- whole arguments ----------------------------------------------------------------------------------


@recipe(
    "elrond",
    "DirichletLM of the argument and, where it matches, of the debate's title (2021)",
    ("dirichlet_2500_argument", "dirichlet_2500_title"),
    "argument",
)
def elrond(matrix: Rows) -> Scores:
    """The best system of 2021 in relevance: the body has to match, the debate's title may.

    A Boolean query of Lucene with DirichletLM over both fields. Ours differs in stems (Snowball for Krovetz), stop
    words, mu (2500 for 2000) and in the statistics of titles, which are those of conclusions.
    """
    body, title = values_of(matrix, "dirichlet_2500_argument"), values_of(matrix, "dirichlet_2500_title")
    return np.where(body > 0, body + title, 0.0)


@recipe(
    "heimdall",
    "DirichletLM x cluster of the conclusion x learned quality (2021)",
    ("dirichlet_2500_argument", "cluster_cosine", "convincing_argument"),
    "argument",
)
def heimdall(matrix: Rows) -> Scores:
    """The best system of 2021 in quality: an argument has to be good in all three.

    Theirs finds 300 clusters of conclusions in the space of the Universal Sentence Encoder, and learned quality by
    regression on Webis-ArgQuality-20. Ours finds the clusters in the latent space of the index, and takes our own
    learned quality, of other data.
    """
    match, subject = values_of(matrix, "dirichlet_2500_argument"), values_of(matrix, "cluster_cosine")
    return np.asarray(match * (1 + (subject + 1)) * (1 + values_of(matrix, "convincing_argument")))


# ---- documents: floors --------------------------------------------------------------------------------


def source_scores(matrix: Rows) -> Scores:
    """(n_rows,) in [0, 1]: the source's score as a share of its best; where no source ranked a topic, BM25's."""
    given, searched = (values_of(matrix, column) for column in SOURCE)
    return np.where(best_of_topic(matrix, given) > 0, given, shares_of_best(matrix, searched))


@recipe(
    "source",
    "the order in which the source gave the documents; BM25's where there was none",
    ("source_reciprocal_rank", *SOURCE),
)
def source_order(matrix: Rows) -> Scores:
    """ChatNoir's order, where the list is ChatNoir's: the baseline of the lab; or a share of the best score."""
    rank = values_of(matrix, "source_reciprocal_rank")
    return np.where(rank > 0, FUSION / (FUSION + 1 / np.where(rank > 0, rank, 1)), source_scores(matrix))


@recipe("cues", "the number of comparatives, superlatives and words of contrast", ("comparative_cues",))
def cues(matrix: Rows) -> Scores:
    """Whatever the topic is."""
    return values_of(matrix, "comparative_cues")


# ---- documents: systems -------------------------------------------------------------------------------


@recipe(
    "bilbo",
    "source + support by comparisons and arguments + credibility (2020)",
    ("comparative_sentences", "mean_argumentative", "page_rank", "spam_rank", *SOURCE),
)
def bilbo(matrix: Rows) -> Scores:
    """Team Bilbo Baggins (Abye, Sager & Triebel 2020), the best of 2020: the sum of three standard scores in the topic.

    Theirs sends ChatNoir four queries, with synonyms and antonyms of what is compared, and reads whole documents:
    relevance from ChatNoir, credibility from page rank and spam rank, support from comparative sentences (CAM) and
    arguments (TARGER). Ours takes the list that it is given, words that compare and the learned argumentativeness;
    what a source does not know (page rank, spam rank) counts for nothing.
    """
    support, credibility = (
        sum((standardise(matrix.features[column], matrix.groups) for column in columns), np.zeros(1)) / 2
        for columns in (("comparative_sentences", "mean_argumentative"), ("page_rank", "spam_rank"))
    )
    return np.asarray(standardise(source_scores(matrix), matrix.groups) + support + credibility)


@recipe(
    "frodo",
    "similarity to a generated answer, from --answers (2020)",
    ("answer_cosine", *SOURCE),
    brought=True,
)
def frodo(matrix: Rows) -> Scores:
    """Team Frodo Baggins (2020): what is like the answer that a language model gives to the question is relevant.

    As the lab's overview describes it, GPT-2 writes the answer, and documents are ranked by their similarity to it.
    Ours takes whatever answer the user brings, and TF-IDF cosines; the source breaks ties, and ranks topics without
    an answer.
    """
    return np.asarray(values_of(matrix, "answer_cosine") + 1e-6 * source_scores(matrix))


@recipe(
    "inigo",
    "BM25 x the share of claims and premises (2020)",
    ("tagged_claims", "tagged_premises", "mean_argumentative", SOURCE[1]),
)
def inigo(matrix: Rows) -> Scores:
    """Team Inigo Montoya (2020): what matches the query are the claims and premises of a document, not all of it.

    As the lab's overview describes it, argument units are tagged with TARGER and matched with the query. Ours takes
    BM25 of the document by its share in argument units: TARGER's of words where `riposte collect` asked it, else the
    mean learned argumentativeness of the sentences. Where in the document its terms stand is left out.
    """
    tagged = values_of(matrix, "tagged_claims") + values_of(matrix, "tagged_premises")
    return values_of(matrix, SOURCE[1]) * (tagged if tagged.any() else values_of(matrix, "mean_argumentative"))


@recipe(
    "katana-2020",
    "source x (.5 x comparative sentences + objects), of the first 20 (2020)",
    ("compared_sentences", "objects_held", *SOURCE),
)
def katana(matrix: Rows) -> Scores:
    """Team Katana's run Baseline_CAM_OBJ (Chekalina & Panchenko 2020): what the source puts low stays low.

    ChatNoir's score is multiplied by half the number of comparative sentences plus a score of the objects, for the
    first 20 documents. Theirs classifies sentences with CAM; ours counts those with both objects and a word that
    compares, and its score of the objects is the share of their terms.
    """
    sentences, source = np.expm1(values_of(matrix, "compared_sentences")), source_scores(matrix)
    scores = source * (0.5 * sentences + values_of(matrix, "objects_held"))
    topic = topic_of_row(matrix)
    above = (1 - percentile(source, topic)) * (np.asarray(matrix.groups)[topic] - 1)
    # The source orders what is equal, and all of a question without objects.
    return np.where(above < DEPTH, 1 + scores + 1e-3 * source, source)


@recipe("mercutio", "how often the question's terms come + the source's score (2021)", ("query_term_count", *SOURCE))
def mercutio(matrix: Rows) -> Scores:
    """Team Mercutio's simplest and best ranking (Helmrich et al. 2021, paper 214): both parts weigh the same.

    Theirs expands the query and reads whole documents; ours counts the terms of the question alone.
    """
    return shares_of_best(matrix, np.expm1(values_of(matrix, "query_term_count"))) + source_scores(matrix)


@recipe(
    "zorro",
    "pages that argue first, in the order of their page rank (2020)",
    ("best_argumentative", "page_rank", *SOURCE),
)
def zorro(matrix: Rows) -> Scores:
    """Team Zorro (Shahshahani & Kamps 2020, paper 207): argumentative pages first, by page rank.

    Theirs re-ranks by page rank, web domain and argumentativeness, which a support vector machine judged. Ours takes
    the learned argumentativeness of the best sentence, and page rank where the source knows it, else the source's own
    score; domains are left out.
    """
    argues = values_of(matrix, "best_argumentative") >= ARGUES
    rank = standardise(matrix.features["page_rank"], matrix.groups)
    # Standard scores of a topic are bounded by the root of its rows, and the source only breaks ties.
    return np.asarray(1_000 * argues + rank + 1e-3 * source_scores(matrix))
