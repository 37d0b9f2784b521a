"""Vectors and scores of texts, kept in the folder of the index (`ltr.index.kept_rows`).

An encoder has two files. In ``vectors-DIGEST.bin`` the place of a sentence is its row, or for sentences of the same
words in the same order the row of the first one; ``titles-DIGEST.bin`` keeps titles, and questions apart from them: an
encoder may read those in another way. A vector always has eight bits a number, kept or not. A re-ranker has
``reranked-DIGEST.bin``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from features.core.statistics import IntArray, text_hash
from ltr.errors import InputError
from ltr.index.kept_rows import ROWS, KeptRows, uses_kept_rows
from ltr.index.reader import Index, worker_index
from ltr.index.vocabulary import Array
from ltr.parallel import Call, Workers
from ltr.progress import Progress, Tick
from ltr.text_models.encoders import Encoder, Vectors32
from ltr.text_models.model import Numbers, digest_of
from ltr.text_models.rerankers import Reranker

Codes = npt.NDArray[np.int8]

PLACES = 1 << 20
"""Places for the vectors of titles and questions, and for the scores of a re-ranker."""

AT_ONCE = 16
"""Texts per call of a pointwise re-ranker: the work that is lost when it is stopped."""

_QUESTION = "\0question\0"
"""Before the name under which a question's vector is kept."""
_DIGEST = re.compile("[0-9A-Za-z]{1,64}")


class KeptTexts(KeptRows):
    """Numbers of texts."""

    def lookup(self, texts: Sequence[str], rows: IntArray | None = None) -> tuple[Array, IntArray, Array, Array]:
        """(n_texts,) keys and places, (n_texts, width) numbers and (n_texts,) whether they are kept.

        ``rows`` are the places; without them the texts give places, and the later of two with the same one is kept.
        """
        keys = np.fromiter(map(text_hash, texts), np.uint64, len(texts))
        places = (keys % np.uint64(PLACES)).astype(np.int64) if rows is None else rows
        return keys, places, *self.read(keys, places)

    def numbers(
        self,
        texts: Sequence[str],
        compute: Callable[[IntArray], Array],
        rows: IntArray | None = None,
        *,
        at_once: int = ROWS,
        strict: bool = False,
        tick: Tick = lambda *_: None,
    ) -> tuple[Array, int]:
        """(n_texts, width) numbers, kept ones and those that are computed now, and the number of these.

        ``compute`` takes positions of texts, at most ``at_once``; what it returns is kept before it goes on, unless it
        is NaN. Strict: raises InputError where that fails.
        """
        keys, places, numbers, found = self.lookup(texts, rows)
        missing = np.flatnonzero(~found)
        tick(len(texts) - len(missing))
        for start in range(0, len(missing), at_once):
            part = missing[start : start + at_once]
            numbers[part] = compute(part)
            known = part[~np.isnan(numbers[part]).any(axis=1)]
            try:
                self.write(keys[known], places[known], numbers[known])
            except OSError as error:
                if strict:
                    what = f"vectors cannot be kept ({error.strerror})"
                    raise InputError(self.path, what, "free some space there, or name another folder") from None
            tick(len(part))
        return numbers, len(missing)


class Vectors:
    """Vectors of an index's texts by an encoder: (n, encoder.size) float32 of unit length, zeros for blank texts."""

    def __init__(self, index: Index, encoder: Encoder) -> None:
        """Raises ValueError for an encoder whose digest cannot be part of the name of a file."""
        if not _DIGEST.fullmatch(encoder.digest):
            raise ValueError(f"the digest of {encoder.name} is not 1 to 64 letters and digits")
        self.index, self.encoder = index, encoder
        self.sentences, self.titles = (
            KeptTexts(index.folder / f"{name}-{encoder.digest}.bin", encoder.digest, np.int8, encoder.size)
            for name in ("vectors", "titles")
        )

    def of_sentences(self, rows: Sequence[int] | IntArray) -> Vectors32:
        """(n_rows, size) the vectors of sentences by row. Sentences of the same words in the same order share one.

        Raises InputError where the encoder fails.
        """
        first = self.index.column("canonical")[np.asarray(rows, np.int64)].astype(np.int64)
        distinct, place = np.unique(first, return_inverse=True)
        return unit_vectors(self.codes([*map(self.index.text, distinct.tolist())], distinct)[0])[place]

    def of_texts(self, texts: Sequence[str], *, questions: bool = False) -> Vectors32:
        """(n_texts, size) the vectors of titles and the like, or of questions. Raises InputError as `of_sentences`."""
        place = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        return unit_vectors(self.codes([*place], questions=questions)[0])[[place[text] for text in texts]]

    def knows(self, question: str) -> bool:
        """Whether the vector of a question is kept: it was asked before."""
        return bool(self.titles.lookup([_QUESTION + question])[-1][0])

    def codes(
        self, texts: Sequence[str], rows: IntArray | None = None, *, questions: bool = False, strict: bool = False
    ) -> tuple[Codes, int]:
        """(n_texts, size) vectors of distinct texts, and how many are new; ``rows`` are those of sentences.

        Raises InputError where the encoder fails, and if ``strict`` also where vectors cannot be kept.
        """

        def encoded(new: IntArray) -> Codes:
            return eight_bits(self.encoder.encode([texts[at] for at in new.tolist()], questions=questions))

        kept, names = self.titles if rows is None else self.sentences, texts
        if questions:
            names = [_QUESTION + text for text in texts]
        return kept.numbers(names, encoded, rows, strict=strict)


def text_scores(
    reranker: Reranker, folder: Path, question: str, texts: list[str], tick: Tick = lambda *_: None
) -> Numbers:
    """(n_texts,) scores for a question, kept ones and new ones; (n_texts, width) of a reader.

    Raises InputError where the re-ranker fails.

    They are kept by the re-ranker's digest; without one, nothing is.
    """
    if reranker.digest is None:
        scores = reranker.score(question, texts)
        tick(len(texts))
        return scores
    pointwise, read = reranker.pointwise, list(dict.fromkeys(texts)) if reranker.pointwise else texts
    # A score that is not pointwise is that of a place in this list alone.
    parts = [(question, text) if pointwise else (question, *texts, str(place)) for place, text in enumerate(read)]
    names = ["".join(f"{len(part)} {part}" for part in of) for of in parts]

    def compute(new: IntArray) -> Array:
        scores = reranker.score(question, [read[place] for place in new] if pointwise else texts)
        return (scores if pointwise else scores[new]).reshape(len(new), reranker.width)

    tick(len(texts) - len(read))
    kept = KeptTexts(folder / f"reranked-{digest_of(reranker.digest)}.bin", reranker.digest, np.float64, reranker.width)
    found, _ = kept.numbers(names, compute, at_once=AT_ONCE if pointwise else max(len(texts), 1), tick=tick)
    place = {text: place for place, text in enumerate(read)}
    found = found[[place[text] for text in texts] if pointwise else slice(None)]
    return found[:, 0] if reranker.width == 1 else found


def encode_sentences(index: Index, encoder: Encoder, workers: Workers, progress: Progress) -> dict[str, int]:
    """Encode all sentences and titles that are not kept yet.

    Returns the numbers of "distinct" sentences, of sentences and titles that were "encoded", and of "bytes" on the
    disk, without the holes of files where the system counts them. Raises InputError, also where vectors cannot be kept.
    """
    if not uses_kept_rows():
        raise InputError("RIPOSTE_VALUES=0", "no vectors are kept", "unset this variable")
    rows = np.unique(index.column("canonical")).astype(np.int64)
    where = str(index.folder), index.corpus_fingerprint, encoder
    calls: list[Call[tuple[int, int]]] = [
        (_keep, (*where, what, some))
        for what, every in (("sentences", rows), ("titles", np.arange(index.arguments)))
        for some in np.split(every, range(ROWS, len(every), ROWS))
    ]
    encoded = 0
    with progress.stage("encode", unit="texts", total=len(rows) + index.arguments) as tick:
        for n_texts, new in workers.map(calls):
            encoded += new
            tick(n_texts)
    vectors = Vectors(index, encoder)
    files = [kept.path.stat() for kept in (vectors.sentences, vectors.titles)]
    size = sum(min(getattr(file, "st_blocks", file.st_size) * 512, file.st_size) for file in files)
    return {"distinct": len(rows), "encoded": encoded, "bytes": size}


def _keep(folder: str, fingerprint: str, encoder: Encoder, what: str, rows: IntArray) -> tuple[int, int]:
    vectors = Vectors(index := worker_index(folder, fingerprint), encoder)
    if what == "sentences":
        return len(rows), vectors.codes([*map(index.text, rows.tolist())], rows, strict=True)[1]
    return len(rows), vectors.codes([*dict.fromkeys(map(index.title, rows.tolist()))], strict=True)[1]


def eight_bits(vectors: Vectors32) -> Codes:
    """(n, size) int8: each vector by its largest number, which becomes 127 or -127; zeros stay zeros."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    return np.rint(vectors * (127 / np.where(largest > 0, largest, 1))).astype(np.int8)


def unit_vectors(codes: Codes) -> Vectors32:
    """(n, size) float32 of unit length from eight bits a number; zeros stay zeros."""
    whole = codes.astype(np.float64)
    lengths = np.sqrt((whole * whole).sum(axis=1, keepdims=True))  # sums of whole numbers are exact everywhere
    return (whole / np.maximum(lengths, 1)).astype(np.float32)
