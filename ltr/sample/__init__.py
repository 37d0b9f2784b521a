"""The corpus, topics and judgments that ship with Riposte: small, whole, and in the task's own formats."""

from __future__ import annotations

from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Sample:
    """What a task is shown with, and trained on, when no corpus is named."""

    folder: Path
    topics: Path = TRAIN_TOPICS
    """To train on; topics.xml in the folder is to be answered."""
    qrels: dict[str, list[Path]] = field(default_factory=TRAIN_QRELS.copy)
    pair_qrels: list[tuple[str, Path]] = field(default_factory=list)


_COMPARATIVE = SAMPLE / "comparative"

SAMPLES = {
    "pairs": Sample(SAMPLE, pair_qrels=TRAIN_PAIR_QRELS),
    "arguments": Sample(SAMPLE),
    "comparative": Sample(
        _COMPARATIVE,
        _COMPARATIVE / "topics-train.xml",
        {name: [_COMPARATIVE / f"qrels-train-{name}.qrels"] for name in TRAIN_QRELS},
    ),
}
"""By task."""
