"""The pairs as one HTML page to grade in: nothing in it but what a grader may see, and it asks nothing of a network."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path
from string import Template

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

_FOLDER = Path(__file__).parent


def page_text(shown: Sequence[ShownPair], pool: str, reading: str) -> str:
    """The page. Grades are kept in the browser under ``pool`` and ``reading``, so two readings never mix."""
    style, script = ((_FOLDER / f"grade.{kind}").read_text("utf-8") for kind in ("css", "js"))
    data = {"pool": pool, "reading": reading, "dimensions": list(CRITERIA), "pairs": [asdict(s) for s in shown]}
    text = Template((_FOLDER / "grade.html").read_text("utf-8")).substitute(
        style=style,
        script=script,
        style_hash=_hash(style),
        script_hash=_hash(script),
        count=len(shown),
        dimensions="\n".join(_fieldset(name, *said) for name, said in CRITERIA.items()),
        # Within a script element only "<" can end it; JSON reads the escape back.
        pairs=json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"),
    )
    return text.encode("utf-8", "replace").decode("utf-8")


def _fieldset(name: str, question: str, *meanings: str) -> str:
    labels = [
        f'<label><input type="radio" name="{name}" value="{grade}"> <span><b>{grade}</b> {escape(said)}</span></label>'
        for grade, said in enumerate(meanings)
    ]
    legend = f"<legend>{name.capitalize()}</legend>"
    return "\n".join([f'<fieldset id="{name}">{legend}<p class="soft">{escape(question)}</p>', *labels, "</fieldset>"])


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
