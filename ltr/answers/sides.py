"""Sides toward the question, in place of the stances that arguments take toward their own conclusions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from math import fsum, prod, tanh
from operator import mul
from textwrap import shorten
from types import MappingProxyType

from features.core.sides import FOR_AND_AGAINST, Side
from features.core.text import normalise, words
from ltr.answers.claims import polarity_of, relation
from ltr.answers.debate_side import may_be_about, odds_toward, read_pole
from ltr.answers.subject import Subject
from ltr.data.ids import argument_of
from ltr.data.runs import RunRow
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.ranking.task import Task
from ltr.text_models.stance import shipped_reader

TOWARD_QUESTION = {Side.PRO.value: "pro", Side.CON.value: "con", Side.NONE.value: "unclear"}
"""Names of the sides toward a question."""

NOTES = {
    "conclusion": "PRO and CON: an argument's side of its own conclusion, which the source line names, not of the "
    "question.",
    "question": "Pro and con: the side toward the question, predicted.",
}
"""Meaning of the sides toward a conclusion and toward a question."""

LIKELY, LEAST, SURE = 0.25, 1.0, 2.0
"""Log-odds of an argument from which on its side is likely (by its words alone, or if the corpus has no debate on the
subject: `LEAST`), and from which on named."""
MOST = 4.0
"""Largest log-odds of a debate."""
COVERED = 0.22
"""Share of the question's words, by rarity, that the resolution of a sure debate has, with its title; of sides that
were sure with less, 2 of 12 were right."""
AGREES = 0.2
"""Log-odds, before a resolution is read, that it asks for what the question does: few ask for the opposite."""
OTHERS = 0.4
"""Weight of the log-odds of other resolutions on the subject."""
RESOLUTIONS = 4
"""Resolutions on a subject that are compared with each other."""
READ = 3
"""Premises that are read of an argument whose stance says nothing."""
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
    Other arguments are read alone. Where the extra *encoder* is installed, a model that ships reads resolutions, claims
    and texts; else simple rules compare conclusions with the question, and all sides are only likely.
    """

    def __init__(
        self,
        index: Index,
        question: str,
        subject: Subject = Subject(),  # noqa: B008 it cannot be changed
        known: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """``known``: conclusions that say what is asked (1), or the opposite (-1)."""
        self._index, self._question, self._read = index, question, shipped_reader(index.folder)
        self._subject, self._known = subject, {normalise(claim): sign for claim, sign in known.items()}
        terms, counts = index.analyzer.distinct(question), index.statistics
        in_corpus = [term for term, count in zip(terms, counts.df("argument", terms), strict=True) if count]
        # Words that all arguments of a small corpus have count, too.
        self._weights = dict(zip(in_corpus, (1 + counts.idf("argument", in_corpus)).tolist(), strict=True))
        self._stating = {*index.analyzer.distinct(" ".join(filter(polarity_of, words(question))))}
        self._poles: dict[tuple[str, str, bool], float] = {}
        self._compare: dict[str, float] = {}
        self._decided: dict[int, tuple[float, bool]] = {}

    def __call__(self, id_: str) -> str:
        """The side of a unit: of a pair, where its arguments agree or one alone has a side."""
        sides = {self._side(row) for row in self._arguments(id_)} & {*FOR_AND_AGAINST}
        return str(sides.pop() if len(sides) == 1 else Side.NONE)

    def is_likely(self, id_: str) -> bool:
        """Whether the side of a unit is only likely."""
        deciding = self._deciding(id_)
        return bool(deciding) and not any(self._is_sure(row) for row in deciding)

    def agree(self, id_: str) -> bool:
        """Whether the arguments of a unit stand together: on one conclusion, without any, or by their sides."""
        rows = self._arguments(id_)
        claims = {(conclusion_of(self._index, row), self._index.stance(row)) for row in rows}
        return len(claims) == 1 or len({*map(self._side, rows)}) == 1

    def why(self, id_: str) -> str:
        """One line that says where the side of a unit comes from; empty where it has none."""
        for row in self._deciding(id_):
            return reason(self._index, row, self(id_), self.pole(row) if self._decide(row)[1] else 0.0)
        return ""

    def doubtful(self, ids: Iterable[str]) -> str:
        """The commonest resolution on the subject that is not sure; empty if most of these units have a sure one."""
        rows = {row for id_ in ids for row in self._arguments(id_)}
        on = [
            row for row in sorted(rows & self._subject.rows) if product_of_stances(self._index, self._index.path(row))
        ]
        asked = [self._resolution(row) for row in on if abs(self.pole(row)) < SURE]
        return max(asked, key=asked.count) if 2 * len(asked) > len(on) else ""

    def pole(self, row: int) -> float:
        """Log-odds that being for the resolution of an argument's debate is being for what is asked.

        Odds of other resolutions on the subject count as far as they say the same, or the opposite: `OTHERS` times, or
        whole where a person said what they mean. A resolution that is not sure by itself, or has few words of
        the question, or none but for and against, is never sure.
        """
        resolution, on = self._resolution(row), row in self._subject.rows
        key = resolution, self._index.title(row), on
        if key not in self._poles:
            odds = own = self._compared(row, resolution)
            if on and not self._is_known(row):
                others = {
                    other: self._compared(at, other) * (1 if self._is_known(at) else OTHERS)
                    for other, at in self._resolutions.items()
                    if other != resolution
                }
                if others:
                    as_first, *same = self._same([resolution, *others])
                    odds += as_first * fsum(map(mul, same, others.values()))
            named = abs(own) >= SURE and self._covered(f"{resolution} {key[1]}") >= COVERED
            most = MOST if named or self._is_known(row) else (LIKELY + SURE) / 2
            self._poles[key] = max(-most, min(odds, most))
        return self._poles[key]

    def _covered(self, text: str) -> float:
        """The share that a text has of the question's words that are in the corpus, by rarity; 0 for "ban" alone."""
        found = self._weights.keys() & self._index.analyzer.distinct(text)
        if not found - self._stating:
            return 0.0
        return fsum(map(self._weights.__getitem__, found)) / fsum(self._weights.values())

    @cached_property
    def _resolutions(self) -> dict[str, int]:
        """The commonest resolutions on the subject, each with the row of an argument."""
        rows = {self._resolution(row): row for row in sorted(self._subject.rows, reverse=True)}
        count = Counter(map(self._resolution, sorted(self._subject.rows)))
        return {one: rows[one] for one, _ in count.most_common(RESOLUTIONS) if one}

    def _same(self, claims: Sequence[str]) -> list[float]:
        """From -1 to 1: whether each claim says the opposite of the commonest resolution on the subject, or as much."""
        first = next(iter(self._resolutions))
        if self._read is None:
            return [float(relation(first, claim)) for claim in claims]
        return [
            1.0 if claim == first else tanh(odds / 2)
            for claim, odds in zip(claims, self._read(first, claims), strict=True)
        ]

    def _deciding(self, id_: str) -> list[int]:
        """The arguments of a unit that have its side."""
        side = self(id_)
        return [row for row in self._arguments(id_) if side in FOR_AND_AGAINST and self._side(row) == side]

    def _arguments(self, id_: str) -> list[int]:
        """The rows of a unit's arguments; a run may be of another corpus, whose ids have none."""
        rows = (self._index.row_of.get(argument_of(part)) for part in id_.split(","))
        return [row for row in dict.fromkeys(rows) if row is not None]

    def _is_sure(self, row: int) -> bool:
        odds, by_stance = self._decide(row)
        sure = abs(odds) >= SURE and self._read and not self._subject.unnamed and not self._is_elsewhere(row)
        return bool(by_stance and (sure or self._is_known(row)))

    def _is_elsewhere(self, row: int) -> bool:
        """Whether the argument is of a debate on something else, as far as the subject is known."""
        return bool(self._subject.nearest) and row not in self._subject.rows

    def _is_known(self, row: int) -> bool:
        return normalise(self._resolution(row)) in self._known

    def _side(self, row: int) -> str:
        odds, by_stance = self._decide(row)
        least = LIKELY if by_stance else LEAST
        if self._is_elsewhere(row):
            least = SURE if self._subject.rows else LEAST
        return str(Side.NONE if abs(odds) < least else Side.PRO if odds > 0 else Side.CON)

    def _decide(self, row: int) -> tuple[float, bool]:
        """Log-odds that an argument is for what is asked, and whether its stance and its debate say so."""
        if row not in self._decided:
            index, path = self._index, self._index.path(row)
            sign = product_of_stances(index, path)
            odds = sign * self.pole(row) if sign and self._resolution(row) else 0.0
            # A debate is inverted as a whole or not at all.
            by_stance = bool(odds or (sign and index.in_debate(row) > 1))
            if not by_stance:
                claim, texts = conclusion_of(index, row), premises_of(index, row, READ)
                odds = odds_toward(self._question, claim, product_of_stances(index, path[:1]), texts, self._read)
            self._decided[row] = odds, by_stance
        return self._decided[row]

    def _resolution(self, row: int) -> str:
        return conclusion_of(self._index, self._index.path(row)[-1])

    def _compared(self, row: int, resolution: str) -> float:
        """Log-odds by the resolution alone."""
        if known := self._known.get(normalise(resolution)):
            return known * MOST
        if resolution not in self._compare:
            asked = self._question  # about a claim itself: whether it has two sides
            about = may_be_about(asked, asked if row in self._subject.rows else resolution)
            claims = claims_of(self._index, self._index.debate(row).tolist()) if about else {}
            odds = read_pole(asked, resolution, claims, self._read) if about else 0.0
            self._compare[resolution] = max(-MOST, min(odds + AGREES, MOST)) if odds else 0.0
        return self._compare[resolution]


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


def claims_of(index: Index, debate: Iterable[int]) -> dict[str, int]:
    """Conclusions of a debate, except for its resolution: 1 for one that is for that, -1 for one against it."""
    # Whoever argues for a claim is for the resolution where the claim is: the rest of the path.
    paths = [(row, index.path(row)[1:]) for row in debate]
    claims = {conclusion_of(index, row): product_of_stances(index, path) for row, path in paths if path}
    return {claim: sign for claim, sign in claims.items() if claim and sign}


def rows_toward(index: Index, topics: Iterable[Topic], rows: Iterable[RunRow]) -> list[RunRow]:
    """The rows of a run with sides toward their questions in the second column."""
    of = {topic.number: Sides(index, topic.title) for topic in topics}
    return [row._replace(stance=of[row.topic](row.pair)) for row in rows]
