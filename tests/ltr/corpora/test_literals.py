from __future__ import annotations

import ast
import warnings
from unittest import mock

import pytest

from ltr.corpora import literals
from ltr.corpora.literals import parse_context, parse_sentences, parse_stance

PAIRS = [
    ("S1-A1__PREMISE__1", "plain"),
    ("S1-A1__PREMISE__2", "it's"),
    ("S1-A1__PREMISE__3", "both ' and \""),
    ("S1-A1__PREMISE__4", "back\\slash, \\' end\\"),
    ("S1-A1__PREMISE__5", "line\nbreak\ttab\r\x00\x07\x7f\xa0\u2028\ufeff\U0001f600"),
    ("S1-A1__PREMISE__6", ""),
    ("S1-A1__PREMISE__7", "{'sent_id': 'x', 'sent_text': 'y'}, "),
    ("S1-A1__CONC__1", "half \ud83d"),
]


def cell(pairs: list[tuple[str, str]]) -> str:
    return repr([{"sent_id": name, "sent_text": text} for name, text in pairs])


def test_what_repr_writes_needs_no_literal_eval_of_the_cell() -> None:
    with mock.patch.object(literals, "read_literal", side_effect=AssertionError("not the fast path")):
        assert parse_sentences(cell(PAIRS)) == PAIRS
        assert parse_sentences("[]") == []
        assert parse_stance(repr([{"text": PAIRS[2][1], "stance": "CON", "annotations": []}])) == "CON"
        context = {
            "sourceText": "".join(text for _, text in PAIRS),
            "aspects": [{"name": "cars", "weight": 1.0, "rank": -1, "known": None}],
            "sourceTextPremiseStart": 12,
            "sourceUrl": "https://example.org/it's",
            "discussionTitle": None,
            "topic": 'Cars\xa0"in" cities',
            "empty": [],
            "mode": {},
        }
        assert parse_context(repr(context)) == ('Cars\xa0"in" cities', "https://example.org/it's")


@pytest.mark.parametrize(
    "text",
    [
        " [{'sent_id': 'a', 'sent_text': 'b'}]",
        "[{'sent_text': 'b', 'sent_id': 'a'}]",
        "[{'sent_id': 'a', 'sent_text': 'b', 'more': [1, {2}]}]",
        "[{'sent_id': 'a', 'sent_text': 'b'},]",
        "[{'sent_id': 'a', 'sent_text': 'x' 'y'}]",
        "[{'sent_id': 'a', 'sent_text': '''x'''}]",
        "[{'sent_id': 'a', 'sent_text': r'\\d'}]",
        "[{'sent_id': 'a', 'sent_text': '\\101\\N{BULLET}\\xAA\\U0010ffff'}]",
        "[{'sent_id': 'a', 'sent_text': 'old'}, {'sent_id': 'b', 'sent_text': 'c', 'sent_text': 'new'}]",
        "[{'sent_id': 'a',\n 'sent_text': 'b'}]  # said so",
    ],
)
def test_other_spellings_mean_what_python_means(text: str) -> None:
    expected = [(item["sent_id"], item["sent_text"]) for item in ast.literal_eval(text.strip())]
    assert parse_sentences(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "[{'sent_id': 'a', 'sent_text': 'b'}",
        "[{'sent_id': 'a', 'sent_text': 'b'}, {'sent_id': 'a'",
        "[{'sent_id': 'a', 'sent_text': 'raw\nline'}]",
        "[{'sent_id': 'a', 'sent_text': 'raw\rreturn'}]",
        "[{'sent_id': 'a', 'sent_text': 'raw\0nul'}]",
        "[{'sent_id': 'a', 'sent_text': 'raw\ud800surrogate'}]",
        "[{'sent_id': 'a', 'sent_text': '\\x4'}]",
        "[{'sent_id': 'a', 'sent_text': '\\U00110000'}]",
        "[{'sent_id': 'a', 'sent_text': '\\N{NO SUCH NAME}'}]",
        "[{'sent_id': 'a', 'sent_text': 'b'} {'sent_id': 'a', 'sent_text': 'b'}]",
        "[{'sent_id': 'a', 'sent_text': 'b'}]]",
        "({'sent_id': 'a', 'sent_text': 'b'}]",
        "[{'sent_id': 'a', 'sent_text': open('/etc/passwd')}]",
        "__import__('os')",
        "{[]: 1}",
        "[" * 100_000,
        "-" * 100_000 + "1",  # MemoryError
        "1" + "+1" * 5_000,  # RecursionError
    ],
)
def test_what_python_refuses_is_one_value_error(text: str) -> None:
    for parse in (parse_sentences, parse_stance, parse_context):
        with pytest.raises(ValueError, match=r"^is not a Python literal \(.+\)$") as caught:
            parse(text)
        assert type(caught.value) is ValueError


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{'sent_id': 'a', 'sent_text': 'b'}", "is not a list of dicts"),
        ("['a']", "is not a list of dicts"),
        ("'text'", "is not a list of dicts"),
        ("[{'sent_id': 'a'}]", "without the strings 'sent_id' and 'sent_text'"),
        ("[{'sent_id': 'a', 'sent_text': None}]", "without the strings 'sent_id' and 'sent_text'"),
        ("[{'sent_id': 1, 'sent_text': 'b'}]", "without the strings 'sent_id' and 'sent_text'"),
    ],
)
def test_a_literal_of_another_shape_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_sentences(text)


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("[{'text': 'a', 'stance': 'PRO'}]", "PRO"),
        ("[{'text': 'a', 'stance': 'CON', 'annotations': [{'start': 0, 'end': 3, 'source': 'x'}]}]", "CON"),
        ("[{'text': 'a', 'stance': 'PRO'}, {'text': 'b', 'stance': 'CON'}]", "PRO"),
        ("[{'stance': 'PRO', 'text': 'a', 'stance': 'CON'}]", "CON"),
        ("[{'stance': 'PRO', 'stance': None}]", ""),
        ("[{'text': \"'stance': 'PRO'\"}]", ""),
        ("[{'stance': 'neutral'}]", ""),
        ("[{'stance': ['PRO']}]", ""),
        ("[{}]", ""),
        ("[]", ""),
    ],
)
def test_stance_is_that_of_the_first_premise(text: str, stance: str) -> None:
    assert parse_stance(text) == stance


@pytest.mark.parametrize(
    ("text", "title", "url"),
    [
        ("{'sourceTitle': 'Page', 'topic': 'Debate', 'sourceUrl': 'u'}", "Debate", "u"),
        ("{'sourceTitle': 'Page', 'discussionTitle': 'Debate'}", "Debate", ""),
        ("{'sourceTitle': 'Page', 'topic': '', 'sourceUrl': None}", "Page", ""),
        ("{'topic': 'first', 'topic': 'last'}", "last", ""),
        ("{'topic': 'first', 'topic': 3}", "", ""),
        ("{'sourceText': \"'topic': 'trap'}\", 'topic': 'Debate'}", "Debate", ""),
        ("{'sourceText': '\\\\\\\\', 'topic': 'Debate'}", "Debate", ""),
        ("{'sourceText': 'it\\'s \\\\\\'', 'topic': 'it\\'s'}", "it's", ""),
        ("{3: 4, 'topic': 'Debate'}", "Debate", ""),
        ("{}", "", ""),
    ],
)
def test_context_gives_debate_title_before_page_title(text: str, title: str, url: str) -> None:
    assert parse_context(text) == (title, url)


@pytest.mark.parametrize("text", ["{'topic': '\\x4', 'b': 1}", "{'a': 007}", "{'sourceText': '\\u12', 'topic': 'x'}"])
def test_a_value_that_is_skipped_is_checked_all_the_same(text: str) -> None:
    with pytest.raises(ValueError, match="is not a Python literal"):
        parse_context(text)


@pytest.mark.parametrize("text", ["{'topic': 'a \\n b\"}", "{'topic': 'a\\", "{'topic': 'a', 'sourceUrl': \"\\x41"])
def test_a_string_that_is_never_closed_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a Python literal") as caught:
        parse_context(text)
    assert type(caught.value) is ValueError


@pytest.mark.parametrize("text", ["[]", "'topic'", "{'topic'}"])
def test_context_of_another_shape_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a dict"):
        parse_context(text)


def test_odd_escapes_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_sentences(r"[{'sent_id': 'a', 'sent_text': '\d'}]") == [("a", r"\d")]
