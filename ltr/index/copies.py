"""Count copies and find debates across all parts of an index, by 64-bit hashes.

All keys of a column are in memory at once, with their order and their counts: 100 million keys are 2.4 GB.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ltr.index.debates import find_debates, find_parents

Array = np.ndarray[Any, Any]


def has_copies(parts: Sequence[Path]) -> bool:
    """Whether two arguments have the same id."""
    _, _, counts = distinct_keys(_joined(parts, "sample_keys"))
    return bool((counts > 1).any())


def shared_columns(parts: Sequence[Path], first_sentence: Sequence[int]) -> Iterator[tuple[str, Array]]:
    """The columns of the index whose values depend on all parts, one after the other, with their names."""
    _, inverse, counts = distinct_keys(_joined(parts, "near_key"))
    yield "near_count", counts[inverse]
    first, inverse, counts = distinct_keys(_joined(parts, "exact_key"))
    yield "canonical", first[inverse]
    conclusions = np.concatenate(
        [
            np.where(rows >= 0, rows + start, -1)
            for rows, start in zip(_columns(parts, "conclusion_row"), first_sentence, strict=False)
        ]
    )
    claims = np.where(conclusions >= 0, inverse[conclusions], len(counts))
    sizes = np.bincount(claims, minlength=len(counts) + 1)
    sizes[-1] = 0
    yield "debate_size", sizes[claims]
    del first, inverse, counts, conclusions, claims, sizes
    pages, claimed = _joined(parts, "page_key"), _joined(parts, "claimed_key")
    parents = find_parents(pages, _joined(parts, "said_key"), claimed, _joined(parts, "stance"))
    yield "parent", parents
    yield "debate", find_debates(pages, claimed, parents)


def distinct_keys(keys: Array) -> tuple[Array, Array, Array]:
    """The first row of each distinct key, (n_keys,) which of them each row has, and how often each comes."""
    _, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    return first, inverse, counts


def _joined(parts: Sequence[Path], name: str) -> Array:
    return np.concatenate(list(_columns(parts, name)))


def _columns(parts: Sequence[Path], name: str) -> Iterator[Array]:
    return (np.load(part / f"{name}.npy", mmap_mode="r") for part in parts)
