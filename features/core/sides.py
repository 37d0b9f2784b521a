"""The side that a sentence, an argument or a document takes, as runs write it in their second column."""

from __future__ import annotations

from enum import StrEnum


class Side(StrEnum):
    """A member is the string of the run file: ``Side.PRO == "PRO"``, and both are the same key of a dictionary."""

    PRO = "PRO"
    CON = "CON"
    FIRST = "FIRST"
    SECOND = "SECOND"
    NEUTRAL = "NEUTRAL"
    NO = "NO"
    NONE = "Q0"
    """The side is unknown, or the ranked item takes none."""

    @property
    def label(self) -> str:
        """Short name beside one result: "PRO", "for the first"."""
        return _WORDS[self][0]

    @property
    def heading(self) -> str:
        """Heading above the results of this side: "For", "For the first"."""
        return _WORDS[self][1]


_WORDS = {
    Side.PRO: ("PRO", "For"),
    Side.CON: ("CON", "Against"),
    Side.FIRST: ("for the first", "For the first"),
    Side.SECOND: ("for the second", "For the second"),
    Side.NEUTRAL: ("for neither", "Neither"),
    Side.NO: ("without a stance", "No one side"),
    Side.NONE: ("without a stance", "No one side"),
}

FOR_AND_AGAINST = (Side.PRO, Side.CON)
"""Sides that arguments take toward a claim."""
COMPARED = (Side.FIRST, Side.SECOND, Side.NEUTRAL, Side.NO)
"""Sides that documents take between the two objects of a comparison."""
