"""Texts of items by id, as answers read and show them; an item is a pair of sentences, an argument or a document."""

from __future__ import annotations

from ltr.answers.answer import Snippet
from ltr.answers.sentences import display_text, points_back
from ltr.data.ids import argument_of, is_conclusion, parts_of, sentence_number
from ltr.index.reader import Index

READ = 8
"""Premises of an argument that are read."""


def premises_of(index: Index, row: int, count: int) -> list[str]:
    """The first premises of an argument, which are stored before its conclusions."""
    rows = index.sentence_rows(row)
    premises = int((index.column("number")[rows.start : rows.stop] > 0).sum())
    return index.texts(rows[: min(premises, count)])


def text_of(index: Index, row: int) -> str:
    """An argument in one text: its conclusion, or else its debate's title, and its premises."""
    return " ".join([index.conclusion(row) or index.title(row), *premises_of(index, row, READ)])


def claims_of(index: Index, argument: int) -> dict[str, int]:
    """Conclusions of an argument's debate but the resolution: 1 for one that is for that, -1 for one against it."""
    # An argument for a claim inherits the claim's side.
    debate = index.debate(argument)
    parents = index.column("parent")[debate]
    claims = {
        index.conclusion(row): index.side_toward_resolution(parent)
        for row, parent in zip(debate[parents >= 0].tolist(), parents[parents >= 0].tolist(), strict=True)
    }
    return {claim: sign for claim, sign in claims.items() if claim and sign}


def snippets_of(index: Index, item: str, kind: str) -> tuple[Snippet, ...]:
    """The sentences of a pair, or the one argument or document (``kind``), as they are shown, each with its source.

    Raises KeyError or ValueError for an id that is not there.
    """
    return tuple(_snippet(index, id_, kind, item) for id_ in parts_of(item))


def _snippet(index: Index, id_: str, kind: str, item: str) -> Snippet:
    argument = argument_of(id_)
    row = index.row_of[argument]
    rows, conclusion, before = index.sentence_rows(row), index.conclusion(row), ""
    if id_ == argument:
        role, place, of = kind, 1, 1
        text = " ".join(premises_of(index, row, len(rows))) or conclusion
    else:
        role = "conclusion" if is_conclusion(id_) else "premise"
        numbers = index.column("number")[rows.start : rows.stop].tolist()
        at = numbers.index(sentence_number(id_, argument))
        same = [number for number in numbers if (number > 0) == (numbers[at] > 0)]
        place, of, text = same.index(numbers[at]) + 1, len(same), index.text(rows[at])
        # An argument is read from its conclusion on, which is stored last.
        above = rows[at - 1] if at else int(index.column("conclusion_row")[row])
        if role == "premise" and points_back(text) and above >= 0 and index.sentence_id(above) not in parts_of(item):
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
        stance=index.stance(row) or None,
        debate=index.title(row),
        url=index.url(row),
    )
