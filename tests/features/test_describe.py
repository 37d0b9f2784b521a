"""Features are computed when they are asked for: what comes out, rounded, must not depend on what else was asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tables import make_context

from features.core.describe import DECIMALS, DIGITS, TextValues, describe, rounded
from features.core.feature import all_features, column_features, columns
from features.core.tables import Context

CONTEXT = make_context()
ALL = describe(CONTEXT, columns=list(column_features()))


def fresh() -> Context:
    """The context as nothing was computed for it."""
    return replace(CONTEXT, text_values=TextValues(CONTEXT.sentences.text))


def test_a_feature_alone_is_what_it_is_among_all():
    for feature in all_features():
        if columns_of_pairs := list(feature.columns()):
            found = describe(fresh(), columns=columns_of_pairs)
            pd.testing.assert_frame_equal(found, ALL[columns_of_pairs], check_exact=True, obj=feature.name)


@settings(deadline=None)  # the first one waits for dictionaries
@given(st.lists(st.sampled_from(columns()), max_size=40))
def test_a_subset_has_the_values_of_all_in_the_registrys_order(wanted: list[str]):
    found = describe(fresh(), columns=wanted)
    assert list(found) == [name for name in columns() if name in wanted]
    for name in found:
        np.testing.assert_array_equal(found[name], ALL[name])
    assert len(found) == len(CONTEXT.pairs)  # with no column at all, too


def test_a_column_that_no_feature_fills_is_named():
    with pytest.raises(KeyError, match=r"no feature fills the column 'bm52_pair'; known: .*bm25_k4_b0.15_pair"):
        describe(fresh(), columns=["bm25_k4_b0.15_pair", "bm52_pair"])


NUMBERS = st.floats(-1e12, 1e12, allow_subnormal=False)


def test_six_digits_and_nine_decimals_stay() -> None:
    values = [1 / 3, 2e-4 / 3, 1234567.8, 999999.99, 0.1, 1 - 1e-16, -5.4321e-8, 5.4321e-10, -1e-17, 0]
    expected = [0.333333, 6.6667e-5, 1234570, 1e6, 0.1, 1, -5.4e-8, 1e-9, 0, 0]
    found = rounded(np.array(values))
    assert found.dtype == np.float32
    assert found.tolist() == np.array(expected, np.float32).tolist()
    assert not np.signbit(found[-2]), "-1e-17 is 0, not -0"


def test_whole_numbers_and_flags_stay_as_they_are() -> None:
    assert rounded(np.array([1234567, -3])).tolist() == [1234567, -3]
    assert rounded(np.array([True, False])).tolist() == [1, 0]
    assert rounded(np.zeros(0)).shape == (0,)


@given(st.lists(NUMBERS, min_size=1))
def test_rounding_is_close_and_done_once(values: list[float]) -> None:
    wide = np.array(values)
    found = rounded(wide)
    # Half a unit of the last digit, and half a unit in the last place of a float32.
    bound = np.abs(wide) * (0.5 * 10 ** (1 - DIGITS) + 2**-24) + 0.5 * 10**-DECIMALS
    assert (np.abs(found.astype(np.float64) - wide) <= bound * (1 + 1e-9)).all()
    assert rounded(found).tolist() == found.tolist()


@given(st.lists(NUMBERS, min_size=2))
def test_rounding_turns_no_order_round(values: list[float]) -> None:
    assert (np.diff(rounded(np.sort(values))) >= 0).all()
