"""Few columns: those of the highest gain in a first fit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.rows import INPUTS, SMALL, data

from models.lambdamart import LambdaMart
from models.learned import fit_selected


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_the_columns_of_the_highest_gain_stay(columns: int):
    training = data(3)
    found = fit_selected(training, INPUTS, replace(SMALL, columns=columns))
    first = LambdaMart(INPUTS, replace(SMALL, trees=6, learning_rate=0.06, seeds=1))
    first.fit(training)
    gains = first.gains()
    best = sorted(gains, key=lambda column: -gains[column])[:columns]
    assert "noise" not in best
    # In the order in which they came, and both inputs of a column.
    assert found.columns == [column for column in first.columns if column in best]
    assert found.inputs == [name for name in INPUTS if name.removesuffix("@topic") in best]


@pytest.mark.parametrize("columns", [0, 4, 99])
def test_all_may_stay(columns: int):
    found = fit_selected(data(3), INPUTS, replace(SMALL, columns=columns))
    assert found.inputs == INPUTS
    assert found.parameters.columns == columns
    assert len(found.dump()) == 2 * SMALL.seeds, "of each objective"
