from __future__ import annotations

import numpy as np
from support.tables import Source, make_context

from features.core.extract import describe
from features.query.comparison import stances

TITLE = "Which is better, a laptop or a desktop?"
TEXTS = (
    ("A laptop is better than a desktop.", "It is light."),  # both, compared, laptop wins
    ("Desktops are cheaper than laptops.",),
    ("Laptop and desktop are shown.",),  # both, nothing compared
    ("The laptop has 2 ports and 16 keys.",),
    ("Cats sleep.",),
)


def context(title: str = TITLE, texts=TEXTS):
    return make_context([Source(f"d{n}", "", "", own) for n, own in enumerate(texts)], title, pairs=[])


def test_counts_by_hand():
    found = describe(context(), "document")
    np.testing.assert_allclose(np.expm1(found["together_sentences"]), [1, 1, 1, 0, 0], atol=1e-5)
    np.testing.assert_allclose(np.expm1(found["compared_sentences"]), [1, 1, 0, 0, 0], atol=1e-5)
    np.testing.assert_allclose(found["compared_share"], [0.5, 1, 0, 0, 0])
    np.testing.assert_allclose(found["objects_held"], [1, 1, 1, 0.5, 0])
    np.testing.assert_allclose(found["weaker_object_held"], [1, 1, 1, 0, 0])
    np.testing.assert_allclose(np.expm1(found["numbers"]), [0, 0, 0, 2, 0], atol=1e-5)
    # Index terms leave out stop words: laptop better desktop; desktop cheaper laptop; laptop desktop.
    np.testing.assert_allclose(found["object_nearness"], [0.5, 0.5, 1, 0, 0])
    np.testing.assert_allclose(found["source_reciprocal_rank"], [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5], rtol=1e-5)
    np.testing.assert_allclose(found["source_strength"], [1, 8 / 9, 7 / 9, 6 / 9, 5 / 9], rtol=1e-5)  # scores 9 - row


def test_stances():
    assert stances(context()) == ["FIRST", "SECOND", "NEUTRAL", "NO", "NO"]
    assert stances(context("What is the best laptop?")) == ["NO"] * 5
    worse = (("A laptop is worse than a desktop.",), ("I recommend the desktop.",))
    assert stances(context(TITLE, worse)) == ["SECOND", "SECOND"]
