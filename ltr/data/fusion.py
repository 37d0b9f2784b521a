"""Fusion of several ranked lists into one."""

from __future__ import annotations

from collections.abc import Iterable

from ltr.data.ids import pair_key
from ltr.data.runs import NO_SIDE, RunRow, falling, trec_order

CONSTANT = 60
"""The constant of reciprocal rank fusion."""

DIGITS = 12
"""Decimals of fused scores that count: the last ones depend on the order of the additions."""


def fuse(runs: Iterable[Iterable[RunRow]], *, tag: str, depth: int = 1000) -> list[RunRow]:
    """Fuse several runs by reciprocal ranks (Cormack et al. 2009): an item's score is its sum of 1 / (60 + rank).

    Runs are ordered by score, as trec_eval does it. Topics keep the order of their first appearance; ties are broken by
    id. The two orders of a pair are one pair, written as in the first run that has it, with the side from the first run
    that gives one.
    """
    sums: dict[str, dict[str, float]] = {}
    names: dict[tuple[str, str], str] = {}
    sides: dict[tuple[str, str], str] = {}
    for run in map(list, runs):
        seen: dict[str, set[str]] = {row.topic: set() for row in run}
        for topic in seen:
            sums.setdefault(topic, {})
        for row in sorted(run, key=trec_order, reverse=True):
            topic, key = item = row.topic, pair_key(row.pair)
            names.setdefault(item, row.pair)
            if sides.get(item, NO_SIDE) == NO_SIDE:
                sides[item] = row.stance
            if key not in seen[topic]:
                seen[topic].add(key)
                sums[topic][key] = sums[topic].get(key, 0.0) + 1 / (CONSTANT + len(seen[topic]))
    fused = []
    for topic, scores in sums.items():
        rounded = {names[topic, key]: (round(score, DIGITS), sides[topic, key]) for key, score in scores.items()}
        order = sorted(rounded, key=lambda name: (-rounded[name][0], name))[:depth]
        written = falling(rounded[name][0] for name in order)
        for rank, (name, score) in enumerate(zip(order, written, strict=True), 1):
            fused.append(RunRow(topic, rounded[name][1], name, rank, score, tag))
    return fused
