"""Scores to the final list of a topic: order, duplicates, diversity, depth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ltr.data.formats import RunRow, argument_of
from ltr.pipeline.matrix import Matrix

LEAST = 100
"""A valid run has this many pairs a topic, so near-duplicates come back at the end where it has fewer."""

DECIMALS = 6
"""Of written scores. What is not written decides nothing: the last bits of a score differ with the processor."""

TOP = 20
"""Ranks from the first on in which no sentence comes twice, and arguments that were shown pay."""

DIVERSIFY = 0.1
"""What a pair pays for each pair of its arguments above it, in units of its score; see docs/results.md."""

STEP = 1e-6
"""Written scores fall by at least this much, so that no reader sees a tie."""

Rows = slice | np.ndarray[Any, Any]
"""Rows of a matrix: from one to another, or by number."""


def final_list(
    matrix: Matrix,
    topic: str,
    rows: slice,
    scores: np.ndarray[Any, Any],
    *,
    depth: int,
    tag: str,
    diversify: float = DIVERSIFY,
) -> list[RunRow]:
    """The run of one topic. ``scores`` are those of all rows of the matrix; the order is that of `ranked_rows`."""
    first, second = matrix.first[rows], matrix.second[rows]
    local = np.round(np.asarray(scores[rows], np.float64), DECIMALS) + 0.0  # no -0
    chosen = ranked_rows(matrix, rows, scores, depth=depth, diversify=diversify)
    result = []
    above = np.inf
    for rank, i in enumerate(chosen, 1):
        above = round(min(float(local[i]), above - STEP), DECIMALS)
        pair = f"{first[i]},{second[i]}"
        result.append(RunRow(topic, str(matrix.stance[rows][i]), pair, rank, above, tag))
    return result


def ranked_rows(
    matrix: Matrix, rows: Rows, scores: np.ndarray[Any, Any], *, depth: int, diversify: float = DIVERSIFY
) -> list[int]:
    """Places within ``rows``, pairs of one topic, best first.

    Order is by score, then by ids. Of pairs whose sentences are near-duplicates of each other's, in either order, the
    best stays. In the first `TOP` ranks no sentence comes twice, and every pair pays ``diversify`` for each pair of
    the same arguments above it: a good second pair of the best argument can stand before a poor one of another.
    """
    first, second = matrix.first[rows], matrix.second[rows]
    local = np.round(np.asarray(scores[rows], np.float64), DECIMALS) + 0.0  # no -0
    order = np.lexsort((second, first, -local))
    kept, copies = _collapse(order, matrix.first_key[rows], matrix.second_key[rows])
    keys = np.column_stack([matrix.first_key[rows], matrix.second_key[rows]]).tolist()
    kept = _fresh_top(kept, local, first, second, keys, min(TOP, depth), diversify)
    # A pair of copies, said last, is better than a run that evaluation refuses.
    return (kept + copies[: max(min(LEAST, depth) - len(kept), 0)])[:depth]


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


def _fresh_top(
    order: list[int],
    scores: np.ndarray[Any, Any],
    first: np.ndarray[Any, Any],
    second: np.ndarray[Any, Any],
    sentences: Sequence[Sequence[int]],
    size: int,
    penalty: float,
) -> list[int]:
    """The order with a top of ``size`` that repeats no sentence: chosen one by one, the rest as it was."""
    left = list(order)
    top: list[int] = []
    shown: set[int] = set()
    times: Counter[str] = Counter()
    while left and len(top) < size:
        best, best_score = -1, -np.inf
        for place, i in enumerate(left):
            if scores[i] <= best_score:  # nobody further down can be better
                break
            if not shown.isdisjoint(sentences[i]):
                continue
            arguments = {argument_of(first[i]), argument_of(second[i])}
            score = scores[i] - penalty * max(times[argument] for argument in arguments)
            if score > best_score:
                best, best_score = place, score
        if best < 0:
            break
        i = left.pop(best)
        top.append(i)
        shown.update(sentences[i])
        times.update({argument_of(first[i]), argument_of(second[i])})
    return top + left
