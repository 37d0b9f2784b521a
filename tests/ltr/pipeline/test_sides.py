from __future__ import annotations

import pytest
from support.corpora import build, write_corpus

from ltr.data.runs import RunRow
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.pipeline.sides import rows_toward, sides_in_run, sides_toward
from ltr.tasks import find_task

QUESTION = "Should zoos be banned?"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    rows = [
        ("S1-A1", "Zoos should be banned", "PRO", ["Zoos are a prison for animals."]),
        ("S1-A2", "Zoos should be banned", "CON", ["Zoos protect rare animals."]),
        ("S1-A3", "Zoos should be allowed", "PRO", ["Zoos are good for animals."]),
        ("S1-A4", "Taxes should be raised", "PRO", ["Schools need money."]),
    ]
    return build(write_corpus(tmp_path_factory.mktemp("sides"), rows))


def test_a_stance_is_turned_by_what_its_conclusion_says_of_the_question(index):
    side = sides_toward(index, QUESTION)
    found = [side(f"S1-A{number}") for number in (1, 2, 3, 4)]
    assert found == ["PRO", "CON", "CON", "Q0"]
    assert [sides_toward(index, "Should zoos be allowed?")(f"S1-A{number}") for number in (1, 2, 3)] == [
        "CON",
        "PRO",
        "PRO",
    ]


def test_a_pair_has_the_side_of_its_arguments_where_they_agree(index):
    side = sides_toward(index, QUESTION)
    assert side("S1-A2__PREMISE__1,S1-A3__PREMISE__1") == "CON"
    assert side("S1-A1__PREMISE__1,S1-A3__PREMISE__1") == "Q0"
    assert side("S1-A1__PREMISE__1,S9-A9__PREMISE__1") == "PRO"  # the corpus does not have the second


def test_each_topic_of_a_run_has_its_own_question(index):
    rows = [RunRow(topic, "PRO", "S1-A3__CONC__1,S1-A3__PREMISE__1", 1, 1.0, "t") for topic in "12"]
    topics = [Topic("1", QUESTION), Topic("2", "Should zoos be allowed?")]
    assert [row.stance for row in rows_toward(index, topics, rows)] == ["CON", "PRO"]


def test_documents_take_no_sides_of_a_question():
    assert sides_in_run(find_task("arguments"), "question") == ("PRO", "CON")
    assert sides_in_run(find_task("arguments"), "conclusion") == ()
    with pytest.raises(InputError, match="leave it out"):
        sides_in_run(find_task("comparative"), "question")
