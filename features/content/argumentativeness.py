"""Signs that a sentence argues, or that it only talks: phrases and patterns of tokens.

Tokens are those of spaCy's blank English pipeline (no trained model is loaded or downloaded). Each marker counts the
places where it occurs, as spaCy's matchers would count them; the lists are written for debate portals.

spaCy's English tokenizer splits what stands between white space, and is asked once for each such piece. What
follows is arithmetic on token numbers: phrases are walked through a table of states, all texts at once. The 40,000
sentences of 50 topics take 2.2 s, and 4.6 s by spaCy's tokenizer and matchers; ranking their pairs takes 15 s.
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


class Phrases:
    """Phrases of several kinds, found wherever they stand, in each other too."""

    def __init__(self, kinds: Sequence[Sequence[Sequence[int]]]) -> None:
        """Each kind is its phrases as symbols."""
        states: dict[tuple[int, int], int] = {}
        ends: list[tuple[int, int]] = []
        for kind, phrases in enumerate(kinds):
            for phrase in phrases:
                state = 1
                for symbol in phrase:
                    state = states.setdefault((state, symbol), len(states) + 2)
                ends.append((state, kind))
        symbols = 1 + max((symbol for _, symbol in states), default=0)
        self._next = np.zeros((len(states) + 2, symbols), np.int32)
        for (state, symbol), following in states.items():
            self._next[state, symbol] = following
        self._kinds = np.zeros((len(states) + 2, len(kinds)))
        for state, kind in ends:
            self._kinds[state, kind] = 1

    def count(self, tokens: Read, texts: int) -> FloatArray:
        """(n_texts, n_kinds) places where phrases begin."""
        counts = np.zeros((texts, self._kinds.shape[1]))
        symbols = np.where(tokens.symbol < self._next.shape[1], tokens.symbol, 0)
        at, state = np.arange(len(symbols)), np.ones(len(symbols), np.int32)
        while len(at):
            state = self._next[state, symbols[at]]
            at, state = at[state > 0], state[state > 0]
            kinds = self._kinds[state]
            for kind in np.flatnonzero(kinds.any(axis=0)):
                counts[:, kind] += np.bincount(tokens.text[at[kinds[:, kind] > 0]], minlength=texts)
            at = at + 1
        return counts


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
