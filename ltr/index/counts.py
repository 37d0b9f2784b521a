"""Count terms while the corpus streams by: frequencies by unit, and a sample for the latent space.

Parts of a corpus are counted apart; their counts add up, whatever the cut.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from features.core.statistics import UNITS
from ltr.index.folder import save_array
from ltr.index.latent import Sample, latent_space, load_sample, sample_limit
from ltr.index.vocabulary import Array, Terms


class Counting:
    """Document and collection frequencies of one part, gathered chunk by chunk."""

    def __init__(self) -> None:
        self._counts = {f"{name}_{unit}": np.zeros(0, np.int64) for name in ("df", "cf") for unit in UNITS}
        self._units = {unit: {"size": 0, "tokens": 0} for unit in UNITS}
        self._sample = Sample()

    def count(self, ids: list[str], terms: Terms, ends: Array, premise_ends: Array) -> tuple[Array, Array]:
        """Add a chunk of arguments: their terms, and where in its sentences each argument and its premises end.

        Returns the distinct (sentence, term) of the chunk, by sentence.
        """
        sentence_of = np.repeat(np.arange(len(terms.ends)), np.diff(terms.ends, prepend=0))
        argument_of = np.repeat(np.arange(len(ids)), np.diff(ends, prepend=0))
        conclusion = np.arange(len(argument_of)) >= premise_ends[argument_of]
        owner = argument_of[sentence_of]
        sentences = self._tally("sentence", terms.flat, sentence_of, len(terms.ends))
        self._sample.offer(ids, *self._tally("argument", terms.flat, owner, len(ids)))
        concluding = conclusion[sentence_of]
        owner = owner[concluding]
        self._tally("conclusion", terms.flat[concluding], owner, int(np.count_nonzero(np.diff(owner, prepend=-1))))
        return sentences[:2]

    def _tally(self, unit: str, terms: Array, owner: Array, size: int) -> tuple[Array, Array, Array]:
        """Count, and return distinct (text, term) with their number, by text."""
        self._units[unit]["size"] += size
        self._units[unit]["tokens"] += len(terms)
        bits = int(terms.max(initial=0)).bit_length()
        keys = owner << bits | terms
        small = keys.max(initial=0) < 1 << 32  # sorted in half of the time
        keys, tf = np.unique(keys.astype(np.uint32) if small else keys, return_counts=True)
        texts, once = keys >> bits, keys & (1 << bits) - 1
        for name, numbers in ((f"df_{unit}", once), (f"cf_{unit}", terms)):
            before = self._counts[name]
            self._counts[name] = np.bincount(numbers, minlength=len(before))
            self._counts[name][: len(before)] += before
        return texts, once, tf

    def save(self, folder: Path, hashes: Array) -> None:
        """Write the counts and the sample of this part, terms in the order of their hashes, (n_terms,)."""
        order = np.argsort(hashes, kind="stable")
        save_array(folder / "terms.npy", hashes[order])
        for name, counts in self._counts.items():
            save_array(folder / f"{name}.npy", np.pad(counts, (0, len(hashes) - len(counts)))[order])
        (folder / "units.json").write_text(json.dumps(self._units), "utf-8")
        self._sample.save(folder, np.argsort(order))


def merge_counts(parts: Sequence[Path], folder: Path) -> None:
    """Add up the counts of parts, and add the latent space."""
    terms = np.unique(np.concatenate([np.load(part / "terms.npy") for part in parts]))
    save_array(folder / "terms.npy", terms)
    units = [json.loads((part / "units.json").read_text("utf-8")) for part in parts]
    sizes = {unit: {key: sum(part[unit][key] for part in units) for key in units[0][unit]} for unit in UNITS}
    (folder / "units.json").write_text(json.dumps(sizes), "utf-8")
    counts = {f"{name}_{unit}": np.zeros(len(terms), np.int64) for unit in UNITS for name in ("cf", "df")}
    limit = sample_limit(parts)
    samples = []
    for part in parts:
        numbers = np.searchsorted(terms, np.load(part / "terms.npy"))
        for name, total in counts.items():
            total[numbers] += np.load(part / f"{name}.npy")
        samples.append(load_sample(part, numbers, limit))
    for name, total in counts.items():
        whole = np.int32 if total.max(initial=0) < 2**31 else np.int64
        save_array(folder / f"{name}.npy", total.astype(whole))
    sample, df = np.concatenate(samples, axis=1), counts["df_argument"]
    hashes, vectors = latent_space(sample, terms, df, sizes["argument"]["size"])
    save_array(folder / "lsa_terms.npy", hashes)
    save_array(folder / "lsa_vectors.npy", vectors)
