"""Prompts for graders that are language models, and grades from their answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Template

from experiments.pool.files import GUIDES, Item
from features.core.feature import ItemKind
from ltr.escapes import clean
from ltr.remote import answers
from ltr.remote.chat import Prompt

PROMPT_VERSION = 2
"""Version of the wording, to be raised with every change: votes name it."""
GRADES = (0, 1, 2)
LONGEST_REASON = 400
"""Largest number of characters of a grader's reason."""
_TEMPLATE = Template(Path(__file__).with_suffix(".txt").read_text("utf-8"), trim_blocks=True)


class Grades(NamedTuple):
    """An answer: a grade of each dimension, and the reason."""

    grades: dict[str, int]
    why: str


def make_prompt(kind: ItemKind, dimensions: Sequence[str], item: Item) -> Prompt:
    """The prompt of an item, with the criteria of the ``dimensions``; its wording is in prompt.txt."""
    quoted = partial(json.dumps, ensure_ascii=False)  # in quotation marks that nothing in the text can end
    criteria = GUIDES[kind].text(dimensions)
    text = _TEMPLATE.render(criteria=criteria, dimensions=dimensions, item=item, quoted=quoted)
    return Prompt(text, schema(dimensions), "Your last answer could not be used. Answer with the JSON object alone.")


def prompt_name(kind: ItemKind, dimensions: Sequence[str]) -> str:
    """Version and digest of the wording, whatever the items."""
    item = Item("", "", "", dict.fromkeys(("first", "second", "conclusion", "text"), "text"))
    wording = make_prompt(kind, dimensions, item).text
    return f"{PROMPT_VERSION}:{hashlib.sha256(wording.encode()).hexdigest()[:12]}"


def schema(dimensions: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of an answer: the reason first, so that the grades follow from it."""
    reason = {"type": "string", "maxLength": LONGEST_REASON}
    properties = {"why": reason} | {name: {"type": "integer", "enum": list(GRADES)} for name in dimensions}
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def read_grades(text: str, dimensions: Sequence[str]) -> Grades:
    """The grades and the reason of an answer, see `ltr.remote.answers.read_grades`. Raises AnswerError."""
    grades, entry = answers.read_grades(text, dimensions, GRADES)
    why = entry.get("why")
    return Grades(grades, clean(why)[: 2 * LONGEST_REASON] if isinstance(why, str) else "")
