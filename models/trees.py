"""Boosted trees as LightGBM writes them, checked when they are read and evaluated in numpy.

A model folder comes from anywhere, and LightGBM believes what a text says of children, features and lengths. Here a
text is taken apart, and refused unless every tree is one. Small trees are scored by the leaves that a row can still
reach, a bit each (QuickScorer, Lucchese et al. 2015): to the last digit what LightGBM gives, and without loading it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from models.base import LARGEST, Scores

MOST_LEAVES = 64
"""Of a tree: a bit each."""

OBJECTIVES = ("lambdarank", "regression")
"""Those whose score is the plain sum of the leaves."""

ROWS = 4096
"""Scored at a time, so that what they reach fits the processor's cache."""

ZERO = float(np.float32(1e-35))
"""What LightGBM takes for 0, as it does missing values where a split has no side for them."""

_HEAD = (
    *("tree", "version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx", "objective"),
    *("feature_names", "feature_infos", "tree_sizes"),
)
_SPLIT = ("split_feature", "split_gain", "threshold", "decision_type", "left_child", "right_child")
_LEAF = ("leaf_value", "leaf_weight", "leaf_count")
_INNER = ("internal_value", "internal_weight", "internal_count")
_TREE = ("Tree", "num_leaves", "num_cat", *_SPLIT, *_LEAF, *_INNER, "is_linear", "shrinkage")
"""The lines of a tree, always in this order."""
_WHOLE = {"split_feature", "left_child", "right_child", "leaf_count", "internal_count"}
_NUMERIC = "2"
"""The kind of a split by a threshold alone."""
_WHOLE_NUMBERS = re.compile("(?:-?[0-9]{1,10} )*+")
_NUMBERS = re.compile(r"(?:-?[0-9]++(?:\.[0-9]++)?(?:e[+-]?[0-9]++)? )*+")
"""Each with a space behind it."""
_TAIL = "end of trees\n\nfeature_importances:\n\nparameters:\nend of parameters\n\npandas_categorical:null\n"


class Trees:
    """One set of trees over named inputs."""

    def __init__(self, text: str, inputs: Sequence[str]) -> None:
        """Take the text apart. Raises ValueError when it is damaged or knows other inputs."""
        head, lines = _parts(text)
        if head["feature_names"].split(" ") != [*inputs] or head["max_feature_idx"] != str(len(inputs) - 1):
            raise ValueError("the trees know other features than the manifest")
        self.text, self._width = text, len(inputs)
        leaves = _leaves(lines["num_leaves"])
        column = {name: _numbers(name, lines[name], leaves - (name not in _LEAF)) for name in _SPLIT + _LEAF + _INNER}
        _numbers("shrinkage", lines["shrinkage"], np.ones_like(leaves))  # LightGBM, which reads it too, would abort
        features = column["split_feature"].astype(np.int64)
        if len(features) and not 0 <= features.min() <= features.max() < len(inputs):
            raise ValueError("its trees ask for features that are not there")
        self._gains = np.bincount(features, column["split_gain"], len(inputs)).astype(np.float64)
        self._bits = np.dtype(f"u{next(size for size in (1, 2, 4, 8) if leaves.max(initial=1) <= 8 * size)}")
        self._values = np.zeros((len(leaves), leaves.max(initial=1)))
        lost, split, leaf = [], np.cumsum(leaves - 1), np.cumsum(leaves)
        left, right = (column[name].astype(np.int64).tolist() for name in ("left_child", "right_child"))
        for tree, (before, size) in enumerate(zip((split - leaves + 1).tolist(), leaves.tolist(), strict=True)):
            order, out_of_reach = _shape(left[before : before + size - 1], right[before : before + size - 1])
            self._values[tree, :size] = column["leaf_value"][leaf[tree] - size : leaf[tree]][order]
            lost += out_of_reach
        self._inputs = [
            (feature, *self._steps(np.flatnonzero(features == feature), column["threshold"], split, lost))
            for feature in np.unique(features).tolist()
        ]

    def _steps(
        self, splits: npt.NDArray[np.int64], thresholds: Scores, ends: npt.NDArray[np.int64], lost: list[int]
    ) -> tuple[Scores, npt.NDArray[np.int64], npt.NDArray[Any]]:
        """The thresholds of an input, the trees that split at one of them, and (n_of_them, n_thresholds + 1) the leaves
        in reach above so many of them.
        """
        splits = splits[np.argsort(thresholds[splits], kind="stable")]
        full = int(np.iinfo(self._bits).max)
        trees, row = np.unique(np.searchsorted(ends, splits, "right"), return_inverse=True)
        steps = np.full((len(trees), len(splits) + 1), full, self._bits)
        steps[row, np.arange(1, len(splits) + 1)] = [full & ~lost[split] for split in splits.tolist()]
        return thresholds[splits], trees, np.bitwise_and.accumulate(steps, axis=1)

    def gains(self) -> Scores:
        """(n_inputs,) what the splits at each input gained, in sum."""
        return self._gains.copy()

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

    def plain(self) -> str:
        """The text for LightGBM, without what it wrote there of its settings and data, which was not checked."""
        trees = self.text[: self.text.index("\nend of trees\n") + 1]
        return (
            re.sub("(?m)^feature_infos=.*$", "feature_infos=" + " ".join(["[0:1]"] * self._width), trees, count=1)
            + _TAIL
        )


def _shape(left: list[int], right: list[int]) -> tuple[list[int], list[int]]:
    """The leaves of a tree from left to right, and the leaves that each split puts out of reach above its threshold.

    A child below 0 is the complement of a leaf's number, any other a split that stands further on. Raises ValueError
    when that is no tree.
    """
    children = [*left, *right]
    if left and sorted(children) != [*range(-len(left) - 1, 0), *range(1, len(left))]:
        raise ValueError("its trees are not trees")
    if any(0 <= child <= at % len(left) for at, child in enumerate(children)):
        raise ValueError("its trees run in circles")
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


def _parts(text: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The lines of the head, and those of all trees, when the trees have the lengths that the head says."""
    start, _, rest = text.partition("\n\n")
    body, end, tail = rest.partition("end of trees\n")
    head = [line.partition("=") for line in start.split("\n")]
    trees = re.split(r"(?m)^(?=Tree=)", body)
    sizes = [str(len(tree.encode("utf-8", "replace"))) for tree in trees[1:]]
    if not end or trees[0] or "\nend of parameters\n" not in tail or tuple(name for name, *_ in head) != _HEAD:
        raise ValueError("the text of the trees is not whole")
    fields = {name: value for name, _, value in head}
    if fields["tree_sizes"].split(" ") != sizes:
        raise ValueError("the text of the trees is not whole")
    kind = [fields[name] for name in ("version", "num_class", "num_tree_per_iteration", "label_index")]
    if kind != ["v4", "1", "1", "0"] or fields["objective"] not in OBJECTIVES:
        raise ValueError(f"its trees are not LightGBM's for {' or '.join(OBJECTIVES)}")
    lines: dict[str, list[str]] = {name: [] for name in _TREE}
    for tree in trees[1:]:
        fields_of_tree = [line.partition("=") for line in tree.rstrip("\n").split("\n")]
        if tuple(name for name, *_ in fields_of_tree) != _TREE:
            raise ValueError("its trees have lines that are not known")
        for name, _, value in fields_of_tree:
            lines[name].append(value)
    if {*lines["num_cat"], *lines["is_linear"]} - {"0"} or set(" ".join(lines["decision_type"]).split()) - {_NUMERIC}:
        raise ValueError("its trees have splits that are no plain thresholds")
    if lines["Tree"] != [*map(str, range(len(sizes)))]:
        raise ValueError("the text of the trees is not whole")
    return fields, lines


def _leaves(lines: list[str]) -> npt.NDArray[np.int64]:
    """(n_trees,)"""
    if not all(re.fullmatch("[1-9][0-9]?", line) and int(line) <= MOST_LEAVES for line in lines):
        raise ValueError(f"a tree does not have 1 to {MOST_LEAVES} leaves")
    return np.array([*map(int, lines)], np.int64)


def _numbers(name: str, lines: list[str], lengths: npt.NDArray[np.int64]) -> Scores:
    """The numbers in those lines, one line after the other."""
    found = np.array([line.count(" ") + 1 if line else 0 for line in lines], np.int64)
    # A tree of one leaf does not say what it weighs.
    if ((found != lengths) & ((found > 0) | (name != "leaf_weight"))).any():
        raise ValueError(f"{name} of a tree has another length than the tree")
    text = "".join(f"{line} " for line in lines if line)
    if not (_WHOLE_NUMBERS if name in _WHOLE else _NUMBERS).fullmatch(text):
        raise ValueError(f"{name} of a tree is no number")
    numbers = np.array([*map(float, text.split())])
    limit = LARGEST if name == "leaf_value" else np.finfo(np.float64).max
    if not (np.abs(numbers) <= limit).all():
        raise ValueError(f"{name} of a tree is out of range")
    return numbers
