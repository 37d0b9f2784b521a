from __future__ import annotations

import numpy as np
import pytest

from features.learned.convincing import features, score, shipped
from features.learned.linear_model import LinearModel

ARGUED = "A study of 2,000 patients found that the vaccine reduces the risk of infection, because it allows immunity."
RANT = "u r so stupid!! i dont no wat ur talkin about,its just dumb stuff lol"


def values(text: str) -> dict[str, float]:
    """The features of one text that are not 0."""
    found = features([text])
    row = found.matrix(found.names).toarray()[0].tolist()
    return {name: value for name, value in zip(found.names, row, strict=True) if value}


# ---- the feature


def test_a_clean_argument_beats_a_rant():
    argued, rant = score([ARGUED, RANT], shipped())
    assert argued > 0.6
    assert rant < 0.3


@pytest.mark.parametrize(
    "worse",
    [
        ARGUED.lower(),
        ARGUED.upper(),
        ARGUED.removesuffix("."),
        ARGUED.replace("vaccine", "vacine").replace("infection", "infecton"),
        ARGUED.replace("because", "cuz"),
        ARGUED + " You idiots.",
    ],
    ids=["lower case", "shouted", "no end", "misspelt", "slang", "insult"],
)
def test_each_fault_costs(worse):
    good, bad = score([ARGUED, worse], shipped())
    assert good > bad


def test_features_of_a_rant():
    found = values("U r so dumb!!")
    # Four distinct stems: 1 / sqrt(4). "u" and "r" are slang: twice a half.
    words = {name: value for name, value in found.items() if not name.startswith("=")}
    assert words == dict.fromkeys(["u", "r", "so", "dumb", "u r", "r so", "so dumb"], 0.5)
    # 7 letters in 4 words: below the lowest step of letters a word.
    halves = {"=reason": 0.5, "=insult": 0.5, "=many marks": 0.5}
    assert {name: value for name, value in found.items() if name.startswith("=")} == {
        "=slang": 1.0,
        **halves,
        **dict.fromkeys(["=begins A", "=ends !", "=has !"], 1.0),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Flu is bad", {"=vague", "=begins A", "=ends a"}),  # 8 letters in 3 words
        ("He saw the Pope.", {"=name", "=begins A", "=ends ."}),  # 12 letters in 4 words
        ("[3] 20% in 1999", {"=reference", "=number", "=year", "=has %", "=begins 0", "=ends 0"}),  # 8 letters in 3
        ("no,we WERE", {"=we", "=tight mark", "=shouted", "=has ,", "=begins a", "=ends A"}),
        ("i go sooo", {"=small i", "=i", "=drawn out", "=misspelt", "=begins a", "=ends a"}),
    ],
)
def test_manner(text, expected):
    found = {name for name in values(text) if name.startswith("=")}
    assert {name for name in found if "over" not in name} - {"=slang"} == expected


def test_misspelt_words_are_those_that_no_dictionary_has():
    fine = "Organised behaviours of vaccinated neighbours weren't privatised by the colour of O'Neill and Xyzzy."
    assert "=misspelt" not in values(fine)
    # Two of four: above every step.
    assert {s for s in values("they beleeve in cheeting") if s.startswith("=misspelt over")} == {
        f"=misspelt over {step}" for step in (0, 0.03, 0.06, 0.1, 0.2, 0.4)
    }


def test_the_empty_text_has_no_features():
    assert values("") == values(" \n") == {}
    # 1 / (1 + exp(1)) = 0.268941
    np.testing.assert_allclose(score([""], LinearModel.binary(-1.0, {"x": 3.0})), [0.268941], atol=1e-6)
