"""Scores of a re-ranker, kept in the folder of the index for the next run.

A file of records for each re-ranker: the beginning of a key, a score, and a check sum of both and of the whole key. It
saves time and decides nothing: what is missing, damaged or out of reach is scored. Several processes may write at
once. ``RIPOSTE_VALUES=0`` leaves the files alone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ltr.index.folder import RERANKED

LIMIT = 64_000_000
"""Bytes of a file at most, some million scores: then it begins anew."""

_RECORD = np.dtype([("key", "<u8"), ("score", "<f8"), ("sum", "<u8")])

_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Open no file of others through a link, and wait for no pipe."""

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
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _PLAIN, 0o644)
            try:
                status = os.fstat(handle)
                if stat.S_ISREG(status.st_mode):  # after a record that a killed process wrote half of, too
                    os.write(handle, bytes(-status.st_size % _RECORD.itemsize) + records.tobytes())
            finally:
                os.close(handle)

    def _read(self, keys: Sequence[bytes], scores: Scores) -> None:
        with os.fdopen(os.open(self.path, os.O_RDONLY | _PLAIN), "rb") as file:
            status = os.fstat(file.fileno())
            whole = status.st_size // _RECORD.itemsize
            if not stat.S_ISREG(status.st_mode) or not whole:
                return
            if status.st_size > LIMIT:
                self.path.unlink()
                return
            records = np.memmap(file, _RECORD, "r", shape=(whole,))
        wanted = {_beginning(key): place for place, key in enumerate(keys)}
        for record in records[np.isin(records["key"], np.array([*wanted], np.uint64))]:
            place = wanted[int(record["key"])]
            if int(record["sum"]) == _sum(keys[place], record):
                scores[place] = record["score"]


def _beginning(key: bytes) -> int:
    return int.from_bytes(key[:8], "little")


def _sum(key: bytes, record: np.void) -> int:
    return int.from_bytes(blake2b(record["score"].tobytes(), digest_size=8, key=key).digest(), "little")
