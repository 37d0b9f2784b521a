"""Boosted trees as LightGBM writes them, evaluated in numpy.

Small trees are scored by the leaves that a row can still reach, a bit each (QuickScorer, Lucchese et al. 2015): to the
last digit what LightGBM gives, in half its time, and without importing it, which takes 3.5 s of processor time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from models.base import Scores

MOST_LEAVES = 64
"""Most leaves of a tree: a bit each."""

ROWS = 4096
"""Rows that are scored at a time, so that what they reach fits the processor's cache."""

ZERO = float(np.float32(1e-35))
"""LightGBM takes smaller numbers for 0, and missing ones too."""


class Trees:
    """One set of trees over named inputs."""

    def __init__(self, text: str, inputs: Sequence[str]) -> None:
        """Take the text apart. Raises ValueError when it knows other inputs or has larger trees."""
        head, *trees = (_fields(part) for part in text.partition("\nend of trees")[0].split("\nTree="))
        if head["feature_names"].split(" ") != [*inputs]:
            raise ValueError("the trees know other features than the manifest")
        leaves = [int(tree["num_leaves"]) for tree in trees]
        if max(leaves) > MOST_LEAVES:
            raise ValueError(f"a tree has more than {MOST_LEAVES} leaves")
        self.text = text
        self.gains: Scores = np.zeros(len(inputs))
        """(n_inputs,) what the splits at each input gained, in sum"""
        self._bits = np.dtype(f"u{next(size for size in (1, 2, 4, 8) if max(leaves) <= 8 * size)}")
        self._values = np.zeros((len(trees), max(leaves)))
        splits = defaultdict[int, list[tuple[float, int, int]]](list)
        for number, tree in enumerate(trees):
            order, lost = _shape(_whole(tree["left_child"]), _whole(tree["right_child"]))
            self._values[number, : leaves[number]] = _numbers(tree["leaf_value"])[order]
            features = _whole(tree["split_feature"])
            np.add.at(self.gains, features, _numbers(tree["split_gain"]))
            for feature, threshold, below in zip(features, _numbers(tree["threshold"]).tolist(), lost, strict=True):
                splits[feature].append((threshold, number, below))
        self._inputs = [(feature, *self._steps(splits[feature])) for feature in sorted(splits)]

    def _steps(self, splits: list[tuple[float, int, int]]) -> tuple[Scores, npt.NDArray[np.int64], npt.NDArray[Any]]:
        """The thresholds of an input, the trees that split at one of them, and (n_of_them, n_thresholds + 1) the leaves
        in reach above so many of them.

        A split is a threshold, its tree, and the leaves that it puts out of reach.
        """
        thresholds, owners, lost = zip(*sorted(splits, key=lambda split: split[0]), strict=True)
        full = int(np.iinfo(self._bits).max)
        trees, row = np.unique(owners, return_inverse=True)
        steps = np.full((len(trees), len(lost) + 1), full, self._bits)
        steps[row, np.arange(1, len(lost) + 1)] = [full & ~leaves for leaves in lost]
        return np.array(thresholds), trees, np.bitwise_and.accumulate(steps, axis=1)

    def score(self, values: npt.NDArray[np.float32]) -> Scores:
        """(n_rows,) sums over the trees of (n_rows, n_inputs) values."""
        parts = (self._score(values[at : at + ROWS]) for at in range(0, len(values), ROWS))
        return np.concatenate([np.zeros(0), *parts])

    def _score(self, values: npt.NDArray[np.float32]) -> Scores:
        columns = np.where(np.abs(values) > ZERO, values, 0).T.astype(np.float64, order="C")
        reach = np.full((len(self._values), len(values)), np.iinfo(self._bits).max, self._bits)
        for feature, thresholds, trees, steps in self._inputs:
            reach[trees] &= steps.take(np.searchsorted(thresholds, columns[feature]), axis=1)
        # The first leaf in reach is the lowest bit that is left; the bits below it are as many as its number.
        leaves = np.bitwise_count(~reach & (reach - self._bits.type(1)))
        total = np.zeros(len(values))
        # Tree after tree, as LightGBM adds: another order has other last digits.
        for of_tree, leaf in zip(self._values, leaves, strict=True):
            total += of_tree.take(leaf)
        return total


def _shape(left: list[int], right: list[int]) -> tuple[list[int], list[int]]:
    """The leaves of a tree from left to right, and the leaves that each split puts out of reach above its threshold.

    A child below 0 is the complement of a leaf's number, any other a split that stands further on.
    """
    order, waiting = [], [0 if left else ~0]
    while waiting:
        node = waiting.pop()
        if node < 0:
            order.append(~node)
        else:
            waiting += [right[node], left[node]]
    below = {~leaf: 1 << position for position, leaf in enumerate(order)}
    for node in range(len(left) - 1, -1, -1):
        below[node] = below[left[node]] | below[right[node]]
    return order, [below[child] for child in left]


def _fields(text: str) -> dict[str, str]:
    """The lines ``name=value`` of the head or of a tree."""
    return {name: value for name, _, value in (line.partition("=") for line in text.split("\n"))}


def _whole(line: str) -> list[int]:
    return [int(number) for number in line.split()]


def _numbers(line: str) -> Scores:
    return np.array(line.split(), np.float64)
