"""Propose what to grade next from how several rankers rank the ungraded units.

A rank counts by its discount in nDCG, 1 / log2(1 + rank), and nothing where a ranker does not return the unit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from experiments.pool.selection import PooledPair
from ltr.data.ids import pair_key

FloatArray = NDArray[np.float64]

STRATEGIES: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "disagreement": lambda discounts: discounts.std(axis=0),
    "top": lambda discounts: discounts.mean(axis=0),
}
"""Name -> priority of units, (n_units,), from their discounts, (n_rankers, n_units)."""


def discounts_of(ranks: ArrayLike) -> FloatArray:
    """Discounts of ranks from 1; NaN, a unit that is not returned, becomes 0.

    >>> discounts_of([1, 3, np.nan]).tolist()
    [1.0, 0.5, 0.0]
    """
    return np.nan_to_num(1 / np.log2(1 + np.asarray(ranks, np.float64)))


def propose(
    chosen: Sequence[PooledPair], runs: Sequence[Mapping[str, Sequence[str]]], count: int, strategy: str
) -> list[PooledPair]:
    """The ``count`` units of ``chosen`` to grade first, in the order of ``chosen``; ties by topic and id.

    ``runs`` are rankings by topic, best first.
    """
    ranks: list[dict[tuple[str, str], int]] = []
    for run in runs:
        places: dict[tuple[str, str], int] = {}
        for topic, ranking in run.items():
            for rank, key in enumerate(dict.fromkeys(map(pair_key, ranking)), 1):
                places[topic, key] = rank
        ranks.append(places)
    keys = [(item.topic, pair_key(item.pair)) for item in chosen]
    discounts = discounts_of([[of.get(key, np.nan) for key in keys] for of in ranks])
    priority = STRATEGIES[strategy](discounts).round(9).tolist()
    first = {key for _, key in sorted(zip((-value for value in priority), keys, strict=True))[:count]}
    return [item for item, key in zip(chosen, keys, strict=True) if key in first]
