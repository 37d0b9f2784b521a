"""The scanner against ``ast.literal_eval``: the same value, or both refuse."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.references import CELLS, assert_cell

texts = st.text(
    st.one_of(st.sampled_from("'\"\\\n\r\t\0, {}[]:xuUN0é\xa0\u2028\ud800\udfff\U0001f600\U0010ffff"), st.characters())
)
cells = {
    "sentences": st.lists(st.fixed_dictionaries({"sent_id": texts, "sent_text": texts})),
    "premises": st.lists(
        st.fixed_dictionaries(
            {"text": texts, "stance": st.sampled_from(["PRO", "CON", "", None])},
            optional={
                "annotations": st.lists(st.fixed_dictionaries({"start": st.integers(), "source": texts}), max_size=2)
            },
        ),
        max_size=2,
    ),
    "context": st.dictionaries(
        st.sampled_from(["topic", "discussionTitle", "sourceTitle", "sourceUrl", "sourceText", "a b"]),
        st.one_of(
            texts,
            st.none(),
            st.booleans(),
            st.integers(),
            st.floats(allow_nan=False, allow_infinity=False),
            st.lists(texts, max_size=2),
        ),
    ),
}


@pytest.mark.parametrize("column", CELLS)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_reads_what_repr_wrote(column: str, data: st.DataObject) -> None:
    value = data.draw(cells[column])
    parse, pick = CELLS[column]
    assert parse(repr(value)) == pick(value)


@pytest.mark.parametrize("column", CELLS)
@given(data=st.data())
@settings(max_examples=400, deadline=None)
def test_agrees_on_mutated_cells(column: str, data: st.DataObject) -> None:
    text = repr(data.draw(cells[column]))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        stop = data.draw(st.integers(start, min(start + 3, len(text))))
        text = text[:start] + data.draw(texts) + text[stop:]
    assert_cell(column, text.encode("utf-8", "replace").decode())  # a cell was decoded
