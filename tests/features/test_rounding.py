from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import make_context

from features.core import feature as registry
from features.core.describe import DECIMALS, DIGITS, TextValues, describe, rounded

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


@given(st.integers(-999_999, 999_999), st.integers(-3, 6), st.floats(-1e-12, 1e-12))
def test_the_last_bits_of_a_value_do_not_count(digits: int, exponent: int, noise: float) -> None:
    value = digits / 10**exponent if exponent >= 0 else float(digits * 10**-exponent)
    assert rounded(np.array([value * (1 + noise)])).tolist() == rounded(np.array([value])).tolist()


@pytest.mark.parametrize("scope", registry.SCOPES)
def test_features_of_every_scope_are_rounded(scope: registry.Scope, monkeypatch: pytest.MonkeyPatch) -> None:
    feature = next(one for one in registry.all_features() if one.scope == scope and one.columns())
    context = make_context()
    texts = list(dict.fromkeys(context.sentences.text))
    for noise in (0.0, 1e-15):

        def thirds(seen: object, noise: float = noise) -> np.ndarray:
            sizes = {"pair": context.pairs, "sentence": context.sentences, "argument": context.arguments}
            return np.full(len(sizes.get(scope, texts)), 1 / 3 + noise)

        monkeypatch.setitem(registry.FEATURES, feature.name, replace(feature, compute=thirds))
        found = TextValues(texts)[feature.name] if scope == "text" else describe(context)[feature.columns()[0]]
        assert set(np.asarray(found).tolist()) == {float(np.float32(0.333333))}
