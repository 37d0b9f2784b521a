from __future__ import annotations

import numpy as np
import pytest

from ltr.index.latent import Triples, latent_space


def sample(texts: int = 60, terms: int = 40) -> tuple[Triples, np.ndarray, np.ndarray, int]:
    """Random texts of eight terms, the arguments of `latent_space`."""
    rng = np.random.default_rng(4)
    found = [
        sorted(rng.choice(terms, 8, replace=False, p=np.arange(terms, 0, -1) / np.arange(terms + 1).sum()))
        for _ in range(texts)
    ]
    row, term = np.repeat(np.arange(texts), 8), np.concatenate(found)
    triples = np.stack([row, term, rng.integers(1, 4, len(row))]).astype(np.int32)
    return triples, np.arange(terms, dtype=np.uint64), np.bincount(term, minlength=terms), 10 * texts


def test_the_last_bits_of_products_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """The disturbance is ten times what other kernels of OpenBLAS make of 25,000 arguments."""
    from sklearn.utils import extmath

    expected = latent_space(*sample())[1]
    exact = extmath.randomized_svd
    rng = np.random.default_rng(7)

    def disturbed(matrix, *arguments, **options):  # type: ignore[no-untyped-def]
        assert matrix.dtype == np.float64
        left, strength, right = exact(matrix, *arguments, **options)
        return left, strength, right * (1 + rng.uniform(-1e-12, 1e-12, right.shape))

    monkeypatch.setattr(extmath, "randomized_svd", disturbed)
    np.testing.assert_array_equal(latent_space(*sample())[1], expected)


def test_it_is_the_truncated_svd() -> None:
    """The same up to signs as numpy's decomposition of the same matrix, made here term by term."""
    triples, hashes, df, size = sample()
    matrix = np.zeros((60, len(hashes)))
    rows, terms, tf = triples
    matrix[rows, terms] = (1 + np.log(tf)) * np.log(size / df[terms])
    chosen = (df >= 2) & (df <= 0.1 * size)
    matrix = matrix[:, chosen] / np.linalg.norm(matrix[:, chosen], axis=1, keepdims=True)
    _, strength, right = np.linalg.svd(matrix, full_matrices=False)
    vectors = latent_space(triples, hashes, df, size)[1]
    dimensions = vectors.shape[1]
    expected = right[:dimensions].T * np.sqrt(strength[:dimensions])
    np.testing.assert_allclose(np.abs(vectors[:, :5]), np.abs(expected[:, :5]), atol=1e-4)
