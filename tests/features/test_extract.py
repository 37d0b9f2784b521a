"""Features are computed when they are asked for: what comes out must not depend on what else was asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tables import make_context

from features.content import argumentativeness, readability
from features.core.describe import TextValues, describe
from features.core.feature import all_features, column_features, columns
from features.core.tables import Context
from features.learned import convincing

CONTEXT = make_context()
ALL = describe(CONTEXT, columns=list(column_features()))


def fresh() -> Context:
    """The context as nothing was computed for it."""
    return replace(CONTEXT, text_values=TextValues(CONTEXT.sentences.text))


def must_not_run(*_: object) -> None:
    raise AssertionError("nobody asked for this")


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


def test_what_nobody_asks_for_is_not_computed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(argumentativeness, "mark", must_not_run)
    monkeypatch.setattr(convincing, "score", must_not_run)
    monkeypatch.setattr(readability, "count", must_not_run)
    describe(fresh(), columns=["n_words_pair", "bm25_k4_b0.15_pair", "same_argument"])
    for column in ("number_min", "smog_pair", "n_syllables_max", "convincing_min"):
        with pytest.raises(AssertionError, match="nobody asked"):
            describe(fresh(), columns=[column])


def test_a_column_that_no_feature_fills_is_named():
    with pytest.raises(KeyError, match=r"no feature fills the column 'bm52_pair'; known: .*bm25_k4_b0.15_pair"):
        describe(fresh(), columns=["bm25_k4_b0.15_pair", "bm52_pair"])
