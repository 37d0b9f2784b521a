from __future__ import annotations

import pytest

from ltr.answers.claims import claim_of, has_sides, relation
from ltr.text_models.stance import affirmed


@pytest.mark.parametrize(
    ("text", "target", "polarity"),
    [
        ("Should cars be banned from cities?", {"car", "citi"}, -1),
        ("This house would ban cars", {"car"}, -1),
        ("Cars should not be banned", {"car"}, 1),
        ("Chess isn't a sport", {"chess", "sport"}, -1),
        ("We should end the ban on hunting", {"hunt"}, 1),  # end turns ban
        ("Is the upper house undemocratic?", {"upper", "hous"}, -1),
        ("Was it wrong to ban cars?", {"car"}, 1),
        ("Do patents hold back science?", {"patent", "scienc"}, -1),
        ("Force-feed sufferers of anorexia", {"forc", "feed", "suffer", "anorexia"}, 1),  # people, and no suffering
        ("Zoos do more harm than good", {"zoo"}, -1),
        ("Should harmless drugs be banned?", {"harmless", "drug"}, -1),  # what should be done, so praise is only a word
        ("Exports have effects", {"export", "effect"}, 1),  # no form of "effective", which has the same stem
        ("Would a ban on cars be a mistake?", {"car"}, 1),  # blame of a ban
        ("Should children be kept off Facebook?", {"children", "facebook"}, -1),
        ("Should drones no longer be used?", {"drone"}, -1),
        ("Do the risks of zoos outweigh the benefits?", {"zoo", "outweigh"}, -1),
    ],
)
def test_a_claim_is_about_something_and_for_or_against_it(text, target, polarity):
    assert claim_of(text)[:2] == (target, polarity)


def test_a_claim_on_the_same_thing_says_the_same_or_the_opposite():
    assert relation("Should cars be banned?", "We should ban cars") == 1
    assert relation("Should cars be banned?", "Cars should be allowed") == -1
    assert relation("Should cars be banned?", "Trains should be allowed") == 0


@pytest.mark.parametrize(
    ("question", "without", "sign"),
    [
        ("Zoos should never be abolished", "Zoos should be abolished", -1),
        ("Should zoos not be banned?", "Should zoos be banned?", -1),
        ("Isn't chess a sport?", "Is chess a sport?", 1),  # hopes for a yes
        ("Chess isn't a sport", "Chess is a sport", -1),
        ("Cannabis should not be a crime", "Cannabis should be a crime", -1),  # "can" begins a word here
        ("Never negotiate with terrorists", "negotiate with terrorists", -1),
        ("Don't ban cars", "Do ban cars", -1),
        ("Adverts that are not true should be banned", "Adverts that are not true should be banned", 1),
        ("Should people who don't vote be fined?", "Should people who don't vote be fined?", 1),
    ],
)
def test_a_negation_of_the_main_verb_is_taken_off(question, without, sign):
    assert affirmed(question) == (without, sign)


def test_open_questions_have_no_sides():
    assert has_sides("Should cars be banned?")
    assert not has_sides("How can we ban cars?")
