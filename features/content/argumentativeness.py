"""Signs that a sentence argues, or that it only talks: phrases and patterns of tokens.

Tokens are those of spaCy's blank English pipeline (no trained model is loaded or downloaded). Each marker counts the
places where it occurs, as spaCy's matchers would count them; the lists are written for debate portals.

spaCy's English tokenizer splits what stands between white space, and is asked once for each such piece. Tokens are
numbers then, and phrases regular expressions over them, a character a token, all texts at once: in half the time of
spaCy's tokenizer and matchers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from threading import get_ident
from typing import Any

import numpy as np
import numpy.typing as npt

from features.core.feature import feature
from features.core.statistics import FloatArray, IntArray
from features.core.tables import Texts, once
from features.core.words import Words

MOST = 200_000
"""Pieces that are remembered, those of some 100,000 sentences; and words that the tokenizer holds."""

_RUNS = re.compile(r"\s+|\S+")
_TAKEN_OFF = frozenset(("", *',;:!?)"\u201d\u2019'))
"""Marks that the tokenizer always takes off the end of a word, unless it has a rule for the two together."""
_ODD_SPACE = re.compile(r"^\s|\s\s|[^\S ]")

KINDS = ("number", "url", "quote", "title", "year")
"""Facts that spaCy knows of a token alone; a bit each, in this order."""

BoolArray = npt.NDArray[np.bool_]

LONGEST = 400
"""Characters of a piece that are read: the tokenizer takes quadratic time."""


@dataclass(frozen=True)
class Read:
    """The tokens of texts one after the other, and behind each text a separator that is in no text."""

    text: IntArray
    """(n_tokens,) position of the text, -1 for the token between two of them"""
    symbol: IntArray
    """(n_tokens,) 0 for a word that has none"""
    kinds: IntArray
    """(n_tokens,) bits as in `KINDS`"""

    def kind(self, name: str) -> BoolArray:
        """(n_tokens,) whether each is of that kind."""
        return (self.kinds >> KINDS.index(name)) & 1 > 0


class Tokens:
    """Texts as numbers of tokens. The tokenizer grows with what it reads, so each thread needs its own."""

    def __init__(self) -> None:
        self._tokenizer = _tokenizer()
        self._rules = frozenset(self._tokenizer.rules)
        self.symbol_of: Mapping[str, int] = {}
        """Lower-case token -> its symbol, from 1 up; set it before anything is read."""
        self._look_piece = lru_cache(MOST)(self._look_at_piece)
        self._look = lru_cache(MOST)(self._look_at_token)

    def split(self, phrase: str) -> list[str]:
        """Lower-case tokens of a phrase."""
        return [token.lower_ for token in self._tokenizer(phrase)]

    def read(self, texts: Sequence[str]) -> Read:
        """The tokens of all texts."""
        if len(self._tokenizer.vocab) > MOST:  # it remembers every word that it has ever seen
            self._tokenizer = _tokenizer()
        # The empty piece behind each text keeps phrases from running on into the next.
        pieces = Words.of([[*_pieces(text), ""] for text in texts])
        owner = pieces.owner.copy()
        owner[np.cumsum(pieces.sizes) - 1] = -1
        looks = [self._look_piece(piece) for piece in pieces.distinct]
        sizes = np.array([len(found) for found in looks], np.int64)
        starts, length = (np.cumsum(sizes) - sizes)[pieces.number], sizes[pieces.number]
        place = np.arange(length.sum()) + np.repeat(starts - (np.cumsum(length) - length), length)
        found = np.fromiter(chain.from_iterable(looks), np.int64, int(sizes.sum()))[place]
        return Read(np.repeat(owner, length), found >> len(KINDS), found & (1 << len(KINDS)) - 1)

    def _look_at_piece(self, piece: str) -> list[int]:
        """Its tokens when it stands alone, see `_look_at_token`; white space is a token without a symbol."""
        piece = piece[:LONGEST]
        body, mark = (piece, "") if piece.isalpha() else (piece[:-1], piece[-1:])
        if body.isalpha() and body.isascii() and (mark in _TAKEN_OFF or (mark == "." and body[-1].islower())):
            parts = [body, mark] if mark else [body]  # most pieces
            if self._rules.isdisjoint([*parts, piece]):
                return [*map(self._look, parts)]
        return [self._look(token.text) for token in self._tokenizer(piece)] or [0]

    def _look_at_token(self, token: str) -> int:
        """The token's symbol, and below it the bits of its kinds."""
        symbol = self.symbol_of.get(token.lower(), 0) << len(KINDS)
        word = self._tokenizer.vocab[token]
        said = (word.like_num, word.like_url, word.is_quote, word.is_title, word.shape_ == "dddd")
        return symbol | sum(bool(one) << place for place, one in enumerate(said))


def _tokenizer() -> Any:
    import spacy  # noqa: PLC0415 takes a second, which runs that read kept values need not wait for

    return spacy.blank("en").tokenizer


def _pieces(text: str) -> list[str]:
    """Split at white space; white space other than a single blank between words is a token ""."""
    if not _ODD_SPACE.search(text):
        return text.split()
    return [run.strip() for place, run in enumerate(_RUNS.findall(text)) if run != " " or place == 0]


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
def _matchers(thread: int) -> tuple[Tokens, dict[str, re.Pattern[str]]]:
    """The tokenizer, with symbols for the words in patterns, and a pattern of symbols a marker, as characters, for its
    phrases, of which none begins with another; a thread's own, since the tokenizer grows."""
    tokens = Tokens()
    phrases = {marker: [tokens.split(phrase) for phrase in listed] for marker, listed in PHRASES.items()}
    words = dict.fromkeys([*_WORDS, *chain.from_iterable(chain.from_iterable(phrases.values()))])
    symbols = tokens.symbol_of = {word: number for number, word in enumerate(words, 1)}
    written = {
        marker: "|".join(re.escape("".join(chr(symbols[word]) for word in phrase)) for phrase in listed)
        for marker, listed in phrases.items()
    }
    return tokens, {marker: re.compile(f"(?={listed})") for marker, listed in written.items()}


@once
def mark(texts: Texts) -> dict[str, FloatArray]:
    """(n_texts,) places a marker, by name."""
    reader, phrases = _matchers(get_ident())
    tokens = reader.read(texts.texts)
    symbols = tokens.symbol.astype("<u4").tobytes().decode("utf-32-le")
    found = ((marker, _starts(pattern, symbols)) for marker, pattern in phrases.items())
    counts = {marker: np.zeros(len(texts)) for marker in MARKERS}
    for marker, places in chain(found, _patterns(tokens, reader.symbol_of)):
        counts[marker] += np.bincount(tokens.text[places], minlength=len(texts))
    return counts


def _starts(pattern: re.Pattern[str], letters: str) -> IntArray:
    """Places where a pattern begins."""
    return np.array([match.start() for match in pattern.finditer(letters)], np.int64)


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
    yield "reference", _starts(_AUTHOR_YEAR, "".join(letters))


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
