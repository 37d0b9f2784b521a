"""The sentences of a result with their sources, as they are shown."""

from __future__ import annotations

from collections.abc import Sequence

from ltr.answers.answer import Snippet
from ltr.answers.cleaning import display_text
from ltr.answers.reading_order import points_back, row_before
from ltr.data.ids import argument_of, is_conclusion, sentence_number
from ltr.index.reader import Index


def snippets_of(index: Index, item: str, unit: str) -> tuple[Snippet, ...]:
    """The sentences of a pair, or the one argument or document (``unit``), by the id of the item.

    Raises KeyError or ValueError for an id that is not there.
    """
    parts = item.split(",")
    return tuple(_snippet(index, id_, unit, shown=parts) for id_ in parts)


def _snippet(index: Index, id_: str, unit: str, shown: Sequence[str]) -> Snippet:
    argument = argument_of(id_)
    number = index.row_of[argument]
    rows, texts = index.sentence_rows(number), index.texts(index.sentence_rows(number))
    conclusion = int(index.column("conclusion_row")[number])
    before = ""
    if id_ == argument:
        role, place, of = unit, 1, 1
        text = " ".join(text for row, text in zip(rows, texts, strict=True) if row != conclusion or len(rows) == 1)
    else:
        role = "conclusion" if is_conclusion(id_) else "premise"
        numbers = index.column("number")[rows.start : rows.stop].tolist()
        at = numbers.index(own := sentence_number(id_, index.argument_id(number)))
        place = sum(other * own > 0 for other in numbers[: at + 1])
        of = sum(other * own > 0 for other in numbers)
        text = texts[at]
        above = row_before(index, rows[at]) if points_back(text) else None
        if above is not None and index.sentence_id(above) not in shown:
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
        conclusion=index.text(conclusion) if conclusion >= 0 else "",
        stance=index.stance(number) or None,
        debate=index.title(number),
        url=index.url(number),
    )
