"""Which rows of a ranked list are shown: the first of each side, an argument once, near-duplicates left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from features.core.sides import FOR_AND_AGAINST
from ltr.answers.duplicates import Copies
from ltr.answers.sides import SideOf
from ltr.data.ids import argument_of
from ltr.data.runs import RunRow


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


def one_an_argument(rows: Iterable[RunRow], matches: Callable[[str], bool]) -> Iterator[RunRow]:
    """The rows whose arguments match and were not in an earlier one of them."""
    seen: set[str] = set()
    for row in rows:
        arguments = arguments_of(row.pair)
        if seen.isdisjoint(arguments) and all(map(matches, arguments)):
            seen |= arguments
            yield row


@lru_cache(maxsize=20_000)
def arguments_of(item: str) -> frozenset[str]:
    """Ids of the one or two arguments of a pair."""
    return frozenset(map(argument_of, item.split(",")))
