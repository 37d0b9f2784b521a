"""What people and models grade pairs by: printed in booklets and on the page to grade in."""

from __future__ import annotations

from typing import NamedTuple


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
"""How to grade, a paragraph each."""
