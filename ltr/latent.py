"""The latent space of a corpus: term vectors of a truncated SVD over a bounded sample of arguments.

Which arguments are in the sample depends on their ids alone, so that it is the same however the corpus is cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from features.statistics import text_hash
from ltr.files import save_array

DIMENSIONS = 64
TERMS = 20_000
TEXTS = 32_000

_NAMES = ("row", "key", "term", "tf")


class Triples(NamedTuple):
    """(argument, term, count) triples of sampled arguments; arrays of one length."""

    row: np.ndarray[Any, Any]
    """int64, number of the argument"""
    key: np.ndarray[Any, Any]
    """uint64, hash of the argument's id: the smallest are kept"""
    term: np.ndarray[Any, Any]
    """int32, number of the term"""
    tf: np.ndarray[Any, Any]
    """int32"""

    def only(self, chosen: np.ndarray[Any, Any]) -> Triples:
        """The triples that a mask or index chooses."""
        return Triples(*(values[chosen] for values in self))


class Sample:
    """The ``TEXTS`` arguments whose ids have the smallest hashes, gathered while the corpus streams by."""

    def __init__(self) -> None:
        self._parts: list[Triples] = []
        self._held = 0
        self._limit = np.iinfo(np.uint64).max

    def offer(self, ids: list[str], first: int, owner: Any, terms: Any, tf: Any) -> None:
        """Arguments by id, the first of them numbered ``first``; ``owner`` is the place in ``ids``."""
        keys = np.fromiter(map(text_hash, ids), np.uint64, len(ids))
        wanted = keys <= self._limit
        kept = wanted[owner]
        owner = owner[kept]
        self._parts.append(Triples(first + owner, keys[owner], terms[kept].astype(np.int32), tf[kept].astype(np.int32)))
        self._held += int(wanted.sum())
        if self._held > 2 * TEXTS:
            self._thin()

    def triples(self) -> Triples:
        """What was kept; rows ascending."""
        self._thin()
        return self._parts[0]

    def _thin(self) -> None:
        held = _stack(self._parts)
        self._limit = _limit(held.key)
        self._parts = [held.only(held.key <= self._limit)]
        self._held = min(self._held, TEXTS)


def save_sample(folder: Path, triples: Triples) -> None:
    """Write the triples beside the rest of a part."""
    for name, values in zip(_NAMES, triples, strict=True):
        save_array(folder / f"sample_{name}.npy", values)
    save_array(folder / "sample_keys.npy", np.unique(triples.key))


def load_samples(folders: Sequence[Path], first: Sequence[int], terms: Sequence[np.ndarray[Any, Any]]) -> Triples:
    """The sample of the whole corpus from those of its parts.

    ``first`` numbers the first argument of each part; ``terms`` says what number its terms have in the whole.
    """
    limit = _limit(np.concatenate([np.load(folder / "sample_keys.npy") for folder in folders]))
    found = []
    for folder, start, places in zip(folders, first, terms, strict=True):
        # Filtered at once: together the samples of many parts are much larger than that of the whole.
        triples = Triples(*(np.load(folder / f"sample_{name}.npy", mmap_mode="r") for name in _NAMES))
        triples = triples.only(triples.key <= limit)
        found.append(triples._replace(row=start + triples.row, term=places[triples.term]))
    return _stack(found)


def _limit(keys: np.ndarray[Any, Any]) -> Any:
    """The largest key in the sample."""
    keys = np.unique(keys)
    return keys[TEXTS - 1] if len(keys) >= TEXTS else np.iinfo(np.uint64).max


def latent_space(
    triples: Triples, hashes: np.ndarray[Any, Any], df: np.ndarray[Any, Any], size: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Term vectors of a truncated SVD of the log-tf idf matrix (Deerwester et al. 1990).

    ``hashes`` (n_terms,) ascending and ``df`` (n_terms,) are of the whole corpus of ``size`` arguments, and
    ``triples.term`` is a place in them. Returns the hashes of the terms that have a vector, ascending, and the vectors.
    """
    from scipy.sparse import csr_matrix
    from sklearn.preprocessing import normalize
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits

    # A term in one text teaches nothing, one in a tenth of all texts says nothing.
    usable = np.flatnonzero((df >= 2) & (df <= max(0.1 * size, 2)))
    chosen = np.sort(usable[np.lexsort((usable, -df[usable]))][:TERMS])
    column = np.full(len(hashes), -1)
    column[chosen] = np.arange(len(chosen))
    triples = triples.only(column[triples.term] >= 0)
    texts, rows = np.unique(triples.row, return_inverse=True)
    dimensions = min(DIMENSIONS, len(chosen) - 1, len(texts) - 1)
    if dimensions < 2:
        return np.zeros(0, np.uint64), np.zeros((0, 1), np.float32)
    weights = (1 + np.log(triples.tf)) * np.log(size / df[triples.term])
    matrix = csr_matrix((weights, (rows, column[triples.term])), shape=(len(texts), len(chosen)), dtype=np.float32)
    matrix.sort_indices()  # sums must not depend on the order in which terms were first seen
    # One BLAS thread: the bytes of the index must not depend on the number of cores.
    with threadpool_limits(1):
        _, strength, directions = randomized_svd(
            normalize(matrix), dimensions, n_iter=4, random_state=0, power_iteration_normalizer="QR"
        )
    return hashes[chosen], np.ascontiguousarray((directions * np.sqrt(strength)[:, None]).T, np.float32)


def _stack(parts: list[Triples]) -> Triples:
    if not parts:
        return Triples(np.zeros(0, np.int64), np.zeros(0, np.uint64), np.zeros(0, np.int32), np.zeros(0, np.int32))
    return Triples(*map(np.concatenate, zip(*parts, strict=True)))
