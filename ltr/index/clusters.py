"""Clusters of the corpus's conclusions in its latent space, found when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from features.core.statistics import CollectionStatistics, FloatArray, IntArray

CLUSTERS = 300
TEXTS = 20_000
"""Distinct conclusions that are clustered, at most: evenly from all of the corpus."""
DECIMALS = 6


def conclusion_centres(
    rows: IntArray, terms_of: Callable[[int], Sequence[str]], statistics: CollectionStatistics
) -> FloatArray:
    """(n_clusters, n_dimensions) unit-length centres, by k-means (Lloyd 1982) over conclusions.

    ``rows`` are distinct conclusions, ``terms_of`` gives the index terms of one. The same centres for the same corpus;
    where there are no more than `CLUSTERS`, each is a centre.
    """
    from sklearn.cluster import MiniBatchKMeans  # noqa: PLC0415 takes a second
    from sklearn.preprocessing import normalize  # noqa: PLC0415 takes a second
    from threadpoolctl import threadpool_limits  # noqa: PLC0415 only those who compute need it

    if not len(rows):
        return np.zeros((0, 1))
    chosen = rows[np.unique(np.linspace(0, len(rows) - 1, min(TEXTS, len(rows))).astype(np.int64))]
    vectors = np.array([_vector(terms_of(int(row)), statistics) for row in chosen]).reshape(len(chosen), -1)
    vectors = normalize(vectors)
    vectors = vectors[vectors.any(axis=1)]
    if not len(vectors):
        return np.zeros((0, 1))
    distinct = np.unique(np.round(vectors, DECIMALS), axis=0)
    if len(distinct) <= CLUSTERS:  # k-means would tell them apart by the last bits, in which processors differ
        return np.asarray(normalize(distinct), np.float64)
    with threadpool_limits(1):  # the last bits depend on the number of threads
        means = MiniBatchKMeans(min(CLUSTERS, len(vectors)), random_state=0, n_init=1, batch_size=2048).fit(vectors)
    return np.asarray(normalize(np.round(means.cluster_centers_, DECIMALS)), np.float64)


def _vector(text: Sequence[str], statistics: CollectionStatistics) -> FloatArray:
    terms, tf = np.unique(text, return_counts=True)
    weights = (1 + np.log(tf)) * statistics.idf("sentence", terms.tolist())
    return np.asarray(weights @ statistics.latent(terms.tolist()).astype(np.float64))
