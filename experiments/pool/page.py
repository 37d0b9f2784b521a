"""The pairs as one HTML page to grade in: nothing in it but what a grader may see, and it asks nothing of a network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from experiments.html_page import html_page
from experiments.pool.files import ShownPair

CRITERIA = {
    "relevance": (
        "Is it an argument on the question?",
        "Another subject, only words in common, or no argument",
        "On the subject, but only in part, indirectly, or one sentence alone",
        "Together a clear argument for or against what is asked",
    ),
    "quality": (
        "Is it well said, whatever the question?",
        "No argument, broken, hard to follow, sloppy or insulting",
        "Understandable and ordinary, or one good and one weak sentence",
        "Both argue, clearly, concretely and in good language",
    ),
    "coherence": (
        "Do the two belong together?",
        "Unrelated, or they contradict each other",
        "Same subject and side, but side by side, repeated, or a link is missing",
        "One supports, explains or continues the other",
    ),
}
"""Dimension -> its question and what 0, 1 and 2 mean."""


def page_text(shown: Sequence[ShownPair], pool: str) -> str:
    """The page. Grades are kept in the browser under the name of the ``pool``, so two pools never mix."""
    data = {"pool": pool, "dimensions": list(CRITERIA), "pairs": [pair._asdict() for pair in shown]}
    fieldsets = "\n".join(_fieldset(name, *said) for name, said in CRITERIA.items())
    title, folder = f"Grade {len(shown)} pairs of sentences", Path(__file__).parent
    return html_page(folder, "grade", ["grade.js"], title, data, count=len(shown), dimensions=fieldsets)


def _fieldset(name: str, question: str, *meanings: str) -> str:
    labels = [
        f'<label><input type="radio" name="{name}" value="{grade}"> <span><b>{grade}</b> {escape(said)}</span></label>'
        for grade, said in enumerate(meanings)
    ]
    legend = f"<legend>{name.capitalize()}</legend>"
    return "\n".join([f'<fieldset id="{name}">{legend}<p class="soft">{escape(question)}</p>', *labels, "</fieldset>"])
