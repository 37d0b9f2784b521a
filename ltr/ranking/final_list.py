"""Scores to the final list of a topic: order, duplicates, diversity, depth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count, repeat
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ltr.data.columns import quote
from ltr.data.ids import argument_of, pair_key
from ltr.data.runs import DECIMALS, NO_SIDE, RunRow, falling
from ltr.errors import InputError
from ltr.ranking.matrix import Matrix
from ltr.ranking.task import Task
from models.base import Scores
from models.defaults import DIVERSIFY

TOP = 20
"""First ranks, in which no sentence comes twice and items of an argument that was already shown lose score."""

RowsOfTopic = slice | np.ndarray[Any, Any]
"""Rows of a matrix: from one to another, or by number."""


@dataclass(frozen=True)
class ListOptions:
    """Settings of a list of results."""

    depth: int = 1000
    """Items per topic, at most."""
    diversify: float = DIVERSIFY
    """Penalty for an item whose arguments were already shown, relative to its score."""
    second_step_depth: int | None = None
    """Items per topic that the second step orders; 0: all. None: the model's own number."""
    tag: str = "riposte"
    """Name of the run."""


def make_run(task: Task, matrix: Matrix, scores: Scores, options: ListOptions) -> list[RunRow]:
    """The run of all topics from (n_rows,) scores, topic by topic."""
    lists = (final_list(matrix, topic, scores, options, min_units=task.min_units) for topic in matrix.topics)
    return [row if task.sides else row._replace(stance=NO_SIDE) for rows in lists for row in rows]


def final_list(matrix: Matrix, topic: str, scores: Scores, options: ListOptions, *, min_units: int = 0) -> list[RunRow]:
    """The run of one topic. ``scores`` are those of all rows of the matrix; the order is that of `ranked_rows`."""
    rows, diversify = matrix.rows(topic), options.diversify
    chosen = ranked_rows(matrix, rows, scores, depth=options.depth, min_units=min_units, diversify=diversify)
    return _listed(topic, matrix.stance[rows][chosen], matrix.ids[rows][chosen], scores[rows][chosen], options.tag)


def _listed(topic: str, stance: npt.NDArray[Any], ids: npt.NDArray[Any], scores: Scores, tag: str) -> list[RunRow]:
    """The run of one topic from its items, best first."""
    written = falling(_written(scores).tolist())
    columns = zip(repeat(topic), map(str, stance), ids.tolist(), count(1), written, repeat(tag), strict=False)
    return list(map(RunRow._make, columns))


def rows_of_items(matrix: Matrix, items: Mapping[str, Sequence[str]], corpus: str) -> dict[str, list[int]]:
    """Topic -> the rows of these items, given by id. Raises InputError for one that is missing, or comes twice."""
    found: dict[str, list[int]] = {}
    for topic, ids in items.items():
        span = matrix.rows(topic) if topic in matrix.topics else slice(0, 0)
        row_of = {pair_key(id_): row for row, id_ in enumerate(matrix.ids[span], span.start)}
        id_of: dict[int, str] = {}
        for id_ in ids:
            row = row_of.get(pair_key(id_))
            if row is None:
                what = f"topic {topic} has no item {quote(id_)} in this corpus"
                raise InputError(corpus, what, "name items of this corpus and task")
            if row in id_of:
                raise InputError("items", f"{quote(id_of[row])} of topic {topic} comes twice", "keep one of them")
            id_of[row] = id_
        found[topic] = list(id_of)
    return found


def run_of_items(matrix: Matrix, scores: Scores, items: Mapping[str, Sequence[str]], tag: str) -> list[RunRow]:
    """The run of all rows of a matrix, by score, then by id; each has the id that it has in ``items``."""
    rows = []
    for topic, span in matrix:
        named = {pair_key(id_): id_ for id_ in items[topic]}
        ids = np.array([named[pair_key(id_)] for id_ in matrix.ids[span]], object)
        order = np.lexsort((ids, -_written(scores[span])))
        rows += _listed(topic, matrix.stance[span][order], ids[order], scores[span][order], tag)
    return rows


def ranked_rows(
    matrix: Matrix, rows: RowsOfTopic, scores: Scores, *, depth: int, min_units: int = 0, diversify: float = DIVERSIFY
) -> list[int]:
    """Places within ``rows``, units of one topic, best first.

    Order is by score, then by ids. Of units whose parts are near-duplicates of each other's, in either order, the
    best stays; copies come back at the end where there are fewer than ``min_units``. In the first `TOP` ranks no part
    comes twice, and every unit pays ``diversify`` for each unit of the same arguments above it: a good second pair
    of the best argument can stand before a poor one of another.
    """
    written, parts, keys = _written(scores[rows]), matrix.parts[rows], np.sort(matrix.keys[rows], axis=1)
    order = np.argsort(-written, kind="stable")  # the rows of a matrix are in the order of ids
    best = keys[order]
    # A sentence paired with its own copy says one thing twice.
    twice = pd.DataFrame(best).duplicated().to_numpy() | (best[:, 1:] == best[:, :-1]).any(axis=1)
    kept, copies = order[~twice].tolist(), order[twice].tolist()
    kept = _fresh_top(kept, written, parts, keys.tolist(), min(TOP, depth), diversify)
    # A unit of copies, said last, is better than a run that evaluation refuses.
    return (kept + copies[: max(min(min_units, depth) - len(kept), 0)])[:depth]


def _written(scores: Scores) -> Scores:
    return np.asarray(np.round(scores, DECIMALS) + 0.0, np.float64)  # no -0


def _fresh_top(
    order: list[int], scores: Scores, parts: npt.NDArray[Any], keys: list[list[int]], size: int, penalty: float
) -> list[int]:
    """The order with a top of ``size`` that repeats no part: chosen one by one, the rest as it was."""
    left = list(order)
    top: list[int] = []
    shown: set[int] = set()
    times: Counter[str] = Counter()
    while left and len(top) < size:
        best, best_score = -1, -np.inf
        for position, i in enumerate(left):
            if scores[i] <= best_score:  # nobody further down can be better
                break
            if not shown.isdisjoint(keys[i]):
                continue
            score = scores[i] - penalty * max(times[argument_of(part)] for part in parts[i])
            if score > best_score:
                best, best_score = position, score
        if best < 0:
            break
        i = left.pop(best)
        top.append(i)
        shown.update(keys[i])
        times.update({argument_of(part) for part in parts[i]})
    return top + left
