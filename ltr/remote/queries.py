"""Several ways to put one question to a search engine."""

from __future__ import annotations

from collections.abc import Sequence

from features.core.text import STOP_WORDS, normalise, words
from features.learned.vectors import load_vectors

COMPARISON = frozenset("better best worse difference differences advantages disadvantages pros cons vs versus".split())
NEAR = 0.75
"""Cosine from which a word is taken for another name of a thing, as "bicycle" is for "bike"."""


def make_queries(title: str, objects: Sequence[str] = ()) -> list[str]:
    """Up to four ways to ask, none of them twice.

    The title; its words without stop words; the objects and what is left of these, without words of comparison; and the
    same with other names of its things.
    """
    content = [word for word in dict.fromkeys(words(title)) if word not in STOP_WORDS]
    aspects = [word for word in content if word not in COMPARISON and word not in words(" ".join(objects))]
    things = " ".join([*objects, *aspects])
    near = load_vectors().neighbours(words(things), NEAR)
    distinct: dict[str, str] = {}
    for query in (title, " ".join(content), things, " ".join([things, *near])):
        distinct.setdefault(normalise(query), query)
    return [query for mark, query in distinct.items() if mark]
