"""Figures of held-out scores beside the baselines', by graded pairs or by judgments of arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from ir_measures import nDCG

from ltr.data.ids import pair_key
from ltr.data.qrels import Grades, Qrels, fold_grades
from ltr.evaluation import measures
from ltr.evaluation.evaluator import evaluate_orders
from ltr.evaluation.rankings import RANDOM, Rankings, RunOrder, argument_ranking, random_orders
from ltr.evaluation.report import Plan, Report
from ltr.evaluation.significance import MeanCI
from ltr.learning.judgments import JudgedSet
from ltr.ranking.candidates import Candidates
from ltr.ranking.final_list import ranked_rows
from models.base import Scores, baselines, make_ranker
from models.blend import Blend
from models.defaults import DIVERSIFY

MEASURES = ("full", "judged", "condensed")
"""nDCG@5, the judged share of the top five, and nDCG@5 of the list without unjudged items."""

_MEASURES = [nDCG @ 5, measures.judged @ 5, measures.condensed_nDCG @ 5]
BLEND = "blend"
"""The name of the blend of all dimensions, in figures."""
FIRST_STEP = "first step"
"""The name of the blend of the first step, where there is a second."""

Values = npt.NDArray[np.float64]


def board_of(topics: Sequence[str], values: Mapping[str, Values], rivals: Sequence[str], **facts: int) -> Report:
    """Figures of rankers, (n_topics, n_measures) each, by one set of judgments, with the blend's tests against rivals.

    The rival with the best full figures comes first. These tests are one family for the correction of their p.
    """
    columns = {(ranker, name): of[:, n] for ranker, of in values.items() for n, name in enumerate(MEASURES)}
    best = sorted(rivals, key=lambda name: -float(values[name][:, 0].mean()))
    families = [[(BLEND, name) for name in best]]
    return Report.of_values(
        pd.concat({"": pd.DataFrame(columns, [*topics])}),
        Plan(["full"]),
        families,
        facts={"topics": [*topics], **facts},
    )


def intervals(board: Report) -> dict[str, dict[str, MeanCI]]:
    """Ranker -> measure -> its mean over topics."""
    return {ranker: one.summary for ranker, by_set in board.figures.items() for one in by_set.values()}


def final_rows(
    table: Candidates, scores: Scores, *, min_items: int = 0, diversify: float = DIVERSIFY
) -> dict[str, npt.NDArray[np.int64]]:
    """Topic -> rows of the table in the order of the whole list that the scores give, see `ranked_rows`."""
    found = {}
    for topic, rows in table.spans.items():
        order = ranked_rows(table, rows, scores, depth=len(table), min_items=min_items, diversify=diversify)
        found[topic] = rows.start + np.array(order, np.int64)
    return found


def ids_of(table: Candidates, lists: Mapping[str, npt.NDArray[np.int64]]) -> Rankings:
    """Topic -> ids of a list of rows."""
    ids = table.ids
    return {topic: ids[rows].tolist() for topic, rows in lists.items()}


def list_values(qrels: Grades, orders: Sequence[RunOrder]) -> Values:
    """(n_topics, n_measures) of the judged topics, as ``riposte evaluate`` measures a run; means over the orders."""
    found = evaluate_orders(orders, qrels, _MEASURES).values
    return np.array([list(by_topic.values()) for by_topic in found.values()]).T


class Relevant(NamedTuple):
    """Numbers of items with a grade above 0, over all topics."""

    graded: int
    described: int
    """Those with a row of the table."""
    proposed: int
    """Those that the first stage found."""


def relevant_items(table: Candidates, qrels: Grades) -> Relevant:
    """How many relevant items there are, and how many of them are candidates."""
    of_arguments = Qrels.of(qrels).level == "argument"
    known: list[dict[str, set[str]]] = [{}, {}]
    every_id, proposed = table.ids, table["proposed"].to_numpy(bool)
    for topic, rows in table.spans.items():
        for names, ids in zip(known, (every_id[rows], every_id[rows][proposed[rows]]), strict=True):
            names[topic] = set(argument_ranking(ids) if of_arguments else map(pair_key, ids))
    folded = qrels if of_arguments else fold_grades(qrels, pair_key)
    every = [(topic, name) for topic, grades in folded.items() for name, grade in grades.items() if grade > 0]
    counts = [sum(name in names.get(topic, ()) for topic, name in every) for names in known]
    return Relevant(len(every), *counts)


class TopEstimate(NamedTuple):
    """The relevance of the top five on held-out topics."""

    expected: float
    """By the model, mean over topics."""
    graded: float
    """By the graded pairs among them."""
    correlation: float | None
    """Correlation of the two over topics; None where one of them is constant."""
    topics: int


def held_out_figures(
    table: Candidates,
    judged: Mapping[JudgedSet, Qrels],
    blend: Blend,
    scores: Mapping[str, Scores],
    further: Mapping[str, Scores] = MappingProxyType({}),
    *,
    min_items: int = 0,
) -> tuple[dict[JudgedSet, Report], TopEstimate | None]:
    """Boards of held-out scores beside the baselines', and the expected and graded relevance of the top five.

    ``further`` baselines are shown as well. Lists are those of a run, with ``min_items`` at least, and figures those of
    ``riposte evaluate`` for it: of all judged topics and items, candidates or not, and at random the mean
    over shuffles of the blend's lists.
    """
    together = blend.combine({name: scores[name] for name in scores if blend.weights.get(name)})
    plain = {name: make_ranker(name, kind=table.kind).score(table) for name in baselines(table.kind)}
    plain |= further
    rankers = {BLEND: together, **scores, **plain}
    lists = {name: final_rows(table, of, min_items=min_items) for name, of in rankers.items()}
    orders = {name: [RunOrder(order := ids_of(table, rows), order)] for name, rows in lists.items()}
    orders[RANDOM] = random_orders(orders[BLEND][0].by_score)
    boards: dict[JudgedSet, Report] = {}
    expected = None
    for of_set, qrels in judged.items():
        name, relevant = of_set.dimension, relevant_items(table, qrels)
        if relevant.described:
            shown = dict.fromkeys([BLEND, *([name] if name in scores else []), *plain, RANDOM])
            values = {ranker: list_values(qrels, orders[ranker]) for ranker in shown}
            missed = relevant.graded - relevant.proposed
            rivals = [ranker for ranker in plain if ranker != RANDOM]
            boards[of_set] = board_of([*qrels], values, rivals, relevant=relevant.graded, missed=missed)
            if of_set == JudgedSet(f"{table.kind}s", "relevance") and name in scores:
                expected = top_estimate(table, lists[BLEND], qrels, scores[name])
    return boards, expected


def top_estimate(
    table: Candidates, lists: Mapping[str, npt.NDArray[np.int64]], qrels: Grades, scores: Scores
) -> TopEstimate | None:
    """The mean score and the mean grade of the top five, over the topics where some of them are graded, if any."""
    pairs, folded, ids = [], fold_grades(qrels, pair_key), table.ids
    for topic, rows in lists.items():
        top, grades = rows[:5], folded.get(topic, {})
        if known := [grades[key] for key in map(pair_key, ids[top]) if key in grades]:
            pairs.append((float(scores[top].mean()), float(np.mean(known))))
    if not pairs:
        return None
    expected, graded = np.array(pairs).T
    varied = len(pairs) > 2 and min(np.ptp(expected), np.ptp(graded)) > 0
    correlation = float(np.corrcoef(expected, graded)[0, 1]) if varied else None
    return TopEstimate(float(expected.mean()), float(graded.mean()), correlation, len(pairs))
