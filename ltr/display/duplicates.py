"""Results that say the same words, even where the corpus cuts them into other sentences."""

from __future__ import annotations

from collections.abc import Callable, Collection

SAME = 0.8
"""Share of the distinct terms of two results that both have, from which on one is a copy of the other."""

FEW = 4
"""A result with fewer distinct terms is a copy only of one with the same terms."""


def same_words(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether two sets of terms are those of near-duplicates.

    >>> same_words(frozenset("abcde"), frozenset("abcd")), same_words(frozenset("abcde"), frozenset("abcdx"))
    (True, False)
    """
    if min(len(first), len(second)) < FEW:
        return first == second
    return len(first & second) >= SAME * len(first | second)


class Copies:
    """Finds the result of which another one is a copy. Terms of results are looked up when they are compared."""

    def __init__(self, terms: Callable[[str], Collection[str]]) -> None:
        """``terms`` gives the index terms of a result by its id."""
        self._terms = terms
        self._kept: dict[str, frozenset[str]] = {}
        self.alike: dict[str, list[str]] = {}
        """Result -> the copies of it that came later."""

    def is_copy(self, id_: str) -> bool:
        """Whether a result is a copy of one that was kept; then it is one of the results `alike`."""
        own = frozenset(self._terms(id_))
        for other, terms in self._kept.items():
            if same_words(own, terms):
                self.alike.setdefault(other, []).append(id_)
                return True
        return False

    def keep(self, id_: str) -> None:
        """Keep a result: later ones are compared with it."""
        self._kept[id_] = frozenset(self._terms(id_))
