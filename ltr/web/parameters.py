"""The query parameters of a request, checked."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from starlette.datastructures import QueryParams

from models.weights import WEIGHT_RANGE, parse_weights

LONGEST = 500
"""Characters of a question."""

COUNT = 20
MOST = 100
"""Default and largest number of results a side."""


class BadRequest(Exception):
    """The request cannot be answered; the message is shown to the client."""


def check_names(query: QueryParams, known: set[str]) -> None:
    """Raise BadRequest unless every parameter is ``known`` and given once."""
    for name in query:
        if name not in known:
            raise BadRequest(f"unknown parameter {name[:20]!r}: known are {', '.join(sorted(known))}")
    if len(query.multi_items()) > len(query):
        raise BadRequest("a parameter is given twice")


def question_of(query: QueryParams) -> str:
    """``q``, in one line. Raises BadRequest where it is empty, too long, or has control characters."""
    text = query.get("q", "")
    if len(text) > LONGEST:
        raise BadRequest(f"the question has {len(text)} characters: ask in at most {LONGEST}")
    question = " ".join(text.split())
    if not question:
        raise BadRequest("there is no question: give one as q")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in question):
        raise BadRequest("the question holds control characters: leave them out")
    return question


def count_of(query: QueryParams) -> int:
    """``k``, results a side. Raises BadRequest."""
    text = query.get("k", str(COUNT))
    if not (text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= MOST):
        raise BadRequest(f"k is {text[:20]!r}: it is a whole number from 1 to {MOST}")
    return int(text)


def weights_of(query: QueryParams, default: Mapping[str, float]) -> dict[str, float]:
    """``blend``, a weight for each dimension of ``default`` in its order. Raises BadRequest."""
    if (text := query.get("blend")) is None:
        return dict(default)
    if (weights := parse_weights(text, (len(default),))) is None:
        low, high = WEIGHT_RANGE
        names = ",".join(default)
        raise BadRequest(f"blend is {text[:40]!r}: it is {names}, each 0 or from {low:g} to {high:g}, not all 0")
    return dict(zip(default, weights, strict=True))
