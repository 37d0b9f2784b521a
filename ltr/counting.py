"""Count terms while the corpus streams by: frequencies by unit, and a sample for the latent space."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from features.statistics import UNITS, term_hash
from features.text import Analyzer
from ltr.files import save_array

LATENT_DIMENSIONS = 64
LATENT_TERMS = 20_000
LATENT_TEXTS = 16_000


class Counting:
    """Document and collection frequencies, gathered chunk by chunk."""

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self._numbers: dict[str, int] = {}
        self._df = {unit: np.zeros(1024, np.int64) for unit in UNITS}
        self._cf = {unit: np.zeros(1024, np.int64) for unit in UNITS}
        self._sizes = dict.fromkeys(UNITS, 0)
        self._tokens = dict.fromkeys(UNITS, 0)
        self._sample = _Sample()

    def count(self, sentences: list[list[str]], starts: list[int], conclusions: list[list[str]]) -> None:
        """Add a chunk: terms of its sentences, the first sentence of each argument (and the end), and conclusions."""
        terms, owner = self._flatten(sentences)
        self._tally("sentence", terms, owner, len(sentences))
        argument_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        whole = argument_of[owner] if len(owner) else owner
        for row, column, tf in _grouped(whole, terms):
            self._sample.offer(row, column, tf, len(starts) - 1)
        self._tally("argument", terms, whole, len(starts) - 1)
        terms, owner = self._flatten(conclusions)
        self._tally("conclusion", terms, owner, sum(map(bool, conclusions)))

    def _flatten(self, texts: list[list[str]]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        numbers = self._numbers
        flat = [numbers.setdefault(term, len(numbers)) for text in texts for term in text]
        return np.array(flat, np.int64), np.repeat(np.arange(len(texts)), [len(text) for text in texts])

    def _tally(self, unit: str, terms: np.ndarray[Any, Any], owner: np.ndarray[Any, Any], size: int) -> None:
        self._sizes[unit] += size
        self._tokens[unit] += len(terms)
        if not len(terms):
            return
        once = np.unique(owner * (len(self._numbers) + 1) + terms) % (len(self._numbers) + 1)
        for counts, values in ((self._df, once), (self._cf, terms)):
            if len(counts[unit]) < len(self._numbers):
                grown = np.zeros(2 * len(self._numbers), np.int64)
                grown[: len(counts[unit])] = counts[unit]
                counts[unit] = grown
            found = np.bincount(values)
            counts[unit][: len(found)] += found

    def save(self, folder: Path) -> None:
        """Write the statistics and the latent space, terms in the order of their hashes."""
        count = len(self._numbers)
        hashes = np.fromiter(map(term_hash, self._numbers), np.uint64, count)
        order = np.argsort(hashes, kind="stable")
        save_array(folder / "terms.npy", hashes[order])
        for unit in UNITS:
            for name, counts in (("df", self._df), ("cf", self._cf)):
                padded = np.zeros(count, np.int64)
                known = min(count, len(counts[unit]))
                padded[:known] = counts[unit][:known]
                save_array(folder / f"{name}_{unit}.npy", padded[order].astype(np.int32))
        sizes = {unit: {"size": self._sizes[unit], "tokens": self._tokens[unit]} for unit in UNITS}
        (folder / "units.json").write_text(json.dumps(sizes), "utf-8")
        latent_hashes, vectors = self._sample.latent_space(hashes, self._df["argument"], self._sizes["argument"])
        save_array(folder / "lsa_terms.npy", latent_hashes)
        save_array(folder / "lsa_vectors.npy", vectors)


def _grouped(owner: np.ndarray[Any, Any], terms: np.ndarray[Any, Any]) -> Iterator[tuple[Any, Any, Any]]:
    if len(terms):
        width = int(terms.max()) + 1
        keys, tf = np.unique(owner * width + terms, return_counts=True)
        yield keys // width, keys % width, tf


class _Sample:
    """A bounded, evenly spread sample of arguments as (argument, term, count) triples for the latent space.

    Every ``stride``-th argument is kept; when there are too many, every other one is let go and the
    stride doubles. Which ones stay depends on the order of the corpus alone.
    """

    def __init__(self) -> None:
        self._parts: list[np.ndarray[Any, Any]] = []
        self._stride = 1
        self._seen = 0

    def offer(self, rows: Any, columns: Any, tf: Any, size: int) -> None:
        rows = rows + self._seen
        self._seen += size
        self._parts.append(self._thin(np.stack([rows, columns, tf], axis=1)))
        while self._seen / self._stride > 2 * LATENT_TEXTS:
            self._stride *= 2
            self._parts = [self._thin(part) for part in self._parts]

    def _thin(self, part: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.ascontiguousarray(part[part[:, 0] % self._stride == 0].astype(np.int32))

    def latent_space(
        self, hashes: np.ndarray[Any, Any], df: np.ndarray[Any, Any], size: int
    ) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Term vectors of a truncated SVD of the log-tf idf matrix (Deerwester et al. 1990)."""
        from scipy.sparse import csr_matrix
        from sklearn.preprocessing import normalize
        from sklearn.utils.extmath import randomized_svd
        from threadpoolctl import threadpool_limits

        triples = np.concatenate(self._parts) if self._parts else np.zeros((0, 3), np.int32)
        count = len(hashes)
        # A term in one text teaches nothing, one in a tenth of all texts says nothing.
        usable = np.flatnonzero((df[:count] >= 2) & (df[:count] <= max(0.1 * size, 2)))
        chosen = usable[np.lexsort((hashes[usable], -df[usable]))][:LATENT_TERMS]
        chosen = chosen[np.argsort(hashes[chosen], kind="stable")]
        column = np.full(count, -1)
        column[chosen] = np.arange(len(chosen))
        triples = triples[column[triples[:, 1]] >= 0]
        dimensions = min(LATENT_DIMENSIONS, len(chosen) - 1, len(np.unique(triples[:, 0])) - 1)
        if dimensions < 2:
            return np.zeros(0, np.uint64), np.zeros((0, 1), np.float32)
        weights = (1 + np.log(triples[:, 2])) * np.log(size / df[triples[:, 1]])
        texts, rows = np.unique(triples[:, 0], return_inverse=True)
        matrix = csr_matrix((weights, (rows, column[triples[:, 1]])), shape=(len(texts), len(chosen)), dtype=np.float32)
        # One BLAS thread: the bytes of the index must not depend on the number of cores.
        with threadpool_limits(1):
            _, strength, directions = randomized_svd(
                normalize(matrix), dimensions, n_iter=4, random_state=0, power_iteration_normalizer="QR"
            )
        return hashes[chosen], np.ascontiguousarray((directions * np.sqrt(strength)[:, None]).T, np.float32)
