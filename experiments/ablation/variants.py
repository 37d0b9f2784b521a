"""The variants of an ablation: families of features left out, standing alone, or taken in one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.ablation.trials import Trials
from experiments.figures import MEASURES, counted
from features.core.feature import all_columns
from ltr.progress import Progress


@dataclass(frozen=True)
class Variant:
    """A set of columns with its name, in one dimension."""

    dimension: str
    name: str
    kind: str
    """baseline, leave-one-out, only or forward"""
    columns: tuple[str, ...]


def families_of(columns: Sequence[str], over: str) -> dict[str, list[str]]:
    """Group or feature -> its columns, in the order of the registry."""
    known = all_columns()
    families: dict[str, list[str]] = {}
    for column in columns:
        families.setdefault(known[column].group if over == "groups" else known[column].name, []).append(column)
    return families


def run(
    trials: Trials,
    families: Mapping[str, Sequence[str]],
    kinds: Sequence[str],
    measure: str,
    steps: int | None,
    progress: Progress,
) -> list[Variant]:
    """Make every trial that is missing; the variants by dimension, in the order of the table."""
    columns = tuple(trials.columns)
    sets = [("all features", "baseline", columns)]
    if "leave-one-out" in kinds:
        rest = {name: tuple(column for column in columns if column not in of) for name, of in families.items()}
        sets += [(f"without {name}", "leave-one-out", others) for name, others in rest.items() if others]
    if "only" in kinds:
        sets += [(f"only {name}", "only", tuple(of)) for name, of in families.items()]
    variants = {name: [Variant(name, *one) for one in sets] for name in trials.figures.dimensions}
    wanted = [(name, of) for name in variants for _, _, of in sets]
    named = trials.named(wanted)
    known = sum(name in trials.log for name in named)
    progress.say(f"{counted(len(named) - known, 'trial')} to make, {known:,} made before")
    with progress.stage("variants", unit="trials", total=len(named)) as tick:
        trials.run(wanted, tick)
    if "forward" in kinds:
        number = min(steps or len(families), len(families))
        total = sum(len(families) - step for step in range(number)) * len(trials.draws) * len(variants)
        progress.say(f"forward: {counted(total, 'trial')}, fewer where some were made before")
        with progress.stage("forward", unit="trials", total=total) as tick:
            for dimension in variants:
                variants[dimension] += forward(trials, families, dimension, MEASURES.index(measure), number, tick)
    return [variant for own in variants.values() for variant in own]


def forward(
    trials: Trials,
    families: Mapping[str, Sequence[str]],
    dimension: str,
    measure: int,
    steps: int,
    tick: Callable[[], None],
) -> list[Variant]:
    """Families taken in one by one, the best of those that are left each time."""
    taken: list[str] = []
    found: list[Variant] = []
    for _ in range(steps):
        # In the order of the matrix: the same columns in another order make other trees.
        sets = {
            name: tuple(c for c in trials.columns if any(c in families[one] for one in [*taken, name]))
            for name in families
            if name not in taken
        }
        trials.run([(dimension, columns) for columns in sets.values()], tick)
        means = {
            name: round(float(np.nanmean(trials.values(dimension, of)[:, measure])), 9) for name, of in sets.items()
        }
        best = max(means, key=means.__getitem__)  # of equal ones the first
        taken.append(best)
        found.append(Variant(dimension, f"{'+ ' if found else ''}{best}", "forward", sets[best]))
    return found
