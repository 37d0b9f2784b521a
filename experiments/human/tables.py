"""The results as tables and as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from experiments.figures import text_table
from experiments.human.judged import JudgedSet
from experiments.human.summary import Interval, mean_difference, mean_over

SEEN = "†"
MEAN = "mean"

Values = dict[str, dict[str, float]]
"""Ranker -> topic -> value."""


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
        """Those of every set, then runs of some."""
        return list(dict.fromkeys(name for one in self.sets for name, values in one.values.items() if values))

    def everywhere(self, ranker: str) -> bool:
        """Whether the ranker has values on all sets that count, and there are such sets."""
        return bool(self.counted) and all(one.values.get(ranker) for one in self.counted)

    @property
    def counted(self) -> list[Measured]:
        """The sets that nothing was trained on."""
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
        cells = {title(board.task, one.judged): _cell(one.values.get(ranker, {})) for one in board.sets}
        if board.everywhere(ranker):
            cells |= {MEAN: board.mean(ranker).text()}
            if ranker != names[0]:
                cells[f"{names[0]} minus it"] = board.difference(names[0], ranker).text("+")
        rows.append({"": ranker, **cells})
    return f"{board.task}, {board.dimension}\n{text_table(rows)}"


def title(task: str, judged: JudgedSet) -> str:
    """The name of a set, marked where it trained the model that ships."""
    return judged.name + SEEN * (task in judged.seen)


def _cell(values: Mapping[str, float]) -> str:
    return mean_over([values]).text() if values else "-"


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
            "rankers": {name: _figures(mean_over([values]), values) for name, values in one.values.items() if values},
        }
        for one in board.sets
    }
    counted = list(filter(board.everywhere, rankers))
    means = {name: board.mean(name)._asdict() for name in counted}
    less = {name: board.difference(rankers[0], name)._asdict() for name in counted[1:]}
    return {
        "task": board.task,
        "dimension": board.dimension,
        "sets": sets,
        "mean": means,
        f"{rankers[0]} minus": less,
    }


def _figures(interval: Interval, values: Mapping[str, float]) -> dict[str, Any]:
    return {**interval._asdict(), "values": dict(values)}
