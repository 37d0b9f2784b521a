"""Phrases and token patterns counted in many texts at once, as spaCy's matchers would count them one by one.

spaCy's English tokenizer splits what stands between white space, and is asked once for each such piece. What
follows is arithmetic on token numbers: phrases are walked through a table of states, all texts at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from features.core.statistics import FloatArray, IntArray

MOST = 200_000
"""Pieces that are remembered: those of some 100,000 sentences."""

_RUNS = re.compile(r"\s+|\S+")
_EASY = re.compile(
    r"[(\"\u201c\u2018]{0,2}[A-Za-z]+(?:-[A-Za-z]+){0,3}(?:['\u2019]s)?(?:[,;:!?)\"\u201d\u2019]|(?<=[a-z)])\.){0,3}"
)
_PARTS = re.compile(r"[A-Za-z]+|['\u2019]s|.")
"""Words between marks that the tokenizer always takes off, unless it has a rule for what stands side by side."""

KINDS = ("number", "url", "quote", "title", "year")
"""What spaCy says of a token alone; a bit each, in this order."""

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Read:
    """The tokens of texts one after the other, and behind each text one that is no word and in no text."""

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
    """Texts as numbers of tokens. It grows with what it reads, so each thread needs its own."""

    def __init__(self, words: Sequence[str]) -> None:
        """``words`` are lower-case tokens that shall be told apart: they get the symbols from 1 up."""
        import spacy

        nlp: Any = spacy.blank("en")
        self._tokenizer = nlp.tokenizer
        self._rules = frozenset(self._tokenizer.rules)
        self._symbol_of = {word: number for number, word in enumerate(words, 1)}
        self._forget()

    def _forget(self) -> None:
        self._pieces: dict[str, int] = {}
        self._known: dict[str, tuple[int, int]] = {}  # token: symbol, kinds
        self._starts, self._symbols, self._kinds = _Numbers(), _Numbers(), _Numbers()
        self._starts.extend([0])
        self._learn([""])  # white space that is a token: it stands between others, and is no word

    def split(self, phrase: str) -> list[str]:
        """Lower-case tokens of a phrase."""
        return [token.lower_ for token in self._tokenizer(phrase)]

    def read(self, texts: Sequence[str]) -> Read:
        """The tokens of all texts."""
        split = [_pieces(text) for text in texts]
        if len(self._pieces) > MOST:
            self._forget()
        for found in split:
            found.append("")  # behind each text: it keeps phrases from running on into the next
        self._learn(set(chain.from_iterable(split)) - self._pieces.keys())
        sizes = np.array([len(found) for found in split], np.int64)
        numbers = map(self._pieces.__getitem__, chain.from_iterable(split))
        pieces = np.fromiter(numbers, np.int64, int(sizes.sum()))
        owner = np.repeat(np.arange(len(split)), sizes)
        owner[np.cumsum(sizes) - 1] = -1
        start = self._starts.array
        length = start[pieces + 1] - start[pieces]
        ends = np.cumsum(length)
        place = np.arange(ends[-1] if len(ends) else 0) + np.repeat(start[pieces] - (ends - length), length)
        return Read(np.repeat(owner, length), self._symbols.array[place], self._kinds.array[place])

    def _learn(self, pieces: Iterable[str]) -> None:
        starts, looks = [], []
        end = len(self._symbols)
        for piece in pieces:
            self._pieces[piece] = len(self._pieces)
            for token in self._tokens(piece):
                looks.append(self._known.get(token) or self._look(token))
            starts.append(end + len(looks))
        self._starts.extend(starts)
        self._symbols.extend([symbol for symbol, _ in looks])
        self._kinds.extend([kinds for _, kinds in looks])

    def _tokens(self, piece: str) -> list[str]:
        """The tokens of a piece, as they are when it stands alone."""
        if _EASY.fullmatch(piece):
            parts = _PARTS.findall(piece)
            ends = [0, *accumulate(map(len, parts))]
            if self._rules.isdisjoint(piece[start:end] for start, end in combinations(ends, 2)):
                return parts
        return [token.text for token in self._tokenizer(piece)] or [""]

    def _look(self, token: str) -> tuple[int, int]:
        from spacy.lang.en.lex_attrs import like_num

        kinds = 0
        if token.isascii() and token.isalpha():  # without asking: it has no other kinds
            kinds = bool(like_num(token)) + 8 * token.istitle()  # type: ignore[no-untyped-call]
        elif token:
            word = self._tokenizer.vocab[token]
            said = (word.like_num, word.like_url, word.is_quote, word.is_title, word.shape_ == "dddd")
            kinds = sum(bool(one) << place for place, one in enumerate(said))
        self._known[token] = found = self._symbol_of.get(token.lower(), 0), kinds
        return found


class Phrases:
    """Phrases of several kinds, found wherever they stand, in each other too."""

    def __init__(self, kinds: Mapping[str, Sequence[Sequence[int]]]) -> None:
        """Kind -> its phrases as symbols."""
        states: dict[tuple[int, int], int] = {}
        ends: list[tuple[int, int]] = []
        for kind, phrases in enumerate(kinds.values()):
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


class _Numbers:
    """A growing array of whole numbers."""

    def __init__(self) -> None:
        self._values = np.zeros(1024, np.int64)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def array(self) -> npt.NDArray[np.int64]:
        """Those so far."""
        return self._values[: self._length]

    def extend(self, values: Sequence[int]) -> None:
        """Put them behind."""
        end = self._length + len(values)
        if end > len(self._values):
            self._values = np.concatenate([self._values, np.zeros(max(len(self._values), end), np.int64)])
        self._values[self._length : end] = values
        self._length = end


def _pieces(text: str) -> list[str]:
    """What stands between white space, and "" for white space that is a token: all but a single blank between words."""
    pieces = text.split()
    if sum(map(len, pieces)) + max(len(pieces) - 1, 0) == len(text) and text.count(" ") == max(len(pieces) - 1, 0):
        return pieces
    found = []
    for place, run in enumerate(_RUNS.findall(text)):
        if not run.isspace():
            found.append(run)
        elif place == 0 or run != " ":
            found.append("")
    return found
