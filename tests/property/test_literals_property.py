"""The scanner against ``ast.literal_eval``: the same value, or both refuse."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ltr.corpora.literals import parse_context, parse_sentences, parse_stance

REFUSALS = (ValueError, SyntaxError, MemoryError, RecursionError, TypeError)

texts = st.text(
    st.one_of(
        st.sampled_from("'\"\\\n\r\t\0, {}[]:xuUN0é\xa0\u2028\ud800\udfff\U0001f600\U0010ffff"),
        st.characters(),
    )
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


def sentences(value: Any) -> object:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError
    pairs = [(item.get("sent_id"), item.get("sent_text")) for item in value]
    if not all(isinstance(part, str) for pair in pairs for part in pair):
        raise ValueError
    return pairs


def stance(value: Any) -> object:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError
    found = value[0].get("stance") if value else None
    return found if isinstance(found, str) and found in {"PRO", "CON"} else ""


def context(value: Any) -> object:
    if not isinstance(value, dict):
        raise ValueError
    title, debate, page, url = (
        found if isinstance(found := value.get(key), str) else ""
        for key in ("topic", "discussionTitle", "sourceTitle", "sourceUrl")
    )
    return (title or debate or page, url)


readers: dict[str, tuple[Callable[[str], object], Callable[[Any], object]]] = {
    "sentences": (parse_sentences, sentences),
    "premises": (parse_stance, stance),
    "context": (parse_context, context),
}


def outcome(read: Callable[[str], object], text: str) -> object:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read(text)
    except REFUSALS:
        return "refused"


def agree(column: str, text: str) -> None:
    parse, pick = readers[column]
    expected = outcome(lambda cell: pick(ast.literal_eval(cell)), text)
    assert outcome(parse, text) == expected
    if expected == "refused":
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - which one is not literal_eval's to say
            parse(text)
        assert type(caught.value) is ValueError


@pytest.mark.parametrize("column", readers)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_reads_what_repr_wrote(column: str, data: st.DataObject) -> None:
    value = data.draw(cells[column])
    parse, pick = readers[column]
    assert parse(repr(value)) == pick(value)


@pytest.mark.parametrize("column", readers)
@given(data=st.data())
@settings(max_examples=400, deadline=None)
def test_agrees_on_mutated_cells(column: str, data: st.DataObject) -> None:
    text = repr(data.draw(cells[column]))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        stop = data.draw(st.integers(start, min(start + 3, len(text))))
        text = text[:start] + data.draw(texts) + text[stop:]
    agree(column, text)


@pytest.mark.parametrize("column", readers)
@given(
    text=st.lists(
        st.sampled_from(
            [
                "[",
                "]",
                "{",
                "}",
                "'",
                '"',
                "\\",
                ", ",
                ": ",
                "'sent_id': ",
                "'sent_text': ",
                "'stance': ",
                "'topic': ",
                "'PRO'",
                "'a'",
                '"it\'s"',
                "\\n",
                "\\x41",
                "\\'",
                "\n",
                "\0",
                "0",
                "1.5",
                "-",
                "e5",
                "None",
                "True",
                "b",
                "r",
            ]
        )
    ).map("".join)
)
@settings(max_examples=400, deadline=None)
def test_agrees_on_soups_of_tokens(column: str, text: str) -> None:
    agree(column, text)
