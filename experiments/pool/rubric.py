"""The criteria that people and models grade by, as printed on the page to grade in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from features.core.feature import Unit


class Criterion(NamedTuple):
    """The question of one dimension, and what the grades 0, 1 and 2 mean."""

    question: str
    meanings: tuple[str, str, str]


RUBRIC = {
    "relevance": Criterion(
        "Is it an argument on the question?",
        (
            "Another subject, only words in common, or no argument",
            "On the subject, but only in part, indirectly, or one sentence alone",
            "Together a clear argument for or against what is asked",
        ),
    ),
    "quality": Criterion(
        "Is it well said, whatever the question?",
        (
            "No argument, broken, hard to follow, sloppy or insulting",
            "Understandable and ordinary, or one good and one weak sentence",
            "Both argue, clearly, concretely and in good language",
        ),
    ),
    "coherence": Criterion(
        "Do the two belong together?",
        (
            "Unrelated, or they contradict each other",
            "Same subject and side, but side by side, repeated, or a link is missing",
            "One supports, explains or continues the other",
        ),
    ),
}

HOW = (
    "Read both sentences, one after the other, and judge what they say. Systems retrieved them; which one does not "
    "matter here, and the order is drawn. Use the whole scale, and let the three grades differ where they do: a pair "
    "that misses the question can be well written and hang together.",
    "A short conclusion, such as the title of a debate, is a claim and may be half of a very good pair. A left-over "
    "footnote mark or a missing full stop is a small fault.",
)
"""How to grade pairs, a paragraph each."""


class Guide(NamedTuple):
    """The guide for graders of one kind of unit."""

    plural: str
    """The units in plain words."""
    rubric: Mapping[str, Criterion]
    """By dimension, in the order of grades."""
    how: tuple[str, ...]
    """How to grade, a paragraph each."""


_TASTE = (
    "Systems retrieved these texts; which one does not matter here, and the order is drawn. Use the whole scale, and "
    "let the grades differ where they do: a text that misses the question can be well written."
)

GUIDES: Mapping[Unit, Guide] = {
    "pair": Guide("pairs of sentences", RUBRIC, HOW),
    "argument": Guide(
        "arguments",
        {
            "relevance": Criterion(
                "Is it an argument on the question?",
                (
                    "Another subject, or no argument: a claim without a reason, chatter, a bare reference",
                    "An argument on the subject, but only in part or indirectly on what is asked",
                    "A clear argument for or against what is asked",
                ),
            ),
            "quality": Criterion(
                "Is it well argued and well written, whatever the question?",
                (
                    "No argument, broken, hard to follow, sloppy or insulting",
                    "Understandable and ordinary: thin, vague or long-winded, with small faults",
                    "Clear, concrete and well reasoned, in good language",
                ),
            ),
        },
        ("Read the whole argument before you grade it: its conclusion comes first. " + _TASTE,),
    ),
    "document": Guide(
        "documents",
        {
            "relevance": Criterion(
                "Does it help to answer the question?",
                (
                    "Another subject, or only words in common",
                    "On the subject, but it helps only in part: one of the things compared, or facts without a verdict",
                    "It compares what is asked about, or gives clear reasons for an answer",
                ),
            ),
            "quality": Criterion(
                "Is it well written and well supported, whatever the question?",
                (
                    "Broken, hard to follow, sloppy, insulting or a bare advertisement",
                    "Understandable and ordinary: thin, vague or without support",
                    "Clear, concrete and supported by reasons or experience, in good language",
                ),
            ),
        },
        ("Read the whole text before you grade it. " + _TASTE,),
    ),
}
"""By kind of unit."""


def dimensions_of(unit: Unit) -> tuple[str, ...]:
    """The dimensions that units of a kind are graded in, in the order of grades."""
    return tuple(GUIDES[unit].rubric)
