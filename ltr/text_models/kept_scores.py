"""Scores of texts by a re-ranker, kept in the folder of the index (`ltr.index.kept_rows`)."""

from __future__ import annotations

from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import numpy as np

from ltr.index.kept_rows import KeptRows
from ltr.progress import Tick
from ltr.text_models.rerankers import Reranker, Scores

PLACES = 1 << 22
"""Places for the scores of a re-ranker: a file of at most 64 MB."""

AT_ONCE = 16
"""Texts per call of a pointwise re-ranker: the work that is lost when it is stopped."""


def text_scores(
    reranker: Reranker, folder: Path, question: str, texts: list[str], tick: Tick = lambda *_: None
) -> Scores:
    """(n_texts,) scores for a question, kept ones and new ones. Raises InputError where the re-ranker fails.

    They are kept by the re-ranker's digest; without one, nothing is.
    """
    read, at_once = list(dict.fromkeys(texts)), AT_ONCE
    parts = [(question, text) for text in read]
    if not reranker.pointwise:  # a score is that of a place in this list alone
        read, at_once, of_list = texts, max(len(texts), 1), str(key_of(question, *texts))
        parts = [(of_list, str(place)) for place in range(len(texts))]
    keys = np.array([key_of(*part) for part in parts], np.uint64)
    places = (keys % np.uint64(PLACES)).astype(np.int64)
    state = reranker.digest or ""
    name = blake2b(state.encode("utf-8", "replace"), digest_size=16).hexdigest()
    kept = KeptRows(folder / f"reranked-{name}.bin", state, np.float64)
    numbers, found = kept.read(keys, places)
    scores = numbers[:, 0].copy()
    missing = np.flatnonzero(~(found if reranker.pointwise else np.full(len(found), found.all())))
    tick(len(texts) - len(missing))
    for start in range(0, len(missing), at_once):
        part = missing[start : start + at_once]
        scores[part] = reranker.score(question, [read[place] for place in part])
        if state:
            with suppress(OSError):  # the file is out of reach
                kept.write(keys[part], places[part], scores[part, None])
        tick(len(part))
    place_of = {text: place for place, text in enumerate(read)}
    return scores[np.array([place_of[text] for text in texts], np.int64)] if reranker.pointwise else scores


def key_of(*parts: str) -> int:
    """A 64-bit key of some texts in this order."""
    digest = blake2b(digest_size=8)
    for part in parts:
        text = part.encode("utf-8", "surrogatepass")
        digest.update(len(text).to_bytes(8, "little") + text)
    return int.from_bytes(digest.digest(), "little")
