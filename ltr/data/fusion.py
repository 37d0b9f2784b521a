"""Fusion of several ranked lists into one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ltr.data.ids import pair_key
from ltr.data.runs import NO_SIDE, RunRow, falling

CONSTANT = 60
"""The constant of reciprocal rank fusion."""

DIGITS = 12
"""Decimals of fused scores that count: the last ones depend on the order of the additions."""


def reciprocal_ranks(lists: Iterable[Iterable[str]]) -> dict[str, float]:
    """Reciprocal rank fusion (Cormack et al. 2009) of ids, best first, none twice: the sum of 1 / (60 + rank)."""
    fused: dict[str, float] = defaultdict(float)
    for ids in lists:
        for rank, id_ in enumerate(ids, 1):
            fused[id_] += 1 / (CONSTANT + rank)
    return fused


def fuse(runs: Iterable[Iterable[RunRow]], *, tag: str, depth: int = 1000) -> list[RunRow]:
    """Fuse several runs by reciprocal ranks. Topics keep the order of their first appearance; ties are broken by id.

    Runs are ordered by score, as trec_eval does it. The two orders of a pair are one pair, written as in the first run
    that has it, with the side from the first run that gives one.
    """
    lists: dict[str, list[list[str]]] = {}
    names: dict[tuple[str, str], str] = {}
    sides: dict[tuple[str, str], str] = {}
    for run in map(list, runs):
        best: dict[str, dict[str, None]] = {row.topic: {} for row in run}
        for row in sorted(run, key=lambda row: (row.score, row.pair), reverse=True):
            unit = row.topic, pair_key(row.pair)
            best[row.topic][unit[1]] = None
            names.setdefault(unit, row.pair)
            if sides.get(unit, NO_SIDE) == NO_SIDE:
                sides[unit] = row.stance
        for topic, units in best.items():
            lists.setdefault(topic, []).append([*units])
    fused = []
    for topic, ranked in lists.items():
        scores = reciprocal_ranks(ranked).items()
        rounded = {names[topic, unit]: (round(score, DIGITS), sides[topic, unit]) for unit, score in scores}
        order = sorted(rounded, key=lambda name: (-rounded[name][0], name))[:depth]
        written = falling(rounded[name][0] for name in order)
        for rank, (name, score) in enumerate(zip(order, written, strict=True), 1):
            fused.append(RunRow(topic, rounded[name][1], name, rank, score, tag))
    return fused
