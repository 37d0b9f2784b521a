"""The points that the results of a side make: results of one point stand together under a short claim."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain, compress, islice, zip_longest
from textwrap import shorten

import numpy as np

from features.core.statistics import FloatArray
from features.learned.vectors import load_vectors
from ltr.answers.sentences import claim_in, display_text
from ltr.answers.weights import as_unit

NEAR = 0.4  # least cosine of two results that make the same point; see docs/laboratory.md for its precision
RESTATED = 0.6  # share of the distinct terms of two headings that both have, from which on they say much the same
KEY, HEADING = 3, 140  # key points of a side, and characters of a heading, at most
CLAIMS = 8  # claims of a point's results that are read, at most
_DECIMALS = 5
_BUT = re.compile(r"^\W*(?:but|however|yet|nevertheless|nonetheless)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Saying:
    """What an item says, for the point that it makes."""

    argument: int
    """Row of its argument."""
    root: int
    """Row of the argument about the debate's resolution at the end of its argument's path."""
    title: str
    """Title of the debate; may be empty."""
    sentences: tuple[str, ...]
    """The sentences of a pair, or the first ones of a whole argument."""
    premises: tuple[str, ...] = ()
    """The sentences that are not conclusions."""
    beside: tuple[str, ...] = ()
    """The first premises of its argument."""
    own: str = ""
    """The argument's conclusion; empty where it argues against it, or where it is the debate's resolution."""


@dataclass(frozen=True)
class Point:
    """A point that some results of one side share."""

    number: int
    """From 0, over all sides in the order to show them."""
    side: str
    """The side, as in `ltr.answers.answer.Answer.groups`."""
    heading: str
    """A conclusion or a sentence of the corpus, cleaned and shortened."""
    debate: str
    """Title of the debate of its best result; may be empty."""
    arguments: int
    """Arguments worth showing that make this point on this side, shown or not."""
    key: bool
    """Whether it is one of the key points of its side."""


@dataclass(frozen=True)
class PointMaker:
    """Makes the points of one question's results."""

    says: Callable[[int], Saying]
    """The saying of an item."""
    terms: Callable[[str], frozenset[str]]
    """The distinct terms of a text."""
    question: str = ""
    says_side: Callable[[str, Sequence[str]], list[bool]] = lambda _, claims: [True] * len(claims)
    """Whether each claim says by itself that it is on the matter and on a side: else it is no key point."""

    def find(
        self,
        shown: Mapping[str, Sequence[int]],
        others: Sequence[int],
        group_of: Callable[[int], str],
        doubtful: Set[int],
    ) -> tuple[list[Point], dict[int, int]]:
        """The points, in the order to show them, and the number of each result's point.

        ``shown``: the sides in the order to show them, each with its results worth showing, best first. ``others``: one
        result for each argument worth showing; ``group_of`` gives the side of one. Points of ``doubtful`` results are
        no key points of a side that has others.
        """
        items = list(dict.fromkeys(chain(*shown.values(), others)))
        says, place = list(map(self.says, items)), {item: at for at, item in enumerate(items)}
        rest = list(map(place.__getitem__, others))
        near, roots = nearness([" ".join(one.sentences) for one in says]), [one.root for one in says]
        points: list[Point] = []
        number: dict[int, int] = {}
        for side, results in shown.items():
            keys: list[frozenset[str]] = []
            apart = doubtful if set(results) - doubtful else frozenset()
            for first, members in group([place[item] for item in results], roots, near).items():
                same = [at for at in rest if roots[at] == roots[first] or near[first, at] >= NEAR]
                more = [at for at in same if at not in members and group_of(items[at]) == side]
                makers = [says[at] for at in (*members, *more)]
                claims = list(islice(self.claims(makers), CLAIMS))
                key = bool(side and claims) and items[first] not in apart and len(keys) < KEY
                good = [*compress(claims, self.says_side(side, claims))] if key else []
                claim = next(chain(good, claims), "")
                terms = self.terms(claim)
                key = bool(good) and not any(restates(terms, other) for other in keys)
                keys += [terms] if key else []
                number |= {items[at]: len(points) for at in members}
                heading = claim or shorten(display_text(makers[0].sentences[0]), HEADING, placeholder=" …")
                arguments = len({one.argument for one in makers})
                points.append(Point(len(points), side, heading, makers[0].title, arguments, key))
        return points, number

    def claims(self, makers: Sequence[Saying]) -> Iterator[str]:
        """The claims of a point that these results make, best first.

        The conclusion of an argument that argues for it, where it is not the debate's; then the shortest claims of a
        result's premises, and of its argument's first ones that name what is asked about.
        """
        yield from filter(None, (self._claim(one.own) for one in makers))
        asked = self.terms(self.question)
        for one in makers:
            yield from sorted(self._claims(one.premises), key=len)
            yield from sorted((claim for claim in self._claims(one.beside) if asked & self.terms(claim)), key=len)

    def _claims(self, texts: Sequence[str]) -> list[str]:
        """The claims of sentences that the next one does not take back."""
        kept = (text for text, after in zip_longest(texts, texts[1:], fillvalue="") if not _BUT.match(after))
        return [*filter(None, map(self._claim, kept))]

    def _claim(self, text: str) -> str:
        """The claim of a text that says more than the question."""
        claim = claim_in(text)
        return "" if restates(self.terms(claim), self.terms(self.question)) else claim


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


def nearness(texts: Sequence[str]) -> FloatArray:
    """(n_texts, n_texts) cosines of the texts' word vectors, from which their mean was taken away.

    All are about one question: what they share is its subject, and what is left is what each one says about it.
    A text without a known word is near to none.
    """
    vectors = as_unit(load_vectors().rows(texts).sums)
    known = vectors.any(axis=1, keepdims=True)
    vectors = as_unit(vectors - vectors.sum(axis=0) / max(int(known.sum()), 1)) * known
    return np.asarray((vectors @ vectors.T).round(_DECIMALS))
