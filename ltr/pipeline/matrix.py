"""The feature matrix with its ids and groups: the only place that sorts and groups rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Block:
    """The described candidates of one topic, rows in candidate order."""

    topic: str
    features: pd.DataFrame
    """(n_pairs, n_columns) float32"""
    first: Sequence[str]
    """(n_pairs,) sentence ids"""
    second: Sequence[str]
    first_key: np.ndarray[Any, Any]
    """(n_pairs,) equal within a topic for sentences that are near-duplicates."""
    second_key: np.ndarray[Any, Any]
    first_text: np.ndarray[Any, Any]
    """(n_pairs,) uint64, equal anywhere for sentences with the same set of content words."""
    second_text: np.ndarray[Any, Any]
    stance: Sequence[str]
    """(n_pairs,) PRO, CON or Q0"""

    def __len__(self) -> int:
        return len(self.features)


class Matrix:
    """Blocks stacked: rows sorted by topic number, then pair id; groups are runs of rows."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.unmatched = [block.topic for block in blocks if not len(block)]
        kept = sorted((block for block in blocks if len(block)), key=lambda block: topic_order(block.topic))
        if len({block.topic for block in kept}) != len(kept):
            raise ValueError("a topic stands in two blocks")
        if any(list(block.features.columns) != list(kept[0].features.columns) for block in kept):
            raise ValueError("the blocks have different columns")
        orders = [np.lexsort((np.array(b.second), np.array(b.first))) for b in kept]
        self.topics = [block.topic for block in kept]
        self.groups = np.array([len(block) for block in kept], np.int64)
        self.features = (
            pd.concat([b.features.iloc[o] for b, o in zip(kept, orders, strict=True)], ignore_index=True)
            if kept
            else pd.DataFrame()
        )
        ordered = list(zip(kept, orders, strict=True))
        self.first = _stack([np.array(b.first, object)[o] for b, o in ordered])
        self.second = _stack([np.array(b.second, object)[o] for b, o in ordered])
        self.first_key = _stack([b.first_key[o] for b, o in ordered])
        self.second_key = _stack([b.second_key[o] for b, o in ordered])
        self.first_text = _stack([b.first_text[o] for b, o in ordered])
        self.second_text = _stack([b.second_text[o] for b, o in ordered])
        self.stance = _stack([np.array(b.stance, object)[o] for b, o in ordered])
        self.starts = np.concatenate([[0], np.cumsum(self.groups)])
        if self.starts[-1] != len(self.features) or len(self.first) != len(self.features):
            raise ValueError("the groups do not add up to the rows")

    def __len__(self) -> int:
        return len(self.features)

    def rows(self, topic: str) -> slice:
        """The rows of a topic."""
        at = self.topics.index(topic)
        return slice(int(self.starts[at]), int(self.starts[at + 1]))

    def __iter__(self) -> Iterator[tuple[str, slice]]:
        for topic, start, end in zip(self.topics, self.starts[:-1], self.starts[1:], strict=True):
            yield topic, slice(int(start), int(end))

    def of_topics(self, topics: Collection[str]) -> Matrix:
        """The matrix of some of the topics."""
        part = copy(self)
        kept = [position for position, topic in enumerate(self.topics) if topic in topics]
        rows = np.isin(self.topic_of_row, kept)
        part.topics = [self.topics[position] for position in kept]
        part.groups = self.groups[kept]
        part.features = self.features[rows].reset_index(drop=True)
        for name in ("first", "second", "first_key", "second_key", "first_text", "second_text", "stance"):
            setattr(part, name, getattr(self, name)[rows])
        part.starts = np.concatenate([[0], np.cumsum(part.groups)])
        return part

    @property
    def topic_of_row(self) -> np.ndarray[Any, Any]:
        """(n_rows,) position of each row's topic in ``topics``."""
        return np.repeat(np.arange(len(self.groups)), self.groups)


def topic_order(number: str) -> tuple[int, int, str]:
    """Topics by number where they are numbers, by name otherwise."""
    plain = number.isascii() and number.isdigit() and len(number) < 19
    return (0, int(number), number) if plain else (1, 0, number)


def _stack(parts: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    return np.concatenate(parts) if parts else np.zeros(0, object)
