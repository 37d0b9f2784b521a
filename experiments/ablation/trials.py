"""Trials of an ablation: rankers that see some of the features, each judged on topics it never saw.

A trial is one set of columns, in one dimension, under one draw of folds. Topics are described once, and labels are made
once: what trials share is a table of numbers in a file, which processes map into memory.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from experiments.ablation.log import TrialLog
from experiments.figures import Figures, Values, mean_over
from ltr.data.arrays import save_array
from ltr.parallel import Workers
from ltr.supervision.labels import Sources
from models.base import Parameters, Scores, TrainingSet
from models.inputs import column_of
from models.selection import fit_selected

if TYPE_CHECKING:
    from experiments.study import Study

ColumnSet = tuple[str, tuple[str, ...]]
"""A dimension and a set of columns."""


@dataclass(frozen=True)
class Fold:
    """Labelled rows of the topics that train, and the rows of those that are held out."""

    rows: npt.NDArray[np.int64]
    labels: Scores
    weights: Scores
    groups: npt.NDArray[np.int64]
    held: npt.NDArray[np.int64]


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


@dataclass(frozen=True)
class Trials:
    """The trials of a study: those that were made, and what others are made from."""

    table: Path
    """(n_rows, n_inputs) values as `numpy.save` writes them."""
    inputs: list[str]
    folds: dict[tuple[str, int], list[Fold]]
    """Dimension and draw -> folds."""
    parameters: list[Parameters]
    """Those of each draw."""
    figures: Figures
    log: TrialLog
    jobs: int

    @property
    def draws(self) -> range:
        """Draws of folds."""
        return range(len(self.parameters))

    @property
    def columns(self) -> list[str]:
        """The feature columns, in order."""
        return list(dict.fromkeys(map(column_of, self.inputs)))

    def named(self, wanted: Iterable[ColumnSet]) -> dict[str, tuple[str, tuple[str, ...], int]]:
        """Name -> dimension, columns and draw of the trials of some sets of columns, each once."""
        return {trial_name(d, columns, draw): (d, columns, draw) for d, columns in wanted for draw in self.draws}

    def run(self, wanted: Iterable[ColumnSet], tick: Callable[[], None]) -> None:
        """Make the trials that the log lacks, under every draw."""
        named = self.named(wanted)
        missing = {name: trial for name, trial in named.items() if name not in self.log}
        for _ in range(len(named) - len(missing)):
            tick()
        calls = [
            (try_columns, (self.table, self.inputs, columns, self.folds[dimension, draw], self.parameters[draw]))
            for dimension, columns, draw in missing.values()
        ]
        made = Workers(self.jobs).map(calls)
        for (name, (dimension, columns, draw)), scores in zip(missing.items(), made, strict=True):
            facts = {"dimension": dimension, "draw": draw, "columns": len(columns)}
            self.log.add(name, facts, self.figures.values(scores, dimension))
            tick()

    def values(self, dimension: str, columns: Sequence[str]) -> Values:
        """(n_topics, n_measures) figures of a set of columns, means over draws; NaN for topics without a score."""
        return mean_over(self.log.values(trial_name(dimension, columns, draw)) for draw in self.draws)


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


@contextmanager
def saved_table(path: Path, values: npt.NDArray[np.float32]) -> Iterator[Path]:
    """``values`` in a file as long as the block lasts, however it ends: processes share what they map."""
    try:
        save_array(path, np.ascontiguousarray(values))
        yield path
    finally:
        path.unlink(missing_ok=True)
