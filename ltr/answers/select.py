"""Third stage of an answer: which items of a ranked list are shown, and which of them are folded away.

The first of each side are shown, an argument once, near-duplicates left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain, filterfalse

import numpy as np
import pandas as pd

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
    known: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Conclusions of which the person said that they are what is asked (1), the opposite (-1), or neither (0)."""
    moved: Sequence[tuple[str, str, str]] = field(default=(), hash=False)
    """Ids of arguments or documents, each with the side that the person gave it, and for which question; empty: for
    this one. The last one for this question counts, or else for one that asks the same.
    """


def select(
    listed: pd.DataFrame,
    selection: Selection,
    sides: Sequence[str],
    side_of: Callable[[int], str],
    announces: Callable[[int], bool],
    terms: Callable[[int], Set[str]],
) -> tuple[pd.DataFrame, list[int]]:
    """The results of a list in the order to show them, and one item for each argument worth showing, at most `COUNTED`.

    What is worth showing by itself comes first, then other items on the subject, then weak ones. ``listed`` has items,
    best first, in the index, the rows of their ``arguments``, and whether they are ``low``, of little expected
    relevance; ``weak``, hardly worth showing; ``related``, without an argument that has nothing to do with the
    question: others never show. Both ``sides`` have ``selection.count`` results each. Called for few items: ``side_of``
    gives the side, or Q0 where that is unclear; ``announces``, whether one announces arguments in place of arguing, so
    that it comes behind all others, and is weak; ``terms``, its distinct index terms.

    Results have ``stance``, their side, and ``alike``, near-duplicates that they stand for, beside their columns.
    """
    arguments = dict(zip(listed.index, listed["arguments"].tolist(), strict=True))
    weak, low, related = (listed[name].to_numpy() for name in ("weak", "low", "related"))
    strong = [item for of in (~low, low) for item in listed.index[of & related & ~weak].tolist()]
    owners = listed["arguments"][weak].explode()
    searched = (~owners.duplicated()).groupby(level=0, sort=False).sum().cumsum()  # arguments up to each weak item
    weaker = searched.index[(searched <= WEAK).to_numpy() & related[weak]].tolist()
    candidates = chain(filterfalse(announces, strong), filter(announces, strong), weaker)
    side, alike = best(candidates, arguments, selection, sides, side_of, terms)
    results = listed.loc[[*side]]
    folded = results["weak"] | np.array([*map(announces, side)], bool)
    copies = pd.Series([alike[item] for item in side], results.index, object)
    results = results.assign(weak=folded, stance=[*side.values()], alike=copies)
    worth: list[int] = []
    seen: set[int] = set()
    for item in strong:
        if seen.isdisjoint(arguments[item]) and not announces(item):
            seen.update(arguments[item])
            worth.append(item)
            if len(worth) == COUNTED:
                break
    return results, worth


def best(
    items: Iterable[int],
    arguments: Mapping[int, Sequence[int]],
    selection: Selection,
    sides: Sequence[str],
    side_of: Callable[[int], str],
    terms: Callable[[int], Set[str]],
) -> tuple[dict[int, str], Mapping[int, list[int]]]:
    """The first items of each side, of each argument one, and the near-duplicates of each, unless ``selection.every``.

    An item that takes neither of the two ``sides`` is kept only among the first ``2 * selection.count``, as many as
    those two have room for.
    """
    chosen: dict[int, str] = {}
    alike: defaultdict[int, list[int]] = defaultdict(list)
    words: dict[int, Set[str]] = {}
    shown: set[int] = set()
    room: Counter[str] = Counter()
    count, position = selection.count, 0
    for item in items:
        if not selection.every and not shown.isdisjoint(arguments[item]):
            continue
        if position >= 2 * count and all(room[side] >= count for side in sides):
            break
        shown.update(arguments[item])
        own = frozenset() if selection.every else terms(item)
        twin = next((other for other, its in words.items() if same_words(own, its)), None)
        if twin is not None:
            alike[twin].append(item)
            continue
        position += 1
        side = side_of(item)
        if room[side] < count and (side in sides or position <= 2 * count):
            room[side] += 1
            chosen[item], words[item] = side, own
    return chosen, alike


def same_words(first: Set[str], second: Set[str]) -> bool:
    """Whether two sets of terms are those of near-duplicates, even where the corpus cuts them into other sentences.

    >>> same_words({*"abcdefghijklmnop"}, {*"abcdefghijklmno"}), same_words({*"abc"}, {*"abc"})
    (True, False)
    """
    smaller = min(len(first), len(second))
    return smaller >= FEW and len(first & second) >= SAME * smaller
