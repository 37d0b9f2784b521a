from __future__ import annotations

import numpy as np
import pytest
from support.tables import Source, compute, make_context, make_documents

from features.learned import vectors as learned
from features.learned.vectors import Pieces, WordVectors, load_vectors

PIECES = ("uniform", "cloth", "##es", "##e", "tax", "a", "caf")
VECTORS = np.array([[3, 4], [4, 3], [0, 0], [9, 9], [0, 5], [1, 1], [1, 0]], np.int8)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> WordVectors:
    found = WordVectors(PIECES, VECTORS)
    monkeypatch.setattr(learned, "load_vectors", lambda: found)
    return found


def test_words_are_cut_into_the_longest_pieces():
    pieces = Pieces(PIECES)
    assert pieces["clothes"] == (1, 2)  # ##es, not ##e
    assert pieces["uniform"] == (0,)
    assert pieces["café"] == (6, 3)  # the accent goes
    assert pieces["clothx"] == (1,)  # what no piece covers is left out
    assert pieces["a"] == ()  # a stop word
    assert pieces["学校"] == pieces["x"] == ()
    assert pieces["tax's"] == (4,)
    assert pieces["(Tax/the-Clothes)"] == (4, 1, 2), "whatever stands between blanks"


def test_the_word_of_the_question_that_is_met_worst(tiny: WordVectors):
    # "uniform" (3, 4) with "cloth" (4, 3): 24/25, with "tax" (0, 5): 4/5; "tax" with "cloth": 3/5. The second has both.
    texts = (("Cloth.",), ("Tax.", "A uniform!"), ("Zzz",), ("",))
    context = make_documents(texts, "the uniform tax zzz")
    assert compute("weakest_word", context).tolist() == pytest.approx([3 / 5, 1, 0, 0])


def test_a_text_is_the_sum_of_its_words(tiny: WordVectors):
    rows = tiny.rows(["Tax the uniform, tax!", "", "the"])
    assert rows.sums.tolist() == [[3, 14], [0, 0], [0, 0]]  # (0, 5) twice and (3, 4)
    assert rows.norms.tolist() == [np.sqrt(205), 0, 0]
    assert tiny.rows([]).sums.shape == (0, 2)


def test_cosines_by_hand(tiny: WordVectors):
    # (3, 4) and (4, 3) are 24/25 apart, (3, 4) and (0, 5) 20/25, (4, 3) and (0, 5) 15/25.
    corpus = [Source("S1-A1", "PRO", "Tax!", ("cloth", "tax")), Source("S2-A2", "CON", "", ("the", "uniform"))]
    context = make_context(corpus, title="Is a uniform good?", pairs=[(0, 1), (0, 4), (3, 4)])
    # (4, 13) is the first argument, and 12 + 52 of 5 * sqrt(185) away.
    assert compute("vector_topic_argument", context).tolist() == [round(64 / (5 * 185**0.5), 5), 1]
    assert compute("vector_topic_conclusion", context).tolist() == [0.8, 0]
    # The unit vectors (.8, .6) and (0, 1) make (.8, 1.6), which with (.6, .8) makes 1.76 of sqrt(3.2).
    assert compute("vector_topic_pair", context).tolist() == [
        round(1.76 / 3.2**0.5, 5),
        round(1.96 / 3.92**0.5, 5),
        round(1 / 2**0.5, 5),
    ]


def test_the_vectors_that_ship_know_what_is_near():
    vectors = load_vectors()
    topic = vectors.rows(["Should students wear school uniforms?"])
    near, other = vectors.rows(["Pupils need a dress code.", "Nuclear plants make electricity."]).cosine(topic)
    assert near > other + 0.1
    whole = vectors.rows(["Pupils need a dress code."])
    assert (whole.sums == np.round(whole.sums)).all()
