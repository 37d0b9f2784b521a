"""Sides toward the question, in place of the stances that arguments take toward their own conclusions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum, prod
from textwrap import shorten

from features.core.sides import FOR_AND_AGAINST, Side
from ltr.answers.debate_side import Position, may_be_about, pole, read_pole
from ltr.answers.side_model import shipped_reader
from ltr.answers.text_side import READ, side_toward, support
from ltr.data.ids import argument_of
from ltr.data.runs import RunRow
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.index.reader import ArgumentRows, Index
from ltr.ranking.task import Task

TOWARD_QUESTION = {Side.PRO.value: "pro", Side.CON.value: "con", Side.NONE.value: "unclear"}
"""Names of the sides toward a question."""

NOTES = {
    "conclusion": "PRO and CON: an argument's side of its own conclusion, which the source line names, not of the "
    "question.",
    "question": "Pro and con: the side toward the question, predicted; eight to nine of ten are right.",
}
"""Meaning of the sides toward a conclusion and toward a question."""

LEAST_DEBATE = 2
"""Arguments of a debate from which on its structure is read."""
LEAST_ODDS = 1.0
"""Log-odds of a pole from which on the sides of its arguments are named."""
LEAST_ALONE = 2.0
"""The same for an argument that is alone in its debate."""
CHECK = 1.5
"""Mean log-odds of an argument's own premises that make it unclear where they contradict the structure."""
MOST_READ, NAMED = 16, 3
"""Arguments of a debate, and premises of each, that decide about it."""
QUOTED = 90
"""Characters of a conclusion in a reason."""

_PORTAL = re.compile(r"^(?:counter)?point\b:?(?=.)|\s*[-–(]\s*junior\W*$|</?\w+>", re.IGNORECASE)
"""Words that portals add to a conclusion."""

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
    if stance not in ("question", "conclusion"):
        raise InputError("stance", f"{stance!r} is not a stance", "take it toward the question or the conclusion")
    if stance == "question" and not task.has_stances:
        raise InputError("--stance", "documents have a preferred object, not a stance", "leave it out")
    return FOR_AND_AGAINST if stance == "question" else task.sides


class Sides:
    """The sides that the arguments of an index take toward a question, decided for whole debates where they can be.

    An argument's stance on the resolution of its debate is the product of the stances on its path to it
    (`ltr.index.debates`); `ltr.answers.debate_side` says whether being for the resolution is being for what is asked.
    Arguments of smaller debates are read alone, by `ltr.answers.text_side`. Where the extra *encoder* is installed, a
    model that ships reads what resolutions and claims say, too.
    """

    def __init__(self, index: Index, question: str, arguments: Mapping[str, int] | None = None) -> None:
        """``arguments`` are the index rows of their ids, by default of all."""
        self._index, self._question, self._read = index, question, shipped_reader(index.folder)
        self._rows = ArgumentRows(index) if arguments is None else arguments
        self._poles: dict[int, float | None] = {}
        self._decided: dict[int, tuple[str, bool]] = {}

    def __call__(self, id_: str) -> str:
        """The side of a unit: of a pair, where its arguments agree or one alone has a side."""
        rows = {row for part in id_.split(",") if (row := self._rows.get(argument_of(part))) is not None}
        sides = {self._decide(row)[0] for row in rows} & {*FOR_AND_AGAINST}  # a run may be of another corpus
        return str(sides.pop() if len(sides) == 1 else Side.NONE)

    def why(self, id_: str) -> str:
        """One line that says where the side of a unit comes from; empty where it has none."""
        side = self(id_)
        for part in id_.split(","):
            row = self._rows.get(argument_of(part))
            if side in FOR_AND_AGAINST and row is not None and self._decide(row)[0] == side:
                odds = self._pole(row) if self._decide(row)[1] else None
                return reason(self._index, row, side, odds or 0.0)
        return ""

    def _decide(self, row: int) -> tuple[str, bool]:
        """The side of an argument, and whether the structure of its debate says so."""
        if row not in self._decided:
            self._decided[row] = self._by_debate(row) or (self._by_text(row), False)
        return self._decided[row]

    def _by_debate(self, row: int) -> tuple[str, bool] | None:
        """None for arguments without a stance, and in debates that are too small."""
        sign = product_of_stances(self._index, self._index.path(row))
        of_debate = self._pole(row)
        if not sign or of_debate is None:
            return None
        odds = sign * of_debate
        if abs(odds) < LEAST_ODDS or odds * self._spoken(row) < -CHECK * abs(odds):
            return Side.NONE.value, True
        return (Side.PRO if odds > 0 else Side.CON).value, True

    def _pole(self, row: int) -> float | None:
        """Log-odds that being for the resolution of an argument's debate is being for what is asked; None for a small
        debate.
        """
        index = self._index
        number = int(index.column("debate")[row])
        if number not in self._poles:
            self._poles[number] = self._compared(row) if index.in_debate(row) >= LEAST_DEBATE else None
        return self._poles[number]

    def _compared(self, row: int) -> float:
        resolution = conclusion_of(self._index, self._index.path(row)[-1])
        if not may_be_about(self._question, resolution):
            return 0.0
        texts = positions(self._index, self._index.debate(row).tolist())
        if self._read is None:
            return pole(self._question, resolution, texts)
        return read_pole(self._question, resolution, texts, self._read)

    def _spoken(self, row: int) -> float:
        """Mean log-odds that the premises of an argument speak for what is asked."""
        texts = premises_of(self._index, row, READ)
        return fsum(support(self._question, text) for text in texts) / max(len(texts), 1)

    def _by_text(self, row: int) -> str:
        texts = premises_of(self._index, row, READ)
        conclusion, stance = conclusion_of(self._index, row), self._index.stance(row)
        return str(side_toward(self._question, conclusion, stance, texts, LEAST_ALONE))


def reason(index: Index, row: int, side: str, odds: float) -> str:
    """One line: how an argument comes to its side; ``odds`` are those of `pole`, 0 where its text alone was read.

    For example: For: answers "Individuality should be encouraged" (debate: Ban School Uniforms)
    """
    own = product_of_stances(index, [row])
    below = len(index.path(row)) > 1  # else its conclusion is what the debate is about
    verbs = ("says", "answers") if below else ("argues for", "argues against")
    says = f'{verbs[own < 0]} "{_quoted(index, row)}"' if own and conclusion_of(index, row) else ""
    debate = index.title(row) or conclusion_of(index, index.path(row)[-1])
    where = f"(debate: {shorten(debate, QUOTED, placeholder=' …')})" if below else ""
    return " ".join(filter(None, [f"{Side(side).heading}:", says, where, "" if odds else "(by its words alone)"]))


def _quoted(index: Index, row: int) -> str:
    """The conclusion as it is quoted: without quotes of its own, and without what the portal added."""
    text = _PORTAL.sub("", conclusion_of(index, row)).replace('"', "'").strip(" .:")
    return shorten(text[:1].upper() + text[1:], QUOTED, placeholder=" …")


def product_of_stances(index: Index, path: Iterable[int]) -> int:
    """1, -1, or 0 where one of the stances is not known."""
    return prod({"PRO": 1, "CON": -1}.get(index.stance(row), 0) for row in path)


def conclusion_of(index: Index, row: int) -> str:
    """The conclusion of an argument, empty without one."""
    conclusion = int(index.column("conclusion_row")[row])
    return index.text(conclusion) if conclusion >= 0 else ""


def premises_of(index: Index, row: int, count: int) -> list[str]:
    """The first premises of an argument."""
    conclusion = int(index.column("conclusion_row")[row])
    rows = index.sentence_rows(row)[: count + 1]
    return [text for sentence, text in zip(rows, index.texts(rows), strict=True) if sentence != conclusion][:count]


def positions(index: Index, debate: Sequence[int]) -> list[Position]:
    """At most `MOST_READ` arguments of a debate, evenly spread over its rows."""
    rows = debate[:: -(-len(debate) // MOST_READ)]
    signs = [product_of_stances(index, index.path(row)) for row in rows]
    claims = [conclusion_of(index, row) for row in rows]
    texts = [[*premises_of(index, row, NAMED), claim] for row, claim in zip(rows, claims, strict=True)]
    # Whoever argues for a claim is for the resolution where the claim is: the rest of the path.
    toward = [product_of_stances(index, index.path(row)[1:]) if len(index.path(row)) > 1 else 0 for row in rows]
    return [Position(*each) for each in zip(signs, texts, claims, toward, strict=True)]


def rows_toward(index: Index, topics: Iterable[Topic], rows: Iterable[RunRow]) -> list[RunRow]:
    """The rows of a run with sides toward their questions in the second column."""
    arguments = ArgumentRows(index)
    of = {topic.number: Sides(index, topic.title, arguments) for topic in topics}
    return [row._replace(stance=of[row.topic](row.pair)) for row in rows]
