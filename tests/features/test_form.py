"""Whole sentences, questions and lists, counted by hand."""

from __future__ import annotations

import numpy as np
from support.tables import Source, make_context

from features.core.extract import describe


def test_counts_by_hand():
    texts = (
        ("We tried both.", "Is 1 of 2 better?", "It lasts (twice as long!)", "Read more..."),
        ("home | shop | #3",),
        ("me",),
    )
    found = describe(make_context([Source(f"d{n}", "", "", own) for n, own in enumerate(texts)], pairs=[]), "document")
    np.testing.assert_allclose(found["finished_sentences"], [0.5, 0, 0])  # "..." is no full stop
    np.testing.assert_allclose(found["asking_sentences"], [0.25, 0, 0])
    np.testing.assert_allclose(np.expm1(found["list_marks"]), [0, 3, 0], atol=1e-4)
    np.testing.assert_allclose(np.expm1(found["first_persons"]), [1, 0, 1], atol=1e-4)
    lengths = [len("\n".join(text)) for text in texts]
    # A full stop, a question mark, two brackets and an exclamation mark, three dots; two bars and a hash sign.
    np.testing.assert_allclose(found["punctuation_share"], [8 / lengths[0], 3 / lengths[1], 0], atol=1e-4)
