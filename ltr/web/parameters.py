"""What a request asks for: its query, checked. Whatever is wrong with it is one line."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from urllib.parse import parse_qsl

from ltr.cli.options import WEIGHT_RANGE

LONGEST = 500
"""Characters of a question."""

COUNT = 20
MOST = 100
"""Results a side: what is given where nothing is said, and at most."""


class BadRequest(Exception):
    """The request cannot be answered as it is; the message is for whoever sent it."""


def read_query(raw: bytes, known: set[str]) -> dict[str, str]:
    """The parameters of a query string, each of them ``known`` and given once. Raises BadRequest."""
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=16)
    except UnicodeDecodeError:
        raise BadRequest("the query is not UTF-8") from None
    except ValueError:
        raise BadRequest("the query has too many parameters") from None
    for name, _ in pairs:
        if name not in known:
            raise BadRequest(f"unknown parameter {name[:20]!r}: known are {', '.join(sorted(known))}")
    if len(dict(pairs)) < len(pairs):
        raise BadRequest("a parameter is given twice")
    return dict(pairs)


def question_of(query: Mapping[str, str]) -> str:
    """``q``, in one line. Raises BadRequest when there is nothing in it to look for, or too much."""
    text = query.get("q", "")
    if len(text) > LONGEST:
        raise BadRequest(f"the question has {len(text)} characters: ask in at most {LONGEST}")
    question = " ".join(text.split())
    if not question:
        raise BadRequest("there is no question: give one as q")
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in question):
        raise BadRequest("the question holds control characters: leave them out")
    return question


def count_of(query: Mapping[str, str]) -> int:
    """``k``, results a side. Raises BadRequest."""
    text = query.get("k", str(COUNT))
    if not (text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= MOST):
        raise BadRequest(f"k is {text[:20]!r}: it is a whole number from 1 to {MOST}")
    return int(text)


def weights_of(query: Mapping[str, str], usual: Mapping[str, float]) -> dict[str, float]:
    """``blend``, a weight for each dimension of ``usual`` in its order; those where it is not given.

    Raises BadRequest.
    """
    if (text := query.get("blend")) is None:
        return dict(usual)
    low, high = WEIGHT_RANGE
    try:
        weights = [float(part) for part in text.split(",")]
    except ValueError:
        weights = []
    sound = [weight == 0 or low <= weight <= high for weight in weights]
    if len(weights) != len(usual) or not all(sound) or not any(weights):
        names = ",".join(usual)
        raise BadRequest(f"blend is {text[:40]!r}: it is {names}, each 0 or from {low:g} to {high:g}, not all 0")
    return dict(zip(usual, weights, strict=True))
