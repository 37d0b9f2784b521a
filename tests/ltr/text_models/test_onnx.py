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


def test_how_much_of_a_text_is_read(folder: Path) -> None:
    long = open_encoder(folder).encode(["cars " * 100_000 + "banned", "cars", "cars " * TOKENS, "cars\udcff"])
    assert long[0].tolist() == long[2].tolist()
    assert (long[0] @ long[1]) == pytest.approx(1)
    write_tokenizer(folder, truncation=2)
    assert open_encoder(folder).encode(["cars banned cities"])[0] == pytest.approx(by_hand("cars banned"), abs=1e-6)
    write_tokenizer(folder, truncation=10**9)
    many = open_encoder(folder).encode(["cars " * 512 + "banned " * 10_000])[0]
    assert many == pytest.approx(by_hand("cars"), abs=1e-6)


# ---- what a folder of sentence-transformers declares ------------------------------------------------


def declare(folder: Path, **files: Any) -> Path:
    """``pooling``, ``modules`` and ``config``: what is in these files."""
    names = {
        "pooling": "1_Pooling/config.json",
        "modules": "modules.json",
        "config": "config_sentence_transformers.json",
    }
    for name, content in files.items():
        path = folder / names[name]
        path.parent.mkdir(exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


def module(*kinds: str) -> list[dict[str, Any]]:
    """Steps as sentence-transformers writes them, before version 6 and since."""
    return [
        {"idx": place, "name": str(place), "path": f"{place}_{kind}" if place else "", "type": of + kind}
        for place, (of, kind) in enumerate(kind.rsplit("/", 1) for kind in kinds)
    ]


OLD, NEW = "sentence_transformers.models./", "sentence_transformers.sentence_transformer.modules.pooling./"
CARS, BANNED, CITIES = (TABLE[WORDS.index(word)].astype(np.float64) for word in ("cars", "banned", "cities"))
MEAN = (CARS + BANNED + CITIES) / 3
BY_HAND = {
    "cls": CARS,
    "lasttoken": CITIES,
    "max": np.maximum(np.maximum(CARS, BANNED), CITIES),
    "mean": MEAN,
    "mean_sqrt_len_tokens": MEAN * np.sqrt(3),
    "weightedmean": (CARS + 2 * BANNED + 3 * CITIES) / 6,
}
"""Mode -> the vector of *cars banned cities*."""
FLAGS = dict.fromkeys(["pooling_mode_cls_token", "pooling_mode_max_tokens", "pooling_mode_mean_tokens"], False) | {
    "word_embedding_dimension": SIZE,
    "pooling_mode_mean_sqrt_len_tokens": False,
}
POOLINGS: list[tuple[Any, list[str]]] = [
    *(({"embedding_dimension": SIZE, "pooling_mode": mode, "include_prompt": True}, [mode]) for mode in BY_HAND),
    (FLAGS | {"pooling_mode_cls_token": True}, ["cls"]),
    (FLAGS | {"pooling_mode_max_tokens": True}, ["max"]),
    (FLAGS | {"pooling_mode_mean_sqrt_len_tokens": True}, ["mean_sqrt_len_tokens"]),
    (FLAGS | {"pooling_mode_weightedmean_tokens": True}, ["weightedmean"]),
    (FLAGS | {"pooling_mode_lasttoken": True}, ["lasttoken"]),
    (FLAGS | {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True}, ["cls", "mean"]),
    ({"pooling_mode": ["mean", "lasttoken"]}, ["mean", "lasttoken"]),
    (FLAGS, ["mean"]),
    ({}, ["mean"]),
]


@pytest.mark.parametrize(("config", "modes"), POOLINGS)
def test_the_pooling_that_a_folder_declares(config: dict[str, Any], modes: list[str], folder: Path) -> None:
    before = open_encoder(folder)
    encoder = open_encoder(declare(folder, pooling=config))
    assert encoder.digest != before.digest
    assert encoder.size == SIZE * len(modes)
    vector = np.hstack([BY_HAND[mode] for mode in modes])
    assert encoder.encode(["cars banned cities"])[0] == pytest.approx(vector / np.linalg.norm(vector), abs=1e-6)


def test_the_steps_that_a_folder_declares(folder: Path) -> None:
    for of in (OLD, NEW):
        declare(folder, modules=module(f"{of}Transformer", f"{of}Pooling", f"{of}Normalize"), pooling=FLAGS)
        assert open_encoder(folder).encode(["cars"])[0] == pytest.approx(by_hand("cars"), abs=1e-6)
    declare(folder, modules=module(f"{OLD}Transformer", f"{OLD}Dropout", f"{OLD}Pooling"))  # in 2_Pooling
    (folder / "2_Pooling").mkdir()
    (folder / "2_Pooling" / "config.json").write_text('{"pooling_mode": "cls"}')
    first = open_encoder(folder)
    assert first.encode(["cars banned"])[0] == pytest.approx(by_hand("cars"), abs=1e-6)
    (folder / "2_Pooling" / "config.json").write_text('{"pooling_mode": "mean"}')
    assert open_encoder(folder).digest != first.digest
    for steps, said in (
        ([f"{OLD}Transformer", f"{OLD}Pooling", f"{OLD}Dense"], "declares the step Dense"),
        ([f"{OLD}Transformer"], "declares no pooling"),
        (["custom_st./Transformer", f"{OLD}Pooling"], "declares the step custom_st.Transformer"),
    ):
        declare(folder, modules=module(*steps))
        refuses(lambda: open_encoder(folder).encode(["cars"]), str(folder), said)
        whole = write_encoder(folder / "whole", table=TABLE, output="both")  # does all steps itself
        assert open_encoder(declare(whole, modules=module(*steps))).encode(["cars"])[0] == pytest.approx(
            by_hand("cars")
        )


QUESTION, TEXT = "cars should ", "the "
PROMPTS: list[tuple[dict[str, Any], str, str]] = [
    ({"prompts": {"query": QUESTION, "document": TEXT}, "default_prompt_name": None}, QUESTION, TEXT),
    ({"prompts": {"query": QUESTION, "passage": TEXT}}, QUESTION, TEXT),
    ({"prompts": {"query": QUESTION, "corpus": TEXT, "document": None}}, QUESTION, TEXT),
    ({"prompts": {"query": QUESTION, "clustering": TEXT}, "default_prompt_name": "query"}, QUESTION, ""),
    ({"prompts": {"query": "", "document": TEXT}, "default_prompt_name": "document"}, "", TEXT),
    ({"prompts": {"s2s": TEXT}, "default_prompt_name": "s2s"}, TEXT, TEXT),
    ({"prompts": {"query": None, "document": None}, "model_type": "SentenceTransformer"}, "", ""),
    ({"__version__": {"sentence_transformers": "2.2.2"}}, "", ""),
]


@pytest.mark.parametrize(("config", "question", "text"), PROMPTS)
def test_the_prompts_that_a_folder_declares(config: dict[str, Any], question: str, text: str, folder: Path) -> None:
    encoder = open_encoder(declare(folder, config=config))
    asked = encoder.encode(["cities", " "], questions=True)
    assert asked == pytest.approx(np.array([by_hand(question + "cities"), np.zeros(SIZE)]), abs=1e-6)
    assert encoder.encode(["cities"])[0] == pytest.approx(by_hand(text + "cities"), abs=1e-6)
    sent = pickle.loads(pickle.dumps(encoder))  # noqa: S301
    assert sent.encode(["cities"], questions=True)[0].tolist() == asked[0].tolist()


def test_the_size_that_a_folder_declares(folder: Path) -> None:
    for output in ("states", "vector"):
        write_encoder(folder, table=TABLE, output=output)
        encoder = open_encoder(declare(folder, config={"truncate_dim": 5}))
        assert encoder.encode(["cars"])[0] == pytest.approx(CARS[:5] / np.linalg.norm(CARS[:5]), abs=1e-6)


DECLARED_WRONG: list[tuple[dict[str, Any], str]] = [
    ({"pooling": "["}, "cannot be read"),
    ({"pooling": "[]"}, "cannot be read"),
    ({"pooling": "[" * 100_000}, "cannot be read"),
    ({"pooling": {"pooling_mode": "attention"}}, "declares the pooling 'attention'"),
    ({"pooling": {"pooling_mode_attention": True}}, "declares the pooling 'pooling_mode_attention'"),
    ({"modules": "{}"}, "cannot be read"),
    ({"modules": [{"type": 3}]}, "a module has no type or path"),
    ({"modules": [{"type": "sentence_transformers.models.Pooling", "path": "../other"}]}, "leads out of the folder"),
    ({"config": {"prompts": {"query": 3}}}, "prompts are not names with texts"),
    ({"config": {"prompts": {}, "default_prompt_name": "query"}}, "there is no prompt 'query'"),
    ({"config": {"prompts": {"retrieval.query": "x"}}}, "none of its prompts (retrieval.query) is for questions"),
    ({"config": {"truncate_dim": 0}}, "truncate_dim is 0"),
    ({"config": {"model_type": "SparseEncoder"}}, "declares a SparseEncoder"),
    ({"config": {"prompts": {"query": "x "}}, "pooling": {"include_prompt": False}}, "excludes prompts from pooling"),
]


@pytest.mark.parametrize(("files", "said"), DECLARED_WRONG)
def test_what_cannot_be_obeyed_is_refused_in_a_line(files: dict[str, Any], said: str, folder: Path) -> None:
    declare(folder, **files)
    refuses(lambda: open_encoder(folder).encode(["cars"]), str(folder), said)


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
