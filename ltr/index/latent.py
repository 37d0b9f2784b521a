"""The latent space of a corpus: term vectors of a truncated SVD over a bounded sample of arguments.

Which arguments are in the sample depends on their ids alone, so that it is the same however the corpus is cut.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from features.core.statistics import text_hash
from ltr.index.folder import save_array, save_pieces

DIMENSIONS = 64
TERMS = 20_000
TEXTS = 32_000
DECIMALS = 6
"""Decimals of a vector's numbers: more than enough for the texts, and without the last bits, which processors round
differently."""

Triples = np.ndarray[Any, Any]
"""(3, n) arguments, terms, counts: int32 in a part, where arguments are rows; int64 for a whole corpus, where they are
hashes of their ids, so that sums do not depend on the order of the rows."""


class Sample:
    """The ``TEXTS`` arguments whose ids have the smallest hashes, gathered while the corpus streams by."""

    def __init__(self) -> None:
        self._parts: list[Triples] = []
        self._keys = array("Q")
        self._sampled = 0
        self._limit = np.iinfo(np.uint64).max

    def offer(self, ids: list[str], owner: Any, terms: Any, tf: Any) -> None:
        """Add arguments to the sample where their ids allow it; ``owner`` (n_terms,) are positions in ``ids``."""
        first = len(self._keys)
        keys = np.fromiter(map(text_hash, ids), np.uint64, len(ids))
        self._keys.frombytes(keys.tobytes())
        wanted = keys <= self._limit
        kept = wanted[owner]
        self._parts.append(np.stack([first + owner, terms, tf]).astype(np.int32)[:, kept])
        self._sampled += int(wanted.sum())
        if self._sampled > 2 * TEXTS:
            self._thin()

    def save(self, folder: Path, numbers: np.ndarray[Any, Any]) -> None:
        """Write the sample beside the rest of a part; ``numbers`` (n_terms,) are the terms' numbers there."""
        if self._sampled > TEXTS:
            self._thin()
        size, numbers = sum(part.shape[1] for part in self._parts), numbers.astype(np.int32)
        rows = ((numbers[part[1]] if row == 1 else part[row]) for row in range(3) for part in self._parts)
        save_pieces(folder / "sample.npy", rows, np.int32, (3, size))  # in pieces: the sample is large
        save_array(folder / "sample_keys.npy", np.array(self._keys, np.uint64))

    def _thin(self) -> None:
        keys = np.array(self._keys, np.uint64)
        self._limit = _limit(keys)
        thinned = [part[:, keys[part[0]] <= self._limit] for part in self._parts]
        self._parts = [np.concatenate([np.zeros((3, 0), np.int32), *thinned], axis=1)]
        self._sampled = min(self._sampled, TEXTS)


def sample_limit(folders: Sequence[Path]) -> Any:
    """The largest key in the sample of the whole corpus, from the keys of its parts."""
    smallest = np.zeros(0, np.uint64)
    for folder in folders:
        smallest = np.concatenate([smallest, np.load(folder / "sample_keys.npy")])
        if len(smallest) > TEXTS:
            smallest = np.partition(smallest, TEXTS - 1)[:TEXTS]
    return _limit(smallest)


def load_sample(folder: Path, terms: np.ndarray[Any, Any], limit: Any) -> Triples:
    """The share of a part in the sample of the whole corpus: the texts with keys up to the ``limit``.

    ``terms`` are the numbers of its terms in the whole corpus.
    """
    triples, keys = np.load(folder / "sample.npy", mmap_mode="r"), np.load(folder / "sample_keys.npy")
    rows, part_terms, tf = triples[:, keys[triples[0]] <= limit]
    return np.stack([keys[rows].view(np.int64), terms[part_terms], tf])


def _limit(keys: np.ndarray[Any, Any]) -> Any:
    """The largest key in the sample."""
    return np.partition(keys, TEXTS - 1)[TEXTS - 1] if len(keys) >= TEXTS else np.iinfo(np.uint64).max


def latent_space(
    triples: Triples, hashes: np.ndarray[Any, Any], df: np.ndarray[Any, Any], size: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Term vectors of a truncated SVD of the log-tf idf matrix (Deerwester et al. 1990).

    ``hashes`` (n_terms,) ascending and ``df`` (n_terms,) are of the whole corpus of ``size`` arguments; the terms
    of ``triples`` are positions in both. Returns the hashes of the terms that have a vector, ascending, and the
    vectors, float32 of `DECIMALS` decimals: the same ones whichever processor multiplied the matrices.
    """
    from scipy.sparse import csr_matrix  # noqa: PLC0415 takes half a second
    from sklearn.preprocessing import normalize  # noqa: PLC0415 takes a second
    from sklearn.utils.extmath import randomized_svd  # noqa: PLC0415 takes a second
    from threadpoolctl import threadpool_limits  # noqa: PLC0415 only those who compute need it

    # Terms of a single text and terms of more than a tenth of all texts carry no topic.
    usable = np.flatnonzero((df >= 2) & (df <= max(0.1 * size, 2)))
    chosen = np.sort(usable[np.lexsort((usable, -df[usable]))][:TERMS])
    column = np.full(len(hashes), -1)
    column[chosen] = np.arange(len(chosen))
    arguments, terms, tf = triples[:, column[triples[1]] >= 0]
    texts, rows = np.unique(arguments, return_inverse=True)
    dimensions = min(DIMENSIONS, len(chosen) - 1, len(texts) - 1)
    if dimensions < 2:
        return np.zeros(0, np.uint64), np.zeros((0, 1), np.float32)
    weights = (1 + np.log(tf)) * np.log(size / df[terms])
    matrix = csr_matrix((weights, (rows, column[terms])), shape=(len(texts), len(chosen)))
    matrix.sort_indices()  # sums must not depend on the order in which terms were first seen
    # In double precision, and with one BLAS thread: the bytes of the index must not depend on processor and cores.
    with threadpool_limits(1):
        # Not transposed: its random start belongs to terms, however many texts there are.
        _, strength, directions = randomized_svd(
            normalize(matrix),
            dimensions,
            n_iter=4,
            random_state=0,
            power_iteration_normalizer="QR",
            transpose=False,
        )
    vectors = np.round((directions * np.sqrt(strength)[:, None]).T, DECIMALS) + 0.0  # no -0
    return hashes[chosen], np.ascontiguousarray(vectors, np.float32)
