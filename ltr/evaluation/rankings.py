"""Orders of a run's results: by score, by rank, at random, and the order of the arguments in its pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ltr.data.ids import argument_of, parts_of
from ltr.data.runs import RunRow

Rankings = dict[str, list[str]]
"""Topic -> ids, best first."""
RANDOM_ORDERS = 20
RANDOM = "random"
"""The name of random orders where figures are by name."""


class RunOrder(NamedTuple):
    """A run ordered by score and by rank. Our scores fall strictly, so our two orders are the same."""

    by_score: Rankings
    by_rank: Rankings
    scores: Mapping[str, Mapping[str, float]] = MappingProxyType({})
    """Topic -> id -> score, for tools with their own way with ties."""


def run_order(rows: Iterable[RunRow]) -> RunOrder:
    """Both orders of a run: one object where they agree, so that the run is measured once."""
    rows = list(rows)
    by_score, by_rank = rankings(rows), rankings_by_rank(rows)
    scores: dict[str, dict[str, float]] = {}
    for row in rows:
        of_topic = scores.setdefault(row.topic, {})
        of_topic[row.pair] = max(row.score, of_topic.get(row.pair, row.score))
    return RunOrder(by_score, by_score if by_rank == by_score else by_rank, scores)


def rankings(rows: Iterable[RunRow]) -> Rankings:
    """The ids of every topic by score descending, ties by id descending.

    That is how trec_eval orders a run, whatever its ranks and the order of its lines say: by the 32 bits that it keeps
    of a score. Our own scores fall strictly, so the rule for ties only touches other people's runs.
    """
    rows = list(rows)
    with np.errstate(over="ignore"):
        scores = np.array([row.score for row in rows]).astype(np.float32).tolist()
    by_topic: dict[str, list[tuple[float, str]]] = {}
    for row, score in zip(rows, scores, strict=True):
        by_topic.setdefault(row.topic, []).append((score, row.pair))
    return {topic: [id_ for _, id_ in sorted(scored, reverse=True)] for topic, scored in by_topic.items()}


def rankings_by_rank(rows: Iterable[RunRow]) -> Rankings:
    """The ids of every topic by the rank column, from wherever it counts; equal ranks in the order of the file."""
    by_topic: Rankings = {}
    for row in sorted(rows, key=lambda row: row.rank):
        by_topic.setdefault(row.topic, []).append(row.pair)
    return by_topic


def random_orders(ranked: Rankings, seed: int = 0) -> list[RunOrder]:
    """The ids of each topic shuffled `RANDOM_ORDERS` times: the baseline of every ranking of these candidates."""
    rng = np.random.default_rng(seed)
    orders = []
    for _ in range(RANDOM_ORDERS):
        order = {topic: [ids[position] for position in rng.permutation(len(ids))] for topic, ids in ranked.items()}
        orders.append(RunOrder(order, order))
    return orders


def random_title(run: str) -> str:
    """The name of random orders of the results of ``run``, for people."""
    return f"random order of {run}"


def argument_ranking(pairs: Iterable[str]) -> list[str]:
    """Arguments of a ranking of pairs in order of first appearance, a pair's first id before its second."""
    return list(dict.fromkeys(chain.from_iterable(map(arguments_of, pairs))))


def arguments_of(id_: str) -> tuple[str, ...]:
    """The arguments of a pair, its first id before its second; a plain id is that of an argument."""
    return tuple(map(argument_of, parts_of(id_)))
