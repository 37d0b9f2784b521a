"""Standard scores and percentiles within a topic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.base import percentile, standardise


def test_standard_scores_by_hand():
    # 1, 2, 3: mean 2, deviation sqrt(2/3); a constant group and a group of one have none.
    found = standardise([1, 2, 3, 10, 10, 4], [3, 2, 1])
    np.testing.assert_allclose(found, [-np.sqrt(1.5), 0, np.sqrt(1.5), 0, 0, 0])
    assert standardise([], []).tolist() == []
    assert standardise([1, 3], [2, 0]).tolist() == [-1, 1]


def test_scale_and_level_of_a_group_do_not_matter():
    values = np.random.default_rng(3).normal(size=9)
    found = standardise(values, [4, 5])
    other = np.concatenate([values[:4] * 3 + 100, values[4:] * 0.01 - 7])
    np.testing.assert_allclose(standardise(other, [4, 5]), found, atol=1e-9)
    for part_of in (found[:4], found[4:]):
        np.testing.assert_allclose([part_of.mean(), part_of.std()], [0, 1], atol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-3, 3)), max_size=20))
def test_percentile_is_the_mean_rank_inside_the_topic(rows: list[tuple[int, int]]):
    topics = np.array([topic for topic, _ in rows], np.int64)
    found = percentile([value for _, value in rows], topics)
    for (topic, value), place in zip(rows, found.tolist(), strict=True):
        peers = [other for number, other in rows if number == topic]
        below, ties = sum(other < value for other in peers), peers.count(value)
        expected = (below + (ties - 1) / 2) / (len(peers) - 1) if len(peers) > 1 else 0.5
        assert place == pytest.approx(expected)
