"""The sides of the items of an index toward a question: values of the index, judged once each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, partial
from types import MappingProxyType

from features.core.sides import FOR_AND_AGAINST, Side
from features.core.text import normalise, words
from ltr.answers import judge
from ltr.answers.gather import Arguments, rows_of_item
from ltr.answers.side_words import takes_side
from ltr.answers.table import Subject, Understood, Verdict
from ltr.data.runs import RunRow
from ltr.data.topics import Topic
from ltr.errors import InputError, SettingError
from ltr.index.reader import Index
from ltr.ranking.task import Task
from ltr.text_models.stance import log_odds

TOWARD_QUESTION = {Side.PRO.value: "pro", Side.CON.value: "con", Side.NONE.value: "unclear"}
"""Names of the sides toward a question."""

NOTES = {
    "conclusion": "PRO and CON: an argument's side of its own conclusion, which the source line names, not of the "
    "question.",
    "question": "Pro and con: the side toward the question, predicted.",
}
"""Meaning of the sides toward a conclusion and toward a question."""


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


def rows_toward(index: Index, topics: Iterable[Topic], rows: Iterable[RunRow]) -> list[RunRow]:
    """The rows of a run with sides toward their questions in the second column."""
    of = {topic.number: Sides(index, topic.title) for topic in topics}
    return [row._replace(stance=of[row.topic](row.pair)) for row in rows]


class Sides:
    """The verdicts on the items of an index, by id."""

    def __init__(
        self,
        index: Index,
        question: str,
        subject: Subject = Subject(),  # noqa: B008 it cannot be changed
        known: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """``known``: conclusions that say what is asked (1), or the opposite (-1)."""
        asked, read = read_question(index, question, subject, known), partial(log_odds, index.folder)
        self._index, self._subject = index, subject
        arguments = Arguments(index, subject.rows)
        self._odds = judge.DebateOdds(asked, arguments.commonest_debates(judge.RESOLUTIONS), read)
        self._argument = cache(arguments.__getitem__)
        self._verdict = cache(lambda row: judge.judge(asked, self._argument(row), self._odds, read))

    def __call__(self, item: str) -> str:
        """The side of an item: PRO, CON or Q0."""
        return judge.side_of(self.verdicts(item))

    def verdicts(self, item: str) -> list[Verdict]:
        """The verdicts on an item's arguments; a run may be of another corpus, whose ids have none."""
        return [self._verdict(row) for row in rows_of_item(self._index, item)]

    def why(self, item: str) -> str:
        """One line on the origin of an item's side; empty without one."""
        return judge.why(self.verdicts(item))

    def agree(self, item: str) -> bool:
        """Whether the arguments of an item stand together: on one conclusion, without any, or by their sides."""
        rows = rows_of_item(self._index, item)
        claims = {(self._index.conclusion(row), self._index.stance(row)) for row in rows}
        return len(claims) == 1 or len({verdict.side for verdict in self.verdicts(item)}) == 1

    def doubtful(self, items: Iterable[str]) -> str:
        """The commonest resolution on the subject that is not sure; empty if most of these items have a sure one."""
        rows = {row for item in items for row in rows_of_item(self._index, item)} & self._subject.rows
        return judge.doubtful(map(self._argument, sorted(rows)), self._odds)


def read_question(index: Index, question: str, subject: Subject, known: Mapping[str, int]) -> Understood:
    """The question with the weights that its words have in an index."""
    terms, counts = index.analyzer.distinct(question), index.statistics
    in_corpus = [term for term, count in zip(terms, counts.df("argument", terms), strict=True) if count]
    return Understood(
        question,
        subject,
        # Words that all arguments of a small corpus have count, too.
        rarity=dict(zip(in_corpus, (1 + counts.idf("argument", in_corpus)).tolist(), strict=True)),
        stating=frozenset(index.analyzer.distinct(" ".join(filter(takes_side, words(question))))),
        terms=index.analyzer.distinct,
        known={normalise(claim): sign for claim, sign in known.items()},
    )
