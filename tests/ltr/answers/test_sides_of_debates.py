from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.corpora import Row, build, write_corpus

from ltr.answers import sides as module
from ltr.answers.debate_side import odds_toward
from ltr.answers.sides import (
    AGREES,
    LIKELY,
    SURE,
    Sides,
    claims_of,
    product_of_stances,
    reason,
    rows_toward,
    sides_in_run,
)
from ltr.answers.subject import Subject
from ltr.data.runs import RunRow
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.tasks.base import find_task

QUESTION = "Should zoos be banned?"


@pytest.fixture(autouse=True)
def _rules_alone(monkeypatch):
    """As without the extra *encoder*; tests of the reader bring one."""
    monkeypatch.setattr(module, "shipped_reader", lambda _: None)


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
    side = Sides(index, QUESTION)
    found = [side(f"S1-A{number}") for number in (1, 2, 3, 4)]
    assert found == ["PRO", "CON", "CON", "Q0"]
    assert [Sides(index, "Should zoos be allowed?")(f"S1-A{number}") for number in (1, 2, 3)] == [
        "CON",
        "PRO",
        "PRO",
    ]


def test_a_pair_has_the_side_of_its_arguments_where_they_agree(index):
    side = Sides(index, QUESTION)
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


# ---- whole debates ----------------------------------------------------------------------------------

LOWER = "Lower the voting age to 16"
VOTE = "Should the voting age be lowered?"
DEBATE: list[Row] = [
    ("S1-A1", LOWER, "PRO", ["More people would take part in elections if they may vote early."]),
    ("S1-A2", LOWER, "CON", ["Nobody can vote in earnest at sixteen."]),
    ("S1-A3", "Nobody can vote in earnest at sixteen", "CON", ["Many of the young know a lot."]),
    ("S1-A4", "Nobody can vote in earnest at sixteen", "PRO", ["Brains grow until twenty."]),
    ("S1-A5", "Many of the young know a lot", "CON", ["They do not read papers on the vote."]),
    ("S1-A6", LOWER, "", ["The voting age is a number."]),
    ("S2-A1", "Animals should vote", "PRO", ["Animals have interests."]),
    ("S2-A2", "Animals should vote", "CON", ["Animals have no voice."]),
]


@pytest.fixture(scope="module")
def debate(tmp_path_factory):
    return build(write_corpus(tmp_path_factory.mktemp("debate"), DEBATE))


def test_stances_are_multiplied_along_the_path(debate):
    sides = Sides(debate, VOTE)
    # A3 argues against a point against; A5 against what is said against that point
    found = {f"A{n}": sides(f"S1-A{n}") for n in range(1, 7)}
    assert found == {"A1": "PRO", "A2": "CON", "A3": "PRO", "A4": "CON", "A5": "CON", "A6": "Q0"}
    turned = Sides(debate, "Should the voting age be raised?")
    assert [turned(f"S1-A{n}") for n in range(1, 6)] == ["CON", "PRO", "CON", "PRO", "PRO"]


def test_a_side_has_a_reason_in_one_line(debate):
    sides = Sides(debate, VOTE)
    assert sides.why("S1-A2") == 'Against: argues against "Lower the voting age to 16"'
    assert sides.why("S1-A4__PREMISE__1,S1-A4__CONC__1") == (
        'Against: says "Nobody can vote in earnest at sixteen" (debate: T)'
    )
    assert Sides(debate, "Should the voting age be raised?").why("S1-A1") == (
        'Against: argues for "Lower the voting age to 16"'
    )
    assert sides.why("S1-A6") == sides.why("S9-A9") == ""
    alone = 'For: argues for "Lower the voting age to 16" (by its words alone)'
    assert reason(debate, 0, "PRO", 0.0) == alone
    assert reason(debate, 5, "PRO", 0.0) == "For: (by its words alone)"  # without a stance


def test_a_reader_decides_about_whole_debates(debate, monkeypatch):
    asked = []

    def read(question, texts):
        asked.extend((question, text) for text in texts)
        return [-2.1 if text == LOWER else 0.0 for text in texts]

    monkeypatch.setattr(module, "shipped_reader", lambda _: read)
    # Rules alone say nothing here; this reader says that the resolution is against what is asked.
    sides = Sides(debate, "Do sixteen-year-olds deserve the vote?")
    assert [sides(f"S1-A{n}") for n in range(1, 6)] == ["CON", "PRO", "CON", "PRO", "PRO"]
    assert asked[0] == ("Do sixteen-year-olds deserve the vote?", LOWER)
    assert len(asked) == 3, "the resolution and two claims, once for the whole debate"


def test_a_doubtful_debate_has_likely_sides_and_is_asked_about(debate, monkeypatch):
    question, rows = "Do sixteen-year-olds deserve the vote?", debate.row_of
    subject = Subject(frozenset(rows[f"S1-A{n}"] for n in range(1, 7)))
    cases = ((-2.1, "CON", False), (-1.9, "CON", True), (1.5, "PRO", True), (0.3, "PRO", True), (0.2, "Q0", False))
    for odds, side, likely in cases:
        read = [odds - AGREES, 0.0, 0.0]
        monkeypatch.setattr(module, "shipped_reader", lambda _, read=read: lambda _, texts: read[: len(texts)])
        sides = Sides(debate, question, subject=subject)
        assert (sides("S1-A1"), sides.is_likely("S1-A1")) == (side, likely)
        assert sides.doubtful(["S1-A1", "S2-A1"]) == ("" if abs(odds) >= 2 else LOWER)


def test_other_resolutions_on_the_subject_count_as_far_as_they_say_the_same(tmp_path, monkeypatch):
    longer, late, close = (
        "The hall should open longer",
        "The hall should stay open late",
        "The hall should close at six",
    )
    rows = [("S1-A1", longer, "PRO", ["Shifts end late."]), ("S1-A2", longer, "CON", ["It costs money."])]
    rows += [("S2-A1", late, "PRO", ["We sing late."]), ("S3-A1", close, "PRO", ["Neighbours sleep."])]
    index = build(write_corpus(tmp_path, rows))
    same = {longer: 20.0, late: 20.0, close: -20.0}  # with the commonest resolution
    own = {longer: 2.1 - AGREES, late: 0.5 - AGREES, close: 0.0}

    def read(question, texts):
        return [(same if question == longer else own).get(text, 0.0) for text in texts]

    monkeypatch.setattr(module, "shipped_reader", lambda _: read)
    rows_of = index.row_of
    sides = Sides(index, "Is the hall a place for the night?", subject=Subject(frozenset(rows_of.values())))
    poles = {name: sides.pole(rows_of[name]) for name in ("S3-A1", "S1-A1", "S2-A1")}
    expected = {"S1-A1": 2.1 + 0.4 * (0.5 - 0.0), "S3-A1": -0.4 * (2.1 + 0.5)}
    expected["S2-A1"] = (LIKELY + SURE) / 2  # .5 + .4 * 2.1 = 1.34, but it is not sure by itself
    assert poles == pytest.approx(expected, abs=0.03)


def test_where_no_debate_is_on_the_subject_the_nearest_have_likely_sides(debate, monkeypatch):
    monkeypatch.setattr(module, "shipped_reader", lambda _: lambda _, texts: [1.5] * len(texts))
    question, row = "Do sixteen-year-olds deserve the vote?", debate.row_of["S2-A1"]
    unknown, other = Subject(nearest=0.5), Subject(frozenset({row}), nearest=0.8)
    assert [Sides(debate, question, subject)("S1-A1") for subject in (unknown, other)] == ["PRO", "Q0"]


def test_a_sure_debate_has_a_word_of_the_subject_in_its_resolution_or_title(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "shipped_reader", lambda _: lambda _, texts: [3.0] * len(texts))
    ban = "Cars should be banned"
    rows = [("S1-A1", ban, "PRO", ["Cars kill."]), ("S1-A2", ban, "CON", ["Lorries and cars bring goods."])]
    index = build(write_corpus(tmp_path, rows))
    subject = Subject(frozenset(index.row_of.values()))
    likely = {q: Sides(index, q, subject=subject).is_likely("S1-A1") for q in ("Ban cars?", "Ban lorries?", "Ban?")}
    assert likely == {"Ban cars?": False, "Ban lorries?": True, "Ban?": True}


def test_sentences_of_a_text_without_a_stance_add_up():
    said = {"one": 0.6, "two": 0.7, "three": -0.1}
    assert odds_toward(
        "Should it be?", "", 0, [*said], lambda _, texts: [said[text] for text in texts]
    ) == pytest.approx(1.2)


def test_what_a_person_says_of_a_conclusion_decides(debate, monkeypatch):
    monkeypatch.setattr(module, "shipped_reader", lambda _: lambda _, texts: [0.0] * len(texts))
    for sign, side in ((1, "CON"), (-1, "PRO")):
        sides = Sides(debate, "Do sixteen-year-olds deserve the vote?", known={LOWER.upper() + ".": sign})
        assert (sides("S1-A4"), sides.is_likely("S1-A4")) == (side, False)
        assert sides.doubtful(["S1-A4"]) == ""


def test_claims_are_for_the_resolution_where_the_rest_of_their_path_is(debate):
    assert claims_of(debate, range(6)) == {
        "Nobody can vote in earnest at sixteen": -1,
        "Many of the young know a lot": 1,
    }


def test_debates_on_another_matter_have_no_side(debate):
    assert {Sides(debate, VOTE)(f"S2-A{n}") for n in (1, 2)} == {"Q0"}
    assert {Sides(debate, "How does the voting age work?")(f"S1-A{n}") for n in range(1, 6)} == {"Q0"}


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(*[st.sampled_from(["Ban cars", "Cars kill", "Cars help"])] * 2, st.booleans()), max_size=8))
def test_a_debate_is_never_half_inverted(tmp_path_factory, graph):
    rows: list[Row] = [
        (f"S1-A{n}", claim, "PRO" if pro else "CON", [said]) for n, (said, claim, pro) in enumerate(graph, 1)
    ]
    rows.append(("S2-A1", "Something", "PRO", ["else"]))
    index = build(write_corpus(tmp_path_factory.mktemp("any"), rows))
    sides = Sides(index, "Should cars be banned?")
    poles: dict[int, set[int]] = {}
    for id_, row in index.row_of.items():
        if '"' in sides.why(id_):
            sign = product_of_stances(index, index.path(row)) * (1 if sides(id_) == "PRO" else -1)
            poles.setdefault(int(index.column("debate")[row]), set()).add(sign)
    assert all(len(signs) == 1 for signs in poles.values())
