"""Scores to the final list of a topic: order, duplicates, diversity, depth; lists of several topics are a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from ltr.data.columns import quote
from ltr.data.ids import argument_of, pair_key, parts_of
from ltr.data.runs import DECIMALS, NO_SIDE, RunRow, falling, write_run
from ltr.errors import InputError
from ltr.ranking.candidates import Candidates
from ltr.ranking.task import Task
from models.base import Scores
from models.defaults import DIVERSIFY

TOP = 20
"""First ranks, in which no sentence comes twice and items of an argument that was already shown lose score."""


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


COLUMNS = {"qid": str, "docno": str, "rank": int, "score": float, "stance": str, "name": str}
"""Columns of a `Run`."""


class Run(pd.DataFrame):
    """Ranked items: ``qid, docno, rank, score, stance, name``, topic by topic, ranks from 1.

    ``attrs["expected"]`` has the expected relevance of each topic's five best items where the model estimates it,
    ``attrs["unmatched"]`` the topics without any result, which share no word with the corpus.
    """

    @property
    def _constructor(self) -> type[Run]:
        return Run

    @classmethod
    def of(cls, lists: Sequence[pd.DataFrame], tag: str) -> Self:
        """The run of tables whose items are in the order of their lists, with rank and score; ``tag`` is its name."""
        columns = {name: [value for listed in lists for value in listed[name]] for name in [*COLUMNS][:-1]}
        run = cls(columns | {"name": tag}).astype(COLUMNS)
        run.attrs |= {"expected": {}, "unmatched": []}
        return run

    def rows(self) -> list[RunRow]:
        """The rows as a run file has them."""
        columns = [self[name].tolist() for name in ("qid", "stance", "docno", "rank", "score", "name")]
        return [RunRow(*row) for row in zip(*columns, strict=True)]

    def to_trec(self, path: str | Path) -> None:
        """Write the run as trec_eval reads it, compressed where the name ends in .gz. Raises InputError."""
        write_run(Path(path), self.rows())


def make_run(task: Task | None, table: Candidates, scores: Scores, options: ListOptions) -> Run:
    """The run of all topics from (n_rows,) scores, see `ranked`."""
    return Run.of([ranked(task, table, scores, options)], options.tag)


def ranked(task: Task | None, table: Candidates, scores: Scores, options: ListOptions) -> Candidates:
    """The items that (n_rows,) scores put into the lists, topic by topic in the order of `ranked_rows`.

    They have a ``rank`` and the ``score`` that is written. Without a ``task``, lists may be of any number of items.
    """
    size, diversify, least = options.depth, options.diversify, task.min_items if task else 0
    chosen = [
        rows.start + np.array(ranked_rows(table, rows, scores, depth=size, min_items=least, diversify=diversify), int)
        for rows in table.spans.values()
    ]
    listed = _listed(table, chosen, scores)
    return listed if task is None or task.sides else listed.assign(stance=NO_SIDE)


def _listed(table: Candidates, chosen: Sequence[npt.NDArray[np.int64]], scores: Scores) -> Candidates:
    """The ``chosen`` rows of each topic, best first, with their ranks and written scores."""
    written = [score for rows in chosen for score in written_scores(scores[rows])]
    ranks = [rank for rows in chosen for rank in range(1, len(rows) + 1)]
    return table.iloc[list(chain.from_iterable(chosen))].assign(rank=ranks, score=written)


def written_scores(scores: Scores) -> list[float]:
    """The scores of a list, best first, as a run has them: rounded, and strictly falling."""
    return list(falling(_written(scores).tolist()))


def rows_of_items(table: Candidates, items: Mapping[str, Sequence[str]], corpus: str) -> dict[str, list[int]]:
    """Topic -> the rows of these items, given by id. Raises InputError for one that is missing, or comes twice."""
    found: dict[str, list[int]] = {}
    spans, known = table.spans, table.ids
    for topic, ids in items.items():
        span = spans.get(topic, slice(0, 0))
        row_of = {pair_key(id_): row for row, id_ in enumerate(known[span], span.start)}
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


def run_of_items(table: Candidates, scores: Scores, items: Mapping[str, Sequence[str]], tag: str) -> Run:
    """The run of all rows of a table, by score, then by id; each has the id that it has in ``items``."""
    named = {(topic, pair_key(id_)): id_ for topic, ids in items.items() for id_ in ids}
    ids = np.array([named[topic, pair_key(id_)] for topic, id_ in zip(table["qid"], table.ids, strict=True)], object)
    orders = [rows.start + np.lexsort((ids[rows], -_written(scores[rows]))) for rows in table.spans.values()]
    return Run.of([_listed(table.assign(docno=ids), orders, scores)], tag)


def ranked_rows(
    table: Candidates, rows: slice, scores: Scores, *, depth: int, min_items: int = 0, diversify: float = DIVERSIFY
) -> list[int]:
    """Places within ``rows``, items of one topic, best first; ``scores`` are those of the whole table.

    Order is by score, then by ids. Of items whose parts are near-duplicates of each other's, in either order, the
    best stays; copies come back at the end where there are fewer than ``min_items``. In the first `TOP` ranks no part
    comes twice, and every item loses ``diversify`` for each item of the same arguments above it: a good second pair
    of the best argument can stand before a poor one of another.
    """
    written, ids, keys = _written(scores[rows]), table.ids[rows], np.sort(table.near_keys(rows), axis=1)
    order = np.argsort(-written, kind="stable")  # the rows of a table are in the order of ids
    best = keys[order]
    # A sentence paired with its own copy says one thing twice.
    twice = pd.DataFrame(best).duplicated().to_numpy() | (best[:, 1:] == best[:, :-1]).any(axis=1)
    kept, copies = order[~twice].tolist(), order[twice].tolist()
    kept = _fresh_top(kept, written, ids, keys.tolist(), min(TOP, depth), diversify)
    # An item of copies, said last, is better than a run that evaluation refuses.
    return (kept + copies[: max(min(min_items, depth) - len(kept), 0)])[:depth]


def _written(scores: Scores) -> Scores:
    return np.asarray(np.round(scores, DECIMALS) + 0.0, np.float64)  # no -0


def _fresh_top(
    order: list[int], scores: Scores, ids: npt.NDArray[Any], keys: list[list[int]], size: int, penalty: float
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
            score = scores[i] - penalty * max(times[argument_of(part)] for part in parts_of(ids[i]))
            if score > best_score:
                best, best_score = position, score
        if best < 0:
            break
        i = left.pop(best)
        top.append(i)
        shown.update(keys[i])
        times.update({argument_of(part) for part in parts_of(ids[i])})
    return top + left
