"""``python -m experiments.learned.word_vectors``: make the vectors that `features.learned.vectors` reads.

A sentence encoder is too slow for thousands of candidates a question. Sums of fixed vectors of pieces of words are not,
and these are fitted so that such sums come near what the encoder says of whole sentences.
"""

from __future__ import annotations

import io
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import diags
from sklearn.linear_model import Ridge

from experiments.learned.encoder import Encoder
from experiments.learned.trainer import trainer_parser
from features.core.statistics import FloatArray
from features.learned.vectors import WordVectors
from ltr.cli.options import add_index_options
from ltr.cli.process import run_command
from ltr.corpora.source import open_corpus
from ltr.data.topics import Topic, read_topics
from ltr.errors import InputError
from ltr.index.cache import index_place, open_index
from ltr.index.reader import Index
from ltr.progress import Progress
from ltr.retrieval.terms import TermCache
from ltr.tasks import find_task

DIMENSIONS = 128
SENTENCES = 50_000
"""Read at most, drawn at random."""
PIECE = re.compile("(##)?[a-z0-9]+")
RARE = 1e-3
"""A piece of this share of all pieces weighs half of a rare one (Arora et al. 2017); where the fit starts from."""
RIDGE = 3.0
"""Holds the vector of a piece that is seldom seen near what the encoder says of the piece alone."""
STEPS = 40
CUT = 0.001
"""Share of the numbers that are cut to the largest of the others."""


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for files that cannot be read."""
    description = "Fit small vectors of pieces of words to the sentence vectors of an encoder."
    parser = trainer_parser("word_vectors", description, __file__, labelled=False)
    add = parser.add_argument
    add("-i", "--input", required=True, metavar="DIR", help="corpus whose sentences are encoded")
    add("-m", "--model", required=True, type=Path, metavar="DIR", help="the encoder")
    left_out = "topics XML: sentences that are candidates of these topics are not read; may repeat"
    add("--leave-out", type=Path, action="append", default=[], metavar="FILE", help=left_out)
    add_index_options(parser)
    options = parser.parse_args(argv)

    topics = [topic for path in options.leave_out for topic in read_topics(path)]
    encoder, corpus, progress = Encoder(options.model), open_corpus(options.input), Progress()
    index = open_index(corpus, index_place(corpus, options.index, [options.output]), progress)
    texts = draw_sentences(index, topics, options.seed)
    names = encoder.pieces()
    kept = [number for number, name in enumerate(names) if PIECE.fullmatch(name)]
    pieces = [names[number] for number in kept]
    with progress.stage("encoding"):
        alone, wanted = encoder.encode_pieces(kept), encoder.encode(texts)
    vectors = fit(WordVectors(pieces, np.zeros((len(pieces), 0))).counts(texts), alone, wanted)
    print(f"{len(kept):,} pieces of words, {vectors.shape[1]} dimensions, fitted to {len(texts):,} sentences")
    if options.output:
        made = io.BytesIO()
        spelled = np.frombuffer("\n".join(pieces).encode("ascii"), np.uint8)
        np.savez_compressed(made, pieces=spelled, vectors=small_integers(vectors))
        part = options.output.with_name(f".{options.output.name}.part")
        part.write_bytes(made.getbuffer())
        part.replace(options.output)
    return 0


def draw_sentences(index: Index, topics: Sequence[Topic], seed: int) -> list[str]:
    """Distinct sentences of the corpus that no candidate of the topics has. Raises InputError for too few."""
    task, cache = find_task("pairs"), TermCache(index)
    proposed = [task.propose(index, topic, cache, task.config).units for topic in topics]
    candidates = {index.text(row) for units in proposed for row in units.ravel().tolist()}
    arguments = range(len(index.column("conclusion_row")))
    texts = dict.fromkeys(text for row in arguments for text in index.texts(index.sentence_rows(row)))
    left = [text for text in texts if text not in candidates]
    if len(left) < DIMENSIONS:
        what = f"of its sentences, {len(left)} are no candidates of these topics"
        raise InputError("-i", what, "name a larger corpus")
    return random.Random(seed).sample(left, min(SENTENCES, len(left)))


def fit(counts: Any, alone: FloatArray, wanted: FloatArray) -> FloatArray:
    """(n_pieces, DIMENSIONS) vectors whose sums over a text point where the encoder does.

    A linear map of what the encoder says of pieces ``alone``, rare ones longer, and then each piece's own step from
    there, both by least squares. ``counts`` is (n_texts, n_pieces), ``wanted`` (n_texts, n_encoder).
    """
    seen = np.asarray(counts.sum(axis=0), np.float64).ravel()
    lengths = np.asarray(counts.sum(axis=1), np.float64).ravel()
    # The directions that tell sentences apart most: cosines are about the same in them alone.
    _, directions = np.linalg.eigh(wanted.T @ wanted)
    targets = (wanted @ directions[:, ::-1][:, :DIMENSIONS])[lengths > 0]
    shares = (diags(1 / np.sqrt(np.maximum(lengths, 1))) @ counts.astype(np.float64))[lengths > 0]
    start = (alone - alone.mean(axis=0)) * (RARE / (RARE + seen / max(seen.sum(), 1)))[:, None]
    sums = shares @ start
    start = start @ Ridge(1e-4 * len(sums), fit_intercept=False).fit(sums, targets).coef_.T
    own = Ridge(RIDGE, fit_intercept=False, solver="lsqr", max_iter=STEPS).fit(shares, targets - shares @ start)
    return np.asarray(start + own.coef_.T)


def small_integers(values: FloatArray) -> FloatArray:
    """int8, one scale for all, so that sums are exact."""
    largest = np.quantile(np.abs(values), 1 - CUT)
    return np.round(np.clip(values / largest, -1, 1) * 127).astype(np.int8)


if __name__ == "__main__":
    run_command(main)
