"""Texts as they are shown: the cases are ends of sentences of the collection."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import Row, build, write_corpus

from ltr.answers.sentences import LONGEST, claim_in, display_text, has_verb, is_announcement, points_back
from ltr.answers.texts import snippets_of
from ltr.searcher import Searcher


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("8] Tenure protects teachers.", "Tenure protects teachers."),
        ("”[1]\xa0As badgers are sentient beings", "As badgers are sentient beings"),
        ("”1 The rest is silence.", "The rest is silence."),
        ("2) Do the people know?", "Do the people know?"),
        ("1. It costs too much.", "It costs too much."),
        ('"(9) Bullfighting is an art form.', "Bullfighting is an art form."),
        ("- It is cheap  and\n good.", "It is cheap and good."),
        ("The Times, 22 September 2009]] There is no need for free museums.", "There is no need for free museums."),
        ("They suffered from withdrawal symptoms. [", "They suffered from withdrawal symptoms."),
        ("They have chosen to avoid it[i].", "They have chosen to avoid it"),
        ("The states are equal.[1] [2]", "The states are equal."),
        ("The internet is not worse than the world1.", "The internet is not worse than the world"),
        ("It is policy for the Armed Forces’ 1.", "It is policy for the Armed Forces’ 1."),
        ("It would be ‘dangerous’1.", "It would be ‘dangerous’"),
        ("Power rises as efficiency rises. *", "Power rises as efficiency rises."),
        ("He often says so in his books. [[Smith, A life, 2009", "He often says so in his books."),
        ("(This is so.", "This is so."),
        ('"Zoos are prisons.', "Zoos are prisons."),
        # left as they are
        ("In 2009 it grew by 5% (see below).", "In 2009 it grew by 5% (see below)."),
        ("Zoos [and circuses] are cruel.", "Zoos [and circuses] are cruel."),
        ('"Zoos" are "prisons"', '"Zoos" are "prisons"'),
        ("50% of 18-24 year olds don't vote.", "50% of 18-24 year olds don't vote."),
        (".45 calibre guns kill.", ".45 calibre guns kill."),
        ("[1]", "[1]"),
        ("...", "..."),
        ("  ", ""),
    ],
)
def test_what_is_cut_off(text: str, shown: str) -> None:
    assert display_text(text) == shown


PIECES = ["[1]", "(2)", "8]", "[", "]]", '"', "”", "“", "1.", "world1.", "Zoos close", " ", "-", "*", "5%"]


@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=9).map("".join)))
def test_a_part_of_the_text_that_stays_as_it_is(text: str) -> None:
    shown = display_text(text)
    assert shown in " ".join(text.split())
    assert bool(shown) == bool(text.strip())
    assert display_text(shown) == shown
    assert any(map(str.isalnum, shown)) == any(map(str.isalnum, text))


def test_long_texts_take_no_time() -> None:
    """A text of brackets alone would be read again for each of them."""
    assert display_text("[" * 10 * LONGEST + "x") == "[" * 10 * LONGEST + "x"
    assert display_text("x" + "[" * (LONGEST - 1)) == "x"
    began = time.process_time()
    assert display_text("(" * (LONGEST - 1) + "x") == "x"
    assert display_text("x" + ")" * (LONGEST - 1)) == "x"
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("School uniforms encourage discipline", "School uniforms encourage discipline"),
        ("In closing, corporal punishment should be banned.", "Corporal punishment should be banned"),
        ("I believe that zoos are cruel to animals.", "Zoos are cruel to animals"),
        ("Zoos should therefore stop breeding.", "Zoos should stop breeding"),
        ("8] Tenure protects teachers from politics. [", "Tenure protects teachers from politics"),
        ("Keepers lose their work where zoos close", "Keepers lose their work where zoos close"),
        ("Zoos help those who care for animals such as lions", "Zoos help those who care for animals such as lions"),
        ("Clinton does not represent young Americans", "Clinton does not represent young Americans"),
        ("Perestroika ruined what was left of the economy", "Perestroika ruined what was left of the economy"),
    ],
)
def test_claims(text: str, claim: str) -> None:
    assert claim_in(text) == claim
    assert claim_in(claim) == claim


@pytest.mark.parametrize(
    "text",
    [
        "Protecting the health of athletes",
        "Safety of the parties involved",
        "Internet access as a new human right.",
        "For example, girls often have to wear dresses.",
        "This can increase rivalry between schools.",
        "golf is a sport no doubt.",
        "I will argue that zoos are cruel.",
        "My support for corporal punishment rests on a single premise.",
        "Rebuttal: what is in a word?",
        "PCV: Redness affects about one in seven children.",
        "GOES AGAINST BRITISH VALUES AND IS WRONG",
        "Everyone has AIDS. AIDS is everywhere.",
        "Should zoos be closed by the state?",
        "Some say that zoos teach children.",
        "My opponent says that zoos teach children.",
        "The opposition has not proven that zoos are cruel.",
        "Problems with the claim that zoos are kind to animals",
        "The limit is crossed in every zoo.",
        "Zoos went far beyond that limit.",
        "Few visitors need such cages.",
        "Zoos could end those shows.",
        "We need them in the city.",
        "For them zoos are only cages.",
        "If they were gone zoos would be boring.",
        "It's bonkers to close zoos like this.",
        "Will indirectly lead to empty zoos",
        "Drastically increased cost of zoos",
        "Public funds showing bias towards zoos",
        "Of course zoos teach some children.",
        "Sara Yin, Pcmag, January 27, 2011",
        "In 2009 1,000",
        "The long " + "and winding " * 8 + "road is closed",
        "",
    ],
)
def test_what_is_not_a_claim(text: str) -> None:
    assert claim_in(text) == ""


def test_verbs_are_told_from_nouns_by_their_neighbours() -> None:
    assert has_verb("Zoos harm animals")
    assert not has_verb("The harm of zoos")
    assert has_verb("The ban harms zoos")
    assert not has_verb("Limits on harms")


@pytest.mark.parametrize(
    "text",
    [
        "I as Con will argue that this is wrong.",
        "My opponent has thus dropped my case.",
        "Thank you for your time.",
        "First round is acceptance",
        "The burden of proof is shared.",
        "Vote PRO.",
    ],
)
def test_announcements(text: str) -> None:
    assert is_announcement(text)
    assert not is_announcement("Thanks to hip hop, many people express themselves; the case of Russia shows it.")


ROWS: list[Row] = [
    ("S1-A1", "Zoos should close", "PRO", ["They are cruel.", "Moreover, they cost much.", "They suffer."]),
    ("S1-A2", "Zoos should stay", "CON", ["It is wrong to close zoos.", "Zoos teach."]),
]


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("This would be wrong.", True),
        ("“They are cruel.", True),
        ("Moreover, it costs much.", True),
        ("[1] However it may be", False),  # what stands before it is cleaned off first
        ("On the other hand, zoos teach.", True),
        ("It costs much.", True),
        ("It is wrong to close zoos.", False),
        ("Thistles are plants.", False),
        ("Its use is wide.", True),
        ("It's bonkers.", True),
        ("It\u2019s wrong to close zoos.", False),
        ("\u201cIt would be wrong to close zoos.", False),
        ("The zoo is closed.", False),
        ("", False),
    ],
)
def test_openings(text: str, back: bool) -> None:
    assert points_back(text) is back


def test_the_order_of_reading(tmp_path: Path) -> None:
    """The corpus stores premises first; an argument is read from its conclusion on."""
    with Searcher(write_corpus(tmp_path / "corpus", ROWS), model="bm25", index=tmp_path / "index", jobs=1) as zoos:
        index = zoos.index
        parts = map(index.sentence_id, index.sentence_rows(index.row_of["S1-A1"]))
        before = [snippets_of(index, part, "pair")[0].before for part in parts]
        assert before == ["Zoos should close", "They are cruel.", "Moreover, they cost much.", ""]
        answer = zoos.search("Do zoos cost much?")
        found = {one.id: one for result in answer.results for one in result.sentences}
        assert found["S1-A1__PREMISE__2"].before in ("They are cruel.", "")
        beside = next(r for r in answer.results if "S1-A1__PREMISE__2" in r.id)
        assert (found["S1-A1__PREMISE__2"].before == "") is ("S1-A1__PREMISE__1" in beside.id)


def test_a_sentence_has_its_place_whatever_its_number(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", ROWS)
    for file in corpus.glob("*.csv"):
        file.write_text(file.read_text("utf-8").replace("A1__PREMISE__3", "A1__PREMISE__50000"), "utf-8")
    (third,) = snippets_of(build(corpus), "S1-A1__PREMISE__50000", "pair")
    assert (third.text, third.role, third.place, third.of) == ("They suffer.", "premise", 3, 3)
