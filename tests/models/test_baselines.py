"""Baselines by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from support.tables import Source, make_argument_table, make_part, make_statistics

from models.base import make_ranker

ONE = np.array([3])


def scores(name: str, **columns: list[float]) -> list[float]:
    frame = pd.DataFrame({column: np.array(values, np.float32) for column, values in columns.items()})
    found: list[float] = make_ranker(name, kind="argument").score(make_part(frame, ONE)).tolist()
    return found


def test_elrond_adds_titles_to_bodies_that_match():
    body, title = [2.0, 0.0, 1.0], [0.5, 9.0, 2.0]
    assert scores("elrond", dirichlet_2500_argument=body, dirichlet_2500_title=title) == [2.5, 0, 3]


def test_heimdall_multiplies_match_subject_and_quality():
    # 2 (1 + .5 + 1) (1 + .5) = 7.5; 4 (1 - 1 + 1) (1 + 0) = 4; no match, no score
    columns = {"latent_topic_argument": [0.5, -1, 1], "convincing_argument": [0.5, 0, 1]}
    assert scores("heimdall", dirichlet_2500_argument=[2, 4, 0], **columns) == [7.5, 4, 0]


# ---- members of the blend of pairs ---------------------------------------------------------------------

Row = tuple[float, float, float]
"""Shares of the question's rare words in the weaker argument and in the pair, DirichletLM of the weaker argument."""


def words(*rows: Row) -> list[float]:
    ranker = make_ranker("words")
    frame = pd.DataFrame(list(rows), columns=ranker.columns, dtype=np.float32)
    found: list[float] = ranker.score(make_part(frame, np.array([len(frame)]))).tolist()
    return found


def test_words_are_the_mean_of_two_shares_and_a_fifth_of_a_standard_score():
    # Means of shares .75, 1, .25. DirichletLM 2, 4, 6: mean 4, deviation (8 / 3) ** .5 = 1.632993, standard scores
    # -1.224745, 0, 1.224745; a fifth is .244949.
    found = words((0.5, 1, 2), (1, 1, 4), (0, 0.5, 6))
    assert found == pytest.approx([0.75 - 0.244949, 1, 0.25 + 0.244949], abs=1e-6)
    assert words((0.5, 1, 3), (1, 1, 3)) == [0.75, 1], "DirichletLM is the same everywhere: the shares alone"
    assert make_ranker("words").columns == ["coverage_argument_min", "coverage_pair", "dirichlet_2500_argument_min"]


def test_a_pair_argues_as_far_as_its_less_argumentative_sentence():
    # Each of 3 pairs gets the lower of its probabilities, in two topics: nothing is standardised.
    frame = pd.DataFrame({"argumentative_min": [0.25, 0.75, 0.5], "argumentative_max": [1, 0.75, 0.5]}, np.arange(3))
    ranker = make_ranker("argues")
    assert ranker.columns == ["argumentative_min"]
    assert ranker.score(make_part(frame.astype(np.float32), np.array([2, 1]))).tolist() == [0.25, 0.75, 0.5]


# ---- what they are made of ----------------------------------------------------------------------------

CARS = (
    Source("S1-A1", "PRO", "Cars harm cities", ("Cars are loud.",), title="Ban cars from cities"),
    Source("S1-A2", "CON", "", ("Trams are quiet.",), title=""),
)


def test_the_title_is_matched_with_the_statistics_of_conclusions():
    # Conclusions: car harm citi, 3 terms; (cf + 1) / (tokens + 1) = 2 / 4. The title has 3 terms, car once:
    # ln(1 + 1 / (2500 * .5)) + ln(2500 / 2503)
    found = make_argument_table(CARS, "Cars?").features["dirichlet_2500_title"]
    by_hand = np.log1p(1 / 1250) + np.log(2500 / 2503)
    assert by_hand < 0  # so short a title pays more for its length than one word gives: Lucene's floor
    assert found.tolist() == [0, 0]
    many = tuple(Source(f"S2-A{n}", "PRO", f"Trams serve towns {n}", ("Yes.",)) for n in range(3))
    statistics = make_statistics((*CARS, *many))
    cf, tokens = statistics.cf("conclusion", ["car"])[0], statistics.units["conclusion"].tokens
    found = make_argument_table(CARS, "Cars?", statistics=statistics).features["dirichlet_2500_title"].tolist()
    assert found[0] == pytest.approx(max(np.log1p((tokens + 1) / (2500 * (cf + 1))) + np.log(2500 / 2503), 0), rel=1e-4)
    assert found[0] > 0 == found[1]
