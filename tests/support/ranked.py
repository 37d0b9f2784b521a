"""Runs from lists of ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ltr.data.qrels import Grades
from ltr.data.runs import RunRow
from ltr.evaluation.evaluator import Evaluation, check_match, evaluate_orders
from ltr.evaluation.inputs import QRELS, qrels_of, run_rows
from ltr.evaluation.irmeasures import parse_measures
from ltr.evaluation.measures import standard_measures
from ltr.evaluation.rankings import run_order

if TYPE_CHECKING:
    from ltr.evaluation.inputs import Judged, Run

P, Q, R = "x__PREMISE__1", "x__CONC__1", "y__PREMISE__1"


def run(**topics: list[str]) -> list[RunRow]:
    """``run(t1=["a", "b"])``: topic 1 ranks a before b."""
    return [
        RunRow(topic[1:], "PRO", id_, rank, 100.0 - rank, "t")
        for topic, ids in topics.items()
        for rank, id_ in enumerate(ids, 1)
    ]


def evaluate_rows(rows: list[RunRow], qrels: Grades) -> Evaluation:
    """As `evaluate_run`, but of runs without a judged topic, too."""
    return evaluate_orders([run_order(rows)], qrels, standard_measures())


def evaluate_run(given: Run, qrels: Judged, measures: Any = None, *, strict_order: bool = False) -> Evaluation:
    """The figures of a run, as `ltr.evaluation.evaluate` has them in its report."""
    rows, judged = run_rows(given), qrels_of(qrels)
    check_match("run", rows, {QRELS: judged})
    wanted = standard_measures() if measures is None else parse_measures(measures)
    return evaluate_orders([run_order(rows)], judged, wanted, strict_order=strict_order)
