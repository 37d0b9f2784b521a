from __future__ import annotations

import warnings
from unittest import mock

import pytest
from support.references import CELLS, assert_cell

from ltr.corpora import literals
from ltr.corpora.literals import parse_context, parse_sentences, parse_stances

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
        assert parse_stances(repr([{"text": PAIRS[2][1], "stance": "CON", "annotations": []}])) == ["CON"]
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


OTHER_SPELLINGS = {
    "sentences": [
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
    "premises": [
        "[{'text': 'a', 'stance': 'CON', 'annotations': [{'start': 0, 'end': 3, 'source': 'x'}]}]",
        "[{'text': 'a', 'stance': 'PRO'}, {'text': 'b', 'stance': 'CON'}]",
        "[{'stance': 'PRO', 'text': 'a', 'stance': 'CON'}]",
        "[{'stance': 'PRO', 'stance': None}]",
        "[{'st\\x61nce': 'PRO'}]",
        "[{'text': \"'stance': 'PRO'\"}]",
        "[{'stance': 'neutral'}]",
        "[{'stance': ['PRO']}]",
        "[{'stance': 5}]",
        "[{}]",
        "[]",
    ],
    "context": [
        "{'sourceTitle': 'Page', 'topic': 'Debate', 'sourceUrl': 'u'}",
        "{'sourceTitle': 'Page', 'discussionTitle': 'Debate'}",
        "{'sourceTitle': 'Page', 'topic': '', 'sourceUrl': None}",
        "{'topic': 'first', 'topic': 'last'}",
        "{'topic': 'first', 'topic': 3}",
        "{'sourceText': \"'topic': 'trap'}\", 'topic': 'Debate'}",
        "{'sourceText': '\\\\\\\\', 'topic': 'Debate'}",
        "{'sourceText': 'it\\'s \\\\\\'', 'topic': 'it\\'s'}",
        "{3: 4, 'topic': 'Debate'}",
        "{}",
    ],
}
"""Column -> cells that Python reads."""


@pytest.mark.parametrize(("column", "text"), [(column, text) for column in CELLS for text in OTHER_SPELLINGS[column]])
def test_other_spellings_mean_what_python_means(column: str, text: str) -> None:
    assert assert_cell(column, text)


def test_the_stances_of_all_premises_and_the_title_of_the_debate_before_that_of_the_page() -> None:
    assert parse_stances(OTHER_SPELLINGS["premises"][1]) == ["PRO", "CON"]
    assert parse_context(OTHER_SPELLINGS["context"][0]) == ("Debate", "u")
    assert parse_context(OTHER_SPELLINGS["context"][2]) == ("Page", "")


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
        "{'topic': '\\x4', 'b': 1}",  # a value that is not used is checked all the same
        "{'a': 007}",
        "{'sourceText': '\\u12', 'topic': 'x'}",
        "{'topic': 'a \\n b\"}",
        "{'topic': 'a\\",
        "{'topic': 'a', 'sourceUrl': \"\\x41",
        "{'topic': 'a', ",
    ],
)
def test_what_python_refuses_is_one_value_error(text: str) -> None:
    for parse, _ in CELLS.values():
        with pytest.raises(ValueError, match=r"^is not a Python literal \(.+\)$") as caught:
            parse(text)
        assert type(caught.value) is ValueError


@pytest.mark.parametrize(
    ("column", "text"),
    [
        *(("sentences", text) for text in ("{'sent_id': 'a', 'sent_text': 'b'}", "['a']", "'text'")),
        *(
            ("sentences", f"[{{'sent_id': {text}}}]")
            for text in ("'a'", "'a', 'sent_text': None", "1, 'sent_text': 'b'")
        ),
        *(("context", text) for text in ("[]", "'topic'", "{'topic'}")),
    ],
)
def test_a_literal_of_another_shape_is_refused(column: str, text: str) -> None:
    assert not assert_cell(column, text)


def test_odd_escapes_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_sentences(r"[{'sent_id': 'a', 'sent_text': '\d'}]") == [("a", r"\d")]
