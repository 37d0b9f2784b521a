"""Draw graded pairs so that every grade of the reader in every dimension is frequent, and topics are many."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping

from experiments.pool.selection import PooledPair, graded_pairs, in_drawn_order
from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels, fold_grades
from ltr.errors import InputError
from models.base import DIMENSIONS

Levels = tuple[int, ...]
"""Whole grades of a pair in the order of `DIMENSIONS`."""

LONGEST = 1500
"""Characters of the longest sentence that a booklet prints."""

TARGETS = [(n % 3, (n + n // 3) % 3) for n in range(9)]
"""Dimension and grade of the pairs that are drawn in turn; neighbours differ in both."""


def read_levels(graded: Mapping[str, Qrels]) -> dict[str, dict[str, Levels]]:
    """Topic -> pair as it was graded -> the reader's grades, halves rounded up, of pairs with a grade in each."""
    folded = [fold_grades(graded[name], pair_key) for name in DIMENSIONS]
    return {
        topic: {
            pair: tuple(int(grades[topic][key] + 0.5) for grades in folded)
            for key, pair in graded_pairs(graded, topic).items()
        }
        for topic in graded[DIMENSIONS[0]]
    }


def draw_pairs(
    levels: Mapping[str, Mapping[str, Levels]], count: int, per_topic: int, seed: int = 0
) -> list[PooledPair]:
    """``count`` pairs, those of a topic beside each other; topics and pairs in drawn order. Raises InputError.

    For each pair one of `TARGETS` is taken in turn, and the pair is drawn from those of the topic with that grade.
    Where the topic has none, the target waits for another topic.
    """
    waiting = deque(TARGETS)
    chosen: list[PooledPair] = []
    for topic in in_drawn_order(levels, seed, "topics"):
        left, drawn = in_drawn_order(levels[topic], seed, topic, "pairs"), []
        for _ in range(min(per_topic, count - len(chosen), len(left))):
            target, pair = next(
                (target, pair) for target in waiting for pair in left if levels[topic][pair][target[0]] == target[1]
            )
            waiting.remove(target)
            waiting.append(target)
            left.remove(pair)
            drawn.append(pair)
        chosen += [PooledPair(topic, pair, anchor=True) for pair in in_drawn_order(drawn, seed, topic, "order")]
    if len(chosen) < count:
        what = f"{len(chosen)} pairs can be drawn, {per_topic} per topic, not {count}"
        raise InputError("--pairs", what, "ask for fewer, or raise --per-topic")
    return chosen


def design_weights(levels: Mapping[str, Mapping[str, Levels]]) -> dict[Levels, float]:
    """Weight of a drawn pair by its grades: the inverse of its chance to be drawn, up to a factor.

    Each target draws equally often, so a pair's chance is the sum over dimensions of 1 / the pairs with its grade.
    """
    found = Counter(grades for pairs in levels.values() for grades in pairs.values())
    frequent: Counter[tuple[int, int]] = Counter()
    for grades, pairs in found.items():
        frequent.update(dict.fromkeys(enumerate(grades), pairs))
    return {grades: 1 / sum(1 / frequent[place] for place in enumerate(grades)) for grades in found}
