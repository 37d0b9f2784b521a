"""How well a run agrees with judgments: every measure with its mean, its interval and what it was computed over.

Topics weigh the same. Every topic of the qrels counts, so a run gains nothing by leaving a hard one out;
a topic without judgments says nothing and is left out. Both are listed in :class:`Coverage`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels, fold_grades
from ltr.data.runs import RunRow
from ltr.errors import InputError
from ltr.evaluation.measures import measure_run
from ltr.evaluation.rankings import Rankings, RunOrder, argument_ranking, run_order
from ltr.evaluation.significance import mean_interval

Level = Literal["pair", "argument"]


@dataclass(frozen=True, slots=True)
class Coverage:
    """Where run and judgments meet. Topics are named in the order of their file."""

    judged: tuple[str, ...]  # every mean but the lab's is over these
    missing: tuple[str, ...]  # judged but not in the run: they score 0
    unjudged: tuple[str, ...]  # in the run but not judged: left out
    without_relevant: tuple[str, ...]  # judged, no grade above 0: they score 0 in every nDCG
    outside_lab_mean: tuple[str, ...]  # nothing judged above the cut: the lab's script leaves them out
    repeated: int  # ids met again further down a judged topic's ranking; only the first counts


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Measures by name: ``nDCG@5``, ``lab_nDCG@5``, ``judged@5``, ``condensed_nDCG@5`` and those that were asked for.

    ``values`` has a number per measure and judged topic, for ``lab_nDCG`` without those outside its mean;
    ``intervals`` has the 95% t interval of every mean.
    """

    level: Level
    strict_order: bool
    k: int
    values: dict[str, dict[str, float]]
    means: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    coverage: Coverage


def evaluate(rows: Iterable[RunRow], qrels: Qrels, *, level: Level, **how: Any) -> Evaluation:
    """Compare a run with judgments of pairs or of arguments: :func:`evaluate_orders` of the one order it has."""
    return evaluate_orders([run_order(rows)], qrels, level=level, **how)


def evaluate_orders(
    orders: Sequence[RunOrder],
    qrels: Qrels,
    *,
    level: Level,
    strict_order: bool = False,
    k: int = 5,
    measures: Sequence[Any] = (),
) -> Evaluation:
    """Compare orders of the same ids with judgments: a topic's value is the mean over them.

    At pair level a run's pair matches a judged pair in either order unless ``strict_order``. A pair that
    is judged in both orders has the higher of its two grades: the run may choose the order, so the pair is
    worth what its better order is worth. At argument level a ranking of pairs is read as the arguments in
    order of first appearance; a ranking of plain argument ids stays as it is.

    ``measures`` are further ones from :func:`ltr.evaluation.irmeasures.parse_measure`. Raises InputError when there is
    no judgment at all, and for a measure that these grades do not allow.
    """
    if not any(qrels.values()):
        raise InputError("qrels", "hold no judgments", "name a file with some")
    fold = pair_key if level == "pair" and not strict_order else str
    grades = fold_grades(qrels, fold)

    def distinct(ranked: Rankings) -> Rankings:
        ids = {topic: ranked.get(topic, ()) for topic in grades}
        if level == "argument":
            return {topic: argument_ranking(some) for topic, some in ids.items()}
        return {topic: list(dict.fromkeys(map(fold, some))) for topic, some in ids.items()}

    found = []
    for order in orders:
        scored = distinct(order.by_score)
        ranked = scored if order.by_rank is order.by_score else distinct(order.by_rank)
        found.append(measure_run(RunOrder(scored, ranked), grades, k, measures))
    results = sum(len(orders[-1].by_score.get(topic, ())) for topic in grades)
    values = {name: _mean_values([one[name] for one in found], grades) for name in found[0]}
    coverage = Coverage(
        judged=tuple(grades),
        missing=tuple(topic for topic in grades if topic not in orders[0].by_score),
        unjudged=tuple(topic for topic in orders[0].by_score if topic not in grades),
        without_relevant=tuple(topic for topic, judged in grades.items() if max(judged.values()) <= 0),
        outside_lab_mean=tuple(topic for topic in grades if topic not in values[f"lab_nDCG@{k}"]),
        repeated=results - sum(map(len, scored.values())) if level == "pair" else 0,
    )
    return _summarise(values, level, strict_order, k, coverage)


def mean_evaluation(found: Sequence[Evaluation]) -> Evaluation:
    """The mean of several evaluations of one run, over the topics that all of them judge. Raises InputError."""
    first, *others = found
    topics = [topic for topic in first.coverage.judged if all(topic in one.coverage.judged for one in others)]
    if not topics:
        raise InputError("qrels", "have no topic that every dimension judges", "name judgments of the same topics")
    values = {name: _mean_values([one.values[name] for one in found], topics, everywhere=True) for name in first.values}
    missing = tuple(topic for topic in topics if topic in first.coverage.missing)
    outside = tuple(topic for topic in topics if topic not in values[f"lab_nDCG@{first.k}"])
    coverage = Coverage(tuple(topics), missing, (), (), outside, first.coverage.repeated)
    return _summarise(values, first.level, first.strict_order, first.k, coverage)


def _mean_values(
    found: Sequence[dict[str, float]], topics: Iterable[str], everywhere: bool = False
) -> dict[str, float]:
    """Means by topic over those that have a value for it; with ``everywhere`` only of topics where all have one."""
    by_topic = {topic: [one[topic] for one in found if topic in one] for topic in topics}
    enough = len(found) if everywhere else 1
    return {topic: math.fsum(some) / len(some) for topic, some in by_topic.items() if len(some) >= enough}


def _summarise(
    values: dict[str, dict[str, float]], level: Level, strict_order: bool, k: int, coverage: Coverage
) -> Evaluation:
    means, intervals = {}, {}
    for name, by_topic in values.items():
        scores = np.fromiter(by_topic.values() or [0.0], dtype=np.float64)  # the lab's mean can be over no topic
        means[name] = math.fsum(scores) / len(scores)
        intervals[name] = mean_interval(scores, (0, max(1, float(scores.max()))))  # some measures count
    return Evaluation(level, strict_order, k, values, means, intervals, coverage)
