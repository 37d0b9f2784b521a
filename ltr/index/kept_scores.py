"""Scores of a re-ranker, kept in the folder of the index for the next run.

A file of records for each re-ranker: the beginning of a key, a score, and a check sum of both and of the whole key. It
saves time and decides nothing: what is missing, damaged or out of reach is scored. Several processes may write at
once. ``RIPOSTE_VALUES=0`` leaves the files alone.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ltr.index.folder import RERANKED
from ltr.index.records import append_records, mapped_records

LIMIT = 64_000_000
"""Bytes of a file at most, some million scores: then it begins anew."""

_RECORD = np.dtype([("key", "<u8"), ("score", "<f8"), ("sum", "<u8")])

Scores = npt.NDArray[np.float64]


def key_of(*parts: str) -> bytes:
    """The key of some texts, in this order."""
    digest = blake2b(digest_size=16)
    for part in parts:
        text = part.encode("utf-8", "surrogatepass")
        digest.update(len(text).to_bytes(8, "little") + text)
    return digest.digest()


class KeptScores:
    """The scores of one re-ranker, by its digest; None: nothing is kept."""

    def __init__(self, folder: Path, digest: str | None) -> None:
        name = blake2b((digest or "").encode("utf-8", "replace"), digest_size=16).hexdigest()
        self.path = folder / f"{RERANKED}-{name}.bin"
        self._use = digest is not None and os.environ.get("RIPOSTE_VALUES") != "0"

    def read(self, keys: Sequence[bytes]) -> Scores:
        """(n_keys,) the scores, NaN for what is not kept."""
        scores = np.full(len(keys), np.nan)
        if self._use:
            with suppress(OSError):
                self._read(keys, scores)
        return scores

    def keep(self, keys: Sequence[bytes], scores: Scores) -> None:
        """Append scores in one write. What cannot be written is not kept."""
        if not self._use:
            return
        records = np.zeros(len(keys), _RECORD)
        records["key"], records["score"] = [_beginning(key) for key in keys], scores
        records["sum"] = [_sum(key, record) for key, record in zip(keys, records, strict=True)]
        with suppress(OSError):
            append_records(self.path, records)

    def _read(self, keys: Sequence[bytes], scores: Scores) -> None:
        records = mapped_records(self.path, _RECORD, LIMIT)
        wanted = {_beginning(key): place for place, key in enumerate(keys)}
        for record in records[np.isin(records["key"], np.array([*wanted], np.uint64))]:
            place = wanted[int(record["key"])]
            if int(record["sum"]) == _sum(keys[place], record):
                scores[place] = record["score"]


def _beginning(key: bytes) -> int:
    return int.from_bytes(key[:8], "little")


def _sum(key: bytes, record: np.void) -> int:
    return int.from_bytes(blake2b(record["score"].tobytes(), digest_size=8, key=key).digest(), "little")
