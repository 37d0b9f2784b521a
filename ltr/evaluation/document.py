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
    dimensions = {}
    for name, evaluation in by_set.items():
        measures: dict[str, Any] = {}
        for measure, found in evaluation.summary.items():
            mean = {end: getattr(found, end) for end in ("mean", "low", "high")}
            measures[measure] = mean | {"per_topic": evaluation.values.get(measure, {})}
        coverage = asdict(evaluation.coverage)
        topics = {key: value for key, value in coverage.items() if isinstance(value, tuple)}
        counts = coverage | {key: len(value) for key, value in topics.items()}
        dimensions[name] = {"measures": measures, "counts": counts, "topics": topics}
    without = dimensions.pop(QRELS, {})
    return {"run": run, **without, **({"dimensions": dimensions} if dimensions else {})}
