"""Texts as they are shown: without the debris that footnotes, lists and cut quotations leave at either end."""

from __future__ import annotations

import re
from functools import lru_cache

NOTE = 120
"""Longest rest of a footnote that is cut off, in characters."""

LONGEST = 5000
"""Characters of the longest text whose ends are cleaned."""

_MARK = r"(?:\d{1,3}|[ivx]{1,4}|[a-z])"
"""The text between the brackets of a footnote's mark."""

_DEBRIS = [
    re.compile(pattern)
    for pattern in (
        rf"^[”’\"'.]?\s?(?:\[{_MARK}?\]|\({_MARK}\))\s*",  # [1] (1) ”[1]
        rf"^[”’\"']?\[?{_MARK}[\])]{{1,3}}\s*",  # 8] and 8)
        r"^[”’\"']\d{1,2}\.?\s",  # ”1
        r"^\d{1,2}[.):]\s+",  # 1.
        r"^[-–—•·*|>#:;,.!?\])}”]{1,9}\s+",  # bullets, and the end of what stood before
        r"^[\])}]{1,9}",
        rf"\s*(?:\[{_MARK}?\]|\s\({_MARK}\))\.?$",  # [1]. but "f(x)" stays
        r"(?<=[a-z]{3})\d{1,2}\.?$",  # world1.
        r"(?<=[”’\"').,!?])\d{1,2}\.?$",  # ”1.
        r"\s*[\[({<]{1,9}$",
        r"\s+[-–—•·*|>#,;“‘]{1,9}$",
    )
]
_BEFORE = re.compile(rf"^[^\[\]]{{1,{NOTE}}}\]{{1,3}}\s+(?=[A-Z“\"‘'])")
"""The end of a footnote, which was opened in an earlier sentence."""
_AFTER = re.compile(rf"(?<=[.!?”’\"])\s*\[{{1,3}}[^\[\]]{{0,{NOTE}}}$")
"""The beginning of a footnote, which is closed in a later sentence."""
_BRACKETS = {"(": ")", "[": "]", "{": "}", "“": "”"}
_WORD = re.compile(r"[^\W_]")


@lru_cache(maxsize=1_000)
def display_text(text: str) -> str:
    """A part of ``text`` in one line: footnote marks, list numbers and unbalanced brackets at its ends are left out.

    Never empty where the text is not blank, and the same when it is cleaned again. Of whole arguments of more than
    `LONGEST` characters white space alone is cleaned.

    >>> display_text('8] Tenure protects teachers. [')
    'Tenure protects teachers.'
    """
    text = " ".join(text.split())
    left = text
    while len(left) <= LONGEST and (shorter := _shorter(left)) != left:
        left = shorter
    return left


def _shorter(text: str) -> str:
    """The text after the first pattern that takes something off its ends, and leaves a word of it."""
    for pattern in _DEBRIS:
        if _is_left(rest := pattern.sub("", text).strip(), text):
            return rest
    for pattern in (_BEFORE, _AFTER):
        rest = pattern.sub("", text).strip()
        if _is_left(rest, text) and len(rest) > len(text) - len(rest):
            return rest
    for opening, closing in _BRACKETS.items():
        unbalanced = text.count(opening) - text.count(closing)
        if unbalanced > 0 and text[0] == opening and _is_left(text[1:].strip(), text):
            return text[1:].strip()
        if unbalanced < 0 and text[-1] == closing and _is_left(text[:-1].strip(), text):
            return text[:-1].strip()
    if text.count('"') % 2:
        rest = text[1:].strip() if text[0] == '"' else text[:-1].strip() if text[-1] == '"' else text
        if _is_left(rest, text):
            return rest
    return text


def _is_left(rest: str, text: str) -> bool:
    return rest != text and _WORD.search(rest) is not None
