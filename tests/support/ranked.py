"""Runs from lists of ids."""

from __future__ import annotations

from ltr.data.qrels import Grades
from ltr.data.runs import RunRow
from ltr.evaluation.evaluator import Evaluation, Settings, evaluate_orders
from ltr.evaluation.measures import standard_measures
from ltr.evaluation.rankings import run_order

P, Q, R = "x__PREMISE__1", "x__CONC__1", "y__PREMISE__1"


def run(**topics: list[str]) -> list[RunRow]:
    """``run(t1=["a", "b"])``: topic 1 ranks a before b."""
    return [
        RunRow(topic[1:], "PRO", id_, rank, 100.0 - rank, "t")
        for topic, ids in topics.items()
        for rank, id_ in enumerate(ids, 1)
    ]


def evaluate_rows(rows: list[RunRow], qrels: Grades) -> Evaluation:
    """As `ltr.evaluation.evaluate`, but of runs without a judged topic, too."""
    return evaluate_orders([run_order(rows)], qrels, Settings(standard_measures()))
