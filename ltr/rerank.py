"""Scores to the final list of a topic: order, duplicates, diversity, depth."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ltr.formats import RunRow, argument_of
from ltr.matrix import Matrix

LEAST = 100
"""A valid run has this many pairs a topic, so near-duplicates come back at the end where it has fewer."""

DECIMALS = 6
"""Of written scores. What is not written decides nothing: the last bits of a score differ with the processor."""

STEP = 1e-6
"""Written scores fall by at least this much, so that no reader sees a tie."""


def final_list(
    matrix: Matrix,
    topic: str,
    rows: slice,
    scores: np.ndarray[Any, Any],
    *,
    depth: int,
    tag: str,
    diversify: float = 0.0,
) -> list[RunRow]:
    """The run of one topic. ``scores`` are those of all rows of the matrix.

    Order is by score as it is written, then by ids. Of pairs whose sentences are near-duplicates of each
    other's, in either order, the best stays. ``diversify`` in [0, 1] makes room for arguments that were not shown.
    """
    first, second = matrix.first[rows], matrix.second[rows]
    local = np.round(np.asarray(scores[rows], np.float64), DECIMALS) + 0.0  # no -0
    order = np.lexsort((second, first, -local))
    kept, copies = _collapse(order, matrix.first_key[rows], matrix.second_key[rows])
    if diversify > 0:
        kept = _diversified(kept, local, first, second, diversify)
    # A pair of copies, said last, is better than a run that evaluation refuses.
    chosen = (kept + copies[: max(min(LEAST, depth) - len(kept), 0)])[:depth]
    written = np.array([local[i] for i in chosen])
    result = []
    above = np.inf
    for rank, (i, score) in enumerate(zip(chosen, written.tolist(), strict=True), 1):
        above = round(min(score, above - STEP), DECIMALS)
        pair = f"{first[i]},{second[i]}"
        result.append(RunRow(topic, str(matrix.stance[rows][i]), pair, rank, above, tag))
    return result


def _collapse(
    order: np.ndarray[Any, Any], first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]
) -> tuple[list[int], list[int]]:
    """Rows in order, the first of each set of near-duplicate pairs, and the others with pairs of copies."""
    seen: set[tuple[int, int]] = set()
    kept: list[int] = []
    copies: list[int] = []
    for i in order.tolist():
        key = (int(min(first[i], second[i])), int(max(first[i], second[i])))
        # A sentence paired with its own copy says one thing twice.
        (copies if key in seen or key[0] == key[1] else kept).append(i)
        seen.add(key)
    return kept, copies


def _diversified(
    order: list[int],
    scores: np.ndarray[Any, Any],
    first: np.ndarray[Any, Any],
    second: np.ndarray[Any, Any],
    share: float,
) -> list[int]:
    """A pair pays for every pair of the same two arguments above it, and once more if both stand above it already.

    ``share`` scales the price: at 1, paying once costs the spread of the list's scores. A pair that brings
    an argument for the first time pays nothing, so arguments first appear in the same order as before.
    """
    spread = float(np.ptp(scores[order])) if order else 0.0
    above: Counter[frozenset[str]] = Counter()
    shown: set[str] = set()
    priced = []
    for place, i in enumerate(order):
        arguments = frozenset((argument_of(first[i]), argument_of(second[i])))
        times = above[arguments] + (arguments <= shown)
        above[arguments] += 1
        shown |= arguments
        priced.append((-(scores[i] - share * spread * times), place, i))
    return [i for _, _, i in sorted(priced)]
