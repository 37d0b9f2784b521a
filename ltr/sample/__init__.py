"""The corpora, topics and judgments that ship with Riposte: small, whole, and in the task's own formats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
    """Corpus and training data of a task, for commands that are given no corpus."""

    folder: Path = SAMPLE
    """The corpus, with the test topics in topics.xml."""
    pair_qrels: Sequence[tuple[str, Path]] = ()

    @property
    def topics(self) -> Path:
        """Training topics."""
        return self.folder / TRAIN_TOPICS.name

    @property
    def qrels(self) -> dict[str, list[Path]]:
        """Judgments of whole items of the corpus, by dimension."""
        return {name: [self.folder / path.name for path in paths] for name, paths in TRAIN_QRELS.items()}
