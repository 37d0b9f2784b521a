"""What a question asks: its parts, one thing in place of another, choices and keywords."""

from __future__ import annotations

import pytest

from ltr.answers.clauses import first_part, has_sides, is_keywords, one_instead


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "Should cannabis be legalised, and should it be taxed?",
            ("Should cannabis be legalised?", "Should it be taxed?"),
        ),
        ("Should we keep the bus, and who should pay?", ("Should we keep the bus?", "Who should pay?")),
        ("Should dogs be banned from the beach, and why?", ("Should dogs be banned from the beach?", "Why?")),
        ("Is it wrong or is it right?", ("Is it wrong?", "Is it right?")),
        ("Should people who read and can write vote?", ("Should people who read and can write vote?", "")),
        ("Should we know when and where to vote?", ("Should we know when and where to vote?", "")),
    ],
)
def test_the_first_of_two_questions(question, parts):
    assert first_part(question) == parts


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Should trams replace cars?", [("trams", 1), ("cars", -1)]),
        ("Should cars be replaced by trams?", [("trams", 1), ("cars", -1)]),
        ("Should we replace cars with trams?", [("trams", 1), ("cars", -1)]),
        ("Trams instead of cars", [("Trams", 1), ("cars", -1)]),
        ("Should we keep cars rather than switch to trams?", [("we keep cars", 1), ("switch to trams", -1)]),
        ("Are trams better than cars?", [("trams", 1), ("cars", -1)]),
        ("Shouldn't trams replace cars?", [("trams", 1), ("cars", -1)]),
        ("We should not replace cars with trams", [("trams", -1), ("cars", 1)]),
        ("Trams should never replace cars", [("Trams", -1), ("cars", 1)]),
        ("Cars should not be replaced by trams", [("trams", -1), ("Cars", 1)]),
    ],
)
def test_one_thing_in_place_of_another(question, parts):
    assert one_instead(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "Should cars be banned?",
        "Should we replace the monarchy?",
        "Should the government replace Trident?",
        "Should teachers be replaced by 2030?",
        "Can a party replace its leader?",
        "Is it wrong to replace teachers with robots?",
        "Should we oppose plans to replace Obamacare with something else?",
        "Is it cruel to keep orcas instead of releasing them?",
        "Is prison rather than fines unjust?",
        "Is nothing better than democracy?",
        "Are pirates no better than thieves?",
    ],
)
def test_questions_on_one_thing(question):
    assert one_instead(question) == [(question, 1)]


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("Should judges be elected or appointed?", False),
        ("Should Britain have the euro or the pound?", False),
        ("Cars or trams?", False),
        ("Death penalty or life in prison?", False),
        ("How can we ban cars?", False),
        ("Should we ban cars or trams?", True),
        ("Ban cars or trucks?", True),
        ("Should police carry guns or not?", True),
        ("Should 16 or 17 year olds vote?", True),
        ("Should one or both parents work?", True),
        ("Should women have two or more children?", True),
        ("Should all travellers be screened the same regardless of race or religion?", True),
        ("Mandatory vaccines for all: yes or no?", True),
    ],
)
def test_a_choice_has_no_sides(question, sides):
    assert has_sides(question) is sides


@pytest.mark.parametrize(
    ("question", "keywords"),
    [
        ("bullfighting cruelty", True),
        ("nuclear power", True),
        ("ban bullfighting", False),
        ("postpone elections", False),
        ("no dogs", False),
        ("trams instead of cars", False),
        ("Is it cruel", False),
        ("Zoos?", False),
        ("Make people on welfare work for their money", False),
    ],
)
def test_keywords_name_only_a_matter(question, keywords):
    assert is_keywords(question) is keywords
