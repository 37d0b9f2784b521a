from __future__ import annotations

import itertools
import math
from dataclasses import astuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from ltr.evaluation.significance import (
    CORRELATION,
    EFFECT_LIMIT,
    NO_EVIDENCE,
    Difference,
    adjusted_ps,
    effect_size,
    holm,
    least_p,
    p_text,
    paired_difference,
    paired_tests,
    randomisation_p,
    verdict,
)

# Grades of a coarse scale, so that many sign patterns have equal means.
coarse = st.lists(st.integers(-8, 8), min_size=1, max_size=10).map(lambda xs: np.array(xs) / 8)
p_values = st.lists(st.floats(1e-9, 1), max_size=12)


# ---- the randomisation test -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([], 1.0),
        ([0.0, 0.0], 1.0),
        ([0.3], 1.0),  # +.3 and -.3 are as far from 0
        ([0.1, 0.2], 0.5),  # 2 of 4: both up or both down
        # Sums of +-.1 +-.2 +-.1: four are .4 or 0 in size, .4 twice; the observed .2 or more is in 6 of 8.
        ([0.1, 0.2, -0.1, 0.0], 0.75),
        ([0.1] * 10, 2 / 1024),
        ([-0.1] * 10, 2 / 1024),
        # They sum to 0, and all patterns are as far out, whatever rounding makes of the sum.
        ([-50412.49501, -80659.992017, 50412.49501, 80659.992017], 1.0),
    ],
)
def test_by_hand(differences, p):
    assert randomisation_p(np.array(differences)) == p


@pytest.mark.parametrize("n", range(2, 11))
@pytest.mark.parametrize("decimals", [1, 8])  # with equal means of several patterns, and without
def test_exact_by_all_patterns(n, decimals):
    differences = np.round(np.random.default_rng(n).normal(0.2, 0.4, n), decimals)
    sums = [abs(math.fsum(signs * differences)) for signs in itertools.product((1, -1), repeat=n)]
    expected = np.mean([one >= abs(math.fsum(differences)) - 1e-9 for one in sums])
    assert randomisation_p(differences) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_not_finite(wrong):
    with pytest.raises(ValueError, match="finite"):
        randomisation_p(np.array([0.1, wrong]))


def test_a_large_difference_shows_however_many_are_tested():
    """Of 50 topics, with d_z above 1, beside 800 others that differ by chance."""
    rng = np.random.default_rng(5)
    large = rng.normal(0.2, 0.15, 50)
    assert effect_size(large) > 1
    family = [paired_difference(one, np.zeros(50)) for one in (large, *rng.normal(0, 0.2, (800, 50)))]
    adjusted = adjusted_ps(family)
    assert adjusted[0] < 0.001
    assert sum(p < 0.05 for p in adjusted) == 1
    assert least_p(family) == pytest.approx(801 * 2**-49)


def test_the_least_p_of_a_family_that_cannot_come_out():
    differs, equal = np.array([0.1, 0.2, 0.3, 0.1]), np.zeros(4)
    family = [paired_difference(one, np.zeros(4)) for one in (differs, 2 * differs, equal, differs)]
    assert least_p(family) == 2 * 2 / 16, "equal ones count once, and what does not differ is no test"
    assert adjusted_ps(family) == [0.25, 0.25, 1.0, 0.25]
    assert [p_text(p) for p in (0.25, 0.001, 0.00099)] == ["0.250", "0.001", "<.001"]


def test_tests_of_the_same_differences_count_once_in_the_correction():
    # Six topics differ by .1, and one by rounding or by nothing: p = 2 / 2**6, once.
    sets = {name: pd.DataFrame({("a", "m"): [0.5] * 6 + [0.3], ("b", "m"): [0.4] * 6 + [last]})
            for name, last in {"q": 0.1 + 0.2, "r": 0.3}.items()}  # fmt: skip
    assert [one.adjusted_p for one in paired_tests(pd.concat(sets), [("a", "b")], ["m"])] == [2 / 64] * 2


@given(coarse)
def test_between_0_and_1_and_symmetric(differences):
    p = randomisation_p(differences)
    assert 0 < p <= 1
    assert randomisation_p(-differences) == p
    assert randomisation_p(differences[::-1]) == p
    assert randomisation_p(np.append(differences, 0.0)) == p


# ---- Holm -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_p", "adjusted"),
    [
        ([], []),
        ([0.03], [0.03]),
        # Sorted .005 .01 .03 .04, times 4 3 2 1: .02 .03 .06 .04, and the last may not be below the third.
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.9, 0.8], [1.0, 1.0]),
        ([0.02, 0.02, 0.5], [0.06, 0.06, 0.5]),
    ],
)
def test_holm_by_hand(given_p, adjusted):
    assert holm(given_p) == pytest.approx(adjusted)


@given(p_values)
def test_holm_keeps_the_order_and_only_raises(ps):
    adjusted = holm(ps)
    assert all(p <= after <= 1 for p, after in zip(ps, adjusted, strict=True))
    assert all(after <= min(1, p * len(ps)) or p > min(ps) for p, after in zip(ps, adjusted, strict=True))
    order = sorted(range(len(ps)), key=ps.__getitem__)
    assert [adjusted[place] for place in order] == sorted(adjusted)
    assert holm(ps[::-1]) == adjusted[::-1]


# ---- differences ----------------------------------------------------------------------------------


def test_difference_by_hand():
    found = paired_difference(np.array([0.5, 0.7, 0.3, 0.4]), np.array([0.4, 0.5, 0.4, 0.4]))
    # Differences .1 .2 -.1 0: mean .05, squared deviations .0025 + .0225 + .0225 + .0025 = .05 over 3.
    assert found.mean == pytest.approx(0.05)
    assert found.effect == pytest.approx(0.05 / math.sqrt(0.05 / 3))
    assert found.p == 0.75
    assert (found.topics, found.better, found.worse, found.equal) == (4, 2, 1, 1)
    assert found.low < found.mean < found.high
    # d_z = .387298 over 4 topics: variance 1/4 + .15 / (2 * 3) = .275, 1.96 of its root 1.027836.
    assert (found.effect_low, found.effect_high) == pytest.approx((0.387298 - 1.027836, 0.387298 + 1.027836), abs=1e-5)
    # .3 and .1: d_z = .2 / sqrt(.02) = 1.414214; variance 1/2 + 2 / 2, 1.96 of its root 2.400500.
    found = paired_difference(np.array([0.3, 0.1]), np.zeros(2))
    assert (found.effect_low, found.effect_high) == pytest.approx((1.414214 - 2.4005, 1.414214 + 2.4005), abs=1e-5)


def test_correlations_of_topics_that_train_each_other_have_a_larger_variance():
    ones = np.random.default_rng(0).normal(0.05, 0.1, 20)
    index = pd.MultiIndex.from_product([["quality"], map(str, range(20))])
    columns = {(run, of): ones * (run == "a") for run in "ab" for of in ("nDCG@5", CORRELATION)}
    plain, crossed = paired_tests(pd.DataFrame(columns, index), [("a", "b")], ["nDCG@5", CORRELATION])
    assert plain.difference == paired_difference(ones, np.zeros(20))
    half, wider = (one.difference.high - one.difference.mean for one in (plain, crossed))
    assert wider == pytest.approx(half * math.sqrt(1.5))
    error = ones.std(ddof=1) * math.sqrt(1.5 / 20)
    assert crossed.difference.p == pytest.approx(2 * student.sf(ones.mean() / error, 19))
    assert crossed.difference.p > plain.difference.p
    same = paired_difference(np.full(8, 0.2), np.zeros(8), 1.5)
    assert same.p == 2 / 256, "never below that of the randomisation test"


def test_rounding_is_no_difference():
    found = paired_difference(np.array([0.1 + 0.2, 0.5]), np.array([0.3, 0.5]))
    assert astuple(found)[:5] == (0.0, 0.0, 0.0, 1.0, 0.0)
    assert astuple(found)[7:] == (2, 0, 0, 2)


def test_effects_without_spread():
    same = paired_difference(np.array([0.6, 0.4, 0.7]), np.array([0.5, 0.3, 0.6]))
    assert (same.effect, same.effect_high) == pytest.approx((EFFECT_LIMIT,) * 2)
    assert paired_difference(np.array([0.3, 0.3]), np.array([0.4, 0.4])).effect == pytest.approx(-EFFECT_LIMIT)
    single = paired_difference(np.array([0.6]), np.array([0.5]))
    assert (single.p, single.low, single.high) == (1.0, -1, 1)  # one topic says nothing of others
    assert (single.effect, single.effect_low, single.effect_high) == (0.0, -EFFECT_LIMIT, EFFECT_LIMIT)
    assert effect_size(np.zeros(3)) == 0.0


@pytest.mark.parametrize("shapes", [(0, 0), (2, 3)])
def test_values_that_do_not_fit(shapes):
    with pytest.raises(ValueError, match="same topics"):
        paired_difference(*(np.zeros(n) for n in shapes))


@pytest.mark.parametrize(
    ("by", "p", "said"),
    [
        (0.1, 0.05, "better"),
        (-0.1, 0.01, "worse"),
        (0.1, 0.051, NO_EVIDENCE),
        (-0.1, 1.0, NO_EVIDENCE),
        (0.0, 0.01, NO_EVIDENCE),
    ],
)
def test_verdict(by, p, said):
    difference = Difference(by, by, by, p, by, by, by, 1, 1, 0, 0)
    assert verdict(difference, p) == said
