from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import Source, make_context

import features.learned.vectors
from experiments.learned.word_vectors import main, read_table, small_integers
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


def test_the_words_remembered_are_bounded():
    pieces = Pieces(PIECES, size=2)
    assert [pieces[word] for word in ("tax", "uniform", "cloth", "tax")] == [(4,), (0,), (1,), (4,)]
    assert len(pieces) <= 2


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


def write_encoder(folder: Path, names: list[str], table: np.ndarray) -> None:
    header = {
        "embeddings.word_embeddings.weight": {
            "dtype": "F32", "shape": list(table.shape), "data_offsets": [4, 4 + table.nbytes]
        }
    }  # fmt: skip
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + bytes(4) + table.tobytes())
    (folder / "vocab.txt").write_text("\n".join(names) + "\n", "utf-8")


def test_vectors_are_made_from_an_encoder(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    names = [f"[unused{number}]" for number in range(995)] + [
        "the",
        "##ing",
        "école",
        "!",
        *(f"w{n}" for n in range(300)),
    ]
    table = np.random.default_rng(5).normal(size=(len(names), 130)).astype(np.float32)
    write_encoder(tmp_path, names, table)
    np.testing.assert_array_equal(
        read_table(tmp_path / "model.safetensors", "embeddings.word_embeddings.weight"), table
    )
    assert main(["-m", str(tmp_path), "-o", str(tmp_path / "out.npz")]) == 0
    assert "302 pieces of words, 128 dimensions" in capsys.readouterr().out
    with np.load(io.BytesIO((tmp_path / "out.npz").read_bytes())) as made:
        assert made["pieces"].tobytes().decode().split("\n")[:3] == ["the", "##ing", "w0"]
        assert made["vectors"].shape == (302, 128)
        assert made["vectors"].dtype == np.int8


def test_small_integers_have_one_scale():
    values = np.append(np.full(3999, 2.0), [-1.0, 100.0])
    assert small_integers(values[:, None]).ravel()[-3:].tolist() == [127, -64, 127]


@pytest.mark.parametrize("content", [b"", b"\x05\0\0\0\0\0\0\0{}", b"\xff" * 8, b"\x02\0\0\0\0\0\0\0[]"])
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, content: bytes):
    (tmp_path / "vocab.txt").write_text("the\n")
    (tmp_path / "model.safetensors").write_bytes(content)
    with pytest.raises(InputError, match=r"model.safetensors: cannot be read"):
        main(["-m", str(tmp_path)])
    with pytest.raises(InputError, match=r"vocab.txt: cannot be read"):
        main(["-m", str(tmp_path / "none")])


def test_an_output_that_cannot_be_written_is_refused(tmp_path: Path):
    table = np.random.default_rng(6).normal(size=(1000, 130)).astype(np.float32)
    write_encoder(tmp_path, ["the"] * 1000, table)
    with pytest.raises(InputError, match=r"out.npz: cannot be written \(No such file or directory\)"):
        main(["-m", str(tmp_path), "-o", str(tmp_path / "none" / "out.npz")])
