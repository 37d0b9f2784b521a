"""Scores of texts by a re-ranker, kept in the folder of the index (`ltr.index.kept_rows`)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import numpy as np

from features.core.statistics import IntArray
from ltr.index.kept_rows import KeptRows
from ltr.index.vocabulary import Array
from ltr.progress import Tick
from ltr.text_models.rerankers import Reranker, Scores

PLACES = 1 << 22
"""Places for the scores of a re-ranker: a file of at most 64 MB."""

AT_ONCE = 16
"""Texts per call of a pointwise re-ranker: the work that is lost when it is stopped."""


def text_scores(
    reranker: Reranker, folder: Path, question: str, texts: list[str], tick: Tick = lambda *_: None
) -> Scores:
    """(n_texts,) scores for a question, kept ones and new ones. Raises InputError where the re-ranker fails."""
    kept = KeptScores(folder, reranker.digest)
    if not reranker.pointwise:  # a score is that of a place in this list alone
        of_list = str(key_of(question, *texts))
        keys = [key_of(of_list, str(place)) for place in range(len(texts))]
        scores = kept.read(keys)
        if np.isnan(scores).any():
            scores = reranker.score(question, texts)
            kept.keep(keys, scores)
        tick(len(texts))
        return scores
    distinct = list(dict.fromkeys(texts))
    keys = [key_of(question, text) for text in distinct]
    scores = kept.read(keys)
    missing = np.flatnonzero(np.isnan(scores))
    tick(len(texts) - len(missing))
    for start in range(0, len(missing), AT_ONCE):
        part = missing[start : start + AT_ONCE]
        scores[part] = reranker.score(question, [distinct[place] for place in part])
        kept.keep([keys[place] for place in part], scores[part])
        tick(len(part))
    score_of = dict(zip(distinct, scores.tolist(), strict=True))
    return np.array([score_of[text] for text in texts], np.float64)


def key_of(*parts: str) -> int:
    """A 64-bit key of some texts in this order."""
    digest = blake2b(digest_size=8)
    for part in parts:
        text = part.encode("utf-8", "surrogatepass")
        digest.update(len(text).to_bytes(8, "little") + text)
    return int.from_bytes(digest.digest(), "little")


class KeptScores:
    """The scores of one re-ranker, by its digest; without a digest, nothing is kept."""

    def __init__(self, folder: Path, digest: str | None) -> None:
        self._rows = None
        if digest is not None:
            name = blake2b(digest.encode("utf-8", "replace"), digest_size=16).hexdigest()
            self._rows = KeptRows(folder / f"reranked-{name}.bin", digest, np.float64)

    def read(self, keys: Sequence[int]) -> Scores:
        """(n_keys,) scores, NaN where none is kept."""
        if self._rows is None:
            return np.full(len(keys), np.nan)
        numbers, found = self._rows.read(*_placed(keys))
        return np.where(found, numbers[:, 0], np.nan)

    def keep(self, keys: Sequence[int], scores: Scores) -> None:
        """Write scores, unless the file is out of reach."""
        if self._rows is not None:
            with suppress(OSError):
                self._rows.write(*_placed(keys), scores[:, None])


def _placed(keys: Sequence[int]) -> tuple[Array, IntArray]:
    array = np.array(keys, np.uint64)
    return array, (array % np.uint64(PLACES)).astype(np.int64)
