"""Texts as they are shown: without the debris that footnotes, lists and cut quotations leave at either end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

NOTE, LONGEST = 120, 5000  # characters of the longest rest of a footnote, and of the longest text, that is cleaned
_MARK = r"(?:\d{1,3}|[ivx]{1,4}|[a-z])"  # between the brackets of a footnote's mark
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
# A footnote that was opened in an earlier sentence, or is closed in a later one.
_BEFORE = re.compile(rf"^[^\[\]]{{1,{NOTE}}}\]{{1,3}}\s+(?=[A-Z“\"‘'])")
_AFTER = re.compile(rf"(?<=[.!?”’\"])\s*\[{{1,3}}[^\[\]]{{0,{NOTE}}}$")
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
    """The text without the first piece of debris that leaves a word of it."""
    return next((rest for rest in map(str.strip, _rests(text)) if rest != text and _WORD.search(rest)), text)


def _rests(text: str) -> Iterator[str]:
    """The text without each piece of debris that it may have at its ends."""
    yield from (pattern.sub("", text) for pattern in _DEBRIS)
    for pattern in (_BEFORE, _AFTER):
        rest = pattern.sub("", text)
        if 2 * len(rest) > len(text):
            yield rest
    for opening, closing in _BRACKETS.items():
        unbalanced = text.count(opening) - text.count(closing)
        if unbalanced > 0 and text[0] == opening:
            yield text[1:]
        if unbalanced < 0 and text[-1] == closing:
            yield text[:-1]
    if text.count('"') % 2 and '"' in (text[0], text[-1]):
        yield text[1:] if text[0] == '"' else text[:-1]
