"""What every encoder does with its texts, whatever kind it is of; and how one is opened by name."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.encoders import letter_encoder, letters
from support.refusals import refuses

from ltr.text_models import Encoder, FunctionEncoder, open_encoder
from ltr.text_models.encoders import ENCODERS, SHIPPED

TEXTS = ["Cars kill.", "", "Bikes do not.", "Cars kill.", " \n\t", "42"]


def test_rows_are_of_unit_length_and_those_of_blank_texts_zeros() -> None:
    encoded = letter_encoder().encode(TEXTS)
    assert encoded.dtype == np.float32
    assert encoded.shape == (6, 26)
    # "42" has no letters: a vector of zeros has no direction and stays
    assert np.linalg.norm(encoded, axis=1) == pytest.approx([1, 0, 1, 1, 0, 0])
    assert encoded[0].tolist() == encoded[3].tolist()
    # c a r s k i l l: six letters once and one twice
    assert encoded[0][ord("c") - ord("a")] == pytest.approx(1 / np.sqrt(10))
    assert letter_encoder().encode([]).shape == letter_encoder().encode([""])[:0].shape == (0, 26)


def test_a_text_is_encoded_once_and_blank_ones_never() -> None:
    asked: list[str] = []

    def listen(texts: Sequence[str]) -> Any:
        asked.extend(texts)
        return letters(texts)

    encoder = FunctionEncoder(listen, "listens")
    asked.clear()
    encoder.encode(TEXTS)
    assert asked == ["Cars kill.", "Bikes do not.", "42"]


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (lambda n: np.ones((n + 1, 3)), "shape"),
        (lambda n: np.ones((n, 4)), "and not (3, 3)"),
        (lambda n: np.ones(3), "shape"),
        (lambda n: np.full((n, 3), np.nan), "NaN or infinity for the text 'Cars kill.'"),
        (lambda n: np.full((n, 3), -np.inf), "NaN or infinity"),
        (lambda n: [[1, 2, 3], [1]], "failed (ValueError"),
        (lambda n: [["a", "b", "c"]] * n, "failed (ValueError"),
        (lambda n: None, "shape"),
        (lambda n: 1 / 0, "failed (ZeroDivisionError: division by zero)"),
    ],
)
def test_what_is_no_vector_is_refused_in_a_line(answer: Callable[[int], Any], complaint: str) -> None:
    encoder = FunctionEncoder(lambda texts: np.ones((1, 3)) if texts == ["word"] else answer(len(texts)), "wrong")
    refuses(lambda: encoder.encode(TEXTS), "wrong", complaint)
    refuses(lambda: FunctionEncoder(lambda texts: np.ones(3), "wrong"), "wrong", "shape (3,)")
    refuses(lambda: FunctionEncoder(lambda texts: np.ones((1, 0)), "wrong"), "wrong", "shape (1, 0)")


def test_numbers_of_any_size_have_a_direction() -> None:
    for factor in (1e-300, 1e-30, 1.0, 1e30, 1e300):
        encoder = FunctionEncoder(lambda texts, factor=factor: np.array([[3.0, 4.0]] * len(texts)) * factor, "large")
        assert encoder.encode(["a"])[0].tolist() == pytest.approx([0.6, 0.8])


def test_a_function_needs_a_name_under_which_its_vectors_are_kept() -> None:
    refuses(lambda: FunctionEncoder(letters), "the encoder", "letters has no name")
    refuses(lambda: open_encoder(letters), "the encoder", "letters has no name")

    class Named:
        name = "mine-1"

        def __call__(self, texts: Sequence[str]) -> Any:
            return letters(texts)

    assert open_encoder(Named()).digest == FunctionEncoder(letters, "mine-1").digest
    assert FunctionEncoder(letters, "mine-2").digest != FunctionEncoder(letters, "mine-1").digest


def test_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_encoders.py").write_text(
        "from ltr.text_models import FunctionEncoder\n"
        "mine = FunctionEncoder(lambda texts: [[len(text), 1] for text in texts], 'lengths-1')\n"
        "number = 3\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert open_encoder("python:my_encoders:mine").name == "lengths-1"
    same = letter_encoder()
    assert open_encoder(same) is same
    refuses(lambda: open_encoder("python:my_encoders:none"), "my_encoders:none", "my_encoders has no 'none'")
    for name in ("no_such_module:mine", "mine", ":", ".:x"):
        refuses(lambda name=name: open_encoder(f"python:{name}"), name, "cannot be imported")
    refuses(lambda: open_encoder("python:my_encoders:number"), "my_encoders:number", "not a function or encoder")
    refuses(lambda: open_encoder(tmp_path), str(tmp_path), "there is no encoder in it; name a folder with model.onnx")
    refuses(lambda: open_encoder("nothing:here"), "nothing:here", "cannot be imported")
    refuses(lambda: open_encoder("nothing"), "nothing", "there is no such encoder; name FILE.py:FUNCTION")
    assert {*ENCODERS.search()} == {"onnx", "python"}
    assert SHIPPED.parts[-3:] == ("models", "pretrained", "encoder")
    del sys.modules["my_encoders"]


BROKEN = """
from ltr.text_models import Encoder, FunctionEncoder


class Nameless(Encoder):
    def vectors(self, texts):
        return [[len(text)] for text in texts]


class Sizeless(Nameless):
    name, digest = "sizeless", "0"


class Whole(Sizeless):
    size = 1


def scope():
    class Local(Whole):
        made = lambda self: self  # which cannot be pickled by name

    return Local()


nameless, sizeless, local, kind = Nameless(), Sizeless(), scope(), Whole
"""


def test_broken_encoders_of_modules_end_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_encoders.py").write_text(BROKEN, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    refuses(lambda: open_encoder("python:broken_encoders:nameless"), "the encoder Nameless", "its name is None")
    refuses(lambda: open_encoder("python:broken_encoders:sizeless"), "the encoder Sizeless", "its size is None")
    refuses(lambda: open_encoder("python:broken_encoders:kind"), "broken_encoders:kind", "not a function or encoder")
    encoder = open_encoder("python:broken_encoders:local")
    again = copy.copy(encoder)  # as a worker process gets it: by name
    assert again.encode(["a", "abc"]).tolist() == [[1], [1]]
    assert again.digest == encoder.digest
    monkeypatch.setitem(ENCODERS.search(), "none", lambda what, threads: None)  # type: ignore[misc]
    refuses(lambda: open_encoder("none:x"), "none:x", "the opener returned NoneType, expected Encoder")
    del sys.modules["broken_encoders"]


def test_another_kind_is_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENCODERS.search(), "letters", lambda what, threads: letter_encoder(what))
    assert open_encoder("letters:mine").name == "mine"


def test_the_smallest_subclass() -> None:
    class Lengths(Encoder):
        name, digest, size = "lengths", "0" * 32, 1

        def vectors(self, texts: Sequence[str]) -> Any:
            return [[len(text)] for text in texts]

    assert Lengths().encode(["a", "abc", ""]).tolist() == [[1], [1], [0]]
