from __future__ import annotations

import pytest

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


def test_terms_are_stemmed_and_without_stop_words() -> None:
    # Porter 2 by hand: running -> run, ponies -> poni, generously -> generous.
    assert Analyzer().terms("The ponies are running generously.") == ["poni", "run", "generous"]


@pytest.mark.parametrize("word", ["don't", f"don{CURLY}t", "I'm", "SHOULD", "Whether", "cannot"])
def test_stop_words_in_any_spelling(word: str) -> None:
    assert Analyzer().terms(word) == []


def test_a_possessive_has_the_term_of_its_noun() -> None:
    analyzer = Analyzer()
    assert analyzer.terms("government's") == analyzer.terms("governments") == analyzer.terms("Government")


def test_repetitions_stay_in_terms_and_go_in_distinct() -> None:
    analyzer = Analyzer()
    assert analyzer.terms("car bus cars") == ["car", "bus", "car"]
    assert analyzer.distinct("car bus cars") == ["car", "bus"]


@pytest.mark.parametrize("copy", ["Ban all cars!", "ban ALL cars", ' "Ban,  all\xa0cars..." '])
def test_normalise_makes_copies_equal(copy: str) -> None:
    assert normalise(copy) == "ban all cars"
