"""The same text in other characters: composed letters, ligatures and wide letters, hyphens that only show at a line's
end.

See Unicode Standard Annex 15, "Unicode Normalization Forms", https://unicode.org/reports/tr15/
"""

from __future__ import annotations

import re
from typing import Literal
from unicodedata import normalize

_HIDDEN = re.compile("[\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]+")
"""Soft hyphens, characters without width, and marks of direction."""
_LONG = 1_000
_PIECE = re.compile(r"[\x00-\x7f]*[^\x00-\x7f]{0,250}")
"""A letter and its accents are in one piece. Python sorts accents in a time that grows with the square of their number,
so that no piece may be long."""


def composed(text: str, form: Literal["NFC", "NFKC"] = "NFC") -> str:
    """A text in a normal form of Unicode: NFC joins letters and their accents, and changes nothing that can be seen.

    >>> composed("cafe\\u0301") == "caf\\u00e9"
    True
    """
    if text.isascii():
        return text
    if len(text) < _LONG:
        return normalize(form, text)
    return "".join(normalize(form, piece) for piece in _PIECE.findall(text))


def folded(text: str) -> str:
    """A text as it is compared: in NFKC, without soft hyphens and characters of no width.

    >>> folded("an of\\u00adfice, an o\\ufb03ce")
    'an office, an office'
    """
    return text if text.isascii() else composed(_HIDDEN.sub("", text), "NFKC")
