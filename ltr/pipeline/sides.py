"""Sides toward the question, in place of the stances that arguments take toward their own conclusions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from features.core.sides import FOR_AND_AGAINST, Side
from features.language.side import READ, side_toward
from ltr.data.ids import argument_of
from ltr.data.runs import RunRow
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.pipeline.task import Task

TOWARD_QUESTION = {Side.PRO.value: "pro", Side.CON.value: "con", Side.NONE.value: "unclear"}
"""Names of the sides toward a question."""

NOTES = {
    "conclusion": "PRO and CON: an argument's side of its own conclusion, which the source line names, not of the "
    "question.",
    "question": "Pro and con: the side toward the question, predicted by a model; about seven of ten are right.",
}
"""Meaning of the sides toward a conclusion and toward a question."""

SideOf = Callable[[str], str]
"""The side of a unit, by its id: PRO, CON, or Q0 where it is unclear."""


def side_groups(task: Task, topic: Topic) -> list[tuple[str, str]]:
    """Sides in the order to show them, each with its heading; all that take none of them are the last group, ""."""
    headings = {side.value: side.heading for side in Side}
    headings |= {side: text[:1].upper() + text[1:] for side, text in task.headings(topic).items()}
    sides = [str(side) for side in task.sides or FOR_AND_AGAINST if side not in (Side.NO, Side.NONE)]
    others = "Unclear" if task.has_stances else Side.NO.heading
    return [*((side, headings.get(side, side)) for side in sides), ("", others)]


def sides_in_run(task: Task, stance: str) -> tuple[str, ...]:
    """Sides that a run may have beside Q0; ``stance`` is toward the "question" or "conclusion". Raises InputError."""
    if stance == "question" and not task.has_stances:
        raise InputError("--stance", "documents take sides of what is compared, not of a question", "leave it out")
    return FOR_AND_AGAINST if stance == "question" else task.sides


def sides_toward(index: Index, question: str, arguments: Mapping[str, int] | None = None) -> SideOf:
    """The side that each unit takes toward ``question``; every argument is read once.

    ``arguments`` are the index rows of their ids, by default of all.
    """
    rows = index.all_arguments() if arguments is None else arguments
    conclusions = index.column("conclusion_row")

    @cache
    def of_argument(id_: str) -> str:
        if (number := rows.get(id_)) is None:  # a run may be of another corpus
            return Side.NONE.value
        conclusion = int(conclusions[number])
        premises = [row for row in index.sentence_rows(number) if row != conclusion][:READ]
        text = index.text(conclusion) if conclusion >= 0 else ""
        return side_toward(question, text, index.stance(number), list(map(index.text, premises)))

    def of_unit(id_: str) -> str:
        sides = {of_argument(argument_of(part)) for part in id_.split(",")} & {*FOR_AND_AGAINST}
        return str(sides.pop() if len(sides) == 1 else Side.NONE)

    return of_unit


def rows_toward(index: Index, topics: Iterable[Topic], rows: Iterable[RunRow]) -> list[RunRow]:
    """The rows of a run with sides toward their questions in the second column."""
    arguments = index.all_arguments()
    of = {topic.number: sides_toward(index, topic.title, arguments) for topic in topics}
    return [row._replace(stance=of[row.topic](row.pair)) for row in rows]
