from __future__ import annotations

import pytest

from features.content.argumentativeness import LONGEST, MARKERS, PHRASES, mark
from features.core.feature import FEATURES
from features.core.tables import Texts

PLAIN = "Green tea grows on hills"


def value(name: str, text: str) -> float:
    return float(FEATURES.find(name).compute(Texts([text]))[0])


def test_plain_and_empty_texts_hold_no_marker():
    assert {marker for marker in MARKERS for text in (PLAIN, "", "Mines and museums") if value(marker, text)} == set()


def test_places_are_counted_up_to_ten():
    assert value("profanity", "LAME tea is hot") == value("profanity", "lame tea is hot") == 1
    assert value("number", "1 tea, 2 coffees, 3 milks") == 3
    assert value("profanity", "lame " * 4) == 4
    assert value("profanity", "lame " * 40) == 10


@pytest.mark.parametrize("marker", PHRASES)
def test_every_phrase_is_found_in_a_sentence(marker: str):
    phrases = PHRASES[marker]
    found = mark(Texts([f"Tea {phrase} tea" for phrase in phrases]))[marker]
    assert [phrase for phrase, count in zip(phrases, found, strict=True) if not count] == []
    assert len(set(phrases)) == len(phrases), "a phrase stands twice in the list"


def test_every_marker_is_a_feature():
    assert PHRASES.keys() < MARKERS.keys()
    for marker, description in MARKERS.items():
        assert FEATURES.find(marker).description.startswith(description)


def test_long_pieces_and_long_lists_of_authors_are_not_read_to_the_end():
    piece = "x" * (LONGEST - 1)
    assert value("quotation", piece + '"' * 10) == 1
    assert value("reference", "(Stab and Tom, 1999)") == 1
    assert value("reference", f"({'Tom ' * 41}1999)") == 0
