"""Count terms while the corpus streams by: frequencies by unit, and a sample for the latent space.

Parts of a corpus are counted apart; their counts add up, whatever the cut.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from features.statistics import UNITS, text_hash
from ltr.files import save_array
from ltr.latent import Sample, latent_space, load_samples


class Counting:
    """Document and collection frequencies of one part, gathered chunk by chunk."""

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self._df = {unit: np.zeros(1024, np.int64) for unit in UNITS}
        self._cf = {unit: np.zeros(1024, np.int64) for unit in UNITS}
        self._sizes = dict.fromkeys(UNITS, 0)
        self._tokens = dict.fromkeys(UNITS, 0)
        self._sample = Sample()

    def count(
        self, ids: list[str], sentences: list[list[str]], starts: list[int], conclusions: list[list[str]]
    ) -> np.ndarray[Any, Any]:
        """Add a chunk of arguments: terms of the sentences, the first sentence of each (and the end), conclusions.

        Returns (n_sentences,) uint64: equal for sentences with the same set of terms, 0 for those without any.
        """
        terms, owner = self._flatten(sentences)
        sets = self._tally("sentence", terms, owner, len(sentences))
        argument_of = np.repeat(np.arange(len(ids)), np.diff(starts))
        whole, once, tf = self._tally("argument", terms, argument_of[owner], len(ids))
        self._sample.offer(ids, whole, once, tf)
        self._tally("conclusion", *self._flatten(conclusions), sum(map(bool, conclusions)))
        # A sum of hashes does not mind the order of the terms.
        hashes = np.array(self._numbers.hashes, np.uint64)[sets[1]]
        total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(hashes, dtype=np.uint64)])
        ends = np.searchsorted(sets[0], np.arange(len(sentences)), side="right")
        return np.diff(total[np.concatenate([[0], ends])])

    def _flatten(self, texts: list[list[str]]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        lengths = list(map(len, texts))
        flat = map(self._numbers.__getitem__, chain.from_iterable(texts))
        return np.fromiter(flat, np.int64, sum(lengths)), np.repeat(np.arange(len(texts)), lengths)

    def _tally(
        self, unit: str, terms: np.ndarray[Any, Any], owner: np.ndarray[Any, Any], size: int
    ) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Count, and return distinct (text, term) with their number, by text."""
        self._sizes[unit] += size
        self._tokens[unit] += len(terms)
        width = len(self._numbers) + 1
        keys, tf = np.unique(owner * width + terms, return_counts=True)
        texts, once = np.divmod(keys, width)
        for counts, found in ((self._df, np.bincount(once)), (self._cf, np.bincount(terms))):
            if len(counts[unit]) < len(found):
                counts[unit] = np.pad(counts[unit], (0, 2 * len(found) - len(counts[unit])))
            counts[unit][: len(found)] += found
        return texts, once, tf

    def save(self, folder: Path) -> None:
        """Write the counts and the sample of this part, terms in the order of their hashes."""
        hashes = np.array(self._numbers.hashes, np.uint64)
        order = np.argsort(hashes, kind="stable")
        save_array(folder / "terms.npy", hashes[order])
        for unit in UNITS:
            for name, counts in (("df", self._df), ("cf", self._cf)):
                padded = np.zeros(len(hashes), np.int64)
                known = min(len(hashes), len(counts[unit]))
                padded[:known] = counts[unit][:known]
                save_array(folder / f"{name}_{unit}.npy", padded[order])
        sizes = {unit: {"size": self._sizes[unit], "tokens": self._tokens[unit]} for unit in UNITS}
        (folder / "units.json").write_text(json.dumps(sizes), "utf-8")
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        self._sample.save(folder, place)


def merge_counts(parts: Sequence[Path], first_argument: Sequence[int], folder: Path) -> None:
    """Add up the counts of parts; ``first_argument`` numbers the first argument of each. Adds the latent space."""
    tables = [np.load(part / "terms.npy") for part in parts]
    terms = np.unique(np.concatenate(tables))
    places = [np.searchsorted(terms, table) for table in tables]
    save_array(folder / "terms.npy", terms)
    units = [json.loads((part / "units.json").read_text("utf-8")) for part in parts]
    sizes = {unit: {key: sum(found[unit][key] for found in units) for key in units[0][unit]} for unit in UNITS}
    (folder / "units.json").write_text(json.dumps(sizes), "utf-8")
    df = np.zeros(0, np.int64)
    for unit in UNITS:
        for name in ("cf", "df"):
            counts = np.zeros(len(terms), np.int64)
            for part, place in zip(parts, places, strict=True):
                counts[place] += np.load(part / f"{name}_{unit}.npy")
            whole = np.int32 if counts.max(initial=0) < 2**31 else np.int64
            save_array(folder / f"{name}_{unit}.npy", counts.astype(whole))
        if unit == "argument":
            df = counts
    hashes, vectors = latent_space(load_samples(parts, first_argument, places), terms, df, sizes["argument"]["size"])
    save_array(folder / "lsa_terms.npy", hashes)
    save_array(folder / "lsa_vectors.npy", vectors)


class _Numbers(dict[str, int]):
    """Terms numbered as they come."""

    def __init__(self) -> None:
        super().__init__()
        self.hashes = array("Q")

    def __missing__(self, term: str) -> int:
        self[term] = number = len(self)
        self.hashes.append(text_hash(term))
        return number
