"""What all trainers share: options, folds over topics, a pruned fit of text features, figures, and the weights file."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GroupKFold
from threadpoolctl import threadpool_limits

from features.core.statistics import FloatArray, IntArray
from features.learned.linear_model import LinearModel, TextFeatures, weights_file
from ltr import __version__
from ltr.cli.options import Parser, add_options
from ltr.data.files import atomic_text
from ltr.errors import InputError
from ltr.evaluation.significance import mean_interval

PUBLISHED = "use the data sets as published"
HUNDREDTHS = 100


class Pruning(NamedTuple):
    """Settings of `fit_pruned`."""

    strength: float  # inverse strength of the penalty
    keep: int  # number of features that ship
    least: int  # number of rows that must have a feature
    balanced: bool = False


class Learned(NamedTuple):
    """Data and figures for the ``about`` of a weights file, and its models by name, each with its scale."""

    training: Mapping[str, Any]
    figures: Mapping[str, Any]
    models: Mapping[str, tuple[LinearModel, int]]


@dataclass(frozen=True)
class Trainer:
    """A program that makes a weights file that ships again: its description there and its packages stay the same."""

    file: str
    """The module's file; the text of ``--help`` is beside it, as .txt."""
    description: str
    shipped: Path
    learn: Callable[[argparse.Namespace], Learned]
    add_options: Callable[[Parser], object] = lambda parser: None

    def main(self, argv: list[str] | None = None) -> int:
        """Learn, print the data and the figures, and write the weights where ``-o`` names a file. Raises InputError."""
        parser = Parser(f"python -m experiments.learned.{Path(self.file).stem}", self.description, self.file)
        add = parser.add_argument
        add("-o", "--output", type=Path, metavar="FILE", help="weights file to write (default: only measure)")
        add("--data", type=Path, required=True, metavar="DIR", help="folder of the labelled data sets")
        add_options(parser, "--seed")
        self.add_options(parser)
        options = parser.parse_args(argv)
        training, figures, models = self.learn(options)
        print(json.dumps({"training": training, "figures": figures}, indent=1, ensure_ascii=False))
        about = json.loads(self.shipped.read_text("utf-8"))["about"] | {"training": training, "figures": figures}
        about["versions"] = {name: __version__ if name == "riposte" else version(name) for name in about["versions"]}
        if options.output:
            with atomic_text(options.output) as out:
                out.write(weights_file(about, models))
        return 0


def topic_folds(topics: Sequence[Any], folds: int, where: str) -> list[set[Any]]:
    """The topics that each fold holds out. Raises InputError naming ``where`` when there are fewer than ``folds``."""
    if len(set(topics)) < folds:
        raise InputError(where, f"needs {folds} topics", PUBLISHED)
    if folds == 1:
        return [set(topics)]
    return [{topics[row] for row in rows} for _, rows in GroupKFold(folds).split(topics, groups=topics)]


def named_matrix(features: TextFeatures) -> tuple[list[str], csr_matrix]:
    """Sorted names of features, and their (n_texts, n_names) values."""
    names = sorted(features.names)
    return names, features.matrix(names)


def marker_matrix(rows: Sequence[Sequence[str]]) -> tuple[list[str], csr_matrix]:
    """Sorted names of features, and (n_rows, n_names) 1 where a row has the feature."""
    features = TextFeatures(len(rows))
    features.add_markers(rows)
    return named_matrix(features)


def common_columns(matrix: csr_matrix, rows: IntArray, topics: ArrayLike, least: int) -> IntArray:
    """Columns that ``rows`` of ``least`` topics have: words of one topic say nothing about the next.

    ``topics`` are those of the ``rows``. Raises InputError when there is no such column.
    """
    _, number = np.unique(np.asarray(topics), return_inverse=True)
    by_topic = csr_matrix((np.ones(len(rows)), (number, rows)), (number.max(initial=0) + 1, matrix.shape[0]))
    columns = np.flatnonzero((by_topic @ matrix).getnnz(axis=0) >= least)
    if not len(columns):
        raise InputError("training data", f"no word is in {least} topics", PUBLISHED)
    return columns


def prune(fit: Callable[[IntArray], FloatArray], names: Sequence[str], counts: FloatArray, keep: int) -> Any:
    """Names and (n_kept, n_outputs) weights of the features without which scores of training rows would change most.

    ``fit`` returns the weights of some columns. It is called again with the kept ones, so that they take over the
    weight of the others. ``counts`` (n_names,) are numbers of training rows.
    """
    moved = np.abs(fit(np.arange(len(names)))).max(axis=1) * np.sqrt(counts)
    columns = np.sort(np.argsort(-moved, kind="stable")[:keep])
    return dict(zip([names[column] for column in columns.tolist()], fit(columns).tolist(), strict=True))


def fit_pruned(
    rows: Sequence[Sequence[str]], labels: Sequence[int], outputs: Sequence[str], how: Pruning
) -> LinearModel:
    """A pruned logistic regression over features that a row has or lacks, one output a label (one for two labels).

    Every row needs a feature that all rows have, in place of an intercept. Raises InputError.
    """
    if missing := set(range(max(len(outputs), 2))) - set(labels):
        raise InputError("training data", f"has no label {min(missing)}", PUBLISHED)
    names, matrix = marker_matrix(rows)
    frequent = np.flatnonzero(matrix.getnnz(axis=0) >= how.least)
    matrix = matrix[:, frequent]
    weight = "balanced" if how.balanced else None

    def fit(columns: IntArray) -> FloatArray:
        model = LogisticRegression(C=how.strength, max_iter=300, tol=1e-3, fit_intercept=False, class_weight=weight)
        with threadpool_limits(1):  # another number of threads gives other last bits
            return np.asarray(model.fit(matrix[:, columns], labels).coef_.T, np.float64)

    weights = prune(fit, [names[column] for column in frequent], matrix.getnnz(axis=0), how.keep)
    return rounded(LinearModel(tuple(outputs), weights, [0.0] * len(outputs)))


def rounded(model: LinearModel, scale: int = HUNDREDTHS) -> LinearModel:
    """The model as its file has it: weights in whole parts of the scale, features without a weight left out."""
    weights = {name: [round(value * scale) / scale for value in values] for name, values in model.weights.items()}
    return LinearModel(model.outputs, {name: row for name, row in weights.items() if any(row)}, model.intercept)


def mean_figure(values: FloatArray) -> list[float]:
    """Mean of the values of topics, from 0 to 1, and its 95% interval."""
    return [round(float(value), 4) for value in (values.mean(), *mean_interval(values, (0, 1)))]


def label_figures(truth: Sequence[int], guess: Sequence[int], labels: Sequence[str]) -> dict[str, float]:
    """Accuracy beside that of the most frequent label, F1 of each label and their mean."""
    f1 = f1_score(truth, guess, labels=range(len(labels)), average=None, zero_division=0).tolist()
    figures = {"rows": len(truth), "accuracy, majority": max(Counter(truth).values()) / len(truth)}
    figures |= {"accuracy": float(accuracy_score(truth, guess))}
    figures |= {f"F1 of {label}": value for label, value in zip(labels, f1, strict=True)}
    return {name: round(value, 4) for name, value in (figures | {"macro F1": sum(f1) / len(f1)}).items()}
