"""Features of documents, counted by hand: comparisons and form."""

from __future__ import annotations

import numpy as np
from support.tables import make_documents

from features.core.describe import describe
from ltr.tasks.comparative.columns import support

TITLE = "Which is better, a laptop or a desktop?"
TEXTS = (
    ("A laptop is better than a desktop.", "It is light."),  # both, compared, laptop wins
    ("Desktops are cheaper than laptops.",),
    ("Laptop and desktop are shown.",),  # both, nothing compared
    ("The laptop has 2 ports and 16 keys.",),
    ("Cats sleep.",),
)


def context(title: str = TITLE, texts=TEXTS):
    return make_documents(texts, title)


def test_counts_by_hand():
    found = describe(context(), "document")
    np.testing.assert_allclose(found["together_share"], [0.5, 1, 1, 0, 0])
    np.testing.assert_allclose(np.expm1(found["compared_sentences"]), [1, 1, 0, 0, 0], atol=1e-5)
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


def test_a_word_before_than_compares():
    """ "Rounder" is in no list; "better" and "more" are, and count once."""
    found = describe(context(texts=(("It is rounder than it is better than more.",), ("Rounder.",), ())), "document")
    np.testing.assert_allclose(found["comparative_cues"], [5, 0, 0])  # rounder, better, more, and "than" twice
    np.testing.assert_allclose(found["comparative_share"], [1, 0, 0])


def test_whole_sentences_questions_and_lists():
    texts = (
        ("We tried both.", "Is 1 of 2 better?", "It lasts (twice as long!)", "Read more..."),
        ("home | shop | #3",),
        ("me",),
    )
    found = describe(make_documents(texts), "document")
    np.testing.assert_allclose(found["finished_sentences"], [0.5, 0, 0])  # "..." is no full stop
    np.testing.assert_allclose(found["asking_sentences"], [0.25, 0, 0])
    np.testing.assert_allclose(np.expm1(found["list_marks"]), [0, 3, 0], atol=1e-4)
    np.testing.assert_allclose(np.expm1(found["first_persons"]), [1, 0, 1], atol=1e-4)
    lengths = [len("\n".join(text)) for text in texts]
    # A full stop, a question mark, two brackets and an exclamation mark, three dots; two bars and a hash sign.
    np.testing.assert_allclose(found["punctuation_share"], [8 / lengths[0], 3 / lengths[1], 0], atol=1e-4)
