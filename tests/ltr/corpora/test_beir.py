"""BEIR's layout: a corpus with topics and judgments beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.refusals import refuses

from ltr.commands.check import main
from ltr.corpora.beir import BeirCorpus
from ltr.corpora.source import find_topics, open_corpus
from ltr.data.qrels import read_qrels
from ltr.data.topics import Topic, read_topics

ROW = {"_id": "p-00000-001", "title": "Ban cars", "text": "Cars smell. They are loud!", "metadata": {"stance": "CON"}}
QUERY = {"_id": "1", "text": "Should cars\nbe banned?", "metadata": {"description": "D", "narrative": "N"}}


def saved(folder: Path, rows: list[Any], queries: list[Any]) -> Path:
    for name, lines in (("corpus", rows), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    (folder / "qrels").mkdir(exist_ok=True)
    table = "query-id\tcorpus-id\tscore\n1\tp-00000-001\t2\n1\tp-00000-002\t0\n"
    (folder / "qrels" / "test.tsv").write_text(table, "utf-8")
    return folder


def test_corpus_topics_and_judgments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = open_corpus(saved(tmp_path, [ROW], [QUERY]))
    (argument,) = corpus
    assert isinstance(corpus, BeirCorpus)
    assert (argument.id, argument.conclusion, argument.stance) == ("p-00000-001", "Ban cars", "CON")
    assert [one.text for one in argument.sentences] == ["Cars smell.", "They are loud!", "Ban cars"]
    assert find_topics(corpus) == [Topic("1", "Should cars be banned?")]
    assert find_topics(corpus) == read_topics(tmp_path / "queries.jsonl")
    assert read_qrels(tmp_path / "qrels" / "test.tsv") == {"1": {"p-00000-001": 2, "p-00000-002": 0}}
    assert corpus.left_out == ()
    assert main([str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "test.tsv: 2 arguments, 1 of them in the corpus; 1 of their 1 topics are above" in out


@pytest.mark.parametrize(
    ("row", "query", "said"),
    [
        ({"metadata": {"stance": "maybe"}}, {}, "the stance 'maybe' of p-00000-001 is neither PRO nor CON"),
        ({"metadata": []}, {}, ""),
        ({"metadata": [1]}, {}, "the metadata of p-00000-001 is not a JSON object"),
        ({"_id": None}, {}, "has no _id"),
        ({}, {"text": ""}, "topic 1 has no title"),
        ({}, {"_id": "1 2"}, "'1 2' holds white space"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, row: dict[str, Any], query: dict[str, Any], said: str) -> None:
    corpus = open_corpus(saved(tmp_path, [ROW | row], [QUERY | query]))
    if said:
        refuses(lambda: [*corpus, *find_topics(corpus)], str(tmp_path), said)
    else:
        assert len(list(corpus)) == 1


def test_metadata_that_is_not_read_is_named(tmp_path: Path) -> None:
    corpus = open_corpus(saved(tmp_path, [ROW | {"metadata": {"Stance": "CON", "url": ""}}], [QUERY]))
    assert [argument.stance for argument in corpus] == [""]
    assert corpus.notes() == ["fields that are not read: metadata.Stance"]
