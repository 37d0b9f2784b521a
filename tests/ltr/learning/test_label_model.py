"""The label model: by hand, by its contract, and against simulated graders."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ltr.learning.label_model import Ballot, calibrated, combine, independence, reliability, row_means

NAN = float("nan")


def ballot(votes: list[list[float]], trusted: list[float] | None = None) -> Ballot:
    table = np.array(votes, float)
    return Ballot(table, np.full(len(table), NAN) if trusted is None else np.array(trusted, float))


# ---- contract -------------------------------------------------------------------------------------

VOTES = arrays(float, (12, 3), elements=st.sampled_from([0.0, 0.5, 1.0, NAN]))


@settings(deadline=None)
@given(VOTES, arrays(float, 12, elements=st.sampled_from([0.0, 0.5, 1.0, NAN])))
def test_votes_are_in_range_and_alike_for_any_order_of_units(votes: np.ndarray, trusted: np.ndarray) -> None:
    kept = ~np.isnan(votes).all(axis=1)
    before = votes.copy()
    found = combine(Ballot(votes[kept], trusted[kept]))
    known = found.vote[~np.isnan(found.vote)]
    assert ((known >= 0) & (known <= 1)).all()
    assert found.weights.shape == (3,)
    turned = combine(Ballot(votes[kept][::-1], trusted[kept][::-1]))
    np.testing.assert_allclose(turned.vote[::-1], found.vote, atol=1e-6)
    np.testing.assert_array_equal(votes, before)


# ---- by hand --------------------------------------------------------------------------------------


def test_votes_lie_on_a_line_with_the_mean_and_deviation_of_trusted_grades() -> None:
    vote = np.tile([0.4, 0.6], 15)
    trusted = np.tile([0.2, 0.8], 15)
    trusted[20:] = NAN
    np.testing.assert_allclose(calibrated(vote, trusted), np.tile([0.2, 0.8], 15))
    few = trusted.copy()
    few[19:] = NAN
    np.testing.assert_allclose(calibrated(vote, few), vote), "19 are too few"


def test_a_source_on_good_units_alone_is_not_taken_for_a_kind_one() -> None:
    # The first votes on all items, the second like it on the better half: their means differ by .3.
    first = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    found = ballot([[vote, vote if vote > 0.5 else NAN] for vote in first]).centred
    np.testing.assert_allclose(found[3:, 0], found[3:, 1], atol=1e-12)
    votes = [[vote, vote if vote > 0.5 else NAN] for vote in first]
    np.testing.assert_allclose(combine(ballot(votes)).vote, first, atol=1e-9)


def test_copies_count_as_one() -> None:
    rng = np.random.default_rng(0)
    first, other = rng.random(2000), rng.random(2000)
    # Sources that correlate by 0: each is independent. Of three copies each has a third, but for the shrinkage.
    np.testing.assert_allclose(independence(ballot(np.column_stack([first, other]).tolist())), [1, 1], atol=0.01)
    copied = independence(ballot(np.column_stack([first, first, first, other]).tolist()))
    np.testing.assert_allclose(copied, [1 / 3, 1 / 3, 1 / 3, 1], atol=0.01)


def test_reliability_is_shrunk_by_the_number_of_trusted_grades() -> None:
    votes = [[n % 2, n % 2] for n in range(100)]
    trusted = [n % 2 if n < 60 else NAN for n in range(100)]
    # They agree with each other: by 1, shrunk to 100 / 110; .6 of it counts as 30 grades beside 60 that agree by 1.
    expected = (60 + 30 * 0.6 * 100 / 110) / 90
    np.testing.assert_allclose(reliability(ballot(votes, trusted)), [expected] * 2)
    turned = [1 - grade for grade in trusted]
    np.testing.assert_array_equal(reliability(ballot(votes, turned)), [0, 0]), "worse than chance"
    np.testing.assert_allclose(reliability(ballot([[n % 2] for n in range(100)])), [0.3]), "nobody to compare with"


def test_a_lazy_source_has_no_weight_and_two_that_contradict_each_other_share_it() -> None:
    rng = np.random.default_rng(1)
    good = rng.integers(0, 3, 200) / 2
    lazy = combine(ballot(np.column_stack([good, np.full(200, 0.5)]).tolist()))
    np.testing.assert_allclose(lazy.weights, [1, 0])
    np.testing.assert_allclose(lazy.vote, good)
    against = combine(ballot(np.column_stack([good, 1 - good]).tolist()))
    np.testing.assert_allclose(against.weights, [0.5, 0.5])
    nobody = combine(ballot([[1.0], [1.0]]))
    assert np.isnan(nobody.vote).all(), "one grade alone says nothing"


# ---- simulated graders ----------------------------------------------------------------------------


def grader(truth: np.ndarray, wrong: float, rng: np.random.Generator) -> np.ndarray:
    """Grades from 0 to 2 of which a share is replaced by chance."""
    return np.where(rng.random(len(truth)) < wrong, rng.integers(0, 3, len(truth)), truth) / 2


@pytest.mark.parametrize("case", ["copies of the worst", "three at random"])
def test_it_is_above_a_plain_mean_where_graders_differ(case: str) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 1500).astype(float)
    votes = [grader(truth, wrong, rng) for wrong in (0.2, 0.3, 0.6)]
    votes += [votes[-1]] * 4 if case == "copies of the worst" else [grader(truth, 1.0, rng) for _ in range(3)]
    table = np.column_stack(votes)
    combined, plain = combine(ballot(table.tolist())).vote, row_means(table)
    assert np.corrcoef(combined, truth)[0, 1] > np.corrcoef(plain, truth)[0, 1] + 0.05
