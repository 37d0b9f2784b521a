from __future__ import annotations

import numpy as np
import pytest
from support.tables import Source, make_context

from features.core.extract import describe
from features.learned.opinions import opinions
from features.query import comparison
from features.query.comparison import support

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
    assert support(context()).stances == ["FIRST", "SECOND", "NEUTRAL", "NO", "NO"]
    assert support(context("What is the best laptop?")).stances == ["NO"] * 5
    worse = (("A laptop is worse than a desktop.",), ("I recommend the desktop.",))
    assert support(context(TITLE, worse)).stances == ["SECOND", "SECOND"]


def test_what_nobody_asks_for_is_not_read(monkeypatch: pytest.MonkeyPatch):
    """Counts of words and opinions of the objects are read apart, each once."""
    asked = []
    monkeypatch.setattr(comparison, "_cues", lambda lines, real=comparison._cues: asked.append("cues") or real(lines))
    monkeypatch.setattr(comparison, "opinions", lambda *given, real=opinions: asked.append("opinions") or real(*given))
    found = context()
    describe(found, "document", ["advice", "together_share", "comparative_cues"])
    assert asked == ["cues"]
    describe(found, "document", ["preferences", "one_sidedness"])
    assert support(found).stances
    assert asked == ["cues", "opinions"]


def test_a_word_before_than_compares():
    """ "Rounder" is in no list; "better" and "more" are, and count once."""
    found = describe(context(texts=(("It is rounder than it is better than more.",), ("Rounder.",), ())), "document")
    np.testing.assert_allclose(found["comparative_cues"], [5, 0, 0])  # rounder, better, more, and "than" twice
    np.testing.assert_allclose(found["comparative_share"], [1, 0, 0])


def test_a_topic_without_documents():
    assert len(describe(context(texts=()), "document")) == 0
    assert support(context(texts=())).stances == []
