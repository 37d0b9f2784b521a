"""Prompts for graders that are language models, and grades from their answers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Template

from experiments.pool.files import GUIDES, Item
from features.core.feature import ItemKind
from ltr.escapes import clean
from ltr.remote.answers import AnswerError
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
    grades = {name: {"type": "integer", "enum": list(GRADES)} for name in dimensions}
    properties = {"why": reason} | grades
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def read_grades(text: str, dimensions: Sequence[str]) -> Grades:
    """The grades in the JSON objects of an answer, whatever stands around them. Raises AnswerError.

    >>> read_grades('Sure: {"why": "off topic", "relevance": "0"}', ["relevance"])
    Grades(grades={'relevance': 0}, why='off topic')
    """
    if len(text) > 20_000:
        raise AnswerError(f"the answer has {len(text):,} characters")
    objects = [{name.strip().lower(): value for name, value in entry.items()} for entry in _objects(text)]
    found = [entry for entry in objects if set(dimensions) <= entry.keys()]
    if not found:
        raise AnswerError("no grades are found in the answer")
    grades: dict[str, int] = {}
    for name, value in ((name, entry[name]) for entry in found for name in dimensions):
        grade = _grade(name, value)
        if grades.setdefault(name, grade) != grade:
            raise AnswerError(f"the answer has two grades of {name}, {grades[name]} and {grade}")
    why = found[0].get("why")
    return Grades(grades, clean(why)[: 2 * LONGEST_REASON] if isinstance(why, str) else "")


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text, and the objects right inside them."""
    decoder, start = json.JSONDecoder(strict=False), text.find("{")
    for _ in range(100):  # places where an object may begin
        if start < 0:
            return
        try:
            entry, end = decoder.raw_decode(text, start)
            yield entry
            yield from (value for value in entry.values() if isinstance(value, dict))
        except (ValueError, RecursionError):
            end = start + 1
        start = text.find("{", end)


def _grade(name: str, value: object) -> int:
    """Raises AnswerError unless it is one of `GRADES`, as a number or its digits."""
    if isinstance(value, str) and re.fullmatch(r"\d{1,3}(?:\.0{1,3})?", value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value not in GRADES:
        raise AnswerError(f"{name} has the grade {str(value)[:40]!r}, not 0, 1 or 2")
    return int(value)
