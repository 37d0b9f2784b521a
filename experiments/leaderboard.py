"""Runs beside each other by sets of judgments: figures with intervals, and paired differences from a reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ltr.data.qrels import Qrels
from ltr.evaluation.evaluator import Evaluation
from ltr.evaluation.paired_tests import paired_tests
from ltr.index.reader import Index

REFERENCE = "dirichlet"
"""The baseline that others are compared with."""
MEASURES = ("nDCG@5", "judged@5", "condensed_nDCG@5")
INTERVAL = ("mean", "low", "high")


def scorable(qrels: Qrels, index: Index) -> tuple[Qrels, dict[str, int]]:
    """Judgments of arguments in the corpus, of topics where one of them is relevant; and what was left out."""
    held = index.argument_rows([a for grades in qrels.values() for a in grades])
    inside = {topic: {a: g for a, g in grades.items() if a in held} for topic, grades in qrels.items()}
    kept = {topic: grades for topic, grades in inside.items() if max(grades.values(), default=0) > 0}
    before, after = (sum(map(len, some.values())) for some in (qrels, inside))
    return kept, {
        "judgments absent from the corpus": before - after,
        "topics without a relevant argument": len(qrels) - len(kept),
    }


def boards(evaluations: Mapping[str, Mapping[str, Evaluation]], reference: str) -> list[dict[str, Any]]:
    """A board for each set of judgments from evaluations by run and set; all p values are corrected together."""
    pairs = [(run, reference) for run in evaluations if run != reference]
    tests = {
        (test.judgments, test.run, test.measure): asdict(test.difference) | {"p": test.adjusted_p}
        for test in paired_tests(evaluations, pairs, MEASURES)
    }
    return [
        {
            "set": name,
            "level": first.level,
            "topics": len(first.coverage.judged),
            "against": reference,
            "rows": [
                figures_of(run, by_set[name]) | {"tests": {m: tests.get((name, run, m)) for m in MEASURES}}
                for run, by_set in evaluations.items()
            ],
            "values": {m: {run: one[name].values[m] for run, one in evaluations.items()} for m in MEASURES},
        }
        for name, first in next(iter(evaluations.values())).items()
    ]


def figures_of(run: str, one: Evaluation) -> dict[str, Any]:
    """A row of a board without tests."""
    figures = {m: dict(zip(INTERVAL, (one.means[m], *one.intervals[m]), strict=True)) for m in MEASURES}
    return {"run": run, "missing": len(one.coverage.missing), **figures}
