"""Figures and tests as plain data, for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ltr.evaluation.evaluator import Evaluation
from ltr.evaluation.inputs import QRELS
from ltr.evaluation.significance import PairedTest


def comparison(test: PairedTest) -> dict[str, Any]:
    """A test, with the figures of its difference beside its other facts."""
    row = asdict(test)
    difference: dict[str, Any] = row.pop("difference")
    return difference | row


def run_data(run: str, by_set: Mapping[str, Evaluation]) -> dict[str, Any]:
    """A run's figures as plain data: those without a dimension, and those of each dimension."""
    dimensions = {name: _figures(evaluation) for name, evaluation in by_set.items()}
    without = dimensions.pop(QRELS, {})
    return {"run": run, **without, **({"dimensions": dimensions} if dimensions else {})}


def _figures(evaluation: Evaluation) -> dict[str, Any]:
    measures = {
        measure: {
            "mean": found.mean,
            "low": found.low,
            "high": found.high,
            "per_topic": evaluation.values.get(measure, {}),
        }
        for measure, found in evaluation.summary.items()
    }
    coverage = asdict(evaluation.coverage)
    topics = {key: value for key, value in coverage.items() if isinstance(value, tuple)}
    counts = coverage | {key: len(value) for key, value in topics.items()}
    return {"measures": measures, "counts": counts, "topics": topics}
