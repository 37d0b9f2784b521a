from __future__ import annotations

import json

import pytest
from support.corpora import build

from ltr.answers.subject import Subject, find_subject, is_notice, name_missing

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
def index(tmp_path_factory):
    return build(_written(tmp_path_factory, TEXTS))


def _written(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("town") / "arguments.jsonl"
    lines = [dict(zip(("id", "conclusion", "stance", "text"), one, strict=True)) for one in texts]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.mark.parametrize(
    ("question", "ids"),
    [
        ("Do we need a tram in the town?", {"a1", "a2"}),
        ("Should the swimming pool be kept?", {"b1", "b2"}),
        ("Should dogs be kept out of the park?", {"c1"}),
        ("Is Rust better than C++?", set()),
    ],
)
def test_arguments_of_one_conclusion_are_a_debate_that_a_question_is_about(index, question, ids):
    subject = find_subject(index, None, question, range(index.sentences))
    assert {index.argument_id(row) for row in subject.rows} == ids


def test_other_arguments_of_its_debates_belong_to_the_subject(index):
    rows = index.row_of
    subject = find_subject(index, None, "Do we need a tram?", index.sentence_rows(rows["a1"]), [rows["a2"], rows["b1"]])
    assert subject.rows == {rows["a1"], rows["a2"]}
    assert find_subject(index, None, "Do we need a tram?", []) == Subject()


def test_a_word_is_named_that_takes_the_question_away_from_its_debates(index):
    question, rows = "Do we need a robot tram in the town?", index.row_of
    candidates = [*index.sentence_rows(rows["a1"]), *index.sentence_rows(rows["a2"])]
    subject = find_subject(index, None, question, candidates)
    assert name_missing(subject, index, None, question, {"robot"}).unnamed == "robot"
    assert name_missing(subject, index, None, question, {"need"}).unnamed == ""
    assert name_missing(Subject(), index, None, question, {"robot"}).unnamed == ""


def test_a_small_corpus_may_be_on_one_subject_or_share_a_place(tmp_path_factory):
    said = ["are cruel to animals", "teach children", "save rare animals", "cost too much", "make money", "are sad"]
    zoos = build(_written(tmp_path_factory, [(f"z{n}", "", "", f"Zoos {what}.") for n, what in enumerate(said)]))
    assert find_subject(zoos, None, "Are zoos right?", range(zoos.sentences)).rows, "the mean takes off what is asked"
    assert not find_subject(zoos, None, "Should taxes be lower?", range(zoos.sentences)).rows
    wants = (
        "sell its piano, ban phones, mend the roof, teach Latin, cook lunch, paint walls, buy computers, plant trees, "
    )
    wants += "hire a nurse, start later, drop exams, open a library, charge fees, build a gym"
    texts = [(f"s{n}", "", "", f"Our school should {what}.") for n, what in enumerate(wants.split(", "))]
    school = build(_written(tmp_path_factory, texts))
    found = find_subject(school, None, "Should our school offer Latin?", range(school.sentences))
    assert [school.argument_id(row) for row in found.rows] == ["s3"]


def test_a_notice_is_dates_and_hours():
    assert is_notice(["Open from April to October, 9 to 18."])
    assert not is_notice(["Schools that begin at nine have pupils who sleep 34 minutes longer."])
    assert not is_notice([])
