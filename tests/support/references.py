"""The plain way to what the product does quickly: `ast`, one text after the other."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from features.core.text import Analyzer
from ltr.corpora.literals import parse_context, parse_sentences, parse_stances
from ltr.index.vocabulary import Vocabulary

# ---- cells --------------------------------------------------------------------------------------

REFUSALS = (ValueError, SyntaxError, MemoryError, RecursionError, TypeError)


def sentences(value: Any) -> object:
    """What `parse_sentences` takes from a value."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError
    pairs = [(item.get("sent_id"), item.get("sent_text")) for item in value]
    if not all(isinstance(part, str) for pair in pairs for part in pair):
        raise ValueError
    return pairs


def stance(value: Any) -> object:
    """What `parse_stances` takes from a value."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError
    return [item["stance"] for item in value if item.get("stance") is not None]


def context(value: Any) -> object:
    """What `parse_context` takes from a value."""
    if not isinstance(value, dict):
        raise ValueError
    title, debate, page, url = (
        found if isinstance(found := value.get(key), str) else ""
        for key in ("topic", "discussionTitle", "sourceTitle", "sourceUrl")
    )
    return (title or debate or page, url)


CELLS: dict[str, tuple[Callable[[str], object], Callable[[Any], object]]] = {
    "sentences": (parse_sentences, sentences),
    "premises": (parse_stances, stance),
    "context": (parse_context, context),
}
"""Column of the task's CSV -> our reader, and what it should take from the value."""


def assert_cell(column: str, text: str) -> bool:
    """Our reader takes from a cell what `ast.literal_eval` says is in it, or both refuse. Whether it was read."""
    parse, pick = CELLS[column]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = pick(ast.literal_eval(text))
    except REFUSALS:
        with pytest.raises(ValueError, match=r"is not a|has a sentence") as caught:
            parse(text)
        assert type(caught.value) is ValueError
        return False
    assert parse(text) == expected
    return True


# ---- terms --------------------------------------------------------------------------------------


def assert_terms(vocabulary: Vocabulary, analyzer: Analyzer, texts: Sequence[str]) -> None:
    """Terms of many texts at once are those of each text."""
    terms = vocabulary.read(texts)
    strings = vocabulary.strings(terms.flat)
    found = [strings[start:end] for start, end in zip([0, *terms.ends], terms.ends, strict=False)]
    assert found == [analyzer.terms(text) for text in texts]
