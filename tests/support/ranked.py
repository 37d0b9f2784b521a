"""Runs from lists of ids."""

from __future__ import annotations

from ltr.data.runs import RunRow

P, Q, R = "x__PREMISE__1", "x__CONC__1", "y__PREMISE__1"


def run(**topics: list[str]) -> list[RunRow]:
    """``run(t1=["a", "b"])``: topic 1 ranks a before b."""
    return [
        RunRow(topic[1:], "PRO", id_, rank, 100.0 - rank, "t")
        for topic, ids in topics.items()
        for rank, id_ in enumerate(ids, 1)
    ]
