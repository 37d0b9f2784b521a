"""The premises of an argument, those first that say most of a topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache as remembered

from ltr.index.reader import Index
from ltr.retrieval.terms import TermCache

Premises = Callable[[int], list[int]]
"""Argument row -> the sentence rows of its premises that hold a word, best first."""


def rank_premises(index: Index, query: Sequence[str], cache: TermCache) -> Premises:
    """What finds the premises of an argument: by their topic words, then by length, then in reading order."""
    wanted = dict(zip(query, index.statistics.idf("sentence", query).tolist(), strict=True))
    numbers = index.column("number")

    @remembered
    def find(argument: int) -> list[int]:
        scored = []
        for row, terms in zip(index.sentence_rows(argument), cache.sentences(argument), strict=True):
            if numbers[row] < 0 or not terms:
                continue
            # In order of first appearance: a set of strings has another order, and another sum, in each process.
            match = sum(wanted[term] for term in dict.fromkeys(terms) if term in wanted)
            scored.append((-round(match + 4 * min(len(terms), 12) / 12, 9), row))
        return [row for _, row in sorted(scored)]

    return find
