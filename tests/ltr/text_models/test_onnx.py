"""Folders with an ONNX model and a tokenizer, made here of a table of vectors: results can be worked out by hand."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.onnx_models import DOUBLE, INT32, SIZE, WORDS, write_encoder, write_tokenizer
from support.refusals import refuses

from ltr.text_models import open_encoder
from ltr.text_models.onnx import MODEL, TOKENIZER, TOKENS, OnnxEncoder

TABLE = np.random.default_rng(3).normal(size=(len(WORDS), SIZE)).astype(np.float32)
TEXTS = [
    "Cars should be banned",
    "the cities of people",
    "",
    "banned and banned and banned",
    "something unknown",
    "Cars should be banned",
    *(f"{word} not {word}" for word in WORDS[1:]),
    "nothing " * 200,
]


def by_hand(text: str) -> Any:
    ids = [WORDS.index(word) if word in WORDS else 0 for word in text.lower().split()][:TOKENS]
    mean = TABLE[ids].astype(np.float64).mean(axis=0) if ids else np.zeros(SIZE)
    return mean / max(np.linalg.norm(mean), 1e-9)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_encoder(tmp_path / "encoder", table=TABLE)


@pytest.mark.parametrize(
    "how",
    [
        {"output": "states"},
        {"output": "vector"},
        {"output": "both"},
        {"inputs": ["input_ids"]},
        {"inputs": ["token_type_ids", "input_ids", "attention_mask"]},
        {"whole": INT32},
    ],
)
def test_a_vector_a_text_or_the_mean_of_its_tokens(how: dict[str, Any], tmp_path: Path) -> None:
    encoder = open_encoder(write_encoder(tmp_path, table=TABLE, **how))
    assert encoder.size == SIZE
    assert encoder.encode(TEXTS) == pytest.approx(np.array([by_hand(text) for text in TEXTS]), abs=1e-6)


def test_the_same_bytes_for_any_threads_order_and_company(folder: Path) -> None:
    alone = {text: open_encoder(folder).encode([text])[0].tobytes() for text in TEXTS}
    for threads in (1, 2, 5):
        encoder = open_encoder(folder, threads=threads)
        for texts in (TEXTS, TEXTS[::-1], TEXTS[::3], TEXTS * 3):
            assert [row.tobytes() for row in encoder.encode(texts)] == [alone[text] for text in texts]


def test_in_another_process(folder: Path) -> None:
    encoder = open_encoder(folder)
    size, written = encoder.size, pickle.dumps(encoder)
    assert len(written) < 1000  # the folder's name, not the model
    code = "import pickle, sys\nencoder = pickle.loads(sys.stdin.buffer.read())\n"
    code += f"assert {size} == encoder.size and 'onnxruntime' not in sys.modules\n"
    code += f"sys.stdout.buffer.write(encoder.encode({TEXTS!r}).tobytes())"
    done = subprocess.run([sys.executable, "-c", code], input=written, capture_output=True, check=True)
    assert done.stdout == encoder.encode(TEXTS).tobytes()
    write_tokenizer(folder, truncation=3)
    reopen, arguments = encoder.__reduce_ex__(4)
    refuses(lambda: reopen(*arguments), str(folder), "changed while it was in use")


def test_the_digest_is_of_all_files(folder: Path) -> None:
    first = open_encoder(folder).digest
    assert open_encoder(str(folder)).digest == open_encoder(folder, threads=2).digest == first
    (folder / "README.md").write_text("not read")
    assert open_encoder(folder).digest == first
    (folder / "model.onnx_data").write_bytes(b"numbers of a large model")
    assert (second := open_encoder(folder).digest) != first
    write_tokenizer(folder, truncation=5)
    assert open_encoder(folder).digest not in (first, second)


def test_the_pooling_that_its_authors_declare(folder: Path) -> None:
    mean = open_encoder(folder)
    place = folder / "1_Pooling" / "config.json"
    place.parent.mkdir()
    modes = {"word_embedding_dimension": SIZE, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    place.write_text(json.dumps(modes))
    first = open_encoder(folder)
    assert first.digest != mean.digest
    assert first.encode(["cars banned"])[0] == pytest.approx(by_hand("cars"), abs=1e-6)
    place.write_text(json.dumps({"pooling_mode_mean_tokens": True}))
    assert open_encoder(folder).encode(["cars banned"])[0] == pytest.approx(by_hand("cars banned"), abs=1e-6)
    for text, said in (
        ("[", "cannot be read"),
        ('{"pooling_mode_max_tokens": true}', "another pooling than cls or mean"),
    ):
        place.write_text(text)
        refuses(lambda: open_encoder(folder).encode(["cars"]), str(place), said)


def test_how_much_of_a_text_is_read(folder: Path) -> None:
    long = open_encoder(folder).encode(["cars " * 100_000 + "banned", "cars", "cars " * TOKENS, "cars\udcff"])
    assert long[0].tolist() == long[2].tolist()
    assert (long[0] @ long[1]) == pytest.approx(1)
    write_tokenizer(folder, truncation=2)
    assert open_encoder(folder).encode(["cars banned cities"])[0] == pytest.approx(by_hand("cars banned"), abs=1e-6)
    write_tokenizer(folder, truncation=10**9)
    many = open_encoder(folder).encode(["cars " * 512 + "banned " * 10_000])[0]
    assert many == pytest.approx(by_hand("cars"), abs=1e-6)


def spoil(folder: Path, old: bytes, new: bytes) -> None:
    (folder / MODEL).write_bytes((folder / MODEL).read_bytes().replace(old, new))


def change_tokenizer(folder: Path, **changes: Any) -> None:
    path = folder / TOKENIZER
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


NOTHING = {"type": "Replace", "pattern": {"Regex": "."}, "content": ""}
UNKNOWN_TOKEN = {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "[X]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {},
}
"""What a half-edited file names: the tokenizers package panics."""

DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no model": (lambda folder: (folder / MODEL).unlink(), "there is no encoder in it"),
    "no tokenizer": (lambda folder: (folder / TOKENIZER).unlink(), "there is no encoder in it"),
    "a folder for a file": (
        lambda folder: ((folder / MODEL).unlink(), (folder / MODEL).mkdir()),
        "there is no encoder in it",
    ),
    "empty model": (lambda folder: (folder / MODEL).write_bytes(b""), "onnxruntime cannot load this model"),
    "half a model": (lambda folder: (folder / MODEL).write_bytes((folder / MODEL).read_bytes()[:300]), "cannot load"),
    "text": (lambda folder: (folder / MODEL).write_text("version https://git-lfs"), "cannot load"),
    "a name that is no UTF-8": (lambda folder: spoil(folder, b"input_ids", b"input_\xfes"), "cannot load"),
    "no JSON": (lambda folder: (folder / TOKENIZER).write_text("{"), "is not a tokenizer"),
    "other JSON": (lambda folder: (folder / TOKENIZER).write_text('{"model": {"type": "BPE"}}'), "is not a tokenizer"),
    "no token": (lambda folder: change_tokenizer(folder, normalizer=NOTHING), "makes no token of 'word'"),
    "picture": (lambda folder: write_encoder(folder, inputs=["input_ids", "pixel_values"]), "pixel_values"),
    "numbers": (lambda folder: write_encoder(folder, inputs=["input_ids"], whole=DOUBLE), "cannot load"),
    "flat": (lambda folder: write_encoder(folder, output="flat"), "the output 'flat' has the shape (1,)"),
    "NaN": (lambda folder: write_encoder(folder, table=np.full((len(WORDS), 3), np.nan, np.float32)), "NaN"),
    "no size": (lambda folder: write_encoder(folder, table=np.zeros((len(WORDS), 0), np.float32)), "shape (1, 0)"),
    "words that it lacks": (lambda folder: write_encoder(folder, table=np.ones((2, 3), np.float32)), "failed"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_no_encoder_is_refused_in_a_line(name: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    damage, said = DAMAGES[name]
    damage(folder)
    refuses(lambda: open_encoder(folder).encode(["cars should be banned"]), str(folder), said)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("use", [lambda encoder: encoder.encode(["cars"]), lambda encoder: encoder.size])
def test_a_tokenizer_that_panics_is_refused_in_a_line(use: Callable[[OnnxEncoder], Any], folder: Path) -> None:
    change_tokenizer(folder, post_processor=UNKNOWN_TOKEN)
    refuses(lambda: use(OnnxEncoder.find(folder)), str(folder), "PanicException")
