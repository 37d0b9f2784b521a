"""Results that say the same words, even where the corpus cuts them into other sentences."""

from __future__ import annotations

from collections.abc import Callable, Collection, Set
from functools import cache

SAME = 0.85
"""Share of a result's distinct terms that another one has, too, from which on one of the two is enough."""

FEW = 15
"""Distinct terms of the shortest result that is compared: short ones of one debate share their conclusion's words."""


def same_words(first: Set[str], second: Set[str]) -> bool:
    """Whether two sets of terms are those of near-duplicates: most terms of the smaller one are in the other.

    >>> same_words({*"abcdefghijklmnop"}, {*"abcdefghijklmno"}), same_words({*"abc"}, {*"abc"})
    (True, False)
    """
    smaller = min(len(first), len(second))
    return smaller >= FEW and len(first & second) >= SAME * smaller


class Copies:
    """Finds the result of which another one is a copy. Terms of results are looked up when they are compared."""

    def __init__(self, terms: Callable[[str], Collection[str]]) -> None:
        """``terms`` gives the index terms of a result by its id."""
        self._terms = cache(lambda id_: frozenset(terms(id_)))
        self._kept: dict[str, frozenset[str]] = {}
        self.alike: dict[str, list[str]] = {}
        """Result -> the copies of it that came later."""

    def is_copy(self, id_: str) -> bool:
        """Whether a result is a copy of one that was kept; then it is one of the results `alike`."""
        own = self._terms(id_)
        for other, terms in self._kept.items():
            if same_words(own, terms):
                self.alike.setdefault(other, []).append(id_)
                return True
        return False

    def keep(self, id_: str) -> None:
        """Keep a result: later ones are compared with it."""
        self._kept[id_] = self._terms(id_)
