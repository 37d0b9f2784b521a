"""What all trainers share: options, folds over topics, a pruned fit of text features, figures, and the weights file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import GroupKFold
from threadpoolctl import threadpool_limits

from features.core.statistics import FloatArray, IntArray
from features.learned.linear_model import LinearModel, weights_file
from ltr import __version__
from ltr.cli.options import Parser, add_options
from ltr.data.files import atomic_text
from ltr.errors import InputError
from ltr.evaluation.significance import mean_interval

PUBLISHED = "use the data sets as published"
HUNDREDTHS = 100


@dataclass(frozen=True)
class Pruning:
    """Settings of `fit_pruned`."""

    strength: float
    """inverse strength of the penalty"""
    keep: int
    """number of features that ship"""
    least: int
    """number of rows that must have a feature"""
    balanced: bool = False


def trainer_parser(name: str, description: str, file: str) -> Parser:
    """The options that every trainer has."""
    parser = Parser(f"python -m experiments.learned.{name}", description, file)
    add = parser.add_argument
    add("-o", "--output", type=Path, metavar="FILE", help="weights file to write (default: only measure)")
    add("--data", type=Path, required=True, metavar="DIR", help="folder of the labelled data sets")
    add_options(parser, "--seed")
    return parser


def topic_folds(topics: Sequence[Any], folds: int, where: str) -> list[set[Any]]:
    """The topics that each fold holds out. Raises InputError naming ``where`` when there are fewer than ``folds``."""
    if len(set(topics)) < folds:
        raise InputError(where, f"needs {folds} topics", PUBLISHED)
    if folds == 1:
        return [set(topics)]
    return [{topics[row] for row in held} for _, held in GroupKFold(folds).split(topics, groups=topics)]


def common_columns(matrix: csr_matrix, rows: IntArray, topics: Sequence[str], least: int) -> IntArray:
    """Columns that ``rows`` of ``least`` topics have: words of one topic say nothing about the next.

    ``topics`` are those of the ``rows``. Raises InputError when there is no such column.
    """
    _, place = np.unique(topics, return_inverse=True)
    by_topic = csr_matrix((np.ones(len(rows)), (place, rows)), (place.max(initial=0) + 1, matrix.shape[0]))
    columns = np.flatnonzero((by_topic @ matrix).getnnz(axis=0) >= least)
    if not len(columns):
        raise InputError("training data", f"no word is in {least} topics", PUBLISHED)
    return columns


def feature_matrix(rows: Sequence[Sequence[str]], names: Sequence[str]) -> csr_matrix:
    """(n_rows, n_names) 1 where a row has the feature."""
    place = {name: column for column, name in enumerate(names)}
    found = [sorted({place[name] for name in row if name in place}) for row in rows]
    starts = np.cumsum([0, *map(len, found)])
    columns = np.concatenate([np.array(row, np.int64) for row in found])
    return csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(rows), len(names)))


def most_moving(weights: FloatArray, counts: FloatArray, keep: int) -> IntArray:
    """The ``keep`` features, sorted, without which the scores of the training rows would change most."""
    moved = np.abs(weights).max(axis=1) * np.sqrt(counts)
    return np.sort(np.argsort(-moved, kind="stable")[:keep])


def fit_pruned(
    rows: Sequence[Sequence[str]], labels: Sequence[int], outputs: Sequence[str], how: Pruning
) -> LinearModel:
    """A logistic regression over features that a row has or lacks, one output a label (one output for two labels).

    Fitted twice, the second time on the kept features alone, so that they take over the weight of the others. Every
    row needs a feature that all rows have, in place of an intercept. Raises InputError.
    """
    if missing := set(range(max(len(outputs), 2))) - set(labels):
        raise InputError("training data", f"has no label {min(missing)}", PUBLISHED)
    counts = Counter(name for row in rows for name in row)
    names = sorted(name for name, count in counts.items() if count >= how.least)

    def fit() -> FloatArray:
        """(n_names, n_outputs) coefficients."""
        model = LogisticRegression(
            C=how.strength,
            max_iter=300,
            tol=1e-3,
            fit_intercept=False,
            class_weight="balanced" if how.balanced else None,
        )
        with threadpool_limits(1):  # another number of threads gives other last bits
            return np.asarray(model.fit(feature_matrix(rows, names), labels).coef_.T, np.float64)

    kept = most_moving(fit(), np.array([counts[name] for name in names]), how.keep)
    names = [names[place] for place in kept.tolist()]
    weights = dict(zip(names, fit().tolist(), strict=True))
    return rounded(LinearModel(tuple(outputs), weights, [0.0] * len(outputs)))


def rounded(model: LinearModel, scale: int = HUNDREDTHS) -> LinearModel:
    """The model as its file holds it: weights in whole parts of the scale, features without a weight left out."""
    weights = {name: [round(value * scale) / scale for value in values] for name, values in model.weights.items()}
    return LinearModel(model.outputs, {name: row for name, row in weights.items() if any(row)}, model.intercept)


def mean_figure(values: FloatArray) -> list[float]:
    """Mean of the values of topics, from 0 to 1, and its 95% interval."""
    return [round(float(value), 4) for value in (values.mean(), *mean_interval(values, (0, 1)))]


def label_figures(truth: Sequence[int], guess: Sequence[int], labels: Sequence[str]) -> dict[str, float]:
    """Accuracy beside that of the most frequent label, F1 of each label and their mean."""
    f1 = f1_score(truth, guess, labels=range(len(labels)), average=None, zero_division=0).tolist()
    found: dict[str, float] = {"rows": len(truth), "accuracy, majority": max(Counter(truth).values()) / len(truth)}
    found["accuracy"] = sum(map(int.__eq__, truth, guess)) / len(truth)
    found |= {f"F1 of {label}": value for label, value in zip(labels, f1, strict=True)}
    return {name: round(value, 4) for name, value in (found | {"macro F1": sum(f1) / len(f1)}).items()}


def finish(
    output: Path | None, about: Mapping[str, Any], packages: str, models: Mapping[str, tuple[LinearModel, int]]
) -> int:
    """Print the data and the figures of ``about``, and write it with the models, each with its scale."""
    for part in ("training", "figures"):
        print(part)
        for name, value in _flat(about[part]):
            print(f"  {name:<70} {value}")
    versions = {"riposte": __version__, **{name: version(name) for name in packages.split()}}
    if output:
        with atomic_text(output) as out:
            out.write(weights_file({**about, "versions": versions}, models))
    return 0


def _flat(figures: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}: ")
        elif isinstance(value, list):
            yield before + name, "{:.3f} [{:.3f}, {:.3f}]".format(*value)
        else:
            yield before + name, f"{value:,}" if isinstance(value, int) else str(value)
