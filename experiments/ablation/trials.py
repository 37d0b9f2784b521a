"""Trials of an ablation: rankers that see some of the features, each judged on topics it never saw.

A trial is one set of columns, in one dimension, under one draw of folds. Topics are described once, and labels are made
once: what trials share is a table of numbers in a file, which processes map into memory.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from experiments.figures import MEASURES, Figures, Values, mean_over, or_none
from experiments.output import json_text, write_all
from experiments.study import Study
from features.core.feature import all_columns
from features.core.plugins import plugin_of
from ltr import __version__
from ltr.data.files import sha256
from ltr.errors import InputError
from ltr.evaluation.tables import counted
from ltr.parallel import Workers
from ltr.progress import Progress
from models.base import Parameters, Scores, TrainingSet, learner
from models.learned import column_of, columns_of, fit_selected


class Fold(NamedTuple):
    """Labelled rows of the topics that train, and the rows of those that are held out."""

    rows: npt.NDArray[np.int64]
    labels: Scores
    weights: Scores
    groups: npt.NDArray[np.int64]
    held_out: npt.NDArray[np.int64]


class Variant(NamedTuple):
    """A set of columns with its name, in one dimension."""

    dimension: str
    name: str
    kind: str
    """baseline, leave-one-out or only"""
    columns: tuple[str, ...]


def identity(study: Study, parameters: Parameters) -> dict[str, Any]:
    """The files and settings that the trials of a study depend on, as plain data.

    What plug-ins, features and labelling functions give is in the values and labels of each trial.
    """
    settings = study.settings
    given = {"topics": settings.topics, "qrels": settings.qrels, "quality qrels": settings.quality_qrels}
    files: dict[str, dict[str, list[str]]] = {kind: {} for kind in given}
    pairs = [(f"pairs of {dimension}", path) for dimension, path in settings.pair_qrels]
    for kind, path in [*((kind, path) for kind, paths in given.items() for path in paths), *pairs]:
        # Two files in two folders may have one name.
        files.setdefault(kind, {}).setdefault(path.name, []).append(sha256(path))
    plugin = plugin_of(learner(parameters.objective).make.__module__)
    return {
        "version": __version__,
        "ranker": plugin.digest if plugin else parameters.objective,
        "task": settings.task,
        "corpus": study.source.index.corpus_fingerprint,
        **files,
        "folds": settings.folds,
        "seeds": settings.seeds,
        "parameters": asdict(parameters),
    }


def make_folds(study: Study, dimensions: Sequence[str], tick: Callable[[], None]) -> dict[tuple[str, int], list[Fold]]:
    """Labels of every dimension, draw and fold: judgments of what is held out stay silent."""
    table = study.table
    folds: dict[tuple[str, int], list[Fold]] = {}
    for draw, split in enumerate(study.splits):
        for topics in split:
            held_out = np.flatnonzero(np.isin(table.topic_of_row, topics))
            by_dimension = study.examples.held_out_labels(topics, dimensions, study.sources, seed=draw)
            for dimension, labels in by_dimension.items():
                rows = np.flatnonzero(labels.used)
                groups = np.bincount(table.topic_of_row[rows], minlength=len(table.groups)).astype(np.int64)
                fold = Fold(rows, labels.label[rows], labels.weight[rows], groups[groups > 0], held_out)
                folds.setdefault((dimension, draw), []).append(fold)
            tick()
    return folds


def read_trial(path: Path) -> Values:
    """(n_topics, n_measures) figures, NaN where a topic cannot be scored. Raises InputError for a damaged file."""
    try:
        found = json.loads(path.read_text("utf-8"))
        values = np.array([found[measure] for measure in MEASURES], np.float64).T
        if values.ndim == 2 and (np.isnan(values) | (abs(values) <= 1)).all():
            return values
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise InputError(path, "is not the record of a trial of this study", "delete it")


def write_trial(path: Path, values: Values) -> None:
    """Keep the figures of a trial."""
    write_all({path: json_text({m: or_none(column) for m, column in zip(MEASURES, values.T, strict=True)})})


@dataclass(frozen=True)
class Trials:
    """The trials of a study: those that were made, and what others are made from.

    They are kept as JSON and not by `joblib.Memory`, whose pickles would run code out of a folder that somebody else
    has prepared.
    """

    table: Path
    """(n_rows, n_inputs) values as `numpy.save` writes them."""
    inputs: list[str]
    folds: dict[tuple[str, int], list[Fold]]
    """Dimension and draw -> folds."""
    parameters: list[Parameters]
    """Parameters of each draw."""
    figures: Figures
    folder: Path
    """Has a file for each trial, named by the digest of everything that the trial depends on."""
    study: Mapping[str, Any]
    """The facts that all trials depend on, as plain data."""
    jobs: int

    @property
    def columns(self) -> list[str]:
        """The feature columns, in order."""
        return columns_of(self.inputs)

    @cached_property
    def digests(self) -> dict[Any, str]:
        """Column, or dimension and draw -> digest of the values or labels that its trials read.

        A feature, labelling function or task that changed gives other ones, whether it is a plug-in or ships.
        """
        values, found = np.load(self.table, mmap_mode="r"), dict[Any, str]()
        for column in self.columns:
            found[column] = digest_of([values[:, inputs_of([column], self.inputs)]])
        for key, folds in self.folds.items():
            found[key] = digest_of([array for fold in folds for array in fold])
        return found

    def path(self, dimension: str, columns: Sequence[str], draw: int) -> Path:
        """The file of the trial with these columns: the same for whatever study asks for it."""
        read = {column: self.digests[column] for column in columns}
        parts = [self.study, dimension, draw, read, self.digests[dimension, draw]]
        return self.folder / f"{hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:24]}.json"

    def run(self, variants: Sequence[Variant], progress: Progress) -> None:
        """Make the trials that are missing, under every draw, each once."""
        trials = product(variants, range(len(self.parameters)))
        files = {self.path(v.dimension, v.columns, draw): (v, draw) for v, draw in trials}
        missing = {path: trial for path, trial in files.items() if not path.exists()}
        known = len(files) - len(missing)
        progress.say(f"{counted(len(missing), 'trial')} to make, {known:,} made before")
        calls = [
            (try_columns, (self.table, self.inputs, v.columns, self.folds[v.dimension, draw], self.parameters[draw]))
            for v, draw in missing.values()
        ]
        with progress.stage("variants", unit="trials", total=len(files)) as tick:
            for _ in range(known):
                tick()
            for (path, (variant, _)), scores in zip(missing.items(), Workers(self.jobs).map(calls), strict=True):
                write_trial(path, self.figures.values(scores, variant.dimension))
                tick()

    def values(self, dimension: str, columns: Sequence[str]) -> Values:
        """(n_topics, n_measures) figures of a set of columns, means over draws; NaN for topics without a score."""
        return mean_over(read_trial(self.path(dimension, columns, draw)) for draw in range(len(self.parameters)))


def inputs_of(columns: Collection[str], inputs: Sequence[str]) -> list[int]:
    """Positions of the ``columns`` among the rankers' inputs, of which a column may have two."""
    return [number for number, name in enumerate(inputs) if column_of(name) in columns]


def digest_of(arrays: Iterable[npt.NDArray[Any]]) -> str:
    """Hex SHA-256 of the shapes and values of arrays."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape}".encode() + array.tobytes())
    return digest.hexdigest()


def try_columns(
    table: Path, inputs: Sequence[str], columns: Sequence[str], folds: Sequence[Fold], parameters: Parameters
) -> Scores:
    """(n_rows,) scores of held-out topics, by rankers that see ``columns`` alone."""
    numbers = inputs_of(columns, inputs)
    values = np.load(table, mmap_mode="r")[:, numbers]
    names = [inputs[number] for number in numbers]
    scores = np.zeros(len(values))
    for fold in folds:
        model = fit_selected(TrainingSet(values[fold.rows], fold.labels, fold.weights, fold.groups), names, parameters)
        columns_of_model = [names.index(name) for name in model.inputs]
        scores[fold.held_out] = model.score_values(np.ascontiguousarray(values[fold.held_out][:, columns_of_model]))
    return scores


def families_of(columns: Sequence[str], over: str) -> dict[str, list[str]]:
    """Group or feature -> its columns, in the order of the registry."""
    known = all_columns()
    families: dict[str, list[str]] = {}
    for column in columns:
        families.setdefault(known[column].group if over == "groups" else known[column].name, []).append(column)
    return families


def variants_of(trials: Trials, families: Mapping[str, Sequence[str]], kinds: Sequence[str]) -> list[Variant]:
    """The variants by dimension, in the order of the table: all features, and families left out or alone."""
    columns = tuple(trials.columns)
    sets = [("all features", "baseline", columns)]
    if "leave-one-out" in kinds:
        rest = {name: tuple(column for column in columns if column not in of) for name, of in families.items()}
        sets += [(f"without {name}", "leave-one-out", others) for name, others in rest.items() if others]
    if "only" in kinds:
        sets += [(f"only {name}", "only", tuple(of)) for name, of in families.items()]
    return [Variant(dimension, *of) for dimension in trials.figures.dimensions for of in sets]
