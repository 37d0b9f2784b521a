"""The sentences of a result with their sources, as they are shown."""

from __future__ import annotations

from ltr.answers.answer import Snippet
from ltr.answers.cleaning import display_text
from ltr.answers.gather import premises_of
from ltr.answers.reading_order import points_back, row_before, rows_of
from ltr.data.ids import argument_of, is_conclusion, parts_of
from ltr.index.reader import Index


def snippets_of(index: Index, item: str, unit: str) -> tuple[Snippet, ...]:
    """The sentences of a pair, or the one argument or document (``unit``), by the id of the item.

    Raises KeyError or ValueError for an id that is not there.
    """
    return tuple(_snippet(index, id_, unit, item) for id_ in parts_of(item))


def _snippet(index: Index, id_: str, unit: str, item: str) -> Snippet:
    argument, rows = argument_of(id_), rows_of(index, id_)
    number = index.row_of[argument]
    conclusion, before = index.conclusion(number), ""
    if id_ == argument:
        role, place, of = unit, 1, 1
        text = " ".join(premises_of(index, number, len(rows))) or conclusion
    else:
        role, row = "conclusion" if is_conclusion(id_) else "premise", rows[0]
        numbers = index.column("number")
        same = [other for other in index.sentence_rows(number) if (numbers[other] > 0) == (numbers[row] > 0)]
        place, of, text = same.index(row) + 1, len(same), index.text(row)
        above = row_before(index, row) if points_back(text) else None
        if above is not None and index.sentence_id(above) not in parts_of(item):
            before = display_text(index.text(above))
    return Snippet(
        id=id_,
        text=text,
        shown=display_text(text),
        before=before,
        role=role,
        place=place,
        of=of,
        argument=argument,
        conclusion=conclusion,
        stance=index.stance(number) or None,
        debate=index.title(number),
        url=index.url(number),
    )
