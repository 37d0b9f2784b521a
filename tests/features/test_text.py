from __future__ import annotations

import time
from unicodedata import normalize

import pytest

from features.core.folding import composed, folded
from features.core.text import Analyzer, normalise, words

CURLY = "\N{RIGHT SINGLE QUOTATION MARK}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n\t", []),
        ("?! ... --", []),
        ("Should cars be BANNED?", ["should", "cars", "be", "banned"]),
        ("well-known, state/church; e.g. 3.5%", ["well", "known", "state", "church", "e", "g", "3", "5"]),
        ("snake_case __PREMISE__1", ["snake", "case", "premise", "1"]),
        ("don't rock'n'roll", ["don't", "rock'n'roll"]),
        (f"don{CURLY}t", ["don't"]),
        ("'quoted' the dogs' bowl", ["quoted", "the", "dogs", "bowl"]),
        ("Ärzte naïve CAFÉ", ["ärzte", "naïve", "café"]),
        ("中文 слово ٣", ["中文", "слово", "٣"]),
        ("a\xa0b\u2003c", ["a", "b", "c"]),
        ("smile\N{GRINNING FACE}face", ["smile", "face"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("The ponies are running generously.", ["poni", "run", "generous"]),  # Porter 2 by hand
        (f"don't don{CURLY}t I'm SHOULD Whether cannot", []),  # stop words in any spelling
        ("government's governments Government", ["govern"] * 3),
        ("car bus cars", ["car", "bus", "car"]),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert Analyzer().terms(text) == terms
    assert Analyzer().distinct(text) == list(dict.fromkeys(terms))


@pytest.mark.parametrize("copy", ["Ban all cars!", "ban ALL cars", ' "Ban,  all\xa0cars..." '])
def test_normalise_makes_copies_equal(copy: str) -> None:
    assert normalise(copy) == "ban all cars"


@pytest.mark.parametrize(
    "typed",
    [
        "Café of\ufb01ce",
        "Cafe\u0301 office",
        "ca\u00adfé of\u00adfice",
        "ca\u200bfé o\ufb03ce",
        "ｃａｆé \uff4fffice\ufeff",
    ],
)
def test_words_are_the_same_however_they_were_typed(typed):
    assert words(typed) == ["café", "office"]


@pytest.mark.parametrize("worst", ["a" + "\u0301\u0316" * 20_000, "\u00ad" * 40_000 + "é", "か\u3099" * 20_000])
def test_time_is_linear(worst):
    """Python's own normalisation of the first one takes two seconds."""
    began = time.perf_counter()
    folded(worst)
    composed(worst)
    assert time.perf_counter() - began < 0.5


@pytest.mark.parametrize("form", ["NFD", "NFKD"])
def test_long_texts_are_composed_like_short_ones(form):
    text = "Zürich's cafés are naïve – “really”. " * 100
    assert composed(normalize(form, text)) == composed(text) == text
