"""The figures of the simulation that says how many grades a way to choose units saves."""

from __future__ import annotations

import numpy as np
import pytest
from support.grades_needed import needed_grades, sizes, summarise, table

NUMBERS = [50, 100, 200, 400]


@pytest.mark.parametrize(
    ("curve", "target", "needed"),
    [
        ([0.5, 0.6, 0.8, 0.9], 0.6, 100),
        ([0.5, 0.6, 0.8, 0.9], 0.7, 100 * 2**0.5),  # half of the way from 100 to 200, on a logarithmic scale
        ([0.5, 0.6, 0.8, 0.9], 0.4, 50),
        ([0.5, 0.6, 0.5, 0.6], 0.7, 400),
    ],
)
def test_grades_for_a_target(curve: list[float], target: float, needed: float) -> None:
    assert needed_grades(np.array(curve), target, NUMBERS) == pytest.approx(needed)


def test_a_way_that_learns_twice_as_fast_needs_half_of_the_grades() -> None:
    random = np.array([0.2, 0.3, 0.4, 0.5])[None, :, None] + np.zeros((2, 4, 6))  # draws, numbers, topics
    quick = np.array([0.2, 0.4, 0.5, 0.6])[None, :, None] + np.zeros((2, 4, 6))
    found = summarise({"random": random, "quick": quick}, NUMBERS)
    assert (found["target"], found["topics"]) == (200, 6)
    assert [way["needed"]["mean"] for way in found["ways"]] == [200, 100]
    assert found["ways"][1]["points"][2]["gain"]["low"] == pytest.approx(0.1)
    shown = table(found | {"purpose": "learn", "dimension": "relevance", "draws": 2})
    assert "100 [100, 100]" in shown
    assert "+0.100 [+0.100, +0.100]" in shown


def test_sizes() -> None:
    assert sizes("50,100") == (50, 100)
    for wrong in ("50", "100,50", "5,10", "a,b", "50,50"):
        with pytest.raises(Exception, match="is not rising numbers"):
            sizes(wrong)
