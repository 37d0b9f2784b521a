"""Sides from plain values: a question, debates, arguments, and a reader that says what a table has."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ltr.answers.judge import (
    AGREES,
    MOST,
    MOST_UNCONFIRMED,
    Argument,
    DebateOdds,
    Understood,
    Verdict,
    deciding,
    doubtful,
    is_likely,
    judge,
    reason,
    side_of,
    why,
)
from ltr.answers.understand import Subject

LOWER = "Lower the voting age to 16"
POINT = "Nobody can vote in earnest at sixteen"
VOTE = "Should the voting age be lowered to 16?"
DEBATE = Argument(LOWER, "Votes", 5, on_subject=True, claims=lambda: {POINT: -1})
PRO = replace(DEBATE, conclusion=LOWER, stance=1, toward=1, premises=("More people would vote.",))
CON = replace(DEBATE, conclusion=LOWER, stance=-1, toward=-1)
NESTED = replace(DEBATE, conclusion=POINT, stance=-1, toward=1, nested=True)
ALONE = Argument("", premises=("one", "two", "three", "four"))


def reader(odds):
    """Log-odds by text, asked for by the question alone."""
    return lambda _, texts: [odds.get(text, 0.0) for text in texts]


def judged(argument, odds, question=VOTE, **understood):
    subject = Subject(frozenset({0}), 0.8) if argument.on_subject else Subject()
    asked = Understood(question, **{"subject": subject, "rarity": {"voting": 1.0}, **understood})
    on = {argument.resolution: argument} if argument.on_subject else {}
    return judge(asked, argument, DebateOdds(asked, on, reader(odds)), reader(odds))


def test_a_debate_is_decided_as_a_whole_and_turned_as_a_whole():
    odds = {LOWER: 2.5}
    assert [judged(one, odds).side for one in (PRO, CON, NESTED)] == ["PRO", "CON", "PRO"]
    turned = {LOWER: -2.5}
    assert [judged(one, turned).side for one in (PRO, CON, NESTED)] == ["CON", "PRO", "CON"]
    assert judged(CON, odds).odds == -(2.5 + AGREES)
    assert judged(NESTED, {LOWER: 1.0, POINT: -1.0}).odds == 1.0 + 1.0 + AGREES, "a claim against it, read as against"


@pytest.mark.parametrize(
    ("odds", "side", "sure"),
    [(2.0, "PRO", True), (1.9, "PRO", False), (0.25, "PRO", False), (0.2, "Q0", False), (-0.3, "CON", False)],
)
def test_a_side_of_a_debate_is_sure_from_2_and_likely_from_a_quarter_on(odds, side, sure):
    verdict = judged(PRO, {LOWER: odds - AGREES}, rarity={"Votes": 1.0})
    assert (verdict.side, verdict.sure) == (side, sure)
    assert is_likely([verdict]) == (side != "Q0" and not sure)


def test_a_side_is_at_most_likely_where_something_is_missing():
    odds = {LOWER: 3.0}
    rarity = {"Votes": 1.0}
    assert judged(PRO, odds, rarity=rarity).sure
    assert not judged(PRO, odds, rarity=rarity, subject=Subject(frozenset({0}), 0.8, unnamed="16")).sure
    few = judged(PRO, odds, rarity={"Votes": 1.0, "Estonia": 9.0})
    assert (few.sure, few.odds) == (False, MOST_UNCONFIRMED), "the resolution has a tenth of the question's words"
    assert not judged(PRO, odds, rarity=rarity, stating=frozenset({"Votes"})).sure, "its only word takes a side"


def test_debates_on_other_matters_need_more():
    elsewhere = replace(PRO, on_subject=False)
    on, none = Subject(frozenset({7}), 0.8), Subject(nearest=0.5)
    sides = {odds: [judged(elsewhere, {LOWER: odds}, subject=one).side for one in (on, none)] for odds in (0.7, 1.5, 3)}
    assert sides == {0.7: ["Q0", "Q0"], 1.5: ["Q0", "PRO"], 3: ["PRO", "PRO"]}
    assert not judged(elsewhere, {LOWER: 3}, subject=none).sure
    far = Argument("Tax the rich", in_debate=2, conclusion="Tax the rich", stance=1, toward=1)
    assert judged(far, {"Tax the rich": 3}).side == "Q0", "it is not read at all"


def test_an_argument_without_a_stance_is_read_by_its_own_words():
    assert judged(ALONE, {"one": 0.6, "two": 0.7, "three": -0.1, "four": 9.0}).odds == pytest.approx(1.2)
    assert [judged(ALONE, {"one": odds}).side for odds in (1.0, 0.9, -1.0)] == ["PRO", "Q0", "CON"]
    assert not judged(ALONE, {"one": 9.0}).sure
    against = replace(ALONE, conclusion=LOWER, stance=-1)
    assert judged(against, {LOWER: 2.0, "one": 0.5}).odds == -1.5


def test_open_questions_have_no_sides():
    assert [judged(one, {LOWER: 3.0, "one": 3.0}, "How do we vote?").side for one in (PRO, ALONE)] == ["Q0", "Q0"]


def test_other_resolutions_on_the_subject_count_as_far_as_they_say_the_same():
    longer, late, close = (Argument(text, on_subject=True) for text in ("open longer", "open late", "close at six"))
    same = {"open longer": 20.0, "open late": 20.0, "close at six": -20.0}  # with the commonest resolution
    own = {"open longer": 2.1 - AGREES, "open late": 0.5 - AGREES, "close at six": -AGREES}
    asked = Understood("Is the hall open at night?", rarity={"open": 1.0})
    on = {debate.resolution: debate for debate in (longer, late, close)}
    odds = DebateOdds(asked, on, lambda question, texts: reader(same if question == "open longer" else own)("", texts))
    assert odds(longer) == pytest.approx(2.1 + 0.4 * 0.5)
    assert odds(close) == pytest.approx(-0.4 * (2.1 + 0.5))
    assert odds(late) == MOST_UNCONFIRMED, ".5 + .4 * 2.1 = 1.34, but it is not sure by itself"


@pytest.mark.parametrize(("sign", "side"), [(1, "PRO"), (-1, "CON")])
def test_what_a_person_says_of_a_resolution_decides(sign, side):
    verdict = judged(PRO, {}, known={"lower the voting age to 16": sign})
    assert (verdict.side, verdict.sure, verdict.odds) == (side, True, sign * MOST)


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
    nested = Verdict(NESTED, "PRO", 2.0, 2.0)
    assert why([Verdict(PRO, "Q0"), nested]) == f'For: replies to the claim "{POINT}" (debate: Votes)'
    point = Verdict(replace(NESTED, stance=1, title=POINT), "CON", -2.0, -2.0)
    assert reason(point) == f'Against: its point is "{POINT}"', "a debate of the same name is not named again"
    assert reason(Verdict(CON, "CON", -2.0, 2.0)) == f'Against: argues against "{LOWER}"'
    assert reason(Verdict(PRO, "PRO", 1.0)) == f'For, guessed from the text itself: argues for "{LOWER}"'
    assert reason(Verdict(ALONE, "PRO", 1.0)) == "For, guessed from the text itself"
    question = replace(CON, conclusion="Should votes be public?")
    assert reason(Verdict(question, "CON", -2.0, 2.0)) == 'Against: says no to "Should votes be public?"'
    portal = replace(PRO, conclusion='Point: votes are "fun" - junior')
    assert reason(Verdict(portal, "PRO", 2.0, 2.0)) == "For: argues for \"Votes are 'fun'\""
    assert why([]) == ""


def test_the_commonest_doubtful_resolution_is_asked_about():
    other = Argument("Raise it", on_subject=True, conclusion="Raise it", stance=1, toward=1)
    odds = {LOWER: 1.0, "Raise it": 3.0}
    assert doubtful([PRO, CON, other], lambda debate: odds[debate.resolution]) == LOWER
    assert doubtful([PRO, other, other], lambda debate: odds[debate.resolution]) == "", "most are sure"
    assert doubtful([ALONE], lambda _: 0.0) == ""


@given(st.floats(-9, 9), st.lists(st.sampled_from([1, -1]), min_size=1))
def test_a_debate_is_never_half_inverted(odds, stances):
    verdicts = [judged(replace(PRO, stance=sign, toward=sign), {LOWER: odds}) for sign in stances]
    signs = {{"PRO": 1, "CON": -1}[one.side] * one.argument.toward for one in verdicts if one.side != "Q0"}
    assert len(signs) <= 1
