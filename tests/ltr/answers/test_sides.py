"""Arguments of an index with their debates, what they say, and the subject of a question."""

from __future__ import annotations

import numpy as np
import pytest
from support.corpora import Row, build, save_lines, write_corpus
from support.refusals import refuses

from ltr.answers.search import Items
from ltr.answers.sides import Sides, sides_in_run, sides_toward
from ltr.answers.understand import Subject, find_subject, whole_subject
from ltr.data.topics import Topic
from ltr.ranking.candidates import Candidates, item_frame
from ltr.ranking.task import find_task
from ltr.text_models import Reranker
from ltr.text_models.encoders import open_encoder

LOWER = "Lower the voting age to 16"
POINT = "Nobody can vote in earnest at sixteen"
DEBATE: list[Row] = [
    ("S1-A1", LOWER, "PRO", ["More people would take part in elections if they may vote early."]),
    ("S1-A2", LOWER, "CON", [f"{POINT}."]),
    ("S1-A3", POINT, "CON", ["Many of the young know a lot."]),
    ("S1-A4", "Many of the young know a lot", "CON", ["They do not read papers on the vote."]),
    ("S2-A1", "Animals should vote", "", ["Animals have interests.", "They feel.", "They learn.", "They die."]),
]


@pytest.fixture(scope="module")
def debate(tmp_path_factory):
    return build(write_corpus(tmp_path_factory.mktemp("debate"), DEBATE))


def candidates(id_, rows, kind="pair", topic=None):
    """A table of one item of the stance PRO."""
    items = item_frame([([part], [0], [0]) for part in id_.split(",")], ["PRO"])
    return Candidates.of_topic(topic or Topic("1", "?"), items, np.array(rows), kind=kind)


def test_arguments_have_their_debates_and_sides(debate):
    rows = debate.row_of
    large = Sides(debate, "Should people vote at 16?", Subject(signs={}))
    found = {id_: large.argument(rows[id_]) for id_ in ("S1-A1", "S1-A2", "S1-A3", "S1-A4", "S2-A1")}
    assert [(one.stance, one.toward, one.nested) for one in found.values()] == [
        (1, 1, False),
        (-1, -1, False),
        (-1, 1, True),  # against a point against
        (-1, -1, True),  # against what is said against that point
        (0, 0, False),
    ]
    assert [one.resolution for one in found.values()] == [LOWER] * 4 + ["Animals should vote"]
    assert found["S1-A1"].claims() == {POINT: -1, "Many of the young know a lot": 1}
    assert found["S1-A1"].text == "", "only texts of a small corpus are read"
    text = Sides(debate, "Should people vote at 16?").argument(rows["S2-A1"]).text
    assert text == "Animals should vote Animals have interests. They feel. They learn. They die."


def test_what_an_item_says(debate):
    rows = debate.row_of
    ids = "S1-A3__CONC__1,S1-A3__PREMISE__1"
    items = Items(debate, candidates(ids, [debate.sentence_rows(rows["S1-A3"])[::-1]]), None, {})
    pair = items.saying(0)
    assert pair.sentences == (POINT, "Many of the young know a lot.")
    assert (pair.premises, pair.own) == (("Many of the young know a lot.",), ""), "it is against its conclusion"
    assert debate.argument_id(pair.root) == "S1-A2"
    assert (items.id(0), items.side(0), items.verdicts(0), items.announces(0)) == (ids, "PRO", [], False)
    whole, alone = (Items(debate, candidates(id_, [[rows[id_]]], "argument"), None, {}) for id_ in ("S1-A1", "S2-A1"))
    assert whole.saying(0).own == "", "the conclusion is the debate's"
    assert len(alone.saying(0).beside) == 4


class RaisedOrLowered(Reranker):
    """A reader that is for everything, or against everything, by the verb of the question."""

    name, digest, width = "verbs", None, 3

    def scores(self, question, texts):
        return [[2.0, 2.0, 2.0 if "lowered" in question else -2.0]] * len(texts)


def test_each_topic_of_a_run_has_its_own_question(debate):
    topics = [Topic(str(at), f"Should the voting age be {verb}?") for at, verb in enumerate(("lowered", "raised"), 1)]
    id_, row = "S1-A4__CONC__1,S1-A4__PREMISE__1", debate.sentence_rows(debate.row_of["S1-A4"])
    tables = [candidates(id_, [row[::-1]], topic=topic) for topic in topics]
    assert sides_toward(debate, Candidates.concat(tables), RaisedOrLowered()) == ["CON", "PRO"]


def test_documents_take_no_sides_of_a_question():
    assert sides_in_run(find_task("arguments"), "question") == ("PRO", "CON")
    assert sides_in_run(find_task("arguments"), "conclusion") == ()
    refuses(lambda: sides_in_run(find_task("comparative"), "question"), "", "leave it out")


# ---- the subject ------------------------------------------------------------------------------------

TRAM = "Our town should build a tram line"
POOL = "The open-air pool should be closed"
TEXTS = [
    ("a1", TRAM, "PRO", "A tram carries more people than a bus on the same street."),
    ("b1", POOL, "PRO", "The pool loses half a million every year."),
    ("a2", TRAM, "CON", "An express bus costs less than rails in the street."),
    ("b2", POOL, "CON", "Children learn to swim in the pool."),
    ("c1", "", "", "Dogs frighten the birds in the park."),
]


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    lines = [dict(zip(("id", "conclusion", "stance", "text"), one, strict=True)) for one in TEXTS]
    return build(save_lines(tmp_path_factory.mktemp("town"), *lines))


@pytest.mark.parametrize(
    ("question", "ids"),
    [
        ("Do we need a tram in the town?", {"a1", "a2"}),
        ("Should the swimming pool be kept?", {"b1", "b2"}),
        ("Should dogs be kept out of the park?", {"c1"}),
        ("Is Rust better than C++?", set()),
    ],
)
def test_the_reader_finds_what_is_on_the_matter(town, question, ids):
    subject = whole_subject(town, open_encoder(), question)
    assert {town.argument_id(row) for row in subject.rows} == ids


def test_other_arguments_of_its_debates_belong_to_the_subject(town):
    rows = town.row_of
    ids = ["a1", "a2", "b1"]
    places, topic = np.array([[rows[id_]] for id_ in ids]), Topic("1", "Do we need a tram?")
    table = Candidates.of_topic(topic, item_frame([(ids, [0] * 3, [0] * 3)], [""] * 3), places, kind="argument")
    subject = find_subject(town, open_encoder(), topic.title, table.assign(head=[True, False, False]))
    assert subject.rows == {rows["a1"], rows["a2"]}


def test_the_side_of_a_text_counts_for_the_question_in_other_words(debate):
    sides = Sides(debate, "Should zoos be closed?")
    moved = [
        ("S1-A1", "PRO", "Should zoos be abolished?"),
        ("S1-A1", "CON", "Should the voting age be lowered?"),
        ("S1-A2", "PRO", "Keep zoos open"),
        ("S1-A4", "NO", "Keep zoos open"),
        ("S2-A1", "CON", "Should the voting age be lowered?"),
        ("S1-A3", "CON", "should zoos be closed"),
        ("S1-A3", "PRO", "Should zoos be abolished?"),
    ]
    assert sides.given(moved) == {"S1-A1": "PRO", "S1-A2": "CON", "S1-A4": "NO", "S1-A3": "CON"}
    assert sides.given([("S1-A1", "PRO", "")]) == {"S1-A1": "PRO"}
    trams = Sides(debate, "Should trams replace cars?")
    assert trams.given([("S1-A1", "PRO", "Should cars replace trams?")]) == {}, "which is the other one is not read"
