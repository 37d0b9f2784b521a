from __future__ import annotations

from ltr.ranking.confidence import FIRST, LITTLE, note_missing, note_of_topics, note_on


def test_little_is_said_of_few_and_of_poor_results() -> None:
    assert note_on(0, [0.3, 0.2]) == "Nothing here is about this question."
    assert note_on(1, [1.9]) == "Little on this question: 1 argument."
    assert note_on(FIRST, [LITTLE] * FIRST) == ""
    assert note_on(FIRST, [LITTLE - 0.01] * FIRST).startswith("Perhaps little on this question: expected relevance")


def test_only_the_first_results_count_and_none_where_nothing_is_estimated() -> None:
    assert note_on(100, [1.9] * FIRST + [0.1] * 50) == ""
    assert note_on(0, []) == ""


def test_a_recognised_debate_is_not_little_however_small() -> None:
    assert note_on(2, [0.9, 0.3], recognised=True) == ""
    assert note_on(0, [0.3], recognised=True) == "Little on this question: no arguments."


def test_a_decisive_word_that_no_text_has_is_named() -> None:
    assert note_missing("AI-generated") == 'No text below names "AI-generated": they are about the subject in general.'
    assert note_missing("") == ""


def test_of_many_topics_with_little_ten_are_named_those_with_the_least_first() -> None:
    few = note_of_topics({"7": 0.5, "8": 0.25, "9": 1.0})
    assert few == "little on the topic: 8 (expected relevance of the top five 0.25 of 2), 7 (0.50)"
    many = note_of_topics({str(number): number / 1000 for number in range(1, 31)})
    assert many.endswith(", 10 (0.01), and 20 more")
    assert many.count("(") == 10
