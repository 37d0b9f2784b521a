"""The points that the results of a side make: results of one point stand together under a short claim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from textwrap import shorten
from typing import Final

import numpy as np

from features.core.statistics import FloatArray
from features.learned.vectors import load_vectors
from ltr.answers.cleaning import display_text
from ltr.answers.headings import claim_in, is_announcement
from ltr.answers.reading_order import rows_of
from ltr.answers.sides import conclusion_of
from ltr.data.ids import argument_of
from ltr.index.reader import Index
from ltr.ranking.describe import term_cache

KEY = 3
"""Key points of a side, at most."""
HEADING = 140
"""Characters of a heading, at most."""
RESTATED = 0.6
"""Share of the distinct terms of two headings that both have, from which on they say much the same."""
READ = 8
"""Sentences of a whole argument that are compared."""
COUNTED = 100
"""Arguments, best first, among which those of a point are counted."""
NEAR: Final = 0.4
"""Least cosine of two results that make the same point; see docs/laboratory.md for its precision."""
_DECIMALS = 5


@dataclass(frozen=True)
class Point:
    """A point that some results of one side share."""

    number: int
    """From 0, over all sides in the order to show them."""
    side: str
    """The side, as in `ltr.answers.search.Answer.groups`."""
    heading: str
    """A conclusion or a sentence of the corpus, cleaned and shortened."""
    debate: str
    """Title of the debate of its best result; may be empty."""
    arguments: int
    """Arguments worth showing that make this point on this side, shown or not."""
    key: bool
    """Whether it is one of the key points of its side."""


@dataclass(frozen=True)
class Candidates:
    """The results of one question that points are made of."""

    index: Index
    question: str = ""

    def argument(self, item: str) -> int:
        """The row of a result's argument, of a pair's first one."""
        return self.index.row_of[argument_of(item.split(",", maxsplit=1)[0])]

    def rows(self, item: str) -> list[int]:
        """The rows of a pair's sentences, or of all sentences of a whole argument."""
        return [row for part in item.split(",") for row in rows_of(self.index, part)]

    def texts(self, item: str) -> list[str]:
        """The sentences of a pair, or the first ones of a whole argument."""
        return list(map(self.index.text, self.rows(item)[:READ]))

    def all_terms(self, item: str) -> list[str]:
        """The index terms of a result."""
        return [term for row in self.rows(item) for term in term_cache(self.index).terms(row)]

    def announces(self, item: str) -> bool:
        """Whether a sentence of a result is about the debate, not about its subject."""
        return any(map(is_announcement, self.texts(item)))

    def own_claim(self, item: str) -> str:
        """The conclusion of a result's argument as a claim; empty where it argues against it or it is the debate's."""
        index, row = self.index, self.argument(item)
        if index.stance(row) != "PRO" or (len(index.path(row)) == 1 and index.in_debate(row) > 1):
            return ""
        return self._claim(conclusion_of(index, row))

    def premise_claim(self, item: str) -> str:
        """The shortest claim of a result's premises, else of its argument's first ones that name what is asked about;
        empty without any.
        """
        index, asked = self.index, self.terms(self.question)
        rows = self.rows(item), index.sentence_rows(self.argument(item))
        premises = ([row for row in some if index.column("number")[row] > 0][:READ] for some in rows)
        said, rest = ([self._claim(index.text(row)) for row in some] for some in premises)
        named = (claim for claim in rest if not asked.isdisjoint(self.terms(claim)))
        return min(filter(None, said), key=len, default="") or min(named, key=len, default="")

    def _claim(self, text: str) -> str:
        """The claim of a text that says more than the question."""
        claim = claim_in(text)
        return "" if restates(self.terms(claim), self.terms(self.question)) else claim

    def terms(self, text: str) -> frozenset[str]:
        """The distinct index terms of a text."""
        return frozenset(self.index.analyzer.distinct(text))

    def root(self, item: str) -> int:
        """The argument about the debate's resolution whose point a result belongs to: the end of its path."""
        return self.index.path(self.argument(item))[-1]


def find_points(
    candidates: Candidates,
    shown: Mapping[str, Sequence[str]],
    others: Sequence[str],
    side_of: Callable[[str], str],
    doubtful: Set[str] = frozenset(),
) -> tuple[list[Point], dict[str, int]]:
    """The points, in the order to show them, and the number of each result's point.

    ``shown``: the sides in the order to show them, each with its results worth showing, best first. ``others``: one
    result for each argument worth showing; ``side_of`` gives the side of one. Points of ``doubtful`` results are no key
    points of a side that has others.
    """
    items = list(dict.fromkeys([*(item for side in shown.values() for item in side), *others]))
    near = nearness([" ".join(candidates.texts(item)) for item in items])
    roots = list(map(candidates.root, items))
    place = {item: at for at, item in enumerate(items)}
    points: list[Point] = []
    number: dict[str, int] = {}
    for side, results in shown.items():
        keys: list[frozenset[str]] = []
        apart = doubtful if set(results) - doubtful else frozenset()
        for first, members in group([place[item] for item in results], roots, near).items():
            number |= {items[at]: len(points) for at in members}
            same = [at for at in map(place.__getitem__, others) if roots[at] == roots[first] or near[first, at] >= NEAR]
            says = [at for at in same if at not in members and side_of(items[at]) == side]
            count = len({candidates.argument(items[at]) for at in (*members, *says)})
            claim = heading_of(candidates, [items[at] for at in dict.fromkeys((*members, *says))])
            terms = candidates.terms(claim)
            fits = bool(side and claim) and items[first] not in apart
            if key := fits and len(keys) < KEY and not any(restates(terms, other) for other in keys):
                keys.append(terms)
            heading = claim or shorten(display_text(candidates.texts(items[first])[0]), HEADING, placeholder=" …")
            debate = candidates.index.title(candidates.argument(items[first]))
            points.append(Point(len(points), side, heading, debate, count, key))
    return points, number


def group(places: Sequence[int], roots: Sequence[int], near: FloatArray) -> dict[int, list[int]]:
    """The first place of each group, with all places of the group. In order, a place joins the group whose first place
    has the same root, else the nearest one with a cosine of `NEAR`, else it is the first of another group.

    ``roots`` (n_items,) and ``near`` (n_items, n_items) are of all items, by place.
    """
    groups: dict[int, list[int]] = {}
    for at in places:
        same = [first for first in groups if roots[first] == roots[at]]
        alike = [first for first in groups if near[first, at] >= NEAR]
        first = same[0] if same else max(alike, key=lambda one: (near[one, at], -one), default=at)
        groups.setdefault(first, []).append(at)
    return groups


def restates(terms: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two headings with these terms say much the same: then only the first one is a key point."""
    return len(terms & others) >= RESTATED * max(len(terms | others), 1)


def heading_of(candidates: Candidates, items: Sequence[str]) -> str:
    """The claim of a point that these results make, best first; empty where none of them says one in a sentence.

    The conclusion of an argument that argues for it, where it is not the debate's; else the shortest of the sentences.
    """
    return next(filter(None, chain(map(candidates.own_claim, items), map(candidates.premise_claim, items))), "")


def nearness(texts: Sequence[str]) -> FloatArray:
    """(n_texts, n_texts) cosines of the texts' word vectors, from which their mean was taken away.

    All are about one question: what they share is its subject, and what is left is what each one says about it.
    A text without a known word is near to none.
    """
    rows = load_vectors().rows(texts)
    known = rows.norms > 0
    vectors = rows.sums / np.where(known, rows.norms, 1)[:, None]
    vectors -= vectors.sum(axis=0) / max(int(known.sum()), 1)
    norms = np.sqrt((vectors * vectors).sum(axis=1))
    vectors[~known] = 0
    vectors /= np.where(norms > 1e-9, norms, 1)[:, None]
    return np.asarray((vectors @ vectors.T).round(_DECIMALS), np.float64)
