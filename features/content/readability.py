"""Readability of each sentence and of the pair's text.

The formulas are functions of counts that add up over sentences, so the pair's scores come from the
sums. The counts are textstat's, word by word: a word is looked up once, however often it occurs.
A corpus sentence counts as one sentence whatever marks it holds; a pair counts as two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from features.content.pronunciation import is_familiar
from features.content.pronunciation import syllables as count_syllables
from features.core.feature import INFINITE, feature
from features.core.statistics import FloatArray, IntArray
from features.core.tables import Context, Texts, once
from features.core.words import Words

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
    counts = _counted_pieces(pieces.distinct)
    return {name: pieces.sum(values) for name, values in zip(COUNTS, counts.T, strict=True)}


_WORD = re.compile(r"\w\S*")


def count_words(texts: Sequence[str]) -> FloatArray:
    """(n_texts,) words alone, as `count` counts them: what holds a letter or digit between white space."""
    return np.array([len(_WORD.findall(text)) for text in texts], float)


# As in textstat: contractions keep their apostrophe, since the lists know "don't" and not "dont".
_APOSTROPHE = re.compile(r"'(?![tsd]|ve|ll|re)")
_MARK = re.compile(r"[^\w\s']")
_NO_LETTER = re.compile(r"[^\w\s]")

_COUNTED: dict[str, bytes] = {}
"""Pieces and their counts, int64 in the order of `COUNTS`."""
MOST = 300_000
"""Pieces that are remembered, those of some 100,000 sentences."""


def _counted_pieces(pieces: Sequence[str]) -> IntArray:
    """(n_pieces, n_counts) of what stands between white space."""
    counts = [_COUNTED.get(piece, b"") for piece in pieces]
    if new := [piece for piece, known in zip(pieces, counts, strict=True) if not known]:
        if len(_COUNTED) > MOST:
            _COUNTED.clear()
        counted = dict(zip(new, map(bytes, _count_new(new)), strict=True))
        _COUNTED.update(counted)
        counts = [known or counted[piece] for piece, known in zip(pieces, counts, strict=True)]
    return np.frombuffer(b"".join(counts), np.int64).reshape(-1, len(COUNTS))


def _count_new(pieces: Sequence[str]) -> IntArray:
    lines = "\n".join(pieces)
    words = _MARK.sub("", _APOSTROPHE.sub("", lines)).split("\n")
    letters = [*map(len, _NO_LETTER.sub("", lines).split("\n"))]
    spoken, syllables = np.array([*map(bool, words)]), count_syllables(words)
    unfamiliar, long = spoken & ~np.array([*map(is_familiar, words)]), spoken & (syllables >= 3)
    counts = spoken, spoken * syllables, letters, [*map(len, pieces)], long, long & unfamiliar, unfamiliar
    return np.array(counts, np.int64).T.copy()


def flesch_kincaid(c: Counts, sentences: int) -> FloatArray:
    """Grade: .39 words/sentence + 11.8 syllables/word - 15.59."""
    return 0.39 * c["words"] / sentences + 11.8 * _each(c, "syllables") - 15.59


def gunning_fog(c: Counts, sentences: int) -> FloatArray:
    """Grade: .4 (words/sentence + 100 hard words/word)."""
    return 0.4 * (c["words"] / sentences + 100 * _each(c, "hard_words"))


def smog(c: Counts, sentences: int) -> FloatArray:
    """Grade: 1.043 sqrt(30 polysyllables/sentence) + 3.1291."""
    return 1.043 * np.sqrt(30 * c["polysyllables"] / sentences) + 3.1291


def coleman_liau(c: Counts, sentences: int) -> FloatArray:
    """Grade: 5.8 letters/word - 29.6 sentences/word - 15.8."""
    return 5.8 * _each(c, "letters") - 29.6 * sentences / np.maximum(c["words"], 1) - 15.8


def dale_chall(c: Counts, sentences: int) -> FloatArray:
    """Score: 15.79 unfamiliar/word + .0496 words/sentence, + 3.6365 when over 5% are unfamiliar."""
    share = 100 * _each(c, "unfamiliar_words")
    return 0.1579 * share + 0.0496 * c["words"] / sentences + np.where(share > 5, 3.6365, 0)


def _each(c: Counts, name: str) -> FloatArray:
    return np.asarray(c[name] / np.maximum(c["words"], 1))


FORMULAS: dict[str, tuple[Callable[[Counts, int], FloatArray], str, str]] = {
    "flesch_kincaid": (flesch_kincaid, "Flesch-Kincaid grade", "Kincaid et al. 1975"),
    "gunning_fog": (gunning_fog, "Gunning fog index", "Gunning 1952"),
    "smog": (smog, "SMOG index", "McLaughlin 1969"),
    "coleman_liau": (coleman_liau, "Coleman-Liau index", "Coleman & Liau 1975"),
    "dale_chall": (dale_chall, "Dale-Chall score", "Dale & Chall 1948"),
}
FOR_PAIRS_ONLY, FOR_SENTENCES_ONLY = "smog", "dale_chall"
"""No ranker uses SMOG of a sentence, or Dale-Chall of a pair."""


def _scored(c: Counts, name: str, sentences: int) -> FloatArray:
    # textstat's rule: a text without words has no readability, and scores 0.
    return np.where(c["words"] > 0, FORMULAS[name][0](c, sentences), 0.0)


@once
def _counts(texts: Texts) -> dict[str, FloatArray]:
    return count(texts.texts)


def _of_text(name: str) -> Callable[[Texts], FloatArray]:
    return lambda texts: _scored(_counts(texts), name, 1)


def _of_pair(name: str) -> Callable[[Context], FloatArray]:
    def compute(context: Context) -> FloatArray:
        values = {c: context.text_values[f"n_{c}"] for c in COUNTS}
        return _scored({c: context.of_first(v) + context.of_second(v) for c, v in values.items()}, name, 2)

    return compute


def _counted(name: str) -> Callable[[Texts], FloatArray]:
    if name == "words":  # often the only one that is asked for: syllables of all words would take long
        return lambda texts: count_words(texts.texts)
    return lambda texts: _counts(texts)[name]


for _name, _description in COUNTS.items():
    feature(
        "text",
        name=f"n_{_name}",
        group="readability",
        measured_in="count",
        range=(0, np.inf),
        description=f"number of {_description}",
        source="textstat 0.7.8",
    )(_counted(_name))
for _name, (_, _description, _source) in FORMULAS.items():
    _feature = partial(feature, group="readability", measured_in="grade", range=INFINITE, source=_source)
    if _name != FOR_PAIRS_ONLY:
        _feature("text", name=_name, description=f"{_description} of the sentence")(_of_text(_name))
    if _name != FOR_SENTENCES_ONLY:
        _what = f"{_description} of the two sentences together"
        _feature("pair", name=f"{_name}_pair", description=_what)(_of_pair(_name))


@feature("text", group="readability", measured_in="letters", range=(0, np.inf))
def word_length(texts: Texts) -> FloatArray:
    """Mean word length."""
    return _each(_counts(texts), "letters")


@feature("pair", group="readability", measured_in="words", range=(0, np.inf))
def n_words_pair(context: Context) -> FloatArray:
    """Words of the two sentences together."""
    words = context.text_values["n_words"]
    return np.asarray(context.of_first(words) + context.of_second(words))
