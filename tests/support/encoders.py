"""Encoders that need no extra."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from features.core.statistics import FloatArray
from features.core.tables import Context
from ltr.text_models import Encoder, FunctionEncoder

SIZE = 32


def letters(texts: Sequence[str]) -> list[list[int]]:
    """Counts of the letters in each text."""
    return [[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


def letter_encoder(name: str = "letters-1") -> FunctionEncoder:
    """Texts with the same letters are alike."""
    return FunctionEncoder(letters, name)


def hashed_words(texts: Sequence[str]) -> FloatArray:
    """(n_texts, SIZE) each word of a text adds 1 or -1 at a place that its letters give."""
    vectors = np.zeros((len(texts), SIZE))
    for vector, text in zip(vectors, texts, strict=True):
        for word in map(crc32, text.lower().encode("utf-8", "replace").split()):
            vector[word % SIZE] += 1 if word & 1 << 20 else -1
    return vectors


def word_encoder(name: str = "words-1") -> FunctionEncoder:
    """Texts with the same words are alike."""
    return FunctionEncoder(hashed_words, name)


@dataclass(frozen=True)
class PlainMeaning:
    """`features.core.tables.Meaning` of a context's own texts."""

    question: FloatArray
    sentences: FloatArray
    conclusions: FloatArray
    titles: FloatArray
    encode: Callable[[Sequence[str]], FloatArray]

    def grades(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """(n_pairs, 3) cosines of both with the question, and of one with the other, from 0 to 2."""
        first, second = (self.encode([pair[part] for pair in pairs]) for part in (0, 1))
        return 2 * np.stack([first @ self.question, second @ self.question, (first * second).sum(1)], 1).clip(
            0, 1
        ).round(4)


def with_meaning(context: Context, encoder: Encoder | None = None) -> Context:
    """The context with vectors of its texts."""
    encode, arguments = (encoder or word_encoder()).encode, context.arguments
    texts = context.sentences.text, arguments.conclusion_text, arguments.title_text
    (question,) = encode([context.title])
    return replace(context, encoded=PlainMeaning(question, *map(encode, texts), encode))
