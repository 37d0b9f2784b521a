"""Near-duplicates, and the groups that they link: what is alike must not stand on both sides of a split."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from rapidfuzz.fuzz import ratio
from rapidfuzz.process import cdist
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from features.core.text import words

ALIKE = 90
"""Similarity of sorted words from which two texts are near-duplicates, of 100 (`rapidfuzz.fuzz.ratio`)."""
RUN = 8
"""Two texts that share this many words in a row share a sentence, or nearly one."""

Row = TypeVar("Row")


def linked(count: int, links: Iterable[tuple[int, int]]) -> list[int]:
    """A group number for each of ``count`` things, equal for those that are linked directly or through others."""
    first, second = np.array([(0, 0), *links], np.int64).T
    graph = coo_matrix((np.ones(len(first)), (first, second)), shape=(count, count))
    return [int(label) for label in connected_components(graph, directed=False)[1]]


def without_copies(rows: Sequence[Row], text: Callable[[Row], str], others: Sequence[str]) -> list[Row]:
    """The rows whose text is a near-duplicate of no other text, one of each set of the same words."""
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(sorted_words(text(row)), row)
    keys, known = list(first), sorted({sorted_words(other) for other in others})
    kept: list[Row] = []
    for start in range(0, len(keys), 1000):  # a block of scores at a time
        block = keys[start : start + 1000]
        alike = np.any(cdist(block, known, scorer=ratio, score_cutoff=ALIKE, dtype=np.uint8, workers=1), axis=1)
        kept += [first[key] for key, copied in zip(block, alike.tolist(), strict=True) if not copied]
    return kept


def sorted_words(text: str) -> str:
    """The words of a text in alphabetical order."""
    return " ".join(sorted(words(text)))


def runs(text: str) -> Iterator[str]:
    """Every eight normalised words in a row; a shorter text is one run."""
    tokens = words(text)
    for start in range(max(len(tokens) - RUN, 0) + 1):
        yield " ".join(tokens[start : start + RUN])
