from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import Row, write_corpus
from support.tables import Source, make_context, make_documents

import experiments.learned.word_vectors
import features.learned.vectors
from experiments.learned.word_vectors import fit, main, small_integers
from features.learned.vectors import Pieces, WordVectors, load_vectors
from ltr.errors import InputError

PIECES = ("uniform", "cloth", "##es", "##e", "tax", "a", "caf")
VECTORS = np.array([[3, 4], [4, 3], [0, 0], [9, 9], [0, 5], [1, 1], [1, 0]], np.int8)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> WordVectors:
    vectors = WordVectors(PIECES, VECTORS)
    monkeypatch.setattr(features.learned.vectors, "load_vectors", lambda: vectors)
    return vectors


def test_words_are_cut_into_the_longest_pieces():
    pieces = Pieces(PIECES)
    assert pieces["clothes"] == (1, 2)  # ##es, not ##e
    assert pieces["uniform"] == (0,)
    assert pieces["café"] == (6, 3)  # the accent goes
    assert pieces["clothx"] == (1,)  # what no piece covers is left out
    assert pieces["a"] == ()  # a stop word
    assert pieces["学校"] == pieces["x"] == ()
    assert pieces["tax's"] == (4,)


def test_the_nearest_words_of_another_stem():
    # From "uniform" (3, 4): cosine with "cloth" (4, 3) 24/25, with "tax" (0, 5) 4/5, with "caf" (1, 0) 3/5.
    vectors = WordVectors(PIECES, VECTORS)
    assert vectors.neighbours(["uniform"], 0.96) == ["cloth"]
    assert vectors.neighbours(["uniform"], 0.961) == []
    assert vectors.neighbours(["uniform", "cloth"], 0.5) == [], "they are asked for already"
    assert vectors.neighbours(["tax", "uniforms", "cloth"], 0.7) == ["uniform"], "uniforms is not a piece"
    alike = WordVectors(("bike", "bikes", "biker", "##bike", "cycle"), np.array([[9, 9]] * 4 + [[9, 8]], np.int8))
    assert alike.neighbours(["bike"], 0.9) == ["cycle"], "other forms of the word are not other words"


def test_the_words_remembered_are_bounded():
    pieces = Pieces(PIECES, size=2)
    assert [pieces[word] for word in ("tax", "uniform", "cloth", "tax")] == [(4,), (0,), (1,), (4,)]
    assert len(pieces) <= 2


def test_the_word_of_the_question_that_is_met_worst(tiny: WordVectors):
    # "uniform" (3, 4) with "cloth" (4, 3): 24/25, with "tax" (0, 5): 4/5; "tax" with "cloth": 3/5. The second has both.
    texts = (("Cloth.",), ("Tax.", "A uniform!"), ("Zzz",), ("",))
    context = make_documents(texts, "the uniform tax zzz")
    assert features.learned.vectors.weakest_word(context).tolist() == pytest.approx([3 / 5, 1, 0, 0])


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
    found = features.learned.vectors.vector_topic_argument(context)
    assert found.tolist() == [round(64 / (5 * 185**0.5), 5), 1]
    assert features.learned.vectors.vector_topic_conclusion(context).tolist() == [0.8, 0]
    # The unit vectors (.8, .6) and (0, 1) make (.8, 1.6), which with (.6, .8) makes 1.76 of sqrt(3.2).
    found = features.learned.vectors.vector_topic_pair(context)
    assert found.tolist() == [round(1.76 / 3.2**0.5, 5), round(1.96 / 3.92**0.5, 5), round(1 / 2**0.5, 5)]


@given(st.lists(st.text(max_size=40), max_size=6))
def test_any_texts(texts: list[str]):
    vectors = WordVectors(PIECES, VECTORS)
    rows = vectors.rows(texts)
    cosines = rows.cosine(vectors.rows(["uniform"]))
    assert cosines.shape == (len(texts),)
    assert ((cosines >= -1) & (cosines <= 1)).all()
    assert (cosines[rows.norms == 0] == 0).all()
    np.testing.assert_array_equal(rows.sums, [vectors.rows([text]).sums[0] for text in texts] or np.zeros((0, 2)))


def test_the_vectors_that_ship_know_what_is_near():
    vectors = load_vectors()
    topic = vectors.rows(["Should students wear school uniforms?"])
    near, other = vectors.rows(["Pupils need a dress code.", "Nuclear plants make electricity."]).cosine(topic)
    assert near > other + 0.1
    whole = vectors.rows(["Pupils need a dress code."])
    assert (whole.sums == np.round(whole.sums)).all()


# ---- making them ----------------------------------------------------------------------------------


class Sums:
    """In place of an encoder: a sentence is the sum of vectors of its words."""

    def __init__(self, folder: Path) -> None:
        self.names = ["[CLS]", "!", *(f"w{number}" for number in range(300))]
        self.vectors = np.random.default_rng(5).normal(size=(len(self.names), 130))
        self.read: list[str] = []
        ENCODERS.append(self)

    def pieces(self) -> list[str]:
        return self.names

    def encode_pieces(self, numbers: list[int]) -> np.ndarray:
        return self.vectors[numbers]

    def encode(self, texts: list[str]) -> np.ndarray:
        self.read = texts
        sums = np.array([sum(self.vectors[self.names.index(word)] for word in text.split()) for text in texts])
        return sums / np.linalg.norm(sums, axis=1, keepdims=True)


ENCODERS: list[Sums] = []


def some_sentences(number: int) -> list[str]:
    draw = np.random.default_rng(7)
    return [" ".join(f"w{n}" for n in draw.integers(0, 300, 8)) for _ in range(number)]


def test_sums_of_fitted_vectors_come_near_the_encoder():
    encoder, texts = Sums(Path()), some_sentences(3000)
    counts, wanted = WordVectors(encoder.names[2:], np.zeros((300, 0))).counts(texts), encoder.encode(texts)
    # What the encoder says of a piece alone is of no use here, so each takes its own step.
    vectors = fit(counts[:2500], np.random.default_rng(8).normal(size=(300, 130)), wanted[:2500])
    assert vectors.shape == (300, 128)
    sums = counts[2500:] @ vectors
    sums /= np.linalg.norm(sums, axis=1, keepdims=True)
    found, right = sums[:250] @ sums[250:].T, wanted[2500:2750] @ wanted[2750:].T
    assert np.corrcoef(found.ravel(), right.ravel())[0, 1] > 0.9


def test_sentences_of_candidates_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(experiments.learned.word_vectors, "Encoder", Sums)
    some = some_sentences(1200)
    rows: list[Row] = [(f"S{n}-A{n}", "", "PRO", some[n : n + 2]) for n in range(0, 1200, 2)]
    write_corpus(tmp_path / "corpus", rows)
    topics = tmp_path / "topics.xml"
    topics.write_text("<topics><topic><number>1</number><title>Is w7 good?</title></topic></topics>")
    call = ["-i", str(tmp_path / "corpus"), "-m", str(tmp_path), "--leave-out", str(topics)]
    assert main([*call, "--index", str(tmp_path / "index"), "-o", str(tmp_path / "out.npz")]) == 0
    assert "300 pieces of words, 128 dimensions, fitted to" in capsys.readouterr().out
    read = ENCODERS[-1].read
    assert 400 < len(read) < 1000
    assert not any("w7" in text.split() for text in read)
    with np.load(tmp_path / "out.npz") as made:
        assert made["pieces"].tobytes().decode().split("\n")[:2] == ["w0", "w1"]
        assert made["vectors"].shape == (300, 128)
        assert made["vectors"].dtype == np.int8
    write_corpus(tmp_path / "corpus", rows[:100])
    with pytest.raises(InputError, match="of its sentences, 0 are no candidates"):
        main(call)


def test_small_integers_have_one_scale():
    values = np.append(np.full(3999, 2.0), [-1.0, 100.0])
    assert small_integers(values[:, None]).ravel()[-3:].tolist() == [127, -64, 127]


def test_a_folder_without_an_encoder_is_refused(tmp_path: Path):
    # Without the packages, that is what is said.
    with pytest.raises(InputError, match=r"cannot be read|No module named"):
        main(["-i", str(tmp_path), "-m", str(tmp_path)])
