"""The sides of the items of an index: toward a question, by arguments that are judged once each; and their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial

from features.core.sides import FOR_AND_AGAINST, Side
from features.core.text import normalise
from ltr.answers.clauses import one_instead
from ltr.answers.judge import SURE, Argument, Judge, Verdict, share, side_of
from ltr.answers.texts import claims_of, text_of
from ltr.answers.understand import READ_ON, Subject, argument_rows
from ltr.data.topics import Topic, as_one_word
from ltr.errors import InputError, SettingError
from ltr.index.debates import SIGNS
from ltr.index.reader import Index
from ltr.ranking.candidates import Candidates
from ltr.ranking.task import Task
from ltr.text_models.reader import SideReader
from ltr.text_models.rerankers import Reranker

_OTHER = {Side.PRO.value: Side.CON.value, Side.CON.value: Side.PRO.value}

TOWARD_QUESTION = {Side.PRO.value: "pro", Side.CON.value: "con", Side.NONE.value: "unclear"}
"""Names of the sides toward a question."""


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
        raise SettingError("stance", "documents have a preferred object, not a stance", "leave it out")
    return FOR_AND_AGAINST if stance == "question" else task.sides


def sides_toward(index: Index, listed: Candidates, reader: Reranker | None = None) -> list[str]:
    """The sides of the items of lists toward the questions of their topics."""
    sides = {topic.number: Sides(index, topic.title, reader=reader) for topic in listed.asked}
    arguments = argument_rows(index, listed).tolist()
    return [side_of(sides[topic].of(rows)) for topic, rows in zip(listed["qid"], arguments, strict=True)]


class Sides:
    """The verdicts on the arguments of an index: each is judged when it is first needed."""

    def __init__(
        self,
        index: Index,
        question: str,
        subject: Subject = Subject(),  # noqa: B008 it cannot be changed
        known: Mapping[str, int] | None = None,
        reader: Reranker | None = None,
    ) -> None:
        """``known``: conclusions as in `Selection`; ``reader``: see `SideReader`."""
        self._index, self._question = index, question
        self.read = SideReader(index.folder, reader)
        said = {normalise(claim): sign for claim, sign in (known or {}).items()}
        self.judge = Judge(question, subject, index.analyzer.distinct, said, self.read)
        self._reads = subject.whole or subject.signs is None
        self._verdict = cache(lambda row: self.judge(self.argument(row)))

    def argument(self, row: int) -> Argument:
        """An argument of the index, with its own text where that may be read."""
        index = self._index
        return Argument(
            index.resolution(row),
            index.title(row),
            row,
            int(index.column("debate")[row]),
            claims=partial(claims_of, index, row),
            conclusion=index.conclusion(row),
            stance=SIGNS[int(index.column("stance")[row])],
            toward=index.side_toward_resolution(row),
            nested=bool(index.column("parent")[row] >= 0),
            text=text_of(index, row) if self._reads else "",
        )

    def of(self, arguments: Iterable[int]) -> list[Verdict]:
        """The verdicts on the arguments of an item, rows of the index."""
        return list(map(self._verdict, dict.fromkeys(arguments)))

    def agree(self, arguments: Iterable[int]) -> bool:
        """Whether arguments stand together: on one conclusion, without any, or by their sides."""
        own, index = {*arguments}, self._index
        claims = {(index.conclusion(row), index.stance(row)) for row in own} if len(own) > 1 else own
        return len(claims) == 1 or len({self._verdict(row).side for row in own}) == 1

    def says(self, side: str, claims: Sequence[str]) -> list[bool]:
        """Whether each claim alone is read as one on the matter and on the side."""
        sign, read = (1 if side == Side.PRO else -1), self.read.read(self._question, claims)
        odds = self.judge.sides(claims)
        return [matter >= READ_ON and sign * one > 0 for (matter, *_), one in zip(read, odds, strict=True)]

    def given(self, moved: Sequence[tuple[str, str, str]]) -> dict[str, str]:
        """Id -> the side that a person gave it, ``moved`` as in `Selection`: for this question, or for one that is
        surely the same in other words, or the opposite.
        """
        others = [one for one in moved if as_one_word(one[2]) not in ("", as_one_word(self._question))]
        # Of two things in one question the reader does not see which replaces the other.
        asked = list(dict.fromkeys(question for *_, question in others if len(one_instead(question)) == 1))
        asked = asked if len(one_instead(self._question)) == 1 else []
        read = dict(zip(asked, self.read.read(self._question, asked), strict=True)) if asked else {}
        found = dict[str, str]()
        for id_, side, question in others:
            matter, _, odds = read.get(question, (0.0, 0.0, 0.0))
            if matter >= READ_ON and share(abs(odds)) >= SURE:
                found[id_] = side if odds > 0 else _OTHER.get(side, side)
        return found | {id_: side for id_, side, question in moved if (id_, side, question) not in others}
