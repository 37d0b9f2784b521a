from __future__ import annotations

import pytest

from ltr.data.runs import RunRow
from ltr.evaluation.further import COMPOSITION, composition

C1, P1, P2 = "S1-A1__CONC__1", "S1-A1__PREMISE__1", "S1-A1__PREMISE__2"
OTHER, FAR = "S1-A2__PREMISE__1", "S2-A3__CONC__1"


def rows(topic: str, *pairs: str) -> list[RunRow]:
    return [RunRow(topic, "PRO", pair, rank, -float(rank), "t") for rank, pair in enumerate(pairs, 1)]


def test_by_hand():
    run = rows("1", f"{C1},{P1}", f"{P1},{OTHER}", f"{P2},{FAR}", f"{OTHER},{FAR}") + rows("2", f"{C1},{FAR}")
    found = composition(run, k=3)
    assert found.keys() == COMPOSITION.keys()
    # Topic 1, three pairs: two across arguments, one across debates, two of a conclusion and a premise; arguments
    # A1 A2 A3; P1 twice among six sentences. Topic 2: across debates, both conclusions, two arguments, none twice.
    assert found["across_arguments"] == pytest.approx((2 / 3 + 1) / 2)
    assert found["across_debates"] == pytest.approx((1 / 3 + 1) / 2)
    assert found["conclusion_premise"] == pytest.approx((2 / 3 + 0) / 2)
    assert found["arguments"] == (3 + 2) / 2
    assert found["repeated_sentences"] == pytest.approx((1 / 6 + 0) / 2)
    assert composition(run, k=3, topics={"2"}) == composition(rows("2", f"{C1},{FAR}"))


def test_runs_without_pairs():
    assert composition(rows("1", "S1-A1")) == composition([]) == composition(rows("1", f"{C1},{P1}"), topics=()) == {}
