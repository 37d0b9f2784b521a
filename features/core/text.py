"""From text to terms: the one analysis that the index, its statistics and every lexical feature share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import Stemmer

from features.core.folding import folded

MOST = 500_000
"""Words that an analyzer remembers; a corpus of six million sentences has about two million."""

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")

# Function words of English, question words and auxiliaries included: every topic is a question
# ("Should ...", "Is ...", "Do we ..."), and none of these words says what it is about.
STOP_WORDS = frozenset(Path(__file__).with_name("stop_words.txt").read_text("utf-8").split())
NEGATIONS = frozenset(Path(__file__).with_name("negations.txt").read_text("utf-8").split())


def words(text: str) -> list[str]:
    """Lower-case words of ``text``, as `folded` makes it; apostrophes stay inside words, every other mark separates."""
    return WORD.findall(folded(text).lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


def negates(word: str) -> bool:
    """Whether a lower-case word denies what stands beside it."""
    return word in NEGATIONS or word.endswith("n't")


@dataclass
class Analyzer:
    """Words to index terms: optional English stop words and Snowball (Porter 2) stemming.

    It remembers the terms of `MOST` words.
    """

    stem: bool = True
    stop: bool = True

    def __post_init__(self) -> None:
        self._terms = _Terms(self.stem, self.stop)

    def terms(self, text: str) -> list[str]:
        """Index terms of ``text`` in order, repeated ones repeated."""
        return self.of_words(words(text))

    def of_words(self, found: Iterable[str]) -> list[str]:
        """Index terms of words as :func:`words` finds them."""
        return list(filter(None, map(self._terms.__getitem__, found)))

    def of_word(self, word: str) -> str:
        """The index term of a word, "" for a stop word; not remembered."""
        return self._terms.find(word)

    def distinct(self, text: str) -> list[str]:
        """Index terms of ``text`` without repetitions, in order of first appearance."""
        return list(dict.fromkeys(self.terms(text)))

    def settings(self) -> dict[str, object]:
        """The options, for an index to remember."""
        return {"stem": self.stem, "stop": self.stop}


class _Terms(dict[str, str]):
    """Words and their terms, "" for a stop word. A lookup in C, unless the word is new."""

    def __init__(self, stem: bool, stop: bool) -> None:
        super().__init__()
        # Without the stemmer's own cache: it would be asked once a word, and remembering takes longer than stemming.
        self._stem_word = Stemmer.Stemmer("english", 0).stemWord if stem else str
        self._stop_words = STOP_WORDS if stop else frozenset()

    def __missing__(self, word: str) -> str:
        if len(self) >= MOST:
            self.clear()
        self[word] = term = self.find(word)
        return term

    def find(self, word: str) -> str:
        return "" if word in self._stop_words else str(self._stem_word(word))


def normalise(text: str) -> str:
    """The form in which two copies of a sentence are the same: words only, lower case."""
    return " ".join(words(text))
