"""From text to terms: the one analysis that the index, its statistics and every lexical feature share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import Stemmer

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")

# Function words of English, question words and auxiliaries included: every topic is a question
# ("Should ...", "Is ...", "Do we ..."), and none of these words says what it is about.
STOP_WORDS = frozenset(
    """
    a about above after again against all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each few for from further get had has have
    having he her here hers herself him himself his how i if in into is it its itself just let may me might
    more most must my myself no nor not now of off on once only or other ought our ours ourselves out over own
    same shall she should so some such than that the their theirs them themselves then there these they this
    those through to too under until up upon us very was we were what when where whether which while who whom
    whose why will with would you your yours yourself yourselves
    i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd it's it'll we're we've we'll
    we'd they're they've they'll they'd that's there's here's what's who's where's how's let's don't doesn't
    didn't isn't aren't wasn't weren't won't wouldn't shouldn't couldn't can't cannot hasn't haven't hadn't
    mustn't mightn't
    """.split()
)


_BLANKS = {place: " " for place in range(128) if not (chr(place).isalnum() or chr(place) == "'")}


def split_words(text: str) -> list[str]:
    """What `WORD` finds in ``text``, in a third of the time where that is ASCII."""
    if not text.isascii():
        return WORD.findall(text)
    pieces = text.translate(_BLANKS).split()
    if "'" not in text:
        return pieces
    return [word for piece in pieces for word in (WORD.findall(piece) if "'" in piece else (piece,))]


def words(text: str) -> list[str]:
    """Lower-case words of ``text``; apostrophes stay inside words, every other mark separates."""
    return split_words(text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))


@dataclass
class Analyzer:
    """Words to index terms: optional English stop words and Snowball (Porter 2) stemming.

    The cache holds one entry a distinct word; a corpus of six million sentences has about two
    million, so it is emptied when it grows past ``cache_size``.
    """

    stem: bool = True
    stop: bool = True
    cache_size: int = 500_000

    def __post_init__(self) -> None:
        self._terms = _Terms(self.stem, self.stop, self.cache_size)

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
        """What an index must remember to read its terms again."""
        return {"stem": self.stem, "stop": self.stop}


class _Terms(dict[str, str]):
    """Words and their terms, "" for a stop word. A lookup in C, unless the word is new."""

    def __init__(self, stem: bool, stop: bool, size: int) -> None:
        super().__init__()
        # Without the stemmer's own cache: it would be asked once a word, and remembering takes longer than stemming.
        self._stem_word = Stemmer.Stemmer("english", 0).stemWord if stem else str
        self._stop_words = STOP_WORDS if stop else frozenset()
        self._size = size

    def __missing__(self, word: str) -> str:
        if len(self) >= self._size:
            self.clear()
        self[word] = term = self.find(word)
        return term

    def find(self, word: str) -> str:
        return "" if word in self._stop_words else str(self._stem_word(word))


def normalise(text: str) -> str:
    """The form in which two copies of a sentence are the same: words only, lower case."""
    return " ".join(words(text))


def bigrams(terms: Iterable[str]) -> set[tuple[str, str]]:
    """Distinct neighbours in a sequence of terms."""
    sequence = list(terms)
    return set(pairwise(sequence))
