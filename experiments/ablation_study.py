"""What an ablation trains: rankers that see some of the features, each judged on topics it never saw.

Topics are described once. Learning is on units (a topic and two arguments), so what every variant shares is a
table of numbers that is handed to other processes as it is. A trial is one set of columns under one seed; its
figures are written down when it ends, and a study that was killed goes on after the last of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ltr.errors import InputError
from ltr.files import atomic_text
from ltr.formats import Qrels, argument_of
from ltr.learning import Judge
from models.base import Scores, TrainingSet, UnitTable, make_ranker, unit_table
from models.lambdamart import Parameters

if TYPE_CHECKING:
    from ltr.matrix import Matrix

TRIALS = "trials.jsonl"
STUDY = "study.json"
MEASURES = ("condensed", "full")


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
    values = bench.table.values[:, places]
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


class Notebook:
    """The trials that were made, in a folder: what the study is, and a line a trial."""

    def __init__(self, folder: Path, study: dict[str, Any]) -> None:
        """Open; it begins with the first trial. Raises InputError when the folder holds another study."""
        self._folder, self._study = folder, study
        self._file = folder / TRIALS
        described = folder / STUDY
        if described.exists():
            try:
                known = json.loads(described.read_text("utf-8"))
            except ValueError:
                known = None
            if known != study:
                changed = [key for key in study if not isinstance(known, dict) or known.get(key) != study[key]]
                what = f"this folder holds another study (it differs in: {', '.join(changed) or 'its settings'})"
                raise InputError(folder, what, "name another folder with -o, or delete this one")
        elif folder.exists() and any(folder.iterdir()):
            raise InputError(folder, "this is not empty and no study", "name an empty or new directory")
        self.trials = self._read()

    def _read(self) -> dict[str, dict[str, list[float]]]:
        """What was written. A last line that a kill cut short is taken away."""
        *lines, cut = self._file.read_bytes().split(b"\n") if self._file.exists() else [b""]
        found = {}
        for number, line in enumerate(lines, 1):
            try:
                trial = json.loads(line)
                found[trial["trial"]] = {name: trial[name] for name in MEASURES}
            except (ValueError, KeyError, TypeError):
                where = f"{self._file} line {number}"
                raise InputError(where, "this is no trial", "delete the folder and begin again") from None
        if cut:
            with self._file.open("r+b") as out:
                out.truncate(self._file.stat().st_size - len(cut))
        return found

    def add(self, name: str, seed: int, columns: Sequence[str], figures: dict[str, list[float]]) -> None:
        """Write a trial down, at once."""
        if not (self._folder / STUDY).exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            with atomic_text(self._folder / STUDY) as out:
                json.dump(self._study, out, indent=1)
                out.write("\n")
        line = json.dumps({"trial": name, "seed": seed, "columns": len(columns), **figures})
        with self._file.open("a", encoding="utf-8", newline="\n") as out:
            out.write(line + "\n")
        self.trials[name] = figures


def trial_name(columns: Iterable[str], seed: int) -> str:
    """The same columns under the same seed are the same trial, whatever study asks for them."""
    return hashlib.sha256(json.dumps([seed, sorted(columns)]).encode()).hexdigest()[:24]


def run_trials(
    bench: Bench, sets: Sequence[Sequence[str]], notebook: Notebook, *, jobs: int, tick: Callable[[], None]
) -> None:
    """Make the trials of each set of columns that the notebook lacks, under every seed."""
    from joblib import Parallel, delayed

    wanted = {trial_name(columns, seed): (list(columns), seed) for columns in sets for seed in bench.folds}
    missing = {name: trial for name, trial in wanted.items() if name not in notebook.trials}
    for _ in range(len(wanted) - len(missing)):
        tick()
    made = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)(
        delayed(_named)(bench, name, columns, seed) for name, (columns, seed) in missing.items()
    )
    for name, figures in made:
        columns, seed = missing[name]
        notebook.add(name, seed, columns, figures)
        tick()


def mean_over_seeds(notebook: Notebook, columns: Sequence[str], seeds: Iterable[int], measure: str) -> Scores:
    """(n_topics,) figures of a set of columns."""
    return np.asarray(np.mean([notebook.trials[trial_name(columns, seed)][measure] for seed in seeds], axis=0))


def _named(bench: Bench, name: str, columns: list[str], seed: int) -> tuple[str, dict[str, list[float]]]:
    return name, try_columns(bench, columns, seed)
