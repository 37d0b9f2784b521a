"""Votes of labelling functions, by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from support.judged import shrink
from support.tables import Pair, plain_table

from ltr.data.qrels import Qrels
from ltr.errors import InputError
from ltr.learning.functions import NOISE, Evidence, LabellingFunction, Values, labelling_functions
from ltr.learning.labels import collect_votes
from ltr.ranking.candidates import Candidates

A1, A2 = "S1-A1__PREMISE__1", "S1-A1__PREMISE__2"
B1, C1, D1 = (f"S{n}-A{n}__PREMISE__1" for n in (2, 3, 4))
A, B, C, D = "S1-A1", "S2-A2", "S3-A3", "S4-A4"
NAN = float("nan")
TOGETHER = (
    {
        "same_argument": [1.0, 1, 1, 1, 1, 1, 0, 0],
        "conclusions": [0.0, 0, 0, 0, 0, 1, 0, 1],
        "distance": [1.0, 2, 3, 4, 5, 5, 1, 1],
    },
    [1, 0.85, 0.7, 0.7, 0.6, 1, 0.3, 0.3],
)
BY_HAND: dict[str, tuple[dict[str, list[float]], list[float]]] = {
    "off_unless_judged": ({"dph_argument": [3, 1]}, [0, 0]),
    "noisy": ({f"{kind}_max": [float(n == row) for row in range(5)] for n, kind in enumerate(NOISE)}, [0] * 4 + [NAN]),
    "words_covered": ({"coverage_in_debate": [0.25, 1, 0.25]}, [0.25, 1, 0.25]),  # not a percentile
    "sentence_near": ({"meaning_question_max": [0.25, -0.5, 1]}, [0.25, 0, 1]),  # a cosine
    **dict.fromkeys(("opens", "opens_together"), ({"index_from_start_second": [7, 0, 3]}, [0.0, 1, 0.5])),
    **dict.fromkeys(("stands_together", "one_passage"), TOGETHER),
    "contradicts": ({"stance_conflict": [0, 1, 0]}, [NAN, 0, NAN]),
}
PERCENTILES = {
    function.name: function.columns[0]
    for function in labelling_functions(kind="pair").values()
    if not function.uses_qrels and function.name not in BY_HAND
}


def vote(name: str, table: Candidates, qrels: Qrels | None = None) -> list[float]:
    votes: Values = labelling_functions()[name].vote(Evidence(table, shrink(qrels or {}, 1)))
    return votes.tolist()


def rows(**columns: list[float]) -> Candidates:
    """A topic with a row for each value, in order."""
    number = len(next(iter(columns.values())))
    pairs: list[Pair] = [(f"S1-A{n:04x}__PREMISE__1", f"S1-A{n:04x}__PREMISE__2") for n in range(number)]
    return plain_table({"1": pairs}, columns)


@pytest.mark.parametrize("name", ["judged_relevance", "judged_quality"])
def test_a_pair_is_as_good_as_the_weaker_of_its_arguments(name: str):
    table = plain_table({"1": [(A1, A2), (A1, B1), (A1, C1), (B1, C1), (C1, D1)], "2": [(C1, D1)]})
    # The best grade of all is 4. Inside A: 2 of 4. With B: 1 of 4; with C: -2 counts 0. D is not judged.
    qrels = {"1": {A: 2.0, B: 1.0, C: -2.0, "S9-A9": 4.0}, "2": {C: 1.0}}
    np.testing.assert_array_equal(vote(name, table, qrels), [0.5, 0.25, 0, 0, NAN, NAN])


@pytest.mark.parametrize("name", PERCENTILES)
def test_places_within_the_topic(name: str):
    column = PERCENTILES[name]
    assert vote(name, rows(**{column: [0.9, 0.1, 0.5, 0.5, 0.2]})) == [1, 0, 0.625, 0.625, 0.25]
    two = plain_table({"1": [(A1, A2), (A1, B1)], "2": [(C1, D1), (B1, C1)]}, {column: [1.0, 2, 30, 20]})
    assert vote(name, two) == [0, 1, 0, 1]  # sorted, (B1, C1) stands before (C1, D1)


@pytest.mark.parametrize("name", BY_HAND)
def test_votes_by_hand(name: str):
    columns, votes = BY_HAND[name]
    np.testing.assert_array_equal(vote(name, rows(**columns)), votes)


def test_no_function_votes_on_the_quality_of_arguments():
    assert list(labelling_functions("quality", "argument")) == []


@pytest.mark.parametrize("read", [lambda it: it.column("no_such"), lambda it: it.table["no_such"].to_numpy()])
def test_an_unknown_column_is_named(read: Callable[[Evidence], Values]) -> None:
    mine = LabellingFunction("mine", "quality", "", ("no_such",), 1.0, "pair", False, read)
    with pytest.raises(InputError, match=r"labelling function 'mine': there is no (feature )?column 'no_such'"):
        collect_votes(Evidence(rows(distance=[1.0])), [mine])


def test_without_an_encoder_nearness_abstains():
    assert np.isnan(vote("sentence_near", rows(same_argument=[1.0, 0.0]))).all()
