"""How well a run agrees with judgments: nDCG, full and condensed, the judged share, and measures of ir_measures.

Topics weigh the same. Every topic of the qrels counts, so a run gains nothing by leaving a hard one out;
a topic without judgments says nothing and is left out. Both are listed in :class:`Coverage`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice
from typing import Any, Literal

import numpy as np

from ltr.data.formats import Qrels, RunRow, argument_of, pair_key
from ltr.errors import InputError
from ltr.evaluation.significance import mean_interval

Level = Literal["pair", "argument"]
Rankings = dict[str, list[str]]
"""Topic -> ids, best first."""

RANDOM_ORDERS = 20


@dataclass(frozen=True, slots=True)
class Coverage:
    """Where run and judgments meet. Topics are named in the order of their file."""

    judged: tuple[str, ...]  # every mean is over these
    missing: tuple[str, ...]  # judged but not in the run: they score 0
    unjudged: tuple[str, ...]  # in the run but not judged: left out
    without_relevant: tuple[str, ...]  # judged, no grade above 0: they score 0 in every nDCG
    repeated: int  # ids met again further down a judged topic's ranking; only the first counts
    two_grades: int  # pairs judged in both orders with different grades; the higher one counts


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Measures by name: ``nDCG@5``, ``lab_nDCG@5``, ``judged@5``, ``condensed_nDCG@5`` and those that were asked for.

    ``values`` has a number per measure and judged topic, ``intervals`` the 95% t interval of every mean.
    """

    level: Level
    strict_order: bool
    k: int
    values: dict[str, dict[str, float]]
    means: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    coverage: Coverage


def evaluate(
    rows: Iterable[RunRow],
    qrels: Qrels,
    *,
    level: Level,
    strict_order: bool = False,
    k: int = 5,
    measures: Sequence[Any] = (),
) -> Evaluation:
    """Compare a run with judgments of pairs or of arguments.

    At pair level a run's pair matches a judged pair in either order unless ``strict_order``. A pair that
    is judged in both orders has the higher of its two grades: the run may choose the order, so the pair is
    worth what its better order is worth. At argument level a ranking of pairs is read as the arguments in
    order of first appearance; a ranking of plain argument ids stays as it is.

    ``measures`` are further ones from :func:`ltr.evaluation.irmeasures.parse_measure`. Raises InputError when there is
    no judgment at all, and for a measure that these grades do not allow.
    """
    return evaluate_orders([rankings(rows)], qrels, level=level, strict_order=strict_order, k=k, measures=measures)


def evaluate_orders(
    orders: Sequence[Rankings],
    qrels: Qrels,
    *,
    level: Level,
    strict_order: bool = False,
    k: int = 5,
    measures: Sequence[Any] = (),
) -> Evaluation:
    """As :func:`evaluate`, for several orders of the same ids: a topic's value is the mean over them."""
    if not any(qrels.values()):
        raise InputError("qrels", "hold no judgments", "name a file with some")
    fold = pair_key if level == "pair" and not strict_order else str
    grades, two_grades = fold_grades(qrels, fold)
    found = []
    for order in orders:
        ranked = {topic: [fold(id_) for id_ in ids] for topic, ids in order.items() if topic in grades}
        if level == "argument":
            ranked = {topic: argument_ranking(ids) for topic, ids in ranked.items()}
        distinct = {topic: list(dict.fromkeys(ranked.get(topic, ()))) for topic in grades}
        found.append(_measure(distinct, grades, k, measures))
    coverage = Coverage(
        judged=tuple(grades),
        missing=tuple(topic for topic in grades if topic not in ranked),
        unjudged=tuple(topic for topic in orders[0] if topic not in grades),
        without_relevant=tuple(topic for topic, judged in grades.items() if max(judged.values()) <= 0),
        repeated=sum(len(ranked.get(topic, ())) - len(ids) for topic, ids in distinct.items()),
        two_grades=two_grades,
    )
    values = {
        name: {topic: math.fsum(one[name][topic] for one in found) / len(found) for topic in grades}
        for name in found[0]
    }
    return _summarise(values, level, strict_order, k, coverage)


def mean_evaluation(found: Sequence[Evaluation]) -> Evaluation:
    """The mean of several evaluations of one run, over the topics that all of them judge. Raises InputError."""
    first, *others = found
    topics = [topic for topic in first.coverage.judged if all(topic in one.coverage.judged for one in others)]
    if not topics:
        raise InputError("qrels", "have no topic that every dimension judges", "name judgments of the same topics")
    values = {
        name: {topic: math.fsum(one.values[name][topic] for one in found) / len(found) for topic in topics}
        for name in first.values
    }
    missing = tuple(topic for topic in topics if topic in first.coverage.missing)
    coverage = Coverage(tuple(topics), missing, (), (), first.coverage.repeated, 0)
    return _summarise(values, first.level, first.strict_order, first.k, coverage)


def _summarise(
    values: dict[str, dict[str, float]], level: Level, strict_order: bool, k: int, coverage: Coverage
) -> Evaluation:
    means, intervals = {}, {}
    for name, by_topic in values.items():
        scores = np.fromiter(by_topic.values(), dtype=np.float64)
        means[name] = math.fsum(scores) / len(scores)
        intervals[name] = mean_interval(scores, (0, max(1, float(scores.max()))))  # some measures count
    return Evaluation(level, strict_order, k, values, means, intervals, coverage)


# ---- rankings -------------------------------------------------------------------------------------


def rankings(rows: Iterable[RunRow]) -> Rankings:
    """The ids of every topic by score descending, ties by id descending.

    That is how trec_eval orders a run, whatever its ranks and the order of its lines say. Our own scores
    fall strictly, so the rule for ties only touches other people's runs.
    """
    by_topic: dict[str, list[tuple[float, str]]] = {}
    for row in rows:
        by_topic.setdefault(row.topic, []).append((row.score, row.pair))
    return {topic: [id_ for _, id_ in sorted(scored, reverse=True)] for topic, scored in by_topic.items()}


def random_orders(ranked: Rankings, seed: int = 0, count: int = RANDOM_ORDERS) -> list[Rankings]:
    """The ids of each topic shuffled ``count`` times: what a ranking of these candidates has by luck alone."""
    rng = np.random.default_rng(seed)
    return [
        {topic: [ids[place] for place in rng.permutation(len(ids))] for topic, ids in ranked.items()}
        for _ in range(count)
    ]


def argument_ranking(pairs: Iterable[str]) -> list[str]:
    """Arguments of a ranking of pairs in order of first appearance, a pair's first id before its second."""
    return list(dict.fromkeys(argument_of(id_) for pair in pairs for id_ in pair.split(",")))


# ---- measures of one topic ------------------------------------------------------------------------


def lab_ndcg(ranking: Sequence[str], grades: Mapping[str, float], k: int = 5) -> float:
    """The Touché lab's nDCG@k: the gain is the grade, at least 0, divided by log2(rank + 1).

    Unjudged ids gain nothing; without a grade above 0 the value is 0. Järvelin & Kekäläinen 2002, with
    the discount of trec_eval's ndcg_cut; unlike that one it takes fractional grades.
    """
    ideal = _dcg(nlargest(k, grades.values()))
    # Rounding alone could lift a near-ideal order above 1.
    return min(1.0, _dcg(grades.get(id_, 0.0) for id_ in ranking[:k]) / ideal) if ideal > 0 else 0.0


def condensed_ndcg(ranking: Iterable[str], grades: Mapping[str, float], k: int = 5) -> float:
    """:func:`lab_ndcg` after taking unjudged ids out of the ranking: Sakai 2007, "condensed lists"."""
    return lab_ndcg(list(islice((id_ for id_ in ranking if id_ in grades), k)), grades, k)


def judged_share(ranking: Sequence[str], grades: Mapping[str, float], k: int = 5) -> float:
    """Share of the first k ids, or of all when there are fewer, with a grade; 0 for an empty ranking.

    The same as ``Judged@k`` of ir_measures.
    """
    top = ranking[:k]
    return sum(id_ in grades for id_ in top) / len(top) if top else 0.0


def _dcg(grades: Iterable[float]) -> float:
    return sum(max(grade, 0.0) / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


_OWN = {"lab_nDCG": lab_ndcg, "judged": judged_share, "condensed_nDCG": condensed_ndcg}


# ---- all topics -----------------------------------------------------------------------------------


def fold_grades(qrels: Qrels, fold: Callable[[str], str]) -> tuple[Qrels, int]:
    """Qrels under folded ids, the higher grade of two, and how many ids had two."""
    folded: Qrels = {}
    differing = set()
    for topic, grades in qrels.items():
        for id_, grade in grades.items():
            key = fold(id_)
            known = folded.setdefault(topic, {}).setdefault(key, grade)
            if known != grade:
                differing.add((topic, key))
                folded[topic][key] = max(known, grade)
    return folded, len(differing)


def _measure(ranked: Rankings, grades: Qrels, k: int, further: Sequence[Any]) -> dict[str, dict[str, float]]:
    """Values by measure and topic."""
    import ir_measures

    from ltr.evaluation.irmeasures import calculate, whole_factor

    ndcg = [ir_measures.nDCG @ k] if whole_factor(grades) else []  # else by the same formula, ours
    own = {f"{name}@{k}": {t: measure(ranked[t], grades[t], k) for t in grades} for name, measure in _OWN.items()}
    return {
        f"nDCG@{k}": own[f"lab_nDCG@{k}"],
        **own,
        **calculate(ndcg, grades, ranked),
        **calculate(further, grades, ranked),
    }
