"""Subjects of the corpus: clusters of its conclusions, and how near the topic is to that of an argument."""

from __future__ import annotations

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context
from features.query.lexical import latent_query


@feature(
    "argument",
    group="clusters",
    measured_in="cosine",
    range=(-1, 1),
    units=("argument",),
    source="Bondarenko et al. 2021 (team Heimdall), in the space of Deerwester et al. 1990",
)
def cluster_cosine(c: Context) -> FloatArray:
    """Latent cosine of the topic with the centre of the cluster nearest to the argument's conclusion.

    0 for an argument without a conclusion, and in a corpus without a latent space.
    """
    centres = c.statistics.find_centres()
    conclusions = c.latent_rows(c.weighted(c.conclusion_counts))
    if not len(centres):
        return np.zeros(len(conclusions))
    nearest = np.argmax(np.round(conclusions @ centres.T, 6), axis=1)  # the first of equal ones
    return np.where(conclusions.any(axis=1), np.clip(centres[nearest] @ latent_query(c), -1, 1), 0)
