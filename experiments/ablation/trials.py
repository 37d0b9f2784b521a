"""Trials of an ablation: rankers that see some of the features, each judged on topics it never saw.

A trial is one set of columns, in one dimension, under one draw of folds. Topics are described once, and labels are made
once: what trials share is a table of numbers in a file, which processes map into memory.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from experiments.ablation.log import Trial, TrialLog
from experiments.figures import MEASURES, Figures, Values, mean_over, or_none
from ltr.data.files import save_array
from ltr.interrupts import unfinished
from ltr.parallel.processes import Processes
from ltr.supervision.labels import Sources
from models.base import Scores, TrainingSet
from models.inputs import column_of
from models.lambdamart import Parameters
from models.selection import fit_selected

if TYPE_CHECKING:
    from experiments.study import Study


@dataclass(frozen=True)
class Fold:
    """Labelled rows of the topics that train, and the rows of those that are held out."""

    rows: npt.NDArray[np.int64]
    labels: Scores
    weights: Scores
    groups: npt.NDArray[np.int64]
    held: npt.NDArray[np.int64]


@dataclass(frozen=True)
class AblationData:
    """What all trials share."""

    table: Path
    """(n_rows, n_inputs) values as `numpy.save` writes them."""
    inputs: list[str]
    folds: dict[tuple[str, int], list[Fold]]
    """Dimension and draw -> folds."""
    parameters: list[Parameters]
    """Those of each draw."""
    figures: Figures

    @property
    def draws(self) -> int:
        """Draws of folds."""
        return len(self.parameters)

    @property
    def columns(self) -> list[str]:
        """The feature columns, in order."""
        return list(dict.fromkeys(map(column_of, self.inputs)))


def make_folds(study: Study, dimensions: Sequence[str], tick: Callable[[], None]) -> dict[tuple[str, int], list[Fold]]:
    """Labels of every dimension, draw and fold: judgments of what is held out stay silent."""
    matrix = study.matrix
    folds: dict[tuple[str, int], list[Fold]] = {}
    for draw, split in enumerate(study.splits):
        for topics in split:
            held = np.flatnonzero(np.isin(matrix.topic_of_row, topics))
            found = study.examples.held_out_labels(topics, dimensions, Sources(), seed=draw)
            for dimension, labels in found.items():
                rows = np.flatnonzero(labels.used)
                groups = np.bincount(matrix.topic_of_row[rows], minlength=len(matrix.groups)).astype(np.int64)
                fold = Fold(rows, labels.label[rows], labels.weight[rows], groups[groups > 0], held)
                folds.setdefault((dimension, draw), []).append(fold)
            tick()
    return folds


def try_columns(
    table: Path, inputs: Sequence[str], columns: Sequence[str], folds: Sequence[Fold], parameters: Parameters
) -> Scores:
    """(n_rows,) scores of held-out topics, by rankers that see ``columns`` alone."""
    seen = set(columns)
    places = [place for place, name in enumerate(inputs) if column_of(name) in seen]
    values = np.load(table, mmap_mode="r")[:, places]
    names = [inputs[place] for place in places]
    scores = np.zeros(len(values))
    for fold in folds:
        model = fit_selected(TrainingSet(values[fold.rows], fold.labels, fold.weights, fold.groups), names, parameters)
        own = [names.index(name) for name in model.inputs]
        scores[fold.held] = model.score_values(np.ascontiguousarray(values[fold.held][:, own]))
    return scores


def trial_name(dimension: str, columns: Sequence[str], draw: int) -> str:
    """The same columns in the same dimension and draw are the same trial, whatever study asks for them."""
    return hashlib.sha256(json.dumps([dimension, draw, sorted(columns)]).encode()).hexdigest()[:24]


ColumnSet = tuple[str, tuple[str, ...]]
"""A dimension and a set of columns."""


def missing_trials(
    data: AblationData, wanted: Sequence[ColumnSet], log: TrialLog
) -> tuple[dict[str, tuple[str, tuple[str, ...], int]], int]:
    """Name -> dimension, columns and draw of the trials that are to be made, and how many others are known."""
    named = {trial_name(d, columns, draw): (d, columns, draw) for d, columns in wanted for draw in range(data.draws)}
    missing = {name: trial for name, trial in named.items() if name not in log.trials}
    return missing, len(named) - len(missing)


def run_trials(
    data: AblationData, wanted: Sequence[ColumnSet], log: TrialLog, jobs: int, tick: Callable[[], None]
) -> None:
    """Make the trials that the log lacks, under every draw."""
    missing, known = missing_trials(data, wanted, log)
    for _ in range(known):
        tick()
    calls = [
        (try_columns, (data.table, data.inputs, columns, data.folds[dimension, draw], data.parameters[draw]))
        for dimension, columns, draw in missing.values()
    ]
    made = Processes(jobs).map(calls)
    for (name, (dimension, columns, draw)), scores in zip(missing.items(), made, strict=True):
        facts = {"dimension": dimension, "draw": draw, "columns": len(columns)}
        log.add(name, facts, as_trial(data.figures.values(scores, dimension)))
        tick()


def as_trial(values: Values) -> Trial:
    """(n_topics, n_measures) figures by measure, as JSON has them."""
    return {measure: or_none(column) for measure, column in zip(MEASURES, values.T, strict=True)}


def mean_over_draws(log: TrialLog, dimension: str, columns: Sequence[str], draws: int) -> Values:
    """(n_topics, n_measures) figures of a set of columns, NaN for topics that cannot be scored."""
    found = [log.figures(trial_name(dimension, columns, draw)) for draw in range(draws)]
    return mean_over(np.array([trial[measure] for measure in MEASURES], np.float64).T for trial in found)


@contextmanager
def saved_table(path: Path, values: npt.NDArray[np.float32]) -> Iterator[Path]:
    """``values`` in a file as long as the block lasts, however it ends: processes share what they map."""
    unfinished[str(path)] = partial(path.unlink, missing_ok=True)
    try:
        save_array(path, np.ascontiguousarray(values))
        yield path
    finally:
        path.unlink(missing_ok=True)
        del unfinished[str(path)]
