"""A few texts of a town, asked about in other words, with the model and the encoder that ship."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from support.corpora import Row, save_lines, write_corpus

from experiments.lab.read_sides import OWN_TEXTS
from ltr.answers.select import Selection
from ltr.answers.sides import TOWARD_QUESTION
from ltr.answers.understand import Subject
from ltr.commands import search
from ltr.data.topics import Topic
from ltr.searcher import Searcher

LIBRARY = "The library must stay open on Sundays"
TEXTS = [
    ("n1", LIBRARY, "PRO", "Sunday is the only day on which families with two jobs can come together."),
    ("n2", "We should switch off street lamps after midnight", "PRO", "Hardly anybody is out at two in the morning."),
    ("n3", LIBRARY, "PRO", "Pupils from small flats need a quiet place to prepare for Monday."),
    ("n4", LIBRARY, "PRO", "Books on paper keep the young away from their screens for a day."),
    ("n5", LIBRARY, "PRO", "Whoever works in shifts has no other time to borrow anything."),
    ("n6", LIBRARY, "CON", "On the last Sundays there was hardly a visitor in the whole building."),
    ("n7", LIBRARY, "PRO", "The library is open from 9 to 12 in May and June."),
    ("n8", "We should switch off street lamps after midnight", "CON", "Nurses walk home at night and feel unsafe."),
]
TURNED = {"PRO": "CON", "CON": "PRO"}
ARGUED = {"n1": "PRO", "n3": "PRO", "n4": "PRO", "n5": "PRO", "n6": "CON"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    lines = [dict(zip(("id", "conclusion", "stance", "text"), one, strict=True)) for one in TEXTS]
    return save_lines(tmp_path_factory.mktemp("town"), *lines)


@pytest.fixture(scope="module")
def town(corpus):
    return Searcher(corpus, jobs=1)


def sides(answer):
    return {
        sentence.argument: result.stance
        for result in answer.results
        if not result.weak
        for sentence in result.sentences
    }


def test_a_debate_is_shown_with_the_stances_that_its_texts_were_given(town):
    # The text against is alone with its side, n7 says when, and the other debate is about something else.
    assert sides(town.search("Should the library be open on Sundays?")) == ARGUED
    turned = {id_: TURNED[side] for id_, side in ARGUED.items()}
    assert sides(town.search("Should we close the library on Sundays?")) == turned


def test_a_question_may_share_no_word_with_its_debate(town):
    assert {*sides(town.search("lanterns in the dark hours"))} == {"n2", "n8"}


def test_so_are_the_debates_of_hundreds_of_texts(corpus, tmp_path, monkeypatch):
    others = [file.read_text("utf-8") for file in sorted(OWN_TEXTS.glob("*/*.jsonl")) if file.parent.name != "village"]
    (tmp_path / "many.jsonl").write_text("".join(others) + corpus.read_text(), "utf-8")
    many = Searcher(tmp_path / "many.jsonl", jobs=1)
    assert many.index.arguments > 250
    found = sides(many.search(question := "Should the reading room be locked at weekends?"))
    assert found.items() >= {id_: TURNED[side] for id_, side in ARGUED.items()}.items()
    assert len(found) < 8, "and little else"
    monkeypatch.setattr("ltr.answers.understand.SHORT", many.index.sentences - 1)  # too long to be read as a whole
    assert sides(Searcher(tmp_path / "many.jsonl", jobs=1).search(question)) != found


def test_a_few_long_texts_are_not_read_as_a_whole(tmp_path, monkeypatch):
    long = " ".join(f"The {n}th zoo keeps animals in cages." for n in range(40))
    (tmp_path / "long.jsonl").write_text(
        "".join(json.dumps({"id": f"t{n}", "conclusion": "", "text": f"{long} {n}"}) + "\n" for n in range(20))
    )
    searcher = Searcher(tmp_path / "long.jsonl", jobs=1)
    read = list[int]()
    monkeypatch.setattr("ltr.answers.understand.SHORT", searcher.index.sentences - 1)
    monkeypatch.setattr("ltr.answers.understand.find_subject", lambda *given: read.append(len(given[3])) or Subject())
    searcher.search("Should zoos be closed?")
    assert read
    assert max(read) < searcher.index.sentences


def test_announcements_are_not_counted_as_worth_showing(tmp_path):
    claim = "Sunday is the only day on which families with two jobs can come together"
    rows: list[Row] = [
        ("S1-A1", LIBRARY, "PRO", [f"{claim}."]),
        ("S1-A2", claim, "PRO", ["Parents who work in shops have another free day.", "Children are at school then."]),
        ("S1-A3", claim, "PRO", ["I will argue that families need Sundays.", "My opponent dropped this argument."]),
        ("S1-A4", LIBRARY, "CON", ["On the last Sundays there was hardly a visitor in the library."]),
    ]
    searcher = Searcher(write_corpus(tmp_path / "corpus", rows), index=tmp_path / "index", jobs=1)
    answer = searcher.search("Should the library be open on Sundays?")
    assert [result.id for result in answer.results if result.weak] == ["S1-A3__CONC__1,S1-A3__PREMISE__1"]
    assert [(point.side, point.arguments) for point in answer.points] == [("PRO", 2), ("CON", 1)], "not three for it"


def test_an_explanation_takes_the_side_that_the_search_takes(town):
    question = "Should we close the library on Sundays?"
    side = {result.id: TOWARD_QUESTION[result.stance] for result in town.search(question).results}
    explained = town.explain(Topic("1", question), 1).document["pair"]
    assert explained["side"] == side[explained["pair"]] != "unclear"


def test_a_heading_stands_above_results_not_above_their_number(corpus, capsys):
    for more, heading in (([], False), (["--weak"], True)):
        search.main(["Is Rust better than the library?", "-i", str(corpus), "--quiet", *more])
        lines = capsys.readouterr().out.splitlines()
        assert ("Unclear" in lines) is heading
        assert any("share" in line and line.endswith("some words: --weak)") for line in lines) is not heading


def test_nothing_is_shown_for_a_question_on_something_else(town):
    for question in ("Is Rust better than C++?", "Should the death penalty be abolished?"):
        assert not sides(town.search(question))


@pytest.mark.parametrize(("said", "turn"), [(1, False), (-1, True)])
def test_what_a_person_says_of_a_conclusion_is_sure(town, said, turn):
    question = "What about weekends at the library?"
    answer = town.search("Is a library for weekends?", selection=Selection(known={LIBRARY: said}))
    assert "concludes" not in answer.note
    found = sides(answer)
    assert found == {id_: TURNED[side] if turn else side for id_, side in ARGUED.items()}
    assert not answer.ask
    assert answer.sides_known == ("1 for, 4 against." if turn else "4 for, 1 against.")
    assert set(sides(town.search(question)).values()) == {"Q0"}, "an open question has no sides"


def test_a_conclusion_that_is_neither_gives_its_texts_no_side_and_is_not_asked_about_again(town):
    question = "Should the library be open on Sundays?"
    assert set(sides(town.search(question, selection=Selection(known={LIBRARY: 0}))).values()) == {"Q0"}
    question = "Is a library for weekends?"
    assert town.search(question).ask == LIBRARY
    assert town.search(question, selection=Selection(known={LIBRARY: 0})).ask == ""


def test_the_command_takes_what_a_person_says(corpus, capsys, monkeypatch):
    options = ["-i", str(corpus), "--jobs", "1", "--quiet"]
    question = "Is a library for weekends?"
    assert search.main([question, *options, "--json", "-", "--oppose", LIBRARY]) == 0
    document = json.loads(capsys.readouterr().out)
    assert {one["stance"] for one in document["results"] if not one["weak"]} == {"PRO", "CON"}
    assert document["ask"] == ""
    monkeypatch.setattr("ltr.searcher.Searcher.search", _always_asking(Searcher.search))
    assert search.main([question, *options]) == 0
    asked = f'Is saying "{LIBRARY}" the same as answering yes? If so, add: --agree "{LIBRARY}". If it is the opposite:'
    assert f'{asked} --oppose "{LIBRARY}".' in " ".join(capsys.readouterr().out.split())
    replies = iter([question, "n", ""])
    monkeypatch.setattr("builtins.input", lambda prompt="": next(replies))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    assert search.main(options) == 0
    assert capsys.readouterr().out.count("The library must stay open") >= 2, "before the reply, and after it"


def test_an_answer_counts_all_texts_on_the_matter_by_side(town):
    answer = town.search("Should the library be open on Sundays?", 1)
    assert [sum(not one.weak for one in own) for own in answer.sides.values()] == [1, 1, 0]
    assert answer.counts == {"PRO": (4, 0), "CON": (1, 0), "": (0, 0)}, "shown or not"
    assert answer.sides_known == "4 for, 1 against."
    some = {
        "17 for, 12 against (5 likely only), 6 unclear.": {"PRO": (17, 0), "CON": (12, 5), "": (6, 0)},
        "1 for (likely only), 11 against (all likely only).": {"PRO": (1, 1), "CON": (11, 11)},
        "No texts for, no texts against, 1 unclear.": {"": (1, 0)},
        "Of the best 100: 60 for, 40 against.": {"PRO": (60, 0), "CON": (40, 0)},
        "": dict.fromkeys(("PRO", "CON", ""), (0, 0)),
    }
    assert [replace(answer, counts=counts).sides_known for counts in some.values()] == [*some]
    assert replace(answer, toward="conclusion").sides_known == ""


def _always_asking(search):
    def asking(searcher, question, selection, **how):
        answer = search(searcher, question, selection=selection, **how)
        return replace(answer, ask="" if selection.known else LIBRARY)

    return asking


def test_a_conclusion_that_nobody_has_is_said_to_be_no_debate(town):
    said = Selection(known={"Bananas are yellow": 1})
    note = town.search("Is a library for weekends?", selection=said).note
    assert note == 'No debate on the question concludes "Bananas are yellow": texts are read in these words, too.'
