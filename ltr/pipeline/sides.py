"""Sides toward the question, in place of the stances that arguments take toward their own conclusions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from features.language.side import READ, side_toward
from ltr.data.ids import argument_of
from ltr.data.runs import NO_SIDE, SIDES, RunRow
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.pipeline.task import Task

TOWARD_QUESTION = {"PRO": "pro", "CON": "con", NO_SIDE: "unclear"}
"""What sides toward a question are called."""

SideOf = Callable[[str], str]
"""The side of a unit, by its id: PRO, CON, or Q0 where it is unclear."""


def has_stances(task: Task) -> bool:
    """See `Task.has_stances`."""
    return task.has_stances


def sides_in_run(task: Task, stance: str) -> tuple[str, ...]:
    """What may stand in a run beside Q0, by what ``stance`` is of: question or conclusion. Raises InputError."""
    if stance == "question" and not has_stances(task):
        raise InputError("--stance", "documents take sides of what is compared, not of a question", "leave it out")
    return SIDES if stance == "question" else task.sides


def sides_toward(index: Index, question: str, arguments: Mapping[str, int] | None = None) -> SideOf:
    """The side that each unit takes toward ``question``; every argument is read once.

    ``arguments`` are the index rows of their ids, by default of all.
    """
    rows = index.all_arguments() if arguments is None else arguments
    conclusions = index.column("conclusion_row")

    @cache
    def of_argument(id_: str) -> str:
        if (number := rows.get(id_)) is None:  # a run may be of another corpus
            return NO_SIDE
        conclusion = int(conclusions[number])
        premises = [row for row in index.sentence_rows(number) if row != conclusion][:READ]
        text = index.text(conclusion) if conclusion >= 0 else ""
        return side_toward(question, text, index.stance(number), list(map(index.text, premises)))

    def of_unit(id_: str) -> str:
        found = {of_argument(argument_of(part)) for part in id_.split(",")} & {*SIDES}
        return found.pop() if len(found) == 1 else NO_SIDE

    return of_unit


def rows_toward(index: Index, topics: Iterable[Topic], rows: Iterable[RunRow]) -> list[RunRow]:
    """The rows of a run with sides toward their questions in the second column."""
    arguments = index.all_arguments()
    of = {topic.number: sides_toward(index, topic.title, arguments) for topic in topics}
    return [row._replace(stance=of[row.topic](row.pair)) for row in rows]
