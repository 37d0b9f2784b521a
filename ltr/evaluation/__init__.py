"""Measure runs against relevance judgments, and compare runs: :func:`evaluate` and :func:`compare`."""

from ltr.evaluation.comparison import Comparison, compare
from ltr.evaluation.evaluator import Evaluation, evaluate

__all__ = ["Comparison", "Evaluation", "compare", "evaluate"]
