"""Settings that the studies share. Imports nothing heavy, so that ``--help`` is instant."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ltr.settings import Settings, setting
from ltr.settings.kinds import TOPICS, File, Number
from ltr.settings.shared import CORPUS, Output
from ltr.training.settings import LearningSettings

TREES = setting(Number(1, 5000), "trees of a ranker", default=200)
SEEDS = setting(Number(1, 50), "draws of the folds, and seeds of the rankers, that figures average over", default=1)


@dataclass(frozen=True, kw_only=True)
class StudySettings(LearningSettings, Output):
    """Files that a study reads, how often folds are drawn, and how large rankers are."""

    input: str = CORPUS
    topics: tuple[Path, ...] = setting(TOPICS, "training topics XML", several=True, default=...)
    seeds: int = SEEDS
    trees: int = TREES
    averaged: int = 2
    """Models of each objective that a ranker averages."""

    def size(self) -> dict[str, int | str]:
        """Task and size of a study, for its JSON."""
        names = ("task", "folds", "trees", "columns", "averaged")
        return {name: getattr(self, name) for name in names} | {"draws": self.seeds}


@dataclass(frozen=True, kw_only=True)
class ReportFiles(Settings):
    """The files of a study's report."""

    json: Path | None = setting(File(), "write the figures there too")
    html: Path | None = setting(File(), "write charts and tables there, as a page of its own")

    def report_files(self) -> dict[str, Path]:
        """Format -> its file, of those that are named."""
        return {name: path for name in ("json", "html") if (path := getattr(self, name))}
