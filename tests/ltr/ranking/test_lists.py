from __future__ import annotations

import pytest
from support.corpora import QUIET, SMALL, build, write_corpus

from ltr.data.topics import Topic
from ltr.model_folder.choice import load_model
from ltr.parallel import Workers
from ltr.ranking import lists
from ltr.ranking.describe import FirstStage, Resources
from ltr.ranking.final_list import ListOptions
from ltr.tasks import find_task

TOPICS = [
    Topic("10", "Should zoos of animals be closed?"),
    Topic("9", "Should cities ban cars that pollute?"),
    Topic("2", "Xylophones?"),
    Topic("b", "Are cars good?"),
    Topic("a", "Are zoos good?"),
]


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    task, index = find_task("pairs"), build(write_corpus(tmp_path_factory.mktemp("lists") / "corpus", SMALL))
    model = load_model(task, progress=QUIET)

    def ranked(topics):
        first_stage, resources = FirstStage(task, index, model.config), Resources(Workers(1))
        return lists.ranked_lists(first_stage, topics, model.ranker, ListOptions(), resources)

    return ranked


def test_lists_are_the_same_however_many_topics_are_in_memory(ask, monkeypatch):
    whole, sizes = ask(TOPICS), []
    monkeypatch.setattr(lists, "AT_ONCE", 2)
    score = lists.score_with_relevance

    def counted(ranker, matrix, *others):
        sizes.append(len(matrix.topics))
        return score(ranker, matrix, *others)

    monkeypatch.setattr(lists, "score_with_relevance", counted)
    parts = ask(TOPICS)
    assert parts == whole
    assert list(dict.fromkeys(row.topic for row in whole.rows)) == ["9", "10", "a", "b"]
    assert whole.unmatched == ["2"]
    assert list(whole.expected) == ["9", "10", "a", "b"]
    assert sizes == [1, 2, 1], "2 and 9, 10 and a, b"


def test_parts_without_any_match_are_passed_over(ask, monkeypatch):
    monkeypatch.setattr(lists, "AT_ONCE", 1)
    found = ask([Topic("1", "Xylophones?"), Topic("2", "Zithers?")])
    assert (found.rows, found.expected, found.unmatched) == ([], {}, ["1", "2"])
