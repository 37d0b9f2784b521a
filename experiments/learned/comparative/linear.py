"""Logistic regressions of signs that are there or not, small enough to ship."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from experiments.learned.trainer import PUBLISHED
from features.learned.question import HUNDREDTHS
from ltr.errors import InputError


def fit_pruned(
    rows: Sequence[Sequence[str]],
    labels: Sequence[int],
    classes: int,
    strength: float,
    keep: int,
    least: int,
    balanced: bool = False,
) -> dict[str, list[float]]:
    """Weights of the ``keep`` signs that say most: sign -> a value for each class (one value for two).

    Fitted twice, the second time without the rest, so that the kept signs take over what the others said. Every row
    needs a sign that all rows have: there is no other intercept. Raises InputError.
    """
    if missing := set(range(classes)) - set(labels):
        raise InputError("training data", f"has no label {min(missing)}", PUBLISHED)
    counts = Counter(sign for row in rows for sign in row)
    names = sorted(sign for sign, count in counts.items() if count >= least)
    weights = _fit(rows, names, labels, strength, balanced)
    # How far the scores of the training rows would move, had they not the sign.
    moved = np.abs(weights).max(axis=1) * np.sqrt([counts[name] for name in names])
    names = sorted(names[place] for place in np.argsort(-moved, kind="stable")[:keep])
    weights = _fit(rows, names, labels, strength, balanced)
    return {name: values for name, values in zip(names, weights.tolist(), strict=True) if any(hundredths(values))}


def hundredths(values: Sequence[float]) -> list[int]:
    """As they are written: a third of the bytes, and no figure differs."""
    return [round(value * HUNDREDTHS) for value in values]


def _fit(
    rows: Sequence[Sequence[str]], names: Sequence[str], labels: Sequence[int], strength: float, balanced: bool
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """(n_names, n_classes) coefficients."""
    place = {name: column for column, name in enumerate(names)}
    found = [sorted({place[sign] for sign in row if sign in place}) for row in rows]
    starts = np.cumsum([0, *map(len, found)])
    columns = np.concatenate([np.array(row, np.int64) for row in found])
    matrix = csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(rows), len(names)))
    weighting = "balanced" if balanced else None
    model = LogisticRegression(C=strength, max_iter=300, tol=1e-3, fit_intercept=False, class_weight=weighting)
    with threadpool_limits(1):  # another number of threads gives other last bits
        model.fit(matrix, labels)
    return np.asarray(model.coef_.T, np.float64)
