"""The results as tables and as plain data, with intervals over sets and topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from experiments.figures import text_table
from experiments.human.judged import JudgedSet
from ltr.evaluation.significance import percentile_interval
from models.base import Scores

SEEN = "†"
MEAN = "mean"
DRAWS = 5000

Topics = Mapping[str, float]
"""Topic -> value."""

Values = dict[str, dict[str, float]]
"""Ranker -> topic -> value."""


class Interval(NamedTuple):
    """A mean with its 95% bootstrap interval."""

    mean: float
    low: float
    high: float

    def text(self, sign: str = "") -> str:
        """``.5 [.4, .6]`` with three decimals."""
        return f"{self.mean:{sign}.3f} [{self.low:{sign}.3f}, {self.high:{sign}.3f}]"


def mean_over(sets: Sequence[Topics], seed: int = 0) -> Interval:
    """The mean over sets of their means over topics.

    In each draw of the bootstrap the sets are drawn with replacement and then the topics of each drawn set, so the
    interval is one for other sets and other topics; of a single set it is one for other topics.
    """
    arrays = [np.array(list(values.values()), np.float64) for values in sets]
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, len(arrays), (DRAWS, len(arrays)))
    drawn: Scores = np.zeros(DRAWS)
    for place in range(len(arrays)):  # a set that is drawn twice has its topics drawn twice
        for number, values in enumerate(arrays):
            draws = chosen[:, place] == number
            topics = rng.integers(0, len(values), (int(draws.sum()), len(values)))
            drawn[draws] += values[topics].mean(axis=1) / len(arrays)
    return Interval(float(np.mean([values.mean() for values in arrays])), *percentile_interval(drawn))


def mean_difference(ours: Sequence[Topics], others: Sequence[Topics]) -> Interval:
    """Ours minus another's over the same sets and topics, see `mean_over`."""
    return mean_over([{t: a[t] - b[t] for t in a if t in b} for a, b in zip(ours, others, strict=True)])


class Measured(NamedTuple):
    """A set, and what rankers have on it."""

    judged: JudgedSet
    values: Values


class Board(NamedTuple):
    """The sets of one task that measure the same."""

    task: str
    dimension: str
    sets: list[Measured]

    @property
    def rankers(self) -> list[str]:
        """Names of rankers; each has values on every set."""
        return list(self.sets[0].values)

    @property
    def counted(self) -> list[Measured]:
        """The sets that trained nothing."""
        return [one for one in self.sets if self.task not in one.judged.seen]

    def mean(self, ranker: str) -> Interval:
        """Over the sets that count and their topics."""
        return mean_over([one.values[ranker] for one in self.counted])

    def difference(self, ranker: str, other: str) -> Interval:
        """The ranker's mean minus the other's."""
        return mean_difference(*([one.values[name] for one in self.counted] for name in (ranker, other)))


def boards(task: str, measured: Sequence[Measured]) -> Iterator[Board]:
    """One for each dimension, in the order of the sets."""
    for dimension in dict.fromkeys(one.judged.dimension for one in measured):
        yield Board(task, dimension, [one for one in measured if one.judged.dimension == dimension])


def board_text(board: Board) -> str:
    """A heading, and a table: a row a ranker, a column a set."""
    rows = []
    names = board.rankers
    for ranker in names:
        cells = {title(board.task, one.judged): mean_over([one.values[ranker]]).text() for one in board.sets}
        if board.counted:
            cells |= {MEAN: board.mean(ranker).text()}
            if ranker != names[0]:
                cells[f"{names[0]} minus it"] = board.difference(names[0], ranker).text("+")
        rows.append({"": ranker, **cells})
    return f"{board.task}, {board.dimension}\n{text_table(rows)}"


def title(task: str, judged: JudgedSet) -> str:
    """The name of a set, marked where it trained the model that ships."""
    return judged.name + SEEN * (task in judged.seen)


def board_json(board: Board) -> dict[str, Any]:
    """A board as plain data."""
    rankers = board.rankers
    sets = {
        one.judged.name: {
            "what": one.judged.what,
            "measure": one.judged.measure,
            "topics": len(one.values[rankers[0]]),
            "seen": one.judged.seen.get(board.task, ""),
            "left out": one.judged.left_out,
            "rankers": {
                name: {**mean_over([values])._asdict(), "values": values} for name, values in one.values.items()
            },
        }
        for one in board.sets
    }
    counted = rankers if board.counted else []
    return {
        "task": board.task,
        "dimension": board.dimension,
        "sets": sets,
        "mean": {name: board.mean(name)._asdict() for name in counted},
        f"{rankers[0]} minus": {name: board.difference(rankers[0], name)._asdict() for name in counted[1:]},
    }
