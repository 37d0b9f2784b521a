"""Fusion of several ranked lists into one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from ltr.data.ids import pair_key
from ltr.data.runs import NO_SIDE, RunRow, falling

CONSTANT = 60
"""The constant of reciprocal rank fusion."""

DIGITS = 12
"""Decimals of fused scores that count: the last ones depend on the order of the additions."""

Scored = Sequence[tuple[str, float]]
"""Ids with their scores, best first, no id twice."""


def reciprocal_ranks(lists: Iterable[Scored]) -> dict[str, float]:
    """Reciprocal rank fusion (Cormack et al. 2009): the sum of 1 / (60 + rank)."""
    fused: dict[str, float] = defaultdict(float)
    for scored in lists:
        for rank, (id_, _) in enumerate(scored, 1):
            fused[id_] += 1 / (CONSTANT + rank)
    return fused


def comb_sum(lists: Iterable[Scored]) -> dict[str, float]:
    """CombSUM (Fox & Shaw 1994): the sum of scores, scaled in each list from 0 (worst) to 1 (best)."""
    fused: dict[str, float] = defaultdict(float)
    for scored in filter(None, lists):
        values = [score / 2 for _, score in scored]  # halves: the spread of finite scores need not be finite
        low, spread = min(values), max(values) - min(values)
        for id_, score in scored:
            fused[id_] += (score / 2 - low) / spread if spread else 1.0
    return fused


def comb_mnz(lists: Iterable[Scored]) -> dict[str, float]:
    """CombMNZ (Fox & Shaw 1994): CombSUM times the number of lists that have the id."""
    lists = list(lists)
    number = Counter(id_ for scored in lists for id_, _ in scored)
    return {id_: score * number[id_] for id_, score in comb_sum(lists).items()}


METHODS: Mapping[str, Callable[[Iterable[Scored]], Mapping[str, float]]] = {
    "rrf": reciprocal_ranks,
    "combsum": comb_sum,
    "combmnz": comb_mnz,
}


def fuse(runs: Iterable[Iterable[RunRow]], method: str, *, tag: str, depth: int = 1000) -> list[RunRow]:
    """Fuse several runs into one. Topics keep the order of their first appearance; ties are broken by id.

    Runs are ordered by score, as trec_eval does it. The two orders of a pair are one pair, written as in the first run
    that has it, with the side from the first run that gives one.
    """
    lists: dict[str, list[dict[str, float]]] = {}
    names: dict[tuple[str, str], str] = {}
    sides: dict[tuple[str, str], str] = {}
    for run in map(list, runs):
        best: dict[str, dict[str, float]] = {row.topic: {} for row in run}
        for row in sorted(run, key=lambda row: (row.score, row.pair), reverse=True):
            unit = row.topic, pair_key(row.pair)
            best[row.topic].setdefault(unit[1], row.score)
            names.setdefault(unit, row.pair)
            if sides.get(unit, NO_SIDE) == NO_SIDE:
                sides[unit] = row.stance
        for topic, scored in best.items():
            lists.setdefault(topic, []).append(scored)
    fused = []
    for topic, scored_lists in lists.items():
        scores = METHODS[method]([list(scored.items()) for scored in scored_lists])
        rounded = {names[topic, unit]: (round(score, DIGITS), sides[topic, unit]) for unit, score in scores.items()}
        order = sorted(rounded, key=lambda name: (-rounded[name][0], name))[:depth]
        written = falling(rounded[name][0] for name in order)
        for rank, (name, score) in enumerate(zip(order, written, strict=True), 1):
            fused.append(RunRow(topic, rounded[name][1], name, rank, score, tag))
    return fused
