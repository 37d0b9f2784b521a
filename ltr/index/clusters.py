"""Clusters of the corpus's conclusions in its latent space, found when they are first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from features.core.statistics import FloatArray

if TYPE_CHECKING:
    from ltr.index.reader import Index

CLUSTERS = 300
TEXTS = 20_000
"""Distinct conclusions that are clustered, at most: evenly from all of the corpus."""
DECIMALS = 6


def conclusion_centres(index: Index) -> FloatArray:
    """(n_clusters, n_dimensions) unit-length centres, by k-means (Lloyd 1982) over distinct conclusions.

    The same ones for the same corpus; fewer than `CLUSTERS` where there are fewer conclusions.
    """
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.preprocessing import normalize
    from threadpoolctl import threadpool_limits

    rows = index.column("conclusion_row")
    distinct = np.unique(index.column("canonical")[rows[rows >= 0]])
    chosen = distinct[np.unique(np.linspace(0, len(distinct) - 1, min(TEXTS, len(distinct))).astype(np.int64))]
    vectors = normalize(np.array([_vector(index, index.text(int(row))) for row in chosen]).reshape(len(chosen), -1))
    vectors = vectors[vectors.any(axis=1)]
    if not len(vectors):
        return np.zeros((0, 1))
    with threadpool_limits(1):  # the last bits depend on the number of threads
        means = MiniBatchKMeans(min(CLUSTERS, len(vectors)), random_state=0, n_init=1, batch_size=2048).fit(vectors)
    return np.asarray(normalize(np.round(means.cluster_centers_, DECIMALS)), np.float64)


def _vector(index: Index, text: str) -> FloatArray:
    terms, tf = np.unique(index.analyzer.terms(text), return_counts=True)
    weights = (1 + np.log(tf)) * index.statistics.idf("sentence", terms.tolist())
    return np.asarray(weights @ index.statistics.latent(terms.tolist()).astype(np.float64))
