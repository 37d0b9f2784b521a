"""Several queries for one question."""

from __future__ import annotations

from collections.abc import Sequence

from features.core.text import STOP_WORDS, normalise, words
from features.learned.vectors import load_vectors

COMPARISON = frozenset("better best worse difference differences advantages disadvantages pros cons vs versus".split())
NEAR = 0.75
"""Cosine from which a word counts as a synonym, as "bicycle" does for "bike"."""


def make_queries(title: str, objects: Sequence[str] = ()) -> list[str]:
    """Up to four different queries.

    The title; its words without stop words; the objects with those words, without words of comparison; and the last one
    with synonyms added.
    """
    content = [word for word in dict.fromkeys(words(title)) if word not in STOP_WORDS]
    aspects = [word for word in content if word not in COMPARISON and word not in words(" ".join(objects))]
    things = " ".join([*objects, *aspects])
    near = load_vectors().neighbours(words(things), NEAR)
    distinct: dict[str, str] = {}
    for query in (title, " ".join(content), things, " ".join([things, *near])):
        distinct.setdefault(normalise(query), query)
    return [query for mark, query in distinct.items() if mark]
