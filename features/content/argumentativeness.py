"""Signs that a sentence argues, or that it only talks: phrases and patterns of tokens.

Tokens are those of spaCy's blank English pipeline (no trained model is loaded or downloaded). Each marker counts the
places where it occurs; the lists are written for debate portals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from threading import get_ident

import numpy as np

from features.content.matching import KINDS, BoolArray, Phrases, Read, Tokens
from features.core.feature import feature
from features.core.statistics import FloatArray, IntArray
from features.core.tables import Texts, once

MARKERS = {
    "profanity": "profanity and insults",
    "meta_talk": "talk about the debate itself",
    "url": "links",
    "reference": "numbered or author-year references",
    "number": "numbers",
    "quotation": "quotation marks",
}
"""Marker -> its description. The last four are not lists of phrases, see `_patterns`."""

PHRASES: dict[str, list[str]] = {}
"""Marker -> its phrases. A line of the file is a marker and phrases of it."""
for _line in Path(__file__).with_name("phrases.txt").read_text("utf-8").splitlines():
    _name, *_phrases = _line.split("|")
    PHRASES.setdefault(_name, []).extend(_phrases)

_WORDS = ("r", "round", "vote", "for", "a", "pro", "con", "aff", "neg", "et", "and", "&", "al", "al.", *"[](,")
"""Words and marks in patterns, apart from kinds of tokens."""

# An author and a year in brackets, as letters for tokens: T title case, E et or and, A al, B both of the first two.
# No more than so many authors, or the time for a list of names would grow with its square.
_AUTHOR_YEAR = re.compile(r"\([TBC]{1,20}[EB]?[AC]?[TBC]{0,20},?Y")


@lru_cache(maxsize=64)
def _matchers(thread: int) -> tuple[Tokens, Phrases]:
    """The tokenizer, with symbols for the words in patterns, and the phrases; a thread's own, since they grow."""
    tokens = Tokens()
    phrases = [[tokens.split(phrase) for phrase in listed] for listed in PHRASES.values()]
    words = dict.fromkeys([*_WORDS, *chain.from_iterable(chain.from_iterable(phrases))])
    symbols = tokens.symbol_of = {word: number for number, word in enumerate(words, 1)}
    return tokens, Phrases([[[symbols[word] for word in one] for one in listed] for listed in phrases])


@once
def mark(texts: Texts) -> dict[str, FloatArray]:
    """(n_texts,) places a marker, by name."""
    reader, phrases = _matchers(get_ident())
    tokens = reader.read(texts.texts)
    counts = dict(zip(PHRASES, phrases.count(tokens, len(texts)).T, strict=True))
    for marker, places in _patterns(tokens, reader.symbol_of):
        owner = tokens.text[places]
        counts[marker] = counts.get(marker, 0) + np.bincount(owner, minlength=len(texts)).astype(float)
    return counts


def _patterns(tokens: Read, symbol_of: Mapping[str, int]) -> Iterator[tuple[str, IntArray]]:
    """Markers with the tokens at which they begin."""

    def one_of(*words: str) -> BoolArray:
        return np.isin(tokens.symbol, [symbol_of[word] for word in words])

    number, url, quote, title, year = (tokens.kind(name) for name in KINDS)
    yield "url", np.flatnonzero(url)
    yield "number", np.flatnonzero(number)
    yield "quotation", np.flatnonzero(quote)
    vote, side = one_of("vote"), one_of("pro", "con", "aff", "neg")
    yield "meta_talk", _in_a_row(one_of("r", "round"), number)
    yield "meta_talk", _in_a_row(vote, side)
    yield "meta_talk", _in_a_row(vote, one_of("for", "a"), side)
    yield "reference", _in_a_row(one_of("["), number, one_of("]"))
    both, al = one_of("et", "and", "&"), one_of("al", "al.")
    letters = np.full(len(title), " ")
    kinds = title, both, al, title & both, title & al, year, one_of("("), one_of(",")
    for letter, which in zip("TEABCY(,", kinds, strict=True):
        letters[which] = letter
    yield "reference", np.array([match.start() for match in _AUTHOR_YEAR.finditer("".join(letters))], np.int64)


def _in_a_row(*which: BoolArray) -> IntArray:
    """Places where tokens of one kind are followed by those of the next."""
    size = max(len(which[0]) - len(which) + 1, 0)
    return np.flatnonzero(np.logical_and.reduce([one[place : place + size] for place, one in enumerate(which)]))


def _marked(marker: str) -> Callable[[Texts], FloatArray]:
    return lambda texts: np.minimum(mark(texts)[marker], 10)


_feature = partial(feature, "text", group="argumentativeness", measured_in="places", range=(0, 10))
for _name, _what in MARKERS.items():
    _lift = ("min", "max") if _name == "number" else ("max",)
    _description = f"{_what} in the sentence, at most 10"
    _feature(name=_name, lift=_lift, description=_description, source="tokens of spaCy 3")(_marked(_name))
