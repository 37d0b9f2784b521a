"""Evaluate a run against judgments: every measure with its mean, its interval and the topics that it is over.

Topics weigh the same. Every topic of the qrels counts, so a run gains nothing by leaving a hard one out;
a topic without judgments is left out. Both are listed in :class:`Coverage`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ltr.data.ids import is_pair, is_sentence, pair_key, parts_of
from ltr.data.qrels import Grades, Qrels, fold_grades
from ltr.data.runs import RunRow
from ltr.errors import InputError
from ltr.evaluation.inputs import QRELS
from ltr.evaluation.irmeasures import Values, calculate
from ltr.evaluation.rankings import Rankings, RunOrder, arguments_of
from ltr.evaluation.significance import CORRELATION, MeanCI, mean_interval, variance_of

if TYPE_CHECKING:
    import pandas as pd

MEAN = "mean"
"""The name of the mean over dimensions."""
LAB, CONDENSED = "lab_nDCG@", "condensed_nDCG@"
"""How measures begin that leave topics or results out."""
ENOUGH_JUDGED = 0.5
DOUBTFUL = "(?)"
DOUBTFUL_NOTE = f"{DOUBTFUL}: fewer than half of the first results are judged; such a condensed figure is unreliable."


def doubt(judged: float) -> str:
    """The mark of a condensed figure, empty where enough of the first results are ``judged`` (mean share)."""
    return f" {DOUBTFUL}" if judged < ENOUGH_JUDGED else ""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which topics run and judgments share. Topics are named in the order of their file."""

    judged: tuple[str, ...] = ()  # every mean but the lab's is over these
    missing: tuple[str, ...] = ()  # judged but not in the run: they score 0
    unjudged: tuple[str, ...] = ()  # in the run but not judged: left out
    without_relevant: tuple[str, ...] = ()  # judged, no grade above 0: they score 0 in every nDCG
    outside_lab_mean: tuple[str, ...] = ()  # nothing judged above the cut: the lab's script leaves them out
    repeated: int = 0  # ids met again further down a judged topic's ranking; only the first counts


@dataclass(frozen=True)
class Evaluation:
    """Measures by name, such as ``nDCG@5``, over the judged topics.

    ``values`` has a number per measure and judged topic, for ``lab_nDCG`` without those outside its mean; ``summary``
    has their means.
    """

    values: Values
    summary: dict[str, MeanCI]
    coverage: Coverage
    relevant: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """Topic and id of items with a grade above 0 -> rank, infinite where the run lacks the item; empty for a mean over
    dimensions."""

    @property
    def means(self) -> dict[str, float]:
        """Measure -> mean over topics."""
        return {name: found.mean for name, found in self.summary.items()}

    @property
    def doubtful(self) -> list[str]:
        """The condensed measures of a run that has few of its first results judged."""
        depths = {name: name.removeprefix(CONDENSED) for name in self.means if name.startswith(CONDENSED)}
        return [name for name, k in depths.items() if self.means.get(f"judged@{k}", 1.0) < ENOUGH_JUDGED]

    def text(self, measure: str, decimals: int = 3) -> str:
        """``.5 [.4, .6]``, marked where it is doubtful."""
        return self.summary[measure].text(decimals) + f" {DOUBTFUL}" * (measure in self.doubtful)


Figures = Mapping[str, Mapping[str, Evaluation]]
"""Run -> set of judgments -> what was measured."""


def check_match(where: object, rows: Iterable[RunRow], judgments: Mapping[str, Qrels]) -> None:
    """Refuse comparisons that could only come out as zeros."""
    rows = list(rows)
    ranks_pairs = any(is_pair(row.pair) for row in rows)
    ranks_sentences = ranks_pairs or any(is_sentence(row.pair) for row in rows)
    topics = {row.topic for row in rows}
    for name, qrels in judgments.items():
        if not any(qrels.values()):
            raise InputError("qrels", "hold no judgments", "name a file with some")
        if qrels.level == "pair" and not ranks_pairs:
            raise InputError(where, "ranks no pairs, and the qrels judge pairs", "name qrels of arguments")
        kinds = {_kind(id_) for judged in qrels.values() for id_ in judged}
        if len(kinds) > 1:
            raise InputError("qrels", f"judge {' and '.join(sorted(kinds))}", "name a file of one kind")
        if kinds == {"sentences"} and not ranks_sentences:
            raise InputError(where, "ranks no sentences, and the qrels judge some", "name qrels of whole items")
        if topics.isdisjoint(qrels):
            what = "the qrels" if name == QRELS else f"the qrels of {name}"
            raise InputError(where, f"has no topic in common with {what}", "name the qrels of its topics")


def _kind(id_: str) -> str:
    return "pairs" if is_pair(id_) else "sentences" if is_sentence(id_) else "whole items"


def evaluate_sets(
    orders: Sequence[RunOrder], judgments: Mapping[str, Qrels], measures: Sequence[Any], *, strict_order: bool = False
) -> dict[str, Evaluation]:
    """Figures by every set of judgments, and their `MEAN` over the dimensions where there are several."""
    by_set = {
        name: evaluate_orders(orders, qrels, measures, strict_order=strict_order) for name, qrels in judgments.items()
    }
    dimensions = [evaluation for name, evaluation in by_set.items() if name != QRELS]
    return by_set | ({MEAN: mean_evaluation(dimensions)} if len(dimensions) > 1 else {})


def evaluate_orders(
    orders: Sequence[RunOrder], judged: Grades, measures: Sequence[Any], *, strict_order: bool = False
) -> Evaluation:
    """Compare orders of the same ids with judgments: a topic's value is the mean over them.

    With ``strict_order`` a pair matches a judged one in the same order alone.
    A pair that is judged in both orders has the mean of its two grades. At argument level a ranking of pairs is read
    as the arguments in order of first appearance, and as the sentences where those are judged; a ranking of plain ids
    stays as it is.
    """
    qrels = Qrels.of(judged)
    fold = pair_key if qrels.level == "pair" and not strict_order else str
    grades = fold_grades(qrels, fold)
    # Random orders hold the same ids many times.
    of_sentences = any(is_sentence(id_) for judged in qrels.values() for id_ in judged)
    whole = parts_of if of_sentences else arguments_of
    judged_of = cache((lambda id_: tuple(whole(id_))) if qrels.level == "argument" else lambda id_: (fold(id_),))

    def distinct(ranked: Rankings) -> Rankings:
        every = {topic: map(judged_of, ranked.get(topic, ())) for topic in grades}
        return {topic: list(dict.fromkeys(chain.from_iterable(ids))) for topic, ids in every.items()}

    by_order = []
    for order in orders:
        scored = distinct(order.by_score)
        ranked = scored if order.by_rank is order.by_score else distinct(order.by_rank)
        # Items that another name stands for have no score of their own.
        scores = {topic: of for topic, of in order.scores.items() if all(judged_of(id_) == (id_,) for id_ in of)}
        by_order.append(calculate(measures, grades, RunOrder(scored, ranked, scores)))
    shown = [orders[-1].by_score.get(topic, ()) for topic in grades]
    repeated = sum(len(ids) - len(set(map(fold, ids))) for ids in shown)
    values = {name: _mean_values([order[name] for order in by_order], grades) for name in by_order[0]}
    coverage = Coverage(
        judged=tuple(grades),
        missing=tuple(topic for topic in grades if topic not in orders[0].by_score),
        unjudged=tuple(topic for topic in orders[0].by_score if topic not in grades),
        without_relevant=tuple(topic for topic, judged in grades.items() if max(judged.values()) <= 0),
        outside_lab_mean=_outside_lab_mean(values, grades),
        repeated=repeated,
    )
    ranks = {topic: {id_: rank for rank, id_ in enumerate(ids, 1)} for topic, ids in scored.items()}
    relevant = {
        (topic, id_): ranks[topic].get(id_, math.inf)
        for topic, judged in grades.items()
        for id_, grade in judged.items()
        if grade > 0
    }
    return Evaluation(values, _summary(values), coverage, relevant)


def mean_evaluation(evaluations: Sequence[Evaluation]) -> Evaluation:
    """The mean of several evaluations of one run, over the topics that all of them judge. Raises InputError."""
    first, *others = evaluations
    topics = [topic for topic in first.coverage.judged if all(topic in other.coverage.judged for other in others)]
    if not topics:
        raise InputError("qrels", "have no topic that every dimension judges", "name judgments of the same topics")
    values = {name: _mean_values([each.values[name] for each in evaluations], topics, True) for name in first.values}
    missing = tuple(topic for topic in topics if topic in first.coverage.missing)
    outside, repeated = _outside_lab_mean(values, topics), first.coverage.repeated
    coverage = Coverage(tuple(topics), missing, outside_lab_mean=outside, repeated=repeated)
    return Evaluation(values, _summary(values), coverage)


def _outside_lab_mean(values: Values, topics: Iterable[str]) -> tuple[str, ...]:
    """The topics that the first of the lab's measures leaves out."""
    lab = next((by_topic for name, by_topic in values.items() if name.startswith(LAB)), None)
    return () if lab is None else tuple(topic for topic in topics if topic not in lab)


def _mean_values(
    by_order: Sequence[dict[str, float]], topics: Iterable[str], everywhere: bool = False
) -> dict[str, float]:
    """Means by topic over those that have a value for it; with ``everywhere`` only of topics where all have one."""
    by_topic = {topic: [values[topic] for values in by_order if topic in values] for topic in topics}
    enough = len(by_order) if everywhere else 1
    return {topic: math.fsum(known) / len(known) for topic, known in by_topic.items() if len(known) >= enough}


def _summary(values: Values, *, exact: bool = True) -> dict[str, MeanCI]:
    """Means that are not ``exact`` are numpy's, to the last digit, as manifests of models have them."""
    summary = {}
    for name, by_topic in values.items():
        scores = np.fromiter(by_topic.values() or [0.0], dtype=np.float64)  # the lab's mean can be over no topic
        bounds = -1 if name == CORRELATION else 0, max(1, float(scores.max()))  # some measures count
        mean = math.fsum(scores) / len(scores) if exact else float(scores.mean())
        summary[name] = MeanCI(mean, *mean_interval(scores, bounds, variance_of(name)), len(by_topic))
    return summary


def values_frame(figures: Figures) -> pd.DataFrame:
    """A row a (set of judgments, topic), a column a (run, measure); NaN where a topic has no value."""
    import pandas as pd  # noqa: PLC0415 a third of a second that the commands need not wait for

    sets = next(iter(figures.values()))
    keys = [(name, topic) for name, one in sets.items() for topic in one.coverage.judged]
    measures = dict.fromkeys(measure for one in sets.values() for measure in one.values)
    columns = {
        (run, measure): [by_set[name].values.get(measure, {}).get(topic, math.nan) for name, topic in keys]
        for run, by_set in figures.items()
        for measure in measures
    }
    return pd.DataFrame(columns, index=pd.MultiIndex.from_tuples(keys, names=["judgments", "topic"]))


def figures_of(values: pd.DataFrame) -> Figures:
    """The figures of values in the form of `values_frame`; a set has the measures that it has values of."""
    figures: dict[str, dict[str, Evaluation]] = {run: {} for run in values.columns.get_level_values(0)}
    for name, rows in values.groupby(level=0, sort=False):
        of_set = rows.droplevel(0).dropna(how="all")
        known = dict.fromkeys(of_set.dropna(axis="columns", how="all").columns.get_level_values(1))
        for run, by_set in figures.items():
            found: Values = {measure: of_set[run, measure].dropna().to_dict() for measure in known}
            coverage = Coverage(tuple(of_set.index))
            by_set[str(name)] = Evaluation(found, _summary(found, exact=False), coverage)
    return figures


def run_data(run: str, by_set: Mapping[str, Evaluation]) -> dict[str, Any]:
    """A run's figures as plain data: those without a dimension, and those of each dimension."""
    dimensions = {}
    for name, evaluation in by_set.items():
        measures: dict[str, Any] = {}
        for measure, found in evaluation.summary.items():
            mean = {end: getattr(found, end) for end in ("mean", "low", "high")}
            measures[measure] = mean | {"per_topic": evaluation.values.get(measure, {})}
        coverage = asdict(evaluation.coverage)
        topics = {key: value for key, value in coverage.items() if isinstance(value, tuple)}
        counts = coverage | {key: len(value) for key, value in topics.items()}
        dimensions[name] = {"measures": measures, "counts": counts, "topics": topics}
    without = dimensions.pop(QRELS, {})
    return {"run": run, **without, **({"dimensions": dimensions} if dimensions else {})}
