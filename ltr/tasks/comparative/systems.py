"""Systems of the Touché lab that rank documents for comparative questions, as formulas over feature columns.

A docstring says how ours differs from theirs; see https://ceur-ws.org/Vol-2696/ for 2020 and
https://ceur-ws.org/Vol-2936/paper-205.pdf for 2021.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from models.base import Scores, group_sizes, percentile, standardise
from models.baselines import formula, values_of

SOURCE = ("source_strength", "bm25_k1.2_b0.75_argument")
"""The columns of `source_scores`."""


def best_of_topic(table: pd.DataFrame, values: Scores) -> Scores:
    """(n_rows,) the highest value of the row's topic, 0 where there is none above."""
    return np.maximum(pd.Series(values).groupby(table["qid"].to_numpy()).transform("max").to_numpy(), 0)


def shares_of_best(table: pd.DataFrame, values: Scores) -> Scores:
    """(n_rows,) values as shares of the topic's highest."""
    best = best_of_topic(table, values)
    return np.asarray(values / np.where(best > 0, best, 1))


def source_scores(table: pd.DataFrame) -> Scores:
    """(n_rows,) in [0, 1]: the source's score as a share of its best; where no source ranked a topic, BM25's."""
    given, searched = (values_of(table, column) for column in SOURCE)
    return np.where(best_of_topic(table, given) > 0, given, shares_of_best(table, searched))


@formula("source_reciprocal_rank", *SOURCE, name="source")
def source_order(table: pd.DataFrame) -> Scores:
    """The order in which the source gave the documents; BM25's where there was none.

    ChatNoir's order, where the list is ChatNoir's: the baseline of the lab; or a share of the best score.
    """
    fusion = 60  # ranks over which the first places differ little: reciprocal rank fusion (Cormack et al. 2009)
    rank = values_of(table, "source_reciprocal_rank")
    return np.where(rank > 0, fusion / (fusion + 1 / np.where(rank > 0, rank, 1)), source_scores(table))


@formula("comparative_cues")
def cues(table: pd.DataFrame) -> Scores:
    """The number of comparatives, superlatives and words of contrast."""
    return values_of(table, "comparative_cues")


@formula("comparative_sentences", "mean_argumentative", *SOURCE)
def bilbo(table: pd.DataFrame) -> Scores:
    """Source + support by comparisons and arguments (2020).

    Team Bilbo Baggins (Abye, Sager & Triebel 2020), the best of 2020: the sum of standard scores in the topic.

    Theirs sends ChatNoir four queries and reads whole documents, with CAM for comparative sentences and TARGER for
    arguments, and adds page ranks. Ours takes the list that it is given, words that compare and the learned
    argumentativeness.
    """
    source, compares, argues = (
        standardise(values, group_sizes(table))
        for values in (source_scores(table), table["comparative_sentences"], table["mean_argumentative"])
    )
    return np.asarray(source + (compares + argues) / 2)


@formula("mean_argumentative", SOURCE[1])
def inigo(table: pd.DataFrame) -> Scores:
    """BM25 x the share of claims and premises (2020).

    Team Inigo Montoya (2020): the query is matched with the claims and premises that TARGER tags.

    Ours is BM25 of the document by the mean learned argumentativeness of its sentences.
    """
    return values_of(table, SOURCE[1]) * values_of(table, "mean_argumentative")


@formula("compared_sentences", "objects_held", *SOURCE, name="katana-2020")
def katana(table: pd.DataFrame) -> Scores:
    """Source x (.5 x comparative sentences + objects), of the first 20 (2020).

    Team Katana's run Baseline_CAM_OBJ (Chekalina & Panchenko 2020): what the source puts low stays low.

    Theirs classifies sentences with CAM; ours counts those with both objects and a word that compares, and its score
    of the objects is the share of their terms.
    """
    sentences, source = np.expm1(values_of(table, "compared_sentences")), source_scores(table)
    scores = source * (0.5 * sentences + values_of(table, "objects_held"))
    topic = table["qid"].to_numpy()
    size = pd.Series(source).groupby(topic).transform("size").to_numpy()
    above = (1 - percentile(source, topic)) * (size - 1)
    # The source orders what is equal, and all of a question without objects.
    return np.where(above < 20, 1 + scores + 1e-3 * source, source)


@formula("query_term_count", *SOURCE)
def mercutio(table: pd.DataFrame) -> Scores:
    """How often the question's terms come + the source's score (2021).

    Team Mercutio's simplest and best ranking (Helmrich et al. 2021, paper 214): both parts weigh the same.

    Theirs expands the query and reads whole documents; ours counts the terms of the question alone.
    """
    return shares_of_best(table, np.expm1(values_of(table, "query_term_count"))) + source_scores(table)


@formula("best_argumentative", *SOURCE)
def zorro(table: pd.DataFrame) -> Scores:
    """Pages that argue first, in the order of their source (2020).

    Team Zorro (Shahshahani & Kamps 2020, paper 207): argumentative pages first, by page rank and web domain.

    Ours takes the learned argumentativeness of the best sentence, and the source's own score in place of page ranks.
    """
    argues = values_of(table, "best_argumentative") >= 0.5
    return np.asarray(1_000 * argues + 1e-3 * source_scores(table))
