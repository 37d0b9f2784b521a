"""The side that a sentence, an argument or a document takes, as runs write it in their second column."""

from __future__ import annotations

from enum import StrEnum


class Side(StrEnum):
    """A member is the string of the run file: ``Side.PRO == "PRO"``, and both are the same key of a dictionary."""

    label: str
    """Short name beside one result: "PRO", "for the first"."""
    heading: str
    """Heading above the results of this side: "For", "For the first"."""

    PRO = "PRO", "PRO", "For"
    CON = "CON", "CON", "Against"
    FIRST = "FIRST", "for the first", "For the first"
    SECOND = "SECOND", "for the second", "For the second"
    NEUTRAL = "NEUTRAL", "for neither", "Neither"
    NO = "NO", "without a stance", "No one side"
    NONE = "Q0", "without a stance", "No one side"
    """The side is unknown, or the ranked item takes none."""

    def __new__(cls, value: str, label: str, heading: str) -> Side:  # noqa: D102
        side = str.__new__(cls, value)
        side._value_, side.label, side.heading = value, label, heading
        return side


FOR_AND_AGAINST = (Side.PRO, Side.CON)
"""Sides that arguments take toward a claim."""
COMPARED = (Side.FIRST, Side.SECOND, Side.NEUTRAL, Side.NO)
"""Sides that documents take between the two objects of a comparison."""
