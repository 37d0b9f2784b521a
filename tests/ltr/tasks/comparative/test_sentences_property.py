"""Sentences of a text of one line begin where those of any text do."""

from hypothesis import given
from hypothesis import strategies as st

from ltr.corpora.lines import _GAP, _GAP_IN_LINE


@given(st.lists(st.sampled_from([*".!?…\"'”’)] \t\x0b\xa0ab", "e.g. ", "Mr. "]), max_size=20).map("".join))
def test_gaps_of_one_line(text: str):
    assert [gap.span(1) for gap in _GAP_IN_LINE.finditer(text)] == [gap.span(1) for gap in _GAP.finditer(text)]
