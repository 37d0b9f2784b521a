"""Sides from plain values: a question, debates, arguments, and a reader that says what a table has."""

from __future__ import annotations

from dataclasses import replace
from operator import mul

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ltr.answers.judge import (
    SAID,
    Argument,
    Judge,
    Verdict,
    deciding,
    is_likely,
    reason,
    side_of,
    why,
)
from ltr.answers.understand import Subject
from ltr.answers.weights import WEIGHTS

LOWER = "Lower the voting age to 16"
POINT = "Nobody can vote in earnest at sixteen"
VOTE = "Should people vote at 16?"
DEBATE = Argument(LOWER, "Votes", claims=lambda: {POINT: -1})
PRO = replace(DEBATE, conclusion=LOWER, stance=1, toward=1)
CON = replace(DEBATE, conclusion=LOWER, stance=-1, toward=-1)
NESTED = replace(DEBATE, conclusion=POINT, stance=-1, toward=1, nested=True)
ALONE = Argument("", text="They decide who pays for their schools.")
OF_RESOLUTION, OF_CLAIMS, OF_CONCLUSION, OF_TEXT = WEIGHTS["side"]


class Read:
    """A reader: log-odds of a side by text, whatever is asked, and the same of being on the matter and of arguing."""

    def __init__(self, sides, on=(0.0, 0.0)):
        self.sides, self.on, self.asked = sides, on, []

    def read(self, question, texts):
        self.asked += [(question, text) for text in texts]
        return [(*self.on, self.sides.get(text, 0.0)) for text in texts]

    def __call__(self, question, texts):
        return [side for *_, side in self.read(question, texts)]


def words(text):
    return text.lower().strip("?").split()


def judge_of(read, question=VOTE, subject=Subject(), known=()):  # noqa: B008
    return Judge(question, subject, words, dict(known), read)


def judge(odds, question=VOTE, subject=Subject(), known=()):  # noqa: B008
    return judge_of(Read(odds), question, subject, known)


def head(*signs):
    """A subject of a large corpus, with signs of argument 0."""
    return Subject(frozenset({0}), {0: signs} if signs else {})


def test_a_debate_is_decided_as_a_whole_and_turned_as_a_whole():
    for sign, sides in ((1, ["PRO", "CON", "PRO"]), (-1, ["CON", "PRO", "CON"])):
        one = judge({LOWER: sign * 5.0, POINT: -sign * 5.0})
        assert [one(argument).side for argument in (PRO, CON, NESTED)] == sides


def test_odds_are_the_weighed_sum_of_what_was_read():
    one = judge({LOWER: 2.0, POINT: -1.0})
    assert one.odds(CON) == pytest.approx(-(OF_RESOLUTION * 2 + OF_CLAIMS * 1 + OF_CONCLUSION * 2))
    assert one.debate(CON) == pytest.approx(OF_RESOLUTION * 2 + OF_CLAIMS * 1), "a claim against it, read as against"
    assert one.odds(NESTED) == pytest.approx(OF_RESOLUTION * 2 + OF_CLAIMS * 1 + OF_CONCLUSION * 1)
    assert judge({ALONE.text: 3.0}).odds(ALONE) == pytest.approx(OF_TEXT * 3)


def test_a_side_that_is_too_often_wrong_is_unclear_and_a_good_one_sure():
    verdicts = [judge({LOWER: odds})(PRO) for odds in (0.1, 1.0, 9.0)]
    assert [(one.side, one.sure) for one in verdicts] == [("Q0", False), ("PRO", False), ("PRO", True)]
    assert not judge({LOWER: 9.0}, subject=replace(Subject(), unnamed="16"))(PRO).sure, "at most likely"
    assert not judge({ALONE.text: 40.0})(ALONE).sure, "by its words alone"


def test_an_argument_that_is_hardly_on_the_matter_has_no_side():
    near, far = judge({LOWER: 9.0}, subject=head(0.9, 0.9, 1.0)), judge({LOWER: 9.0}, subject=head(0.1, 0.1, 1.0))
    assert near.matter(PRO) == pytest.approx(sum(map(mul, WEIGHTS["head"], (0.9, 0.9, 1.0))))
    assert (near(PRO).side, far(PRO).side) == ("PRO", "Q0")
    assert judge({LOWER: 9.0}, subject=head())(PRO).side == "Q0", "nothing is known of it, as it is of others"


def test_the_text_of_a_small_corpus_counts_as_it_was_read():
    subject = Subject(frozenset({0}), {0: (0.5, 0.5, 1.5, 1.0, 3.0, 2.0)}, {0: -2.0}, whole=True)
    text = replace(ALONE, stance=1, conclusion=LOWER)
    one = judge({LOWER: 4.0}, subject=subject)
    assert one.matter(text) == pytest.approx(np.dot(subject.signs[0], WEIGHTS["whole"]))
    assert one.odds(text) == pytest.approx(OF_CONCLUSION * 4 - OF_TEXT * 2)


def test_open_questions_have_no_sides():
    assert judge({LOWER: 9.0}, "How old must voters be?")(PRO).side == "Q0"


@pytest.mark.parametrize(("sign", "side"), [(1, "PRO"), (-1, "CON")])
def test_what_a_person_says_of_a_resolution_decides(sign, side):
    known = {"lower the voting age to 16": sign}
    one = judge({}, known=known, subject=head())
    assert (one(PRO).side, one(PRO).sure, one.odds(PRO)) == (side, True, sign * SAID)
    read = Read({ALONE.text: 2.0})
    assert judge_of(read, known=known).odds(ALONE) == pytest.approx(OF_TEXT * (1 + sign))
    assert {question for question, _ in read.asked} == {VOTE, *known}, "a plain text is read in both ways"


def test_a_resolution_that_is_neither_gives_no_side():
    assert judge({LOWER: 9.0}, known={"lower the voting age to 16": 0})(PRO).side == "Q0"


def test_the_same_words_are_the_same_and_more_words_never_the_opposite():
    same = replace(PRO, resolution="People should vote at 16")
    verdict = judge({same.resolution: -9.0}, subject=head())(same)
    assert (verdict.side, verdict.sure) == ("PRO", True)
    assert judge({}, "People should not vote at 16")(same).side == "CON"
    more = replace(PRO, resolution="Should people in Europe vote at 16", conclusion="")
    assert judge({more.resolution: -9.0}).odds(more) == 0.0
    bad = replace(more, resolution="Should people vote at 16 is wrong")
    assert judge({bad.resolution: -9.0})(bad).side == "CON", "but a word that takes a side may turn it"


def test_an_item_has_the_side_of_its_arguments_where_they_agree():
    pro, con, none = (Verdict(PRO, side) for side in ("PRO", "CON", "Q0"))
    assert [side_of(some) for some in ([pro, pro], [pro, none], [pro, con], [none], [])] == [
        "PRO",
        "PRO",
        "Q0",
        "Q0",
        "Q0",
    ]
    assert deciding([none, con]) == [con]
    assert not is_likely([pro, replace(pro, sure=True)])


def test_a_side_has_a_reason_in_one_line():
    nested = Verdict(NESTED, "PRO", by_debate=True)
    assert why([Verdict(PRO, "Q0"), nested]) == f'For: replies to the claim "{POINT}" (debate: Votes)'
    point = Verdict(replace(NESTED, stance=1, title=POINT), "CON", by_debate=True)
    assert reason(point) == f'Against: its point is "{POINT}"', "a debate of the same name is not named again"
    assert reason(Verdict(CON, "CON", by_debate=True)) == f'Against: argues against "{LOWER}"'
    assert reason(Verdict(PRO, "PRO")) == f'For, guessed from the text itself: argues for "{LOWER}"'
    assert reason(Verdict(ALONE, "PRO")) == "For, guessed from the text itself"
    question = replace(CON, conclusion="Should votes be public?")
    assert reason(Verdict(question, "CON", by_debate=True)) == 'Against: says no to "Should votes be public?"'
    portal = replace(PRO, conclusion='Point: votes are "fun" - junior')
    assert reason(Verdict(portal, "PRO", by_debate=True)) == "For: argues for \"Votes are 'fun'\""
    assert why([]) == ""


def test_the_commonest_doubtful_resolution_is_asked_about():
    other = Argument("Raise it", conclusion="Raise it", stance=1, toward=1)
    one = judge({LOWER: 1.0, "Raise it": 9.0})
    assert one.doubtful([PRO, CON, other]) == LOWER
    assert one.doubtful([PRO, other, other]) == "", "most are sure"
    assert one.doubtful([ALONE]) == ""


@given(st.floats(-9, 9), st.lists(st.sampled_from([1, -1]), min_size=1))
def test_a_debate_is_never_half_inverted(odds, stances):
    verdicts = [judge({LOWER: odds})(replace(PRO, stance=sign, toward=sign)) for sign in stances]
    signs = {{"PRO": 1, "CON": -1}[one.side] * one.argument.toward for one in verdicts if one.side != "Q0"}
    assert len(signs) <= 1


@pytest.mark.parametrize("question", ["trams instead of cars", "Should trams replace cars?", "Is it cars or trams?"])
def test_what_one_thing_would_replace_counts_against_it(question):
    trams = replace(PRO, resolution="More trams")
    read = ByQuestion({"trams": 3.0, "cars": -2.0, question: 1.0})
    asked = 5 if question != "Is it cars or trams?" else 1
    assert judge_of(read, question).debate(trams) == pytest.approx((OF_RESOLUTION + OF_CLAIMS * -1) * asked)


def test_of_keywords_sides_are_guessed():
    assert judge({LOWER: 9.0}, "voting age sixteen")(PRO) == replace(judge({LOWER: 9.0})(PRO), sure=False)
    assert judge({LOWER: 9.0}, "Lower the voting age")(PRO).sure


class ByQuestion(Read):
    """A reader with log-odds by what is asked."""

    def read(self, question, texts):
        return [(0.0, 0.0, self.sides[question]) for _ in texts]
