from __future__ import annotations

import pytest
from support.corpora import SMALL, build, write_corpus

from ltr.data.topics import Topic
from ltr.ranking.final_list import ListOptions
from ltr.searcher import Searcher

TOPICS = [
    Topic("10", "Should zoos of animals be closed?"),
    Topic("9", "Should cities ban cars that pollute?"),
    Topic("2", "Xylophones?"),
    Topic("b", "Are cars good?"),
    Topic("a", "Are zoos good?"),
]


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    corpus = write_corpus(tmp_path_factory.mktemp("lists") / "corpus", SMALL)
    searcher = Searcher(corpus, index=build(corpus), encoder="none", jobs=1)
    return lambda topics: searcher.rank_topics(topics, ListOptions())


def test_a_list_does_not_depend_on_the_topics_beside_it(ask):
    whole = ask(TOPICS)
    assert list(dict.fromkeys(whole["qid"])) == list(whole.attrs["expected"]) == ["9", "10", "a", "b"]
    assert whole.attrs["unmatched"] == ["2"]
    assert [row for topic in reversed(TOPICS) for row in ask([topic]).rows() if topic.number == "9"] == [
        row for row in whole.rows() if row.topic == "9"
    ]


def test_topics_without_any_match_have_no_rows(ask):
    found = ask([Topic("1", "Xylophones?"), Topic("2", "Zithers?")])
    assert (found.rows(), found.attrs) == ([], {"expected": {}, "unmatched": ["1", "2"]})
