"""Sanitise untrusted text for terminals, CSV and HTML."""

from __future__ import annotations

import re
import unicodedata

# CSI and OSC sequences with their parameters, in the 7-bit and in the 8-bit spelling.
_ESCAPES = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d]*(?:\x07|\x1b\\|\x9c)")
_WEB_ADDRESS = re.compile(r"https?://[^\s\"'<>\\^`{|}]+", re.IGNORECASE)
_JOINERS = "\u200c\u200d"
_FORMULA = re.compile(r"[=@\t\r]|[+-](?![0-9.]+$)")


def escaped(text: str) -> str:
    """``text`` with unprintable characters escaped as in Python: control characters, zero width, changes of direction.

    >>> escaped("a\\x1b[31m b")
    'a\\\\x1b[31m b'
    """
    return text if text.isprintable() else "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def say(*lines: object) -> None:
    """Print lines, `escaped`, since they hold names of files, topics and models."""
    print("\n".join(escaped(str(line)) for line in lines))


def clean(text: str) -> str:
    """``text`` in one line, safe to print on a terminal.

    Escape sequences and invisible marks are removed, marks of direction included; other control characters become
    U+FFFD.

    >>> clean("a \\x1b[31mred\\x1b[0m\\n herring\\x07")
    'a red herring�'
    """
    return harmless(" ".join(_ESCAPES.sub("", text).split()))


def harmless(text: str) -> str:
    """``text`` of many lines without invisible marks and control characters, as in `clean`.

    >>> harmless("a\\u202e b\\u200b\\n")
    'a b\\n'
    """
    odd = {ord(char): _harmless(char) for char in set(text) if not char.isprintable() and char not in "\n\t"}
    return text.translate(odd) if odd else text


def encodable(text: str) -> str:
    """Join surrogate pairs, which repr and JSON can hold; a lone surrogate becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def web_address(text: str) -> str:
    """``text`` if it is an address of the web, else nothing: a link must not run a script.

    >>> web_address("https://example.org/a"), web_address("javascript:alert(1)")
    ('https://example.org/a', '')
    """
    text = text.strip()
    return text if text.isprintable() and _WEB_ADDRESS.fullmatch(text) else ""


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would evaluate a cell.

    >>> is_formula("=1+1"), is_formula("-1.5"), is_formula("S1a-A2b")
    (True, False, False)
    """
    return _FORMULA.match(text) is not None


def _harmless(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf" and character not in _JOINERS:
        return ""
    return "\N{REPLACEMENT CHARACTER}" if category in ("Cc", "Cs") else character
