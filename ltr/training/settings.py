"""Settings of a training, and the files that it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from ltr.data.qrels import Level
from ltr.errors import InputError
from ltr.supervision.labels import SOURCES, Sources, check_functions
from models.base import Parameters
from models.blend import WEIGHTS


@dataclass(frozen=True)
class TrainingSettings:
    """What is learned, from which labels, and how it is checked."""

    parameters: Parameters
    sources: Sources = field(default_factory=Sources)
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    """Weights in the blend: of dimensions, and of baselines."""
    folds: int = 5
    """Parts of the cross-validation."""


class Judged(NamedTuple):
    """What a set of judgments is about; as text the key in a manifest, such as "pairs, relevance"."""

    level: Literal["pairs", "arguments"]
    dimension: str

    @classmethod
    def of(cls, level: Level, dimension: str) -> Judged:
        """From the level of qrels."""
        return cls("pairs" if level == "pair" else "arguments", dimension)

    def __str__(self) -> str:
        return f"{self.level}, {self.dimension}"


@dataclass(frozen=True)
class TrainingFiles:
    """Topics and judgments to learn from."""

    topics: Sequence[Path]
    arguments: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    """Dimension -> judgments of arguments, or of other whole items."""
    pairs: Sequence[tuple[str, Path]] = ()
    """Dimension and file of graded pairs."""

    def by_judged(self) -> dict[Judged, list[Path]]:
        """The files of each set of judgments."""
        files = {Judged("arguments", name): list(paths) for name, paths in self.arguments.items() if paths}
        for name, path in self.pairs:
            files.setdefault(Judged("pairs", name), []).append(path)
        return files


def parse_sources(names: str | None, functions: str | None) -> Sources:
    """Sources of labels and labelling functions from comma-separated names; None: all. Raises InputError."""
    chosen = SOURCES if names is None else tuple(names.split(","))
    if unknown := [name for name in chosen if name not in SOURCES]:
        raise InputError("--sources", f"{unknown[0][:80]!r} is none of {', '.join(SOURCES)}")
    known = check_functions(functions.split(",") if functions else ())
    return Sources("distant" in chosen, "weak" in chosen, "graded" in chosen, known)
