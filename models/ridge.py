"""A ridge regression whose weights have to have the sign that theory gives them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from models.base import Scores


def signed_ridge(
    values: Scores,
    labels: Scores,
    weights: Scores,
    groups: Sequence[int],
    *,
    signs: Sequence[int],
    l2: float,
    start: Sequence[float],
) -> Scores:
    """(n_columns,) weights for (n_rows, n_columns) values, each of its sign or 0 where that fits worse.

    Labels are compared inside a topic only, and a topic counts by the square root of its rows. ``l2`` draws
    the weights towards ``start``. A sign of 0 is no constraint. (Lawson & Hanson 1974, NNLS; Slawski &
    Hein 2013: non-negativity regularises by itself, and selects.)
    """
    from scipy.optimize import nnls
    from threadpoolctl import threadpool_limits

    topic = np.repeat(np.arange(len(groups), dtype=np.int64), groups)
    mass = np.bincount(topic, weights, minlength=len(groups))
    scale = np.sqrt(weights / np.sqrt(np.maximum(mass, 1e-9))[topic])
    sign = np.asarray(signs)
    # A free column is two columns of opposite sign; it is found as its distance from the start, so one of the
    # two stays at 0.
    offset = np.where(sign == 0, start, 0.0)
    turn = np.concatenate([np.where(sign == 0, 1, sign), np.full(int((sign == 0).sum()), -1)])
    place = np.concatenate([np.arange(len(sign)), np.flatnonzero(sign == 0)])
    rows = (_centred(values, weights, topic) * scale[:, None])[:, place] * turn
    target = _centred(labels[:, None], weights, topic)[:, 0] * scale - rows[:, : len(sign)] @ offset
    pull = np.sqrt(l2)
    aim = np.where(sign == 0, 0.0, np.maximum(np.asarray(start) * sign, 0))[place]
    left = np.vstack([rows, pull * np.eye(len(place))])
    both = np.column_stack([left, np.concatenate([target, pull * aim])])
    # The triangle of a QR decomposition asks the same question in as many rows as there are columns. One thread:
    # the last bits of a product depend on how many share it.
    with threadpool_limits(limits=1, user_api="blas"):
        triangle = np.asarray(np.linalg.qr(both, mode="r"))
        found, _ = nnls(triangle[:, :-1], triangle[:, -1])
    result = offset.copy()
    np.add.at(result, place, found * turn)
    return result


def _centred(values: Scores, weights: Scores, topic: npt.NDArray[np.int64]) -> Scores:
    """Values less their weighted mean in the topic."""
    mass = np.maximum(np.bincount(topic, weights), 1e-9)
    means = np.column_stack([np.bincount(topic, weights * column) / mass for column in values.T])
    return np.asarray(values - means[topic])
