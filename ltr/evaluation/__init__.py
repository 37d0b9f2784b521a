"""Measure runs by relevance judgments, and compare runs: :func:`evaluate`."""

from ltr.evaluation.report import Report
from ltr.evaluation.runs import evaluate

__all__ = ["Report", "evaluate"]
