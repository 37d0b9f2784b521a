"""The variants of an ablation: families of features left out, standing alone, or taken in one by one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from experiments.ablation.log import TrialLog
from experiments.ablation.trials import AblationData, mean_over_draws, missing_trials, run_trials
from experiments.figures import MEASURES, counted

if TYPE_CHECKING:
    from ltr.progress import Progress

EVERY = 30.0
"""Seconds between two plain lines where nobody sees a line that moves."""


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
    from features.core.registry import column_features

    known = column_features()
    families: dict[str, list[str]] = {}
    for column in columns:
        families.setdefault(known[column].group if over == "groups" else known[column].name, []).append(column)
    return families


def run(
    data: AblationData,
    log: TrialLog,
    families: dict[str, list[str]],
    kinds: Sequence[str],
    *,
    measure: str,
    steps: int | None,
    jobs: int,
    progress: Progress,
) -> list[Variant]:
    """Make every trial that is missing; the variants by dimension, in the order of the table."""
    columns = tuple(data.columns)
    variants: dict[str, list[Variant]] = {}
    for dimension in data.figures.dimensions:
        own = variants.setdefault(dimension, [Variant(dimension, "all features", "baseline", columns)])
        if "leave-one-out" in kinds:
            for name, of in families.items():
                if rest := tuple(column for column in columns if column not in of):
                    own.append(Variant(dimension, f"without {name}", "leave-one-out", rest))
        if "only" in kinds:
            own += [Variant(dimension, f"only {name}", "only", tuple(of)) for name, of in families.items()]
    wanted = [(variant.dimension, variant.columns) for own in variants.values() for variant in own]
    missing, known = missing_trials(data, wanted, log)
    progress.say(f"{counted(len(missing), 'trial')} to make, {known:,} made before")
    with logged_stage(progress, "variants", len(missing) + known) as tick:
        run_trials(data, wanted, log, jobs, tick)
    if "forward" in kinds:
        number = min(steps or len(families), len(families))
        total = sum(len(families) - step for step in range(number)) * data.draws * len(variants)
        progress.say(f"forward: {counted(total, 'trial')}, fewer where some were made before")
        with logged_stage(progress, "forward", total) as tick:
            for dimension in variants:
                place = MEASURES.index(measure)
                variants[dimension] += forward(data, log, families, dimension, place, number, jobs, tick)
    return [variant for own in variants.values() for variant in own]


def forward(
    data: AblationData,
    log: TrialLog,
    families: dict[str, list[str]],
    dimension: str,
    measure: int,
    steps: int,
    jobs: int,
    tick: Callable[[], None],
) -> list[Variant]:
    """Families taken in one by one, the best of those that are left each time."""
    taken: list[str] = []
    found: list[Variant] = []
    for _ in range(steps):
        # In the order of the matrix: the same columns in another order make other trees.
        sets = {
            name: tuple(c for c in data.columns if any(c in families[one] for one in [*taken, name]))
            for name in families
            if name not in taken
        }
        run_trials(data, [(dimension, columns) for columns in sets.values()], log, jobs, tick)
        means = {
            name: float(np.nanmean(mean_over_draws(log, dimension, columns, data.draws)[:, measure]))
            for name, columns in sets.items()
        }
        best = max(means, key=lambda name: (round(means[name], 9), -list(families).index(name)))
        taken.append(best)
        found.append(Variant(dimension, f"{'+ ' if found else ''}{best}", "forward", sets[best]))
    return found


@contextmanager
def logged_stage(progress: Progress, name: str, total: int) -> Iterator[Callable[[], None]]:
    """A stage of ``total`` trials; where stderr is no terminal it says a plain line now and then."""
    done, last = 0, time.monotonic()
    with progress.stage(name, unit="trials", total=total) as tick:

        def count() -> None:
            nonlocal done, last
            tick()
            done += 1
            if not sys.stderr.isatty() and time.monotonic() - last >= EVERY:
                last = time.monotonic()
                progress.say(f"{name}: {done:,} of {total:,} trials")

        yield count
