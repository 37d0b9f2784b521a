from __future__ import annotations

import pytest

from ltr.data.ids import argument_of, is_conclusion, sentence_number


@pytest.mark.parametrize(
    ("sentence", "argument"),
    [
        ("S1a-A2b__PREMISE__3", "S1a-A2b"),
        ("S1a-A2b__CONC__1", "S1a-A2b"),
        ("odd__CONC__1__PREMISE__2", "odd__CONC__1"),
        ("odd__PREMISE__2__CONC__1", "odd__PREMISE__2"),
        ("odd__CONC__1__CONC__2", "odd__CONC__1"),
        ("odd__PREMISE__1__PREMISE__2", "odd__PREMISE__1"),
        ("S1a-A2b", "S1a-A2b"),
    ],
)
def test_argument_of(sentence, argument):
    assert argument_of(sentence) == argument


@pytest.mark.parametrize(
    "id_", ["S1a-A2b", "S1a-A2b__CONC__", "S1a-A2b__CONC__0", "S1a-A2b__CONC__1 ", "S1a-A2__CONC__1", "CONC__1", ""]
)
def test_what_is_no_sentence_of_an_argument_has_no_number(id_):
    assert sentence_number(id_, "S1a-A2b") == 0


@pytest.mark.parametrize("odd", ["A", ""])
def test_the_last_mark_says_what_a_sentence_is(odd: str):
    assert is_conclusion(f"{odd}__CONC__1__PREMISE__2__CONC__3")
    assert not is_conclusion(f"{odd}__PREMISE__1__CONC__2__PREMISE__3")
    assert not is_conclusion("S1-A1")
    assert argument_of("A__CONC__1") == "A"
    assert argument_of("__CONC__1") == "__CONC__1", "nothing is before the mark"
    assert sentence_number("Bb__PREMISE__2", "Aa") == 0, "of another argument, whose id is as long"
