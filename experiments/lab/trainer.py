"""The loop that all trainers share: read the data, fit, measure on held-out topics, and write the weights file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from rapidfuzz.fuzz import ratio
from rapidfuzz.process import cdist
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from threadpoolctl import threadpool_limits

from experiments.lab.program import DATA, Program
from experiments.published import read_lines
from features.core.statistics import FloatArray, IntArray
from features.core.text import words
from features.learned.linear_model import LinearModel, TextFeatures, weights_file
from ltr import __version__
from ltr.data.topics import read_topics
from ltr.errors import InputError
from ltr.files import atomic_text
from ltr.settings import setting
from ltr.settings.kinds import File
from ltr.settings.shared import SEED

HUNDREDTHS = 100
ALIKE = 90
"""Similarity of sorted words from which two texts are near-duplicates, of 100 (`rapidfuzz.fuzz.ratio`)."""
OUTPUT = setting(File(), "weights file to write (default: only measure)", "-o", "--output")

Row = TypeVar("Row")


class Learned(NamedTuple):
    """Figures and counts for the ``about`` of a weights file, and its models by name, with their scale."""

    counts: Mapping[str, Any]
    figures: Mapping[str, Any]
    models: Mapping[str, LinearModel]
    scale: int = HUNDREDTHS


def trainer(file: str, learn: Callable[[Any], Learned], shipped: Path, description: str, **settings: Any) -> Program:
    """The program in ``file`` that makes a weights file that ships again, with the data sets that it describes."""

    def train(options: Any) -> None:
        """Learn, print the data and figures, and write the weights where ``-o`` names a file. Raises InputError."""
        try:
            counts, figures, models, scale = learn(options)
        except InputError:
            raise
        except ValueError as error:  # scikit-learn refuses too few topics, labels or words
            raise InputError(options.data, f"too little data ({error})", "use the data sets as published") from error
        about = json.loads(shipped.read_text("utf-8"))["about"]
        for name, value in counts.items():
            about["training"][name] = about["training"][name] | value if isinstance(value, dict) else value
        about["figures"] = figures
        about["versions"] = {name: __version__ if name == "riposte" else version(name) for name in about["versions"]}
        print(json.dumps({name: about[name] for name in ("training", "figures")}, indent=1, ensure_ascii=False))
        if options.output:
            with atomic_text(options.output) as out:
                out.write(weights_file(about, {name: (model, scale) for name, model in models.items()}))

    return Program(file, train, description, output=OUTPUT, data=DATA, **settings, seed=SEED)


def cross_validate(topics: Sequence[Any], folds: int, score: Callable[[set[Any], Any], ArrayLike]) -> FloatArray:
    """(n_rows,) scores of rows by models that saw nothing of their topics, a topic a row.

    ``score`` takes the topics that a fold holds out and a mask of their rows, and returns the scores of these rows.
    Raises ValueError when there are fewer topics than folds.
    """
    scores = np.zeros(len(topics))
    parts = GroupKFold(folds).split(topics, groups=topics) if folds > 1 else [(None, np.arange(len(topics)))]
    for _, rows in parts:
        inside = np.zeros(len(topics), bool)
        inside[rows] = True
        scores[inside] = score({topics[row] for row in rows.tolist()}, inside)
    return scores


def read_titles(paths: Sequence[Path]) -> list[str]:
    """Titles of all topics files (.xml; .tsv of number and title) and of those in folders. Raises InputError."""
    files = [file for path in paths for file in (sorted(path.glob("*.[xt][ms][lv]")) if path.is_dir() else [path])]
    titles = [topic.title for path in files if path.suffix != ".tsv" for topic in read_topics(path)]
    titles += [line.rsplit("\t", 1)[-1] for path in files if path.suffix == ".tsv" for line in read_lines(path)]
    if not titles:
        raise InputError("--topics", "no topics in .xml or .tsv", "name files with the questions to leave out")
    return titles


def without_copies(rows: Sequence[Row], text: Callable[[Row], str], others: Sequence[str]) -> list[Row]:
    """The rows whose text is not a near-duplicate of another text, one of each set of the same words."""

    def sorted_words(text: str) -> str:
        return " ".join(sorted(words(text)))

    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(sorted_words(text(row)), row)
    known = list({sorted_words(other) for other in others})
    scores = cdist(list(first), known, scorer=ratio, score_cutoff=ALIKE, dtype=np.uint8)
    return [row for row, near in zip(first.values(), scores, strict=True) if not near.any()]


def named_matrix(features: TextFeatures) -> tuple[list[str], csr_matrix]:
    """Sorted names of features, and their (n_texts, n_names) values."""
    names = sorted(features.names)
    return names, features.matrix(names)


def common_columns(matrix: csr_matrix, rows: IntArray, topics: ArrayLike, least: int) -> IntArray:
    """Columns that ``rows`` of at least ``least`` topics have: words of one topic say nothing about the next.

    ``topics`` are those of the ``rows``.
    """
    _, number = np.unique(np.asarray(topics), return_inverse=True)
    by_topic = csr_matrix((np.ones(len(rows)), (number, rows)), (number.max(initial=0) + 1, matrix.shape[0]))
    return np.flatnonzero((by_topic @ matrix).getnnz(axis=0) >= least)


def fit_pruned(
    rows: Sequence[Sequence[str]], labels: Sequence[int], outputs: Sequence[str], *, strength: float, keep: int
) -> LinearModel:
    """A pruned logistic regression over features that a row has or lacks, one output a label (one for two labels).

    ``strength`` is the inverse of that of the penalty. The ``keep`` features stay without which scores of training rows
    would change most, of those that two rows have. Every row needs a feature that all rows have, in place of an
    intercept.
    """
    features = TextFeatures(len(rows))
    features.add_markers(rows)
    names, matrix = named_matrix(features)
    counts = matrix.getnnz(axis=0)
    frequent = np.flatnonzero(counts >= 2)

    def fit(columns: IntArray) -> FloatArray:
        model = LogisticRegression(C=strength, max_iter=300, tol=1e-3, fit_intercept=False)
        with threadpool_limits(1):  # another number of threads gives other last bits
            return np.asarray(model.fit(matrix[:, columns], labels).coef_.T, np.float64)

    moved = np.abs(fit(frequent)).max(axis=1) * np.sqrt(counts[frequent])
    kept = np.sort(frequent[np.argsort(-moved, kind="stable")[:keep]])
    # Fitted again, they take over the weight of the others.
    weights = dict(zip([names[column] for column in kept], fit(kept).tolist(), strict=True))
    return rounded(LinearModel(tuple(outputs), weights, [0.0] * len(outputs)))


def rounded(model: LinearModel, scale: int = HUNDREDTHS) -> LinearModel:
    """The model as its file has it: weights in whole parts of the scale, features without a weight left out."""
    weights = {name: [round(value * scale) / scale for value in values] for name, values in model.weights.items()}
    return LinearModel(model.outputs, {name: row for name, row in weights.items() if any(row)}, model.intercept)
