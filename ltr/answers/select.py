"""Third stage of an answer: which items of a ranked list are shown, and which of them are folded away.

The first of each side are shown, an argument once, near-duplicates left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, filterfalse, islice

from features.core.sides import FOR_AND_AGAINST
from ltr.answers.duplicates import Copies
from ltr.data.ids import argument_of, parts_of
from ltr.data.runs import RunRow

WEAK = 25
"""Arguments searched for weak results: the side of each takes time."""
COUNTED = 100
"""Arguments, best first, among which those worth showing are counted."""

SideOf = Callable[[str], str]
"""The side of an item, by its id: PRO, CON, or Q0 where it is unclear."""


@dataclass(frozen=True)
class Selection:
    """Which results of a list are shown."""

    count: int = 5
    """Results of each side: those worth showing come first."""
    every: bool = False
    """Whether an argument may come more than once."""
    toward_question: bool = True
    """Whether sides are toward the question, where items have stances at all; else those of the corpus."""
    known: Mapping[str, int] = field(default_factory=dict)
    """Conclusions of which the person said that they are what is asked (1), or the opposite (-1)."""


@dataclass(frozen=True)
class Listed:
    """A ranked list, and what is known of its items when some of them are chosen."""

    rows: Sequence[RunRow]
    """Best first."""
    low: Set[str]
    """Items of little expected relevance."""
    weak: Set[str]
    """Items that are hardly worth showing."""
    side_of: SideOf
    matches: Callable[[str], bool] = lambda _: True
    """Whether an argument, by its id, has something to do with the question."""
    announces: Callable[[str], bool] = lambda _: False
    """Whether an item announces arguments in place of arguing: it comes behind all others, and is weak."""


@dataclass(frozen=True)
class Selected:
    """The results of a list."""

    rows: list[RunRow]
    folded: frozenset[str]
    """Results that are hardly worth showing."""
    worth: list[str]
    """One item for each argument worth showing, shown or not; the first `COUNTED`."""
    alike: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Result -> near-duplicates that it stands for."""

    @property
    def not_folded(self) -> list[str]:
        """The results worth showing, best first."""
        return [row.pair for row in self.rows if row.pair not in self.folded]


def select(listed: Listed, selection: Selection, sides: Sequence[str], copies: Copies | None = None) -> Selected:
    """The results of a list: what is worth showing by itself, then other items on the subject, then weak ones.

    ``copies`` takes the near-duplicates of results.
    """

    def announces(row: RunRow) -> bool:
        return listed.announces(row.pair)

    strong = sorted((row for row in listed.rows if row.pair not in listed.weak), key=lambda row: row.pair in listed.low)
    weaker = of_first_arguments((row for row in listed.rows if row.pair in listed.weak), WEAK)
    candidates = chain(filterfalse(announces, strong), filter(announces, strong), weaker)
    rows = best(candidates, selection, listed.matches, sides, side_of=listed.side_of, copies=copies)
    folded = frozenset(row.pair for row in rows if row.pair in listed.weak or announces(row))
    worth = islice(one_an_argument(strong, listed.matches, listed.announces), COUNTED)
    return Selected(rows, folded, [row.pair for row in worth], copies.alike if copies else {})


def best(
    rows: Iterable[RunRow],
    selection: Selection,
    matches: Callable[[str], bool],
    sides: Sequence[str] = FOR_AND_AGAINST,
    side_of: SideOf | None = None,
    copies: Copies | None = None,
) -> list[RunRow]:
    """The first rows of each side whose arguments match; of each argument one row, unless ``selection.every``.

    ``side_of`` replaces the stance of a row. A row that takes neither of the two ``sides`` is kept only among the
    first ``2 * selection.count``, as many as those two have room for. ``copies`` takes the near-duplicates of rows
    that are chosen.
    """
    chosen: list[RunRow] = []
    shown: set[str] = set()
    room: Counter[str] = Counter()
    count, position = selection.count, 0
    for row in rows:
        arguments = arguments_of(row.pair)
        if (not selection.every and not shown.isdisjoint(arguments)) or not all(map(matches, arguments)):
            continue
        if position >= 2 * count and all(room[side] >= count for side in sides):
            break
        shown |= arguments
        if copies and copies.is_copy(row.pair):
            continue
        position += 1
        row = row if side_of is None else row._replace(stance=side_of(row.pair))  # noqa: PLW2901
        if room[row.stance] < count and (row.stance in sides or position <= 2 * count):
            room[row.stance] += 1
            chosen.append(row)
            if copies:
                copies.keep(row.pair)
    return chosen


def of_first_arguments(rows: Iterable[RunRow], count: int) -> Iterator[RunRow]:
    """The first rows, up to the one that brings in more than ``count`` arguments."""
    seen: set[str] = set()
    for row in rows:
        seen |= arguments_of(row.pair)
        if len(seen) > count:
            break
        yield row


def one_an_argument(
    rows: Iterable[RunRow], matches: Callable[[str], bool], announces: Callable[[str], bool]
) -> Iterator[RunRow]:
    """The rows that argue, whose arguments match and were not in an earlier one of them."""
    seen: set[str] = set()
    for row in rows:
        arguments = arguments_of(row.pair)
        if seen.isdisjoint(arguments) and all(map(matches, arguments)) and not announces(row.pair):
            seen |= arguments
            yield row


@lru_cache(maxsize=20_000)
def arguments_of(item: str) -> frozenset[str]:
    """Ids of the one or two arguments of a pair."""
    return frozenset(map(argument_of, parts_of(item)))
