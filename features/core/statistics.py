"""Collection statistics, for lexical features.

Terms are known by a 64-bit hash, so that the tables are plain arrays which can be memory-mapped at any size: ``terms``
is sorted, every other array is aligned with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[Any]
IntArray = npt.NDArray[Any]

UNITS = ("sentence", "argument", "conclusion")


def text_hash(text: str) -> int:
    """64-bit BLAKE2b of a text: the same on every machine and in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")


term_hash = lru_cache(maxsize=1_000_000)(text_hash)
"""`text_hash`, remembered."""

Terms = Sequence[str] | npt.NDArray[np.uint64]
"""Terms, or the hashes of terms, see `term_hashes`."""


@dataclass(frozen=True)
class UnitStatistics:
    """Counts over one kind of text (sentences, whole arguments or conclusions)."""

    size: int
    """Number of texts."""
    tokens: int
    """Number of index terms in all of them."""
    df: IntArray
    """(n_terms,) texts that hold the term."""
    cf: IntArray
    """(n_terms,) occurrences of the term."""

    @property
    def mean_length(self) -> float:
        """Index terms a text; 1 when there are none, so that it can divide."""
        return self.tokens / self.size if self.size and self.tokens else 1.0


@dataclass(frozen=True)
class CollectionStatistics:
    """Document and collection frequencies by unit, and the latent space of the corpus."""

    terms: npt.NDArray[np.uint64]
    units: dict[str, UnitStatistics]
    lsa_terms: npt.NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    """(n_latent,) sorted hashes of the terms that have a latent vector."""
    lsa_vectors: npt.NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 1), np.float32))
    """(n_latent, n_dimensions)"""
    find_centres: Callable[[], FloatArray] = lambda: np.zeros((0, 1))
    """Gives (n_clusters, n_dimensions) unit-length centres of the corpus's conclusions in the latent space."""

    def df(self, unit: str, terms: Terms) -> IntArray:
        """(len(terms),) document frequencies."""
        return _take(self.units[unit].df, _find(self.terms, terms))

    def cf(self, unit: str, terms: Terms) -> IntArray:
        """(len(terms),) collection frequencies."""
        return _take(self.units[unit].cf, _find(self.terms, terms))

    def idf(self, unit: str, terms: Terms) -> FloatArray:
        """(len(terms),) ln(1 + (N - df + .5) / (df + .5)), as in Lucene's BM25: never negative."""
        df = self.df(unit, terms)
        size = self.units[unit].size
        return np.log1p((size - df + 0.5) / (df + 0.5))

    def latent(self, terms: Terms) -> npt.NDArray[np.float32]:
        """(len(terms), n_dimensions) latent vectors, zeros where a term has none."""
        rows = _find(self.lsa_terms, terms)
        vectors = np.zeros((len(terms), self.lsa_vectors.shape[1]), np.float32)
        known = rows >= 0
        vectors[known] = self.lsa_vectors[rows[known]]
        return vectors


def term_hashes(terms: Sequence[str]) -> npt.NDArray[np.uint64]:
    """(len(terms),) by which the tables know terms."""
    return np.fromiter(map(term_hash, terms), np.uint64, len(terms))


def _find(table: npt.NDArray[np.uint64], terms: Terms) -> IntArray:
    """(len(terms),) rows of a table, -1 for a term that it does not hold."""
    hashes = terms if isinstance(terms, np.ndarray) else term_hashes(terms)
    if not len(table):
        return np.full(len(terms), -1)
    at = np.minimum(np.searchsorted(table, hashes), len(table) - 1)
    return np.where(table[at] == hashes, at, -1)


def _take(values: IntArray, rows: IntArray) -> IntArray:
    if not len(values):
        return np.zeros(len(rows), np.int64)
    return np.where(rows >= 0, values[rows], 0).astype(np.int64)
