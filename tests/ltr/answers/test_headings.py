"""Sentences of the collection that can be a key point, and those that cannot."""

from __future__ import annotations

import pytest

from ltr.answers.sentences import claim_in, has_verb, is_announcement


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("School uniforms encourage discipline", "School uniforms encourage discipline"),
        ("In closing, corporal punishment should be banned.", "Corporal punishment should be banned"),
        ("I believe that zoos are cruel to animals.", "Zoos are cruel to animals"),
        ("Zoos should therefore stop breeding.", "Zoos should stop breeding"),
        ("8] Tenure protects teachers from politics. [", "Tenure protects teachers from politics"),
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
