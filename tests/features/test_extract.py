"""Features are computed when they are asked for: what comes out must not depend on what else was asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tables import make_context

from features.core.describe import TextValues, describe
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
