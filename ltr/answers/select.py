"""Third stage of an answer: which items of a ranked list are shown, and which of them are folded away.

The first of each side are shown, an argument once, near-duplicates left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, filterfalse

from ltr.data.ids import argument_of, parts_of
from ltr.data.runs import RunRow

WEAK = 25  # arguments searched for weak results: the side of each takes time
COUNTED = 100  # arguments worth showing that are counted
# Near-duplicates: least share of the shorter result's distinct terms that the other one has too; least number of these
# terms, since short results of one debate share their conclusion's words.
SAME, FEW = 0.85, 15


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
    """A ranked list, and what is known of its items, by id; the functions are called for few of them."""

    rows: Sequence[RunRow]
    """Best first."""
    low: Set[str]
    """Items of little expected relevance."""
    weak: Set[str]
    """Items that are hardly worth showing."""
    unrelated: Set[str]
    """Items with an argument that has nothing to do with the question: they are never shown."""
    side_of: Callable[[str], str]
    """PRO, CON, or Q0 where the side is unclear."""
    announces: Callable[[str], bool] = lambda _: False
    """Whether an item announces arguments in place of arguing: it comes behind all others, and is weak."""
    terms: Callable[[str], Set[str]] = lambda _: frozenset()
    """The distinct index terms of an item."""


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
    def strong(self) -> list[RunRow]:
        """The results worth showing, best first."""
        return [row for row in self.rows if row.pair not in self.folded]


def select(listed: Listed, selection: Selection, sides: Sequence[str]) -> Selected:
    """The results of a list: what is worth showing by itself, then other items on the subject, then weak ones."""

    def announces(row: RunRow) -> bool:
        return listed.announces(row.pair)

    strong = sorted((row for row in listed.rows if row.pair not in listed.weak), key=lambda row: row.pair in listed.low)
    weaker = _of_first_arguments(row for row in listed.rows if row.pair in listed.weak)
    candidates = chain(filterfalse(announces, strong), filter(announces, strong), weaker)
    rows, alike = best(candidates, listed, selection, sides)
    folded = frozenset(row.pair for row in rows if row.pair in listed.weak or announces(row))
    worth: list[str] = []
    seen: set[str] = set()
    for row in strong:
        related = row.pair not in listed.unrelated
        if related and seen.isdisjoint(arguments_of(row.pair)) and not announces(row):
            seen |= arguments_of(row.pair)
            worth.append(row.pair)
            if len(worth) == COUNTED:
                break
    return Selected(rows, folded, worth, alike)


def best(
    rows: Iterable[RunRow], listed: Listed, selection: Selection, sides: Sequence[str]
) -> tuple[list[RunRow], dict[str, list[str]]]:
    """The first rows of each side, of each argument one, and the near-duplicates of each, unless ``selection.every``.

    A row that takes neither of the two ``sides`` is kept only among the first ``2 * selection.count``, as many as those
    two have room for.
    """
    chosen: list[RunRow] = []
    alike: dict[str, list[str]] = {}
    terms: dict[str, Set[str]] = {}
    shown: set[str] = set()
    room: Counter[str] = Counter()
    count, position = selection.count, 0
    for row in rows:
        item, arguments = row.pair, arguments_of(row.pair)
        if item in listed.unrelated or (not selection.every and not shown.isdisjoint(arguments)):
            continue
        if position >= 2 * count and all(room[side] >= count for side in sides):
            break
        shown |= arguments
        own = frozenset() if selection.every else listed.terms(item)
        if twin := next((other for other, its in terms.items() if same_words(own, its)), ""):
            alike.setdefault(twin, []).append(item)
            continue
        position += 1
        side = listed.side_of(item)
        if room[side] < count and (side in sides or position <= 2 * count):
            room[side] += 1
            chosen.append(row._replace(stance=side))
            terms[item] = own
    return chosen, alike


def same_words(first: Set[str], second: Set[str]) -> bool:
    """Whether two sets of terms are those of near-duplicates, even where the corpus cuts them into other sentences.

    >>> same_words({*"abcdefghijklmnop"}, {*"abcdefghijklmno"}), same_words({*"abc"}, {*"abc"})
    (True, False)
    """
    smaller = min(len(first), len(second))
    return smaller >= FEW and len(first & second) >= SAME * smaller


def _of_first_arguments(rows: Iterable[RunRow]) -> Iterator[RunRow]:
    """The first rows, up to the one that brings in more than `WEAK` arguments."""
    seen: set[str] = set()
    for row in rows:
        seen |= arguments_of(row.pair)
        if len(seen) > WEAK:
            break
        yield row


@lru_cache(maxsize=20_000)
def arguments_of(item: str) -> frozenset[str]:
    """Ids of the one or two arguments of a pair."""
    return frozenset(map(argument_of, parts_of(item)))
