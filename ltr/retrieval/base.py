"""Settings of a first stage, and items as rows of the index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

PAIR_LIMIT = 10_000
"""Most candidates per topic: LightGBM's limit per group."""


@dataclass(frozen=True)
class CandidateConfig:
    """How wide the first stage looks. The defaults are measured; see docs/laboratory.md."""

    argument_depth: int = 500
    """Arguments by BM25 over whole arguments."""
    sentence_depth: int = 500
    """Sentences by BM25; their arguments join the pool."""
    conclusion_depth: int = 200
    """Arguments by BM25 over conclusions."""
    arguments: int = 120
    """Arguments of the pool that form pairs."""
    sentences_each: int = 7
    """Premises an argument that form pairs."""
    neighbours: int = 3
    """Most telling premises an argument that are also paired with the sentences before and after them."""
    cross_argument_depth: int = 3
    """Best arguments of one side of one conclusion whose most telling premises are paired with each other."""
    pairs: int = 3_000
    """Pairs a topic."""
    min_pairs: int = 300
    """Pairs a topic whenever the corpus can give them: enough for 100 when near-duplicates are gone."""
    head: int = 100
    """Best candidates that a second step describes with an encoder and orders, at most."""


Rows = npt.NDArray[np.int64]
"""(n_items, n_parts) items as rows of the index: sentences of pairs, else arguments."""


def item_rows(rows: Iterable[Sequence[int]], parts: int) -> Rows:
    """(n_items, n_parts), also of none."""
    return np.array(list(rows), np.int64).reshape(-1, parts)
