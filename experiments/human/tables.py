"""The results as tables and as plain data, with intervals over sets and topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from experiments.figures import INTERVAL
from experiments.human.judged import JudgedSet
from ltr.evaluation.evaluator import MEAN
from ltr.evaluation.significance import percentile_interval
from ltr.evaluation.tables import Table, interval_text
from models.base import Scores

SEEN = "†"
DRAWS = 5000

Topics = Mapping[str, float]
"""Topic -> value."""

Values = dict[str, dict[str, float]]
"""Ranker -> topic -> value."""

Measured = tuple[JudgedSet, Values]
"""A set, and what rankers have on it."""


def mean_over(sets: Sequence[Topics], seed: int = 0) -> dict[str, float]:
    """The mean over sets of their means over topics, with its 95% bootstrap interval, by `INTERVAL`.

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
    mean = float(np.mean([values.mean() for values in arrays]))
    return dict(zip(INTERVAL, (mean, *percentile_interval(drawn)), strict=True))


def boards(task: str, measured: Sequence[Measured]) -> Iterator[dict[str, Any]]:
    """The figures of each dimension as plain data, in the order of the sets."""
    for dimension in dict.fromkeys(judged.dimension for judged, _ in measured):
        sets = [(judged, values) for judged, values in measured if judged.dimension == dimension]
        ours, *others = rankers = list(sets[0][1])
        counted = [values for judged, values in sets if task not in judged.seen]
        yield {
            "task": task,
            "dimension": dimension,
            "sets": {
                judged.name: {
                    "what": judged.what,
                    "measure": judged.measure,
                    "topics": len(values[ours]),
                    "seen": judged.seen.get(task, ""),
                    "left out": judged.left_out,
                    "rankers": {name: {**mean_over([topics]), "values": topics} for name, topics in values.items()},
                }
                for judged, values in sets
            },
            "mean": {name: mean_over([values[name] for values in counted]) for name in rankers if counted},
            f"{ours} minus": {
                name: mean_over([differences(values[ours], values[name]) for values in counted])
                for name in others
                if counted
            },
        }


def differences(ours: Topics, other: Topics) -> Topics:
    """Ours minus another ranker's, for the topics that both have."""
    return {topic: value - other[topic] for topic, value in ours.items() if topic in other}


def board_table(board: Mapping[str, Any]) -> Table:
    """A row a ranker, a column a set."""
    sets, mean = board["sets"], board["mean"]
    ours, *_ = rankers = list(next(iter(sets.values()))["rankers"])
    head = [name + SEEN * bool(one["seen"]) for name, one in sets.items()]
    rows = [["", *head, *([MEAN, f"{ours} minus it"] if mean else [])]]
    for ranker in rankers:
        figures = [one["rankers"][ranker] for one in sets.values()] + ([mean[ranker]] if mean else [])
        cells = [interval_text(figure["mean"], figure["low"], figure["high"]) for figure in figures]
        if mean:
            less = board[f"{ours} minus"].get(ranker)
            cells.append(interval_text(less["mean"], less["low"], less["high"], "+") if less else "")
        rows.append([ranker, *cells])
    return Table(f"{board['task']}, {board['dimension']}", rows)
