"""Text of others where people read it: nothing in it moves a cursor, hides or turns, or is a formula."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"[=@\t\r]|[+-](?![0-9.]+$)")


def escaped(text: str) -> str:
    """``text`` with whatever is not printable as Python spells it: control characters, zero width, other directions.

    >>> escaped("a\\x1b[31m b")
    'a\\\\x1b[31m b'
    """
    return text if text.isprintable() else "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would compute what stands in a cell.

    >>> is_formula("=1+1"), is_formula("-1.5"), is_formula("S1a-A2b")
    (True, False, False)
    """
    return _FORMULA.match(text) is not None
