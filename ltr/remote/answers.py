"""Parse answers of servers: JSON with its fields checked, grades in any text, and plain text from mark-up."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from ltr.data.columns import is_number
from ltr.escapes import encodable

T = TypeVar("T")

_UNSEEN = re.compile(r"(?i)<!--|<(script|style|head|noscript)\b")
_ENDS = {"": re.compile("-->")} | {
    name: re.compile(rf"(?i)</{name}\s*>") for name in ("script", "style", "head", "noscript")
}
_INLINE = re.compile(r"(?i)</?(?:em|b|i|u|strong|mark|span|font|a|sup|sub|small|code)(?:\s[^<>]*)?/?>")
_TAG = re.compile(r"</?[a-zA-Z!?][^<>]*>")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}


class AnswerError(Exception):
    """The answer does not have the form that the interface had; the message names the field."""


class BrokenAnswerError(AnswerError):
    """The answer is incomplete; another try may bring all of it."""


def parsed(answer: str, kind: type[T]) -> T:
    """The JSON object or list of an answer. Raises AnswerError."""
    try:
        content = json.loads(answer, parse_constant=int)  # NaN is not JSON, nor a whole number
    except (ValueError, RecursionError):
        raise BrokenAnswerError("the answer is incomplete JSON") from None
    return _typed(content, kind, "the answer")


def member(fields: dict[str, Any], name: str, kind: type[T], what: str) -> T:
    """A required field. Raises AnswerError."""
    return _typed(fields.get(name), kind, f"{name!r} of {what}")


def objects(fields: dict[str, Any], name: str, what: str) -> list[dict[str, Any]]:
    """A required list of objects. Raises AnswerError."""
    listed = member(fields, name, list, what)
    return [_typed(item, dict, f"{name!r} {place} of {what}") for place, item in enumerate(listed, 1)]


def number(fields: dict[str, Any], name: str, what: str) -> float | None:
    """A number, None where the field is missing. Raises AnswerError for anything else."""
    value = fields.get(name)
    if value is not None and not is_number(value):
        raise AnswerError(f"{name!r} of {what} is not a number")
    return value


def text(fields: dict[str, Any], name: str, what: str) -> str:
    """Text without mark-up, "" where the field is missing. Raises AnswerError for anything else."""
    value = fields.get(name)
    return "" if value is None else plain_text(_typed(value, str, f"{name!r} of {what}"))


def plain_text(markup: str) -> str:
    """Text without tags and character references, white space folded.

    >>> plain_text("<em>Tea</em>&#x2F;coffee:<br>a &lt; b")
    'Tea/coffee: a < b'
    """
    seen = _TAG.sub(" ", _INLINE.sub("", _seen(markup)))
    return encodable(" ".join(_CONTROL.sub(" ", html.unescape(seen)).split()))


def _seen(markup: str) -> str:
    """The markup without comments, scripts and the like. What has no end stays, and is looked for once."""
    kept, at, endless = [], 0, set[str]()
    for begin in _UNSEEN.finditer(markup):
        kind = (begin[1] or "").lower()
        if begin.start() >= at and kind not in endless:
            if end := _ENDS[kind].search(markup, begin.end()):
                kept.append(markup[at : begin.start()])
                at = end.end()
            else:
                endless.add(kind)
    return " ".join([*kept, markup[at:]])


def read_grades(answer: str, names: Sequence[str], scale: Sequence[int]) -> tuple[dict[str, int], dict[str, Any]]:
    """The grades in the JSON objects of a model's answer, whatever stands around them, and the first such object.

    Raises AnswerError, also for a grade that is not on the ``scale``.
    """
    if len(answer) > 20_000:
        raise AnswerError(f"the answer has {len(answer):,} characters")
    entries = [{name.strip().lower(): value for name, value in entry.items()} for entry in _objects(answer)]
    found = [entry for entry in entries if set(names) <= entry.keys()]
    if not found:
        raise AnswerError("no grades are found in the answer")
    grades: dict[str, int] = {}
    for name, value in ((name, entry[name]) for entry in found for name in names):
        grade = _grade(name, value, scale)
        if grades.setdefault(name, grade) != grade:
            raise AnswerError(f"the answer has two grades of {name}, {grades[name]} and {grade}")
    return grades, found[0]


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


def _grade(name: str, value: object, scale: Sequence[int]) -> int:
    """Raises AnswerError unless it is on the ``scale``, as a number or its digits."""
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,3}(?:\.0{1,3})?", value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value not in scale:
        *others, last = map(str, scale)
        raise AnswerError(f"{name} has the grade {str(value)[:40]!r}, not {', '.join(others)} or {last}")
    return int(value)


def _typed(value: object, kind: type[T], what: str) -> T:
    if not isinstance(value, kind):
        state = "is missing" if value is None else f"is not {_KINDS[kind]}"
        raise AnswerError(f"{what} {state}")
    return value
