"""The sentences that a result consists of, as rows of the index."""

from __future__ import annotations

from collections.abc import Mapping

from ltr.data.ids import argument_of, sentence_number
from ltr.index.reader import Index


def sentence_rows(index: Index, item: str, arguments: Mapping[str, int]) -> list[int]:
    """The rows of a pair's sentences, or of all sentences of a whole argument.

    Raises KeyError or ValueError for an id that the index does not have.
    """
    found: list[int] = []
    for part in item.split(","):
        argument = argument_of(part)
        rows = index.sentence_rows(arguments[argument])
        if part == argument:
            found += rows
        else:
            numbers = index.column("number")[rows.start : rows.stop].tolist()
            found.append(rows[numbers.index(sentence_number(part, argument))])
    return found
