"""Grades as JSON lines, by the schemas that are shipped: votes, and graded pairs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ltr.data.columns import is_number, quote, read_bytes, read_objects
from ltr.data.ids import clean_id
from ltr.errors import InputError

FORM = 'write {"topic": "51", "id": "...", "grade": 2} on each line'
Scale = tuple[float, float]
"""The lowest and the highest grade that a grader could give."""
Schema = Mapping[str, Any]
VOTE, GRADED_PAIR = (
    json.loads((Path(__file__).parent / "schemas" / f"{name}.schema.json").read_text("utf-8"))
    for name in ("vote", "graded-pair")
)


class GradeLine(NamedTuple):
    """A line with its place."""

    where: str
    topic: str
    id: str
    grade: float
    scale: Scale | None


def is_grade_lines(path: Path) -> bool:
    """Whether a file holds JSON lines, by its name or its first character, and not qrels. Raises InputError."""
    return ".jsonl" in path.suffixes or read_bytes(path).lstrip().startswith(b"{")


def read_grade_lines(path: Path, schema: Schema) -> Iterator[GradeLine]:
    """The lines of a file that the schema describes, other fields and grades of null left out. Raises InputError."""
    known = schema["properties"]
    limit = known["grade"]["maximum"]
    for where, fields in read_objects(path, FORM):
        topic, id_ = (_word(where, fields, name) for name in ("topic", "id"))
        if "grade" not in fields:
            raise InputError(where, "has no 'grade'", FORM)
        if (grade := fields["grade"]) is None and "null" in known["grade"]["type"]:
            continue
        if not is_number(grade) or abs(grade) > limit:
            raise InputError(where, f"grade {quote(str(grade))} is not a number within {limit:g}", FORM)
        scale = _scale(where, fields["scale"], limit) if "scale" in fields and "scale" in known else None
        if scale and not scale[0] <= grade <= scale[1]:
            raise InputError(where, f"grade {grade:g} is not on its scale, {scale[0]:g} to {scale[1]:g}", FORM)
        yield GradeLine(where, topic, id_, float(grade), scale)


def _scale(where: str, given: object, limit: float) -> Scale:
    if isinstance(given, list) and len(given) == 2 and all(is_number(one) and abs(one) <= limit for one in given):
        low, high = map(float, given)
        if low < high:
            return low, high
    raise InputError(where, "'scale' is not a lowest and a higher number", 'write "scale": [0, 2], or leave it out')


def _word(where: str, fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    try:
        return clean_id(text)
    except ValueError as error:
        what = "is missing" if name not in fields else str(error) if text else "is not one word"
        raise InputError(where, f"{name!r} {what}", FORM) from None
