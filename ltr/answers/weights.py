"""What the stages of an answer weigh: ``weights.json``, written by ``python -m experiments.lab.weigh_sides``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from features.learned.vectors import load_vectors
from ltr.index.vocabulary import Array

FILE = Path(__file__).with_suffix(".json")

WEIGHTS: dict[str, list[float]] = json.loads(FILE.read_text("utf-8"))
"""Stage -> weights of its signs, in their order.

``whole``: `ltr.answers.understand.whole_signs`; ``head``: cosine of a debate, that of its resolution's words, and 1;
``side``: `ltr.answers.judge.Judge.signs`.
"""

STEEP, HALF = 20.0, 0.3
"""Steepness of the weight of a text for the others of a whole corpus, and the cosine at which the weight is 1."""


def word_cosines(question: str, texts: Sequence[str]) -> list[float]:
    """The cosines of the word vectors of several texts with those of the question."""
    vectors = load_vectors()
    return vectors.rows(texts).cosine(vectors.rows([question])).tolist()


def as_unit(vectors: Array) -> Array:
    """The vectors with length 1, zeros as they are."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9)
