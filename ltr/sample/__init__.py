"""The corpus, topics and judgments that ship with Riposte: small, whole, and in the task's own formats."""

from __future__ import annotations

from pathlib import Path

SAMPLE = Path(__file__).resolve().parent
"""A folder as the commands' ``-i`` takes it; topics.xml has the test topics."""

TRAIN_TOPICS = SAMPLE / "topics-train.xml"

TRAIN_QRELS = {name: [SAMPLE / f"qrels-train-{name}.qrels"] for name in ("relevance", "quality")}
"""Judgments of arguments by dimension."""

TRAIN_PAIR_QRELS = [
    (name, SAMPLE / f"qrels-train-pairs-{name}.qrels") for name in ("relevance", "quality", "coherence")
]
"""Graded pairs: dimension and file."""
