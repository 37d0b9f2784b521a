"""Text of others where people read it: nothing in it moves a cursor, hides or turns, or is a formula."""

from __future__ import annotations

import re
import unicodedata

# CSI and OSC sequences with their parameters, in the 7-bit and in the 8-bit spelling.
_ESCAPES = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)")
_JOINERS = "\u200c\u200d"
_FORMULA = re.compile(r"[=@\t\r]|[+-](?![0-9.]+$)")


def escaped(text: str) -> str:
    """``text`` with whatever is not printable as Python spells it: control characters, zero width, other directions.

    >>> escaped("a\\x1b[31m b")
    'a\\\\x1b[31m b'
    """
    return text if text.isprintable() else "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def say(*lines: object) -> None:
    """Print lines, `escaped`: names of files, topics and models are in them."""
    print("\n".join(escaped(str(line)) for line in lines))


def clean(text: str) -> str:
    """``text`` in one line that does nothing to a terminal.

    Escape sequences and invisible marks go, among them those that turn the direction of the text;
    other control characters become U+FFFD.

    >>> clean("a \\x1b[31mred\\x1b[0m\\n herring\\x07")
    'a red herring�'
    """
    return harmless(" ".join(_ESCAPES.sub("", text).split()))


def harmless(text: str) -> str:
    """``text`` of many lines, where nobody but its reader looks at it: marks go, and control characters, as in `clean`.

    >>> harmless("a\\u202e b\\u200b\\n")
    'a b\\n'
    """
    odd = {ord(one): _harmless(one) for one in set(text) if not one.isprintable() and one not in "\n\t"}
    return text.translate(odd) if odd else text


def encodable(text: str) -> str:
    """Join the halves of split surrogates, which repr and JSON can spell; a half left alone is U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would compute what stands in a cell.

    >>> is_formula("=1+1"), is_formula("-1.5"), is_formula("S1a-A2b")
    (True, False, False)
    """
    return _FORMULA.match(text) is not None


def _harmless(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf" and character not in _JOINERS:
        return ""
    return "\N{REPLACEMENT CHARACTER}" if category in ("Cc", "Cs") else character
