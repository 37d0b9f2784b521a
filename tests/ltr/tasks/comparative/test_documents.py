from __future__ import annotations

from functools import partial
from math import isnan, nan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import save_lines
from support.refusals import refuses
from support.topics import write_topics

from ltr.corpora.lines import _GAP, _GAP_IN_LINE, split_sentences
from ltr.corpora.own_texts import ArgumentLines
from ltr.corpora.source import find_topics, open_corpus
from ltr.data.topics import Topic, read_topics
from ltr.errors import InputError
from ltr.tasks.comparative.documents import DocumentCorpus

PASSAGE = {"id": "clueweb12-a___1", "contents": "Steel bends. Ceramic breaks.", "chatNoirUrl": "https://a"}
LISTED = {"topic": "51", "text": "steel bends", "rank": 2, "score": 7.5, "spam_rank": 75, "query": "Steel or ceramic?"}

save_passages = partial(save_lines, name="passages.jsonl")


@pytest.mark.parametrize("name", ["passages.jsonl", "passages.jsonl.gz"])
def test_a_passage_is_an_argument_without_a_conclusion(tmp_path: Path, name: str):
    save_passages(tmp_path, PASSAGE, "\n", {"id": 7, "contents": ""}, name=name)
    first, second = open_corpus(str(tmp_path))
    assert [tuple(sentence) for sentence in first.sentences] == [
        ("clueweb12-a___1__PREMISE__1", "Steel bends."),
        ("clueweb12-a___1__PREMISE__2", "Ceramic breaks."),
    ]
    assert (first.conclusion, first.stance, first.url, first.source) == ("", "", "https://a", ())
    assert (second.id, second.sentences) == ("7", ())


def test_a_list_keeps_what_its_source_says(tmp_path: Path):
    tirex = {"qid": "2", "query": "Which is better?", "docno": "d1", "text": "Cats.", "rank": 1, "score": 3}
    save_passages(tmp_path, LISTED, LISTED | {"id": "d1", "rank": None, "score": None}, tirex, name="rerank.jsonl.gz")
    corpus = open_corpus(str(tmp_path))
    one, two, three = corpus
    assert [one.id, two.id, three.id] == ["51|51-1", "51|d1", "2|d1"]  # an id may be in the lists of several topics
    assert one.source == (2, 7.5)
    assert two.source[0] == 2  # without a rank, its place among the documents of the topic
    assert isnan(two.source[1])
    assert find_topics(corpus) == [Topic("51", "Steel or ceramic?"), Topic("2", "Which is better?")]


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([PASSAGE, "{"], "row 2: is not JSON"),
        ([PASSAGE, "[]\n"], "row 2: is not a JSON object"),
        ([{"contents": "x"}], "row 1: has no id"),
        ([{"id": " ", "contents": "x"}], "row 1: its id is neither word nor number"),
        ([{"id": "a"}], "row 1: a has no text"),
        ([{"id": "a", "contents": 1}], "row 1: the text of a is not a string"),
        ([PASSAGE, PASSAGE], "row 2: the id clueweb12-a___1 is already that of row 1"),
        ([PASSAGE, LISTED], "row 2: names a topic, others do not"),
        ([LISTED, PASSAGE], "row 2: names no topic, others do"),
        ([LISTED | {"score": nan}], "row 1: its score is not a finite number"),
        ([LISTED | {"score": 10**400}], "row 1: its score is not a finite number"),
        ([LISTED | {"rank": "first"}], "row 1: its rank is not a finite number"),
        ([LISTED | {"topic": "5 1"}], "row 1: its topic '5 1' holds white space"),
        ([LISTED | {"topic": "\ud800"}], r"row 1: its topic '\ud800' holds an invisible character"),
        ([LISTED | {"id": "a|b"}], "row 1: the id 'a|b' cannot be kept"),
        ([PASSAGE, PASSAGE | {"id": "b", "stance": "PRO"}], "row 2: has a stance, which documents do not have"),
        ([], "there are no documents in it"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, rows: list[Any], complaint: str):
    save_passages(tmp_path, *rows)
    refuses(lambda: list(DocumentCorpus(tmp_path / "passages.jsonl")), "passages.jsonl", complaint)


def test_topics_hold_what_can_be_written(tmp_path: Path):
    save_passages(tmp_path, LISTED | {"query": "half a \ud83d, \ud83d\ude00?"})
    assert find_topics(open_corpus(str(tmp_path))) == [Topic("51", "half a \ufffd, \U0001f600?")]
    save_passages(tmp_path, LISTED | {"topic": "5\u202e1"})
    with pytest.raises(InputError, match="row 1: its topic"):
        find_topics(open_corpus(str(tmp_path)))


def test_questions_of_a_damaged_list_are_refused_with_their_row(tmp_path: Path):
    path = save_passages(tmp_path, LISTED, "{\n", name="results.jsonl")
    with pytest.raises(
        InputError, match=r"results\.jsonl: row 2: is not JSON .*; write \{.*; arguments have a .conclusion."
    ):
        find_topics(DocumentCorpus(path))


def test_of_several_files_of_documents_the_first_by_name_is_read(tmp_path: Path):
    for name in ("documents", "passages", "rerank", "results"):
        save_passages(tmp_path, LISTED | {"id": name}, name=f"{name}.jsonl")
    assert [argument.id for argument in open_corpus(str(tmp_path))] == ["51|results"]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("one", ["one"]),
        ("it is 3.5 kg, i.e. heavy. really?  yes!", ["it is 3.5 kg, i.e. heavy.", "really?", "yes!"]),
        ('He said "no." Mr. Fox left.\n\nNext', ['He said "no."', "Mr. Fox left.", "Next"]),
        ("1. wash it. 2. dry it.", ["1. wash it.", "2. dry it."]),
    ],
)
def test_sentences(text: str, sentences: list[str]):
    assert split_sentences(text) == sentences


@given(st.lists(st.sampled_from([*".!?…\"'”’)] \t\x0b\xa0ab", "e.g. ", "Mr. "]), max_size=20).map("".join))
def test_gaps_of_one_line(text: str):
    assert [gap.span(1) for gap in _GAP_IN_LINE.finditer(text)] == [gap.span(1) for gap in _GAP.finditer(text)]


def test_topics_name_their_objects(tmp_path: Path):
    topics = [Topic("2", "A or B?", objects=("A b", "B")), Topic("3", "C?")]
    write_topics(tmp_path / "topics.xml", topics)
    assert "<objects>A b, B</objects>" in (tmp_path / "topics.xml").read_text("utf-8")
    assert read_topics(tmp_path / "topics.xml") == topics


def test_arguments_and_documents_are_told_apart_by_the_first_line(tmp_path: Path):
    document, argument = {"id": "a", "text": "No conclusion."}, {"id": "b", "text": "It is.", "conclusion": "Trams"}
    for first, kind in ((document, DocumentCorpus), (document | {"conclusion": ""}, ArgumentLines)):
        assert type(open_corpus(str(save_passages(tmp_path, "\n", first, argument)))) is kind
    for broken in ("", "{\n", "[]"):
        assert isinstance(open_corpus(str(save_passages(tmp_path, broken))), DocumentCorpus)
