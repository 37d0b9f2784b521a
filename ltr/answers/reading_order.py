"""The sentences of an argument: by id, and in the order in which they are read."""

from __future__ import annotations

import re

from ltr.data.ids import argument_of, sentence_number
from ltr.index.reader import Index

_BACK = re.compile(
    r"(?:this|these|those|that|they|them|their|it|its|such|he|his|she|her|moreover|however|therefore|thus|furthermore|"
    r"additionally|also|besides|hence|consequently|accordingly|otherwise|instead|similarly|likewise|nevertheless|"
    r"nonetheless|so|but|and|yet|or|then|second(?:ly)?|third(?:ly)?|finally|in addition|in contrast|in turn|"
    r"in (?:this|that|these|such)|as a (?:result|consequence)|as such|for (?:example|instance|this|these)|"
    r"on the (?:other hand|contrary)|because of (?:this|that)|by (?:this|that|contrast)|with this|"
    r"the (?:former|latter|same))\b(?!')",
    re.IGNORECASE,
)
_OPENING = re.compile(r"[\W_]*")
_NOT_BACK = re.compile(
    r"(?:it|that) (?:is|was|would be|will be|seems|may be|can be) \w+ (?:to|that|for|how)\b|so that\b", re.I
)
"""Beginnings such as "It is wrong to", which point to what follows."""


def rows_of(index: Index, id_: str) -> range:
    """The row of a sentence, or the rows of a whole argument. Raises KeyError or ValueError for an unknown id."""
    argument = argument_of(id_)
    rows = index.sentence_rows(index.row_of[argument])
    if id_ == argument:
        return rows
    numbers = index.column("number")[rows.start : rows.stop].tolist()
    at = numbers.index(sentence_number(id_, argument))
    return rows[at : at + 1]


def points_back(text: str) -> bool:
    """Whether a sentence opens with a word that points to an earlier sentence.

    >>> points_back("Moreover, they cost less."), points_back("It is wrong to kill."), points_back("Zoos educate.")
    (True, False, False)
    """
    start = _OPENING.match(text).end()  # type: ignore[union-attr]  # it matches nothing, too
    return _BACK.match(text, start) is not None and _NOT_BACK.match(text, start) is None


def row_before(index: Index, row: int) -> int | None:
    """The row of the sentence before a premise as an argument is read: its conclusion, then its premises in order.

    None for a conclusion, and for the first premise of an argument without one.
    """
    argument = int(index.argument_of(row))
    # Conclusions are stored last.
    before = row - 1 if row > index.sentence_rows(argument).start else int(index.column("conclusion_row")[argument])
    return before if before >= 0 and index.column("number")[row] > 0 else None
