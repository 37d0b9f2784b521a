"""What the stages of an answer weigh: ``weights.json``, written by ``python -m experiments.lab.weigh_sides``."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from features.learned.vectors import Rows, load_vectors

FILE = Path(__file__).with_suffix(".json")

WEIGHTS: dict[str, list[float]] = json.loads(FILE.read_text("utf-8"))
"""Stage -> weights of its signs, in their order.

``whole``: `ltr.answers.understand.whole_signs`; ``head``: cosine of a debate, that of its resolution's words, and 1;
``side``: `ltr.answers.judge.Signs`.
"""

STEEP, HALF = 20.0, 0.3
"""Steepness of the weight of a text for the others of a whole corpus, and the cosine at which the weight is 1."""


def word_cosines(question: str, texts: tuple[str, ...]) -> list[float]:
    """The cosines of the word vectors of several texts with those of the question."""
    found: list[float] = load_vectors().rows(texts).cosine(_vector(question)).tolist()
    return found


@lru_cache(maxsize=100)
def _vector(question: str) -> Rows:
    return load_vectors().rows([question])
