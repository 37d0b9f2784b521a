"""The feature matrix: a frame of units beside a frame of features, the only place that sorts and groups rows.

A *unit* is what a task ranks. It has one part or two: an argument, or the two sentences of a pair. The frame of units
has three columns a part, numbered from 1: ``id``; ``key``, equal within a topic for near-duplicates; ``text``, equal
anywhere for texts with the same set of content words. And it has the side that the unit takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.feature import Unit
from ltr.data.ids import pair_key
from ltr.retrieval.base import Candidates

STANCE = "stance"
"""PRO, CON or Q0."""

TOPIC = "topic"
"""The index of the frame of features: each row keeps its topic."""


def unit_frame(parts: Sequence[tuple[Sequence[str], Any, Any]], stance: Sequence[str]) -> pd.DataFrame:
    """The frame of units from the ids, keys and texts of each part, (n_units,) each."""
    columns: dict[str, Any] = {}
    for number, (ids, keys, texts) in enumerate(parts, 1):
        columns[f"id_{number}"] = np.array(ids, object)
        columns[f"key_{number}"] = np.asarray(keys, np.int64)
        columns[f"text_{number}"] = np.asarray(texts, np.uint64)
    return pd.DataFrame(columns | {STANCE: np.array(stance, object)})


@dataclass(frozen=True)
class Block:
    """The described candidates of one topic, rows in candidate order."""

    topic: str
    units: pd.DataFrame
    """(n_units, ...) as `unit_frame` makes it"""
    features: pd.DataFrame
    """(n_units, n_columns) float32"""
    candidates: Candidates = field(default_factory=lambda: Candidates(np.empty((0, 1), np.int64)))
    """The units as rows of the index."""
    head: npt.NDArray[np.bool_] = None  # type: ignore[assignment] # filled below
    """(n_units,) units that the second step describes and orders; none by default"""
    grades: Mapping[str, npt.NDArray[np.float64]] = field(default_factory=dict)
    """Ranker of a blend -> (n_units,) its scores, expected grades in a dimension, where a model graded them."""
    proposed: npt.NDArray[np.bool_] = None  # type: ignore[assignment] # filled below
    """(n_units,) units that the first stage proposed; others are described to learn from. All by default"""

    def __post_init__(self) -> None:
        for name, default in (("head", np.zeros), ("proposed", np.ones)):
            if getattr(self, name) is None:
                object.__setattr__(self, name, default(len(self.features), bool))

    @property
    def groups(self) -> npt.NDArray[np.int64]:
        """(1,) the number of rows."""
        return np.array([len(self.features)], np.int64)

    def among(self, ids: Sequence[str]) -> npt.NDArray[np.bool_]:
        """(n_units,) units with one of these ids; the two sentences of a pair in either order."""
        wanted = set(map(pair_key, ids))
        return np.array([bool(wanted) and key in wanted for key in unit_keys(self.units)], bool)

    def __len__(self) -> int:
        return len(self.features)


class Matrix:
    """Blocks stacked: rows sorted by topic number, then ids of the parts; groups are runs of rows."""

    def __init__(self, blocks: Sequence[Block], unit: Unit = "pair") -> None:
        self.unit: Unit = unit
        self.unmatched = [block.topic for block in blocks if not len(block)]
        kept = sorted((block for block in blocks if len(block)), key=lambda block: topic_order(block.topic))
        if len({block.topic for block in kept}) != len(kept):
            raise ValueError("a topic stands in two blocks")
        if any(list(block.features.columns) != list(kept[0].features.columns) for block in kept):
            raise ValueError("the blocks have different columns")
        if any(len(block.units) != len(block.features) for block in kept):
            raise ValueError("the units of a block are not as many as its rows")
        self.topics = [block.topic for block in kept]
        self.groups = np.array([len(block) for block in kept], np.int64)
        self._starts = np.cumsum(self.groups) - self.groups
        within = [np.lexsort(_parts(block.units, "id").T[::-1]) for block in kept]
        order = np.concatenate([np.zeros(0, np.int64), *within]) + np.repeat(self._starts, self.groups)
        self.features = _stack([block.features for block in kept]).take(order)
        self.features.index = pd.Index(np.repeat(np.array(self.topics, object), self.groups), name=TOPIC)
        self.units = _stack([block.units for block in kept]).take(order).reset_index(drop=True)
        self.head, self.proposed = (
            np.concatenate([np.zeros(0, bool), *flags])[order]
            for flags in ([block.head for block in kept], [block.proposed for block in kept])
        )
        names = kept[0].grades if kept else ()
        self.grades = {name: np.concatenate([block.grades[name] for block in kept])[order] for name in names}

    def __len__(self) -> int:
        return len(self.features)

    def __iter__(self) -> Iterator[tuple[str, slice]]:
        return iter(self._spans.items())

    def rows(self, topic: str) -> slice:
        """The rows of a topic."""
        return self._spans[topic]

    def only(self, rows: npt.NDArray[np.bool_]) -> Matrix:
        """The matrix of some of the rows."""
        blocks = []
        for topic, span in self:
            chosen = np.arange(span.start, span.stop)[rows[span]]
            units, features = self.units.iloc[chosen], self.features.iloc[chosen]
            blocks.append(Block(topic, units, features, head=self.head[chosen], proposed=self.proposed[chosen]))
        return Matrix(blocks, self.unit)

    def without_head(self) -> Matrix:
        """The matrix as the first step sees it."""
        plain = copy(self)
        plain.head = np.zeros(len(self), bool)
        return plain

    def with_columns(self, other: Matrix) -> Matrix:
        """The matrix with columns and head of another one. Raises ValueError if its rows are not the same."""
        if self.topics != other.topics or not np.array_equal(self.ids, other.ids):
            raise ValueError("the matrices have different rows")
        wider = copy(self)
        wider.features, wider.head = pd.concat([self.features, other.features], axis=1), other.head
        return wider

    @cached_property
    def _spans(self) -> dict[str, slice]:
        return dict(zip(self.topics, map(slice, self._starts.tolist(), np.cumsum(self.groups).tolist()), strict=True))

    @cached_property
    def topic_of_row(self) -> npt.NDArray[np.int64]:
        """(n_rows,) position of each row's topic in ``topics``."""
        return np.repeat(np.arange(len(self.groups)), self.groups)

    @cached_property
    def ids(self) -> npt.NDArray[Any]:
        """(n_rows,) ids of the units: those of their parts, joined by a comma."""
        return np.array([",".join(parts) for parts in self.parts.tolist()], object)

    @cached_property
    def parts(self) -> npt.NDArray[Any]:
        """(n_rows, n_parts) ids."""
        return _parts(self.units, "id")

    @cached_property
    def keys(self) -> npt.NDArray[np.int64]:
        """(n_rows, n_parts) equal within a topic for near-duplicates."""
        return _parts(self.units, "key")

    @cached_property
    def texts(self) -> npt.NDArray[np.uint64]:
        """(n_rows, n_parts) equal anywhere for texts with the same set of content words."""
        return _parts(self.units, "text")

    @property
    def stance(self) -> npt.NDArray[Any]:
        """(n_rows,) PRO, CON or Q0."""
        return self.units[STANCE].to_numpy()


def unit_keys(units: pd.DataFrame) -> list[str]:
    """The ids of units as `ltr.data.ids.pair_key` gives them: the two sentences of a pair in either order."""
    return [pair_key(",".join(parts)) for parts in _parts(units, "id").tolist()]


def topic_order(number: str) -> tuple[int, int, str]:
    """Topics by number where they are numbers, by name otherwise."""
    plain = number.isascii() and number.isdigit() and len(number) < 19
    return (0, int(number), number) if plain else (1, 0, number)


def _parts(units: pd.DataFrame, what: str) -> npt.NDArray[Any]:
    columns = [units[name].to_numpy() for name in map(str, units) if name.startswith(f"{what}_")]
    return np.column_stack(columns) if columns else np.empty((0, 1), object)


def _stack(parts: list[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
