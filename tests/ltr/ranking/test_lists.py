from __future__ import annotations

import pytest
from support.corpora import QUIET, SMALL, build, write_corpus

from ltr.data.topics import Topic
from ltr.model_folder.choice import load_model
from ltr.parallel import Workers
from ltr.ranking import lists
from ltr.ranking.describe import FirstStage, Resources
from ltr.ranking.final_list import ListOptions
from ltr.tasks.base import find_task

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
        return lists.ranked_lists(first_stage, topics, model.blend, ListOptions(), resources)

    return ranked


def test_a_list_does_not_depend_on_the_topics_beside_it(ask):
    whole = ask(TOPICS)
    assert list(dict.fromkeys(row.topic for row in whole.rows)) == list(whole.expected) == ["9", "10", "a", "b"]
    assert whole.unmatched == ["2"]
    assert [row for topic in reversed(TOPICS) for row in ask([topic]).rows if topic.number == "9"] == [
        row for row in whole.rows if row.topic == "9"
    ]


def test_topics_without_any_match_have_no_rows(ask):
    found = ask([Topic("1", "Xylophones?"), Topic("2", "Zithers?")])
    assert (found.rows, found.expected, found.unmatched) == ([], {}, ["1", "2"])
