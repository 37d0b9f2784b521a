"""How well a run agrees with judgments: nDCG three ways, the judged share, and how sure we may be.

Topics weigh the same. Every topic of the qrels counts, so a run gains nothing by leaving a hard one out;
a topic without judgments says nothing and is left out. Both are listed in :class:`Coverage`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ltr.errors import InputError
from ltr.formats import Qrels, RunRow, argument_of, pair_key

Level = Literal["pair", "argument"]
Rankings = dict[str, list[str]]
"""Topic -> ids, best first."""

RESAMPLES = 10_000
_BATCH = 1 << 20  # drawn topics held in memory at a time


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
    """Measures by name (``nDCG@5``, ``lab_nDCG@5``, ``judged@5``, ``condensed_nDCG@5``), all in [0, 1].

    ``values`` holds a number per judged topic; a measure that could not be computed has None as its mean
    and interval, no values, and its reason in ``unavailable``.
    """

    level: Level
    strict_order: bool
    k: int
    seed: int
    values: dict[str, dict[str, float]]
    means: dict[str, float | None]
    intervals: dict[str, tuple[float, float] | None]
    unavailable: dict[str, str]
    coverage: Coverage


def evaluate(
    rows: Iterable[RunRow],
    qrels: Qrels,
    *,
    level: Level,
    strict_order: bool = False,
    k: int = 5,
    seed: int = 0,
) -> Evaluation:
    """Compare a run with judgments of pairs or of arguments.

    At pair level a run's pair matches a judged pair in either order unless ``strict_order``. A pair that
    is judged in both orders has the higher of its two grades: the run may choose the order, so the pair is
    worth what its better order is worth. At argument level a ranking of pairs is read as the arguments in
    order of first appearance; a ranking of plain argument ids stays as it is.

    The same ``seed`` draws the same topics, so intervals of two runs over the same qrels are comparable.
    Raises InputError when there is no judgment at all.
    """
    if not any(qrels.values()):
        raise InputError("qrels", "hold no judgments", "name a file with some")
    fold = pair_key if level == "pair" and not strict_order else str
    grades, two_grades = fold_grades(qrels, fold)
    ranked = {topic: [fold(id_) for id_ in ids] for topic, ids in rankings(rows).items()}
    if level == "argument":
        ranked = {topic: argument_ranking(ids) for topic, ids in ranked.items()}
    distinct = {topic: list(dict.fromkeys(ranked.get(topic, ()))) for topic in grades}
    coverage = Coverage(
        judged=tuple(grades),
        missing=tuple(topic for topic in grades if topic not in ranked),
        unjudged=tuple(topic for topic in ranked if topic not in grades),
        without_relevant=tuple(topic for topic, judged in grades.items() if max(judged.values()) <= 0),
        repeated=sum(len(ranked.get(topic, ())) - len(ids) for topic, ids in distinct.items()),
        two_grades=two_grades,
    )
    values, unavailable = _measure(distinct, grades, k)
    names = [f"{name}@{k}" for name in ("nDCG", *_OWN)]
    means: dict[str, float | None] = dict.fromkeys(names)
    intervals: dict[str, tuple[float, float] | None] = dict.fromkeys(names)
    for name, by_topic in values.items():
        scores = np.fromiter(by_topic.values(), dtype=np.float64)
        means[name] = math.fsum(scores) / len(scores)
        intervals[name] = bootstrap_interval(scores, seed=seed)
    return Evaluation(level, strict_order, k, seed, values, means, intervals, unavailable, coverage)


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


def bootstrap_interval(values: NDArray[np.float64], *, seed: int = 0, level: float = 0.95) -> tuple[float, float]:
    """Percentile bootstrap interval of the mean of ``values``, (n_topics,) float64.

    Efron & Tibshirani 1993, ch. 13, with 10,000 resamples of the topics. A single topic, or topics that
    all agree, leave nothing to resample: both ends are that value. Raises ValueError without values.
    """
    if np.ptp(values) == 0:
        return float(values[0]), float(values[0])
    rng = np.random.default_rng(seed)
    means = np.empty(RESAMPLES)
    step = max(1, _BATCH // len(values))
    for start in range(0, RESAMPLES, step):
        part = means[start : start + step]
        part[:] = values[rng.integers(len(values), size=(len(part), len(values)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


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


def _measure(ranked: Rankings, grades: Qrels, k: int) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """Values by measure and topic, and the reasons for measures that cannot be had."""
    values: dict[str, dict[str, float]] = {}
    unavailable: dict[str, str] = {}
    if all(float(grade).is_integer() for judged in grades.values() for grade in judged.values()):
        values[f"nDCG@{k}"] = _ir_measures_ndcg(ranked, grades, k)
    else:
        unavailable[f"nDCG@{k}"] = "ir_measures takes whole grades only, and these qrels hold others"
    for name, measure in _OWN.items():
        values[f"{name}@{k}"] = {topic: measure(ranked[topic], grades[topic], k) for topic in grades}
    return values, unavailable


def _ir_measures_ndcg(ranked: Rankings, grades: Qrels, k: int) -> dict[str, float]:
    import ir_measures

    # Scores made from the positions: trec_eval keeps 32 bits of a score, which could tie two of a run's.
    run = {topic: {id_: float(-place) for place, id_ in enumerate(ids)} for topic, ids in ranked.items()}
    # Negative grades count 0 in trec_eval's nDCG, and pytrec_eval 0.5.11 writes outside its memory for them when a
    # topic has grades of both signs: now and then the process dies. So it never sees one.
    whole = {topic: {id_: max(int(grade), 0) for id_, grade in judged.items()} for topic, judged in grades.items()}
    found = ir_measures.pytrec_eval.iter_calc([ir_measures.nDCG @ k], whole, run)
    by_topic = {metric.query_id: float(metric.value) for metric in found}
    return {topic: by_topic.get(topic, 0.0) for topic in grades}
