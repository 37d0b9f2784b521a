from __future__ import annotations

import pytest

from features.learned.side import claim_of, side_toward


@pytest.mark.parametrize(
    ("question", "conclusion", "side"),
    [
        ("Should nuclear power be expanded?", "Nuclear power is very expensive", "CON"),
        ("Should cars be banned from cities?", "Cars should be allowed in cities", "CON"),
        ("Should cars be banned from cities?", "Cars are dangerous in cities", "PRO"),
        ("Is golf a sport?", "Golf is not a sport", "CON"),
        ("Is golf a sport?", "Golf is a sport", "PRO"),
        ("Is golf a sport?", "Cars should be banned", "UNCLEAR"),
        ("Is golf a sport?", "", "UNCLEAR"),
    ],
)
def test_the_conclusion_says_the_side_and_the_stance_turns_it(question, conclusion, side):
    other = {"PRO": "CON", "CON": "PRO", "UNCLEAR": "UNCLEAR"}[side]
    assert side_toward(question, conclusion, "PRO") == side
    assert side_toward(question, conclusion, "CON") == other


def test_negation_turns_and_what_is_to_be_done_counts_before_praise_and_blame():
    assert claim_of("Harmless drugs should not be banned").polarity == 1  # against, turned; "harmless" says nothing
    assert claim_of("We should not never ban drugs").polarity == -1  # turned twice
