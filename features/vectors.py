"""Static word vectors: nearness in meaning of the question, the sentences, their arguments and conclusions.

The vectors are those of the default model of the package ``wordllama``: 256 numbers for each of 32,000 subwords,
trained so that the mean over a text stands for its meaning (https://github.com/dleemiller/WordLlama). They are read
from the installed package; nothing is downloaded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from features.registry import feature
from features.statistics import FloatArray
from features.tables import Context
from features.text import words

PACKAGE = "wordllama"
WEIGHTS = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"

DECIMALS = 5
"""Cosines are rounded: their last digits depend on the processor."""

_feature = partial(feature, group="embedding", unit="cosine", range=(-1, 1), source="wordllama 0.4 (l2_supercat, 256)")


class WordVectors:
    """Vectors of words: sums over the subwords that a tokenizer cuts them into. Each word is looked up once."""

    def __init__(self, tokenizer: Any, table: FloatArray) -> None:
        """``tokenizer.encode(word).ids`` are rows of ``table``, (n_subwords, n_dimensions)."""
        self._tokenizer = tokenizer
        self._table = table
        self._rows: dict[str, int] = {}
        self._vectors = np.zeros((0, table.shape[1]), np.float32)

    def texts(self, texts: Sequence[str]) -> FloatArray:
        """Unit-length sums of the vectors of each text's words, (n_texts, n_dimensions); zeros without words."""
        counts = [Counter(words(text)) for text in texts]
        self._learn(dict.fromkeys(word for found in counts for word in found if word not in self._rows))
        columns = [self._rows[word] for found in counts for word in found]
        values = [float(count) for found in counts for count in found.values()]
        ends = np.concatenate([[0], np.cumsum([len(found) for found in counts], dtype=np.int64)])
        held, places = np.unique(np.array(columns, np.int64), return_inverse=True)
        matrix = csr_matrix((np.array(values), places, ends), shape=(len(texts), len(held)))
        return unit_length(matrix @ self._vectors[held].astype(np.float64))

    def _learn(self, new: dict[str, None]) -> None:
        found = [self._table[self._tokenizer.encode(word, add_special_tokens=False).ids].sum(axis=0) for word in new]
        if found:
            self._rows.update(zip(new, range(len(self._vectors), len(self._vectors) + len(found)), strict=True))
            self._vectors = np.concatenate([self._vectors, np.array(found, np.float32)])


@lru_cache(maxsize=1)
def load_vectors() -> WordVectors:
    """The vectors of the installed package."""
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    folder = _package_folder()
    table = load_file(folder / WEIGHTS)["embedding.weight"].astype(np.float32)
    return WordVectors(Tokenizer.from_file(str(folder / TOKENIZER)), table)


def _package_folder() -> Path:
    # Found without an import: the package's own modules bring a web client and set up logging.
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"No module named {PACKAGE!r}", name=PACKAGE)
    return Path(spec.origin).parent


def unit_length(rows: FloatArray) -> FloatArray:
    """Rows scaled to length one; zeros stay zeros."""
    norms = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.where(norms > 0, norms, 1))


class _Vectors(NamedTuple):
    question: FloatArray
    """(1, n_dimensions)"""
    sentences: FloatArray
    arguments: FloatArray
    conclusions: FloatArray


def _vectors(c: Context) -> _Vectors:
    return c.shared("word vectors", _look_up)


def _look_up(c: Context) -> _Vectors:
    parts = ([c.title], c.sentences.text, c.arguments.text, c.arguments.conclusion_text)
    distinct = {text: row for row, text in enumerate(dict.fromkeys(text for part in parts for text in part))}
    found = load_vectors().texts(list(distinct))
    return _Vectors(*(found[[distinct[text] for text in part]] for part in parts))


def cosine(left: FloatArray, right: FloatArray) -> FloatArray:
    """(n,) cosines of matching rows of unit length, rounded."""
    return np.asarray(np.clip((left * right).sum(axis=1), -1, 1).round(DECIMALS))


@_feature("sentence", lift=("first", "second"), description="word-vector cosine of the topic with the sentence")
def vector_topic_sentence(c: Context) -> FloatArray:
    """Nearness in meaning, without shared words."""
    found = _vectors(c)
    return cosine(found.sentences, found.question)


@_feature("argument", lift=("min",), description="word-vector cosine of the topic with the whole argument")
def vector_topic_argument(c: Context) -> FloatArray:
    """Is the argument on the topic."""
    found = _vectors(c)
    return cosine(found.arguments, found.question)


@_feature("argument", lift=("min",), description="word-vector cosine of the topic with the conclusion; 0 without one")
def vector_topic_conclusion(c: Context) -> FloatArray:
    """Does the argument answer this question."""
    found = _vectors(c)
    return cosine(found.conclusions, found.question)


@_feature("pair", description="word-vector cosine of the two sentences")
def vector_similarity(c: Context) -> FloatArray:
    """One subject."""
    rows = _vectors(c).sentences
    return cosine(c.of_first(rows), c.of_second(rows))


@_feature("pair", description="word-vector cosine of the topic with both sentences together")
def vector_topic_pair(c: Context) -> FloatArray:
    """The pair as one text, its sentences weighing the same."""
    found = _vectors(c)
    both = unit_length(c.of_first(found.sentences) + c.of_second(found.sentences))
    return cosine(both, found.question)


@_feature("sentence", lift=("min",), description="word-vector cosine of the sentence with its whole argument")
def vector_centrality(c: Context) -> FloatArray:
    """Is the sentence about what the argument is about."""
    found = _vectors(c)
    return cosine(found.sentences, found.arguments[c.sentences.argument])


@_feature(
    "sentence",
    lift=("min",),
    description="word-vector cosine of the sentence with its argument's conclusion; 0 without",
)
def vector_conclusion_similarity(c: Context) -> FloatArray:
    """Is the sentence about what the argument is for."""
    found = _vectors(c)
    return cosine(found.sentences, found.conclusions[c.sentences.argument])
