"""What an ablation trains: rankers that see some of the features, each judged on topics it never saw.

Topics are described once. Learning is on units (a topic and two arguments), so what every variant shares is a
table of numbers that is handed to other processes as it is. A trial is one set of columns under one seed.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from experiments.ablation_notebook import MEASURES, Notebook
from experiments.report_page import counted
from ltr.errors import InputError, unfinished
from ltr.files import save_array
from ltr.formats import Qrels, argument_of
from ltr.learning import Judge
from ltr.workers import Processes, Workers
from models.base import Scores, TrainingSet, UnitTable, make_ranker, unit_table
from models.lambdamart import Parameters

if TYPE_CHECKING:
    from argparse import Namespace

    from ltr.matrix import Matrix
    from ltr.progress import Progress

EVERY = 30.0
"""Seconds between two plain lines where nobody sees a line that moves."""


@dataclass(frozen=True)
class Variant:
    """A set of columns with its name."""

    name: str
    kind: str
    """baseline, reference, leave-one-out, only or forward"""
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Fold:
    """Weakly labelled units of the topics that train, and the units of those that are held out."""

    units: npt.NDArray[np.int64]
    labels: Scores
    weights: Scores
    groups: npt.NDArray[np.int64]
    held: npt.NDArray[np.int64]


@dataclass(frozen=True)
class UnitList:
    """The units as `Judge` reads a matrix: one row each, arguments in place of sentences."""

    topics: list[str]
    groups: npt.NDArray[np.int64]
    first: npt.NDArray[Any]
    second: npt.NDArray[Any]

    def __iter__(self) -> Iterator[tuple[str, slice]]:
        ends = np.cumsum(self.groups)
        for topic, end, size in zip(self.topics, ends.tolist(), self.groups.tolist(), strict=True):
            yield topic, slice(end - size, end)


@dataclass(frozen=True)
class Bench:
    """What all trials share."""

    columns: list[str]
    signs: dict[str, int]
    table: UnitTable
    folds: dict[int, list[Fold]]
    """Seed -> folds."""
    judge: Judge
    parameters: Parameters


def make_bench(
    matrix: Matrix,
    qrels: Qrels,
    splits: dict[int, list[list[int]]],
    relabel: Callable[[Qrels], Any],
    signs: dict[str, int],
    parameters: Parameters,
    tick: Callable[[], None],
) -> Bench:
    """Table and folds. ``relabel`` gives weak labels from some judgments: those that are held out stay silent."""
    table = unit_table(matrix, list(signs))
    size = len(table.values)
    topic = np.repeat(np.arange(len(table.groups)), table.groups)
    folds: dict[int, list[Fold]] = {}
    for seed, split in splits.items():
        for held in split:
            hidden = {matrix.topics[position] for position in held}
            labels = relabel({number: grades for number, grades in qrels.items() if number not in hidden})
            rows = labels.used & ~np.isin(matrix.topic_of_row, held)
            unit = table.unit_of_row[rows]
            weight = np.bincount(unit, labels.weight[rows], size)
            label = np.bincount(unit, (labels.weight * labels.label)[rows], size)
            kept = np.flatnonzero(weight > 0)
            if not len(kept):
                raise InputError("--qrels", "too few topics have judged candidates to hold some out", "add judgments")
            groups = np.bincount(topic[kept], minlength=len(table.groups)).astype(np.int64)
            fold = Fold(
                kept,
                np.asarray(label[kept] / weight[kept], np.float64),
                np.asarray(weight[kept], np.float64),
                groups[groups > 0],
                np.flatnonzero(np.isin(topic, held)),
            )
            folds.setdefault(seed, []).append(fold)
            tick()
    firsts = np.zeros(size, np.int64)
    firsts[table.unit_of_row[::-1]] = np.arange(len(matrix))[::-1]
    sides = (np.array([argument_of(ids[row]) for row in firsts], object) for ids in (matrix.first, matrix.second))
    judge = Judge(UnitList(matrix.topics, table.groups, *sides), qrels)
    small = UnitTable(table.values, table.groups, np.zeros(0, np.int64))
    return Bench(list(signs), signs, small, folds, judge, parameters)


def try_columns(bench: Bench, columns: Sequence[str], seed: int) -> dict[str, list[float]]:
    """Measure -> (n_topics,) figures of held-out topics, for rankers that see ``columns`` alone."""
    places = [bench.columns.index(column) for column in columns]
    values = np.asarray(bench.table.values[:, places])
    scores = np.zeros(len(values))
    for fold in bench.folds[seed]:
        model = make_ranker(
            "lambdamart",
            columns=list(columns),
            signs={column: bench.signs[column] for column in columns},
            parameters=replace(bench.parameters, seed=seed),
        )
        model.fit(TrainingSet(values[fold.units], fold.labels, fold.weights, fold.groups))
        held = UnitTable(values[fold.held], np.zeros(0, np.int64), np.zeros(0, np.int64))
        scores[fold.held] = model.score_units(held)
    return {name: bench.judge.values(scores, condensed=name == "condensed").tolist() for name in MEASURES}


def trial_name(columns: Iterable[str], seed: int) -> str:
    """The same columns under the same seed are the same trial, whatever study asks for them."""
    return hashlib.sha256(json.dumps([seed, sorted(columns)]).encode()).hexdigest()[:24]


def run_trials(
    bench: Bench, sets: Sequence[Sequence[str]], notebook: Notebook, workers: Workers, tick: Callable[[], None]
) -> None:
    """Make the trials of each set of columns that the notebook lacks, under every seed."""
    missing, known = missing_trials(bench, sets, notebook)
    for _ in range(known):
        tick()
    made = workers.spread([(try_columns, (bench, columns, seed)) for columns, seed in missing.values()])
    for (name, (columns, seed)), figures in zip(missing.items(), made, strict=True):
        notebook.add(name, seed, columns, figures)
        tick()


def missing_trials(
    bench: Bench, sets: Sequence[Sequence[str]], notebook: Notebook
) -> tuple[dict[str, tuple[list[str], int]], int]:
    """Name -> columns and seed of the trials that are to be made, and how many others are known."""
    wanted = {trial_name(columns, seed): (list(columns), seed) for columns in sets for seed in bench.folds}
    missing = {name: trial for name, trial in wanted.items() if name not in notebook.trials}
    return missing, len(wanted) - len(missing)


def mean_over_seeds(notebook: Notebook, columns: Sequence[str], seeds: Iterable[int], measure: str) -> Scores:
    """(n_topics,) figures of a set of columns."""
    return np.asarray(np.mean([notebook.trials[trial_name(columns, seed)][measure] for seed in seeds], axis=0))


def families_of(columns: Sequence[str], over: str) -> dict[str, list[str]]:
    """Group or feature -> its columns, in the order of the registry."""
    from features.registry import column_features

    known = column_features()
    families: dict[str, list[str]] = {}
    for column in columns:
        families.setdefault(known[column].group if over == "groups" else known[column].name, []).append(column)
    return families


@contextmanager
def mapped(bench: Bench, path: Path) -> Iterator[Bench]:
    """``bench`` with its table in a memory-mapped file, there as long as the block lasts.

    Processes share it. Of a large array in memory joblib would make such a file itself, and leave it after a Ctrl-C.
    """
    unfinished[str(path)] = partial(path.unlink, missing_ok=True)
    try:
        save_array(path, np.ascontiguousarray(bench.table.values))
        yield replace(bench, table=replace(bench.table, values=np.load(path, mmap_mode="r")))
    finally:
        path.unlink(missing_ok=True)
        del unfinished[str(path)]


@contextmanager
def told(progress: Progress, name: str, total: int) -> Iterator[Callable[[], None]]:
    """A stage of ``total`` trainings; where stderr is no terminal it says a plain line now and then."""
    done, last = 0, time.monotonic()
    with progress.stage(name, unit="trainings", total=total) as tick:

        def tell() -> None:
            nonlocal done, last
            tick()
            done += 1
            if not sys.stderr.isatty() and time.monotonic() - last >= EVERY:
                last = time.monotonic()
                progress.say(f"{name}: {done:,} of {total:,} trainings")

        yield tell


def run(
    bench: Bench, notebook: Notebook, families: dict[str, list[str]], options: Namespace, progress: Progress
) -> list[Variant]:
    """Make every trial that is missing; the variants in the order in which they are told."""
    kinds = options.study or ["leave-one-out"]
    columns = tuple(bench.columns)
    found = [Variant("all features", "baseline", columns)]
    if signed := tuple(column for column in columns if bench.signs[column]):
        found += [Variant("as shipped: signed columns", "reference", signed)] if len(signed) < len(columns) else []
    if "leave-one-out" in kinds:
        for name, own in families.items():
            if rest := tuple(column for column in columns if column not in own):
                found.append(Variant(f"without {name}", "leave-one-out", rest))
    if "only" in kinds:
        found += [Variant(f"only {name}", "only", tuple(own)) for name, own in families.items()]
    sets = [variant.columns for variant in found]
    missing, known = missing_trials(bench, sets, notebook)
    progress.say(f"{counted(len(missing), 'training')} to make, {known:,} made before")
    with told(progress, "variants", len(missing) + known) as tick:
        run_trials(bench, sets, notebook, Processes(options.jobs), tick)
    if "forward" in kinds:
        found += forward(bench, notebook, families, options, progress)
    return found


def forward(
    bench: Bench, notebook: Notebook, families: dict[str, list[str]], options: Namespace, progress: Progress
) -> list[Variant]:
    """Families taken in one by one, the best of those that are left each time."""
    taken: list[str] = []
    found: list[Variant] = []
    number = min(options.steps or len(families), len(families))
    total = sum(len(families) - step for step in range(number)) * len(bench.folds)
    progress.say(f"forward: {counted(total, 'training')}, fewer where some were made before")
    with told(progress, "forward", total) as tick:
        for _ in range(number):
            # In the order of the matrix: the same columns in another order make other trees.
            sets = {
                name: tuple(c for c in bench.columns if any(c in families[one] for one in [*taken, name]))
                for name in families
                if name not in taken
            }
            run_trials(bench, list(sets.values()), notebook, Processes(options.jobs), tick)
            means = {n: mean_over_seeds(notebook, c, bench.folds, options.measure).mean() for n, c in sets.items()}
            best = max(means, key=lambda name: (round(means[name], 9), -list(families).index(name)))
            taken.append(best)
            found.append(Variant(f"{'+ ' if found else ''}{best}", "forward", sets[best]))
    return found
