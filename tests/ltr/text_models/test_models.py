"""What every encoder and re-ranker does with its texts, how one is opened by name, and what is refused."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from support.encoders import letter_encoder, letters
from support.refusals import refuses

from ltr.text_models import FunctionEncoder, FunctionReranker, open_encoder, open_reranker, reranker
from ltr.text_models.encoders import ENCODERS, SHIPPED
from ltr.text_models.model import digest_of
from ltr.text_models.rerankers import RERANKERS

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


WRONG: dict[str, tuple[Any, Any, str]] = {
    "one": (np.ones((4, 3)), [1.0], "shape"),
    "columns": (np.ones((3, 4)), [[1.0], [2.0]], "and not (3, 3)|an array of shape (2, 1) for 2 texts"),
    "row": (np.ones(3), 3.0, "shape (3,)|an array of shape () for 2 texts"),
    "nan": (np.full((3, 3), np.nan), [1.0, np.nan], "NaN or infinity for the text 'Cars kill.'|for the text 'second'"),
    "infinity": (np.full((3, 3), -np.inf), [-np.inf, 1.0], "NaN or infinity"),
    "ragged": ([[1, 2, 3], [1]], [1.0, [2.0]], "failed (ValueError"),
    "words": ([["a", "b", "c"]] * 3, ["high", "low"], "failed (ValueError"),
    "nothing": (None, None, "an array of shape () for"),
    "raises": (KeyError("model\nof mine"), KeyError("model\nof mine"), "failed (KeyError"),
    "exits": (SystemExit(0), SystemExit(0), "failed (SystemExit: 0)"),
}
"""What an encoder returns for three texts, what a re-ranker for two, and what is said of each."""


def given(found: Any) -> Any:
    if isinstance(found, BaseException):
        raise found
    return found


@pytest.mark.parametrize("case", WRONG)
def test_what_is_not_a_number_for_each_text_is_refused_in_a_line(case: str) -> None:
    of_encoder, of_reranker, said = WRONG[case]
    encoder = FunctionEncoder(lambda texts: np.ones((1, 3)) if texts == ["word"] else given(of_encoder), "wrong")
    refuses(lambda: encoder.encode(TEXTS), "wrong", said.partition("|")[0])
    fixed = FunctionReranker(lambda question, texts: given(of_reranker), "fixed")
    refuses(lambda: fixed.score("q", ["first", "second"]), "fixed", said.rpartition("|")[2])


def test_what_is_no_vector_has_no_size() -> None:
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


def lengths(question: str, texts: list[str]) -> list[int]:
    return [len(text) for text in texts]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


def test_a_function_is_one() -> None:
    found = open_reranker(lengths)
    assert found.score("q", ["a", "", "abc"]).tolist() == [1, 0, 3]
    assert found.score("q", []).tolist() == []
    assert (found.name, found.digest, found.pointwise) == ("lengths", None, False), "without a name nothing is kept"
    assert open_reranker(found) is found


def test_a_name_keeps_scores_of_the_same_file() -> None:
    named = FunctionReranker(lengths, "lengths-1")
    assert named.digest
    assert named.digest == FunctionReranker(lengths, "lengths-1").digest
    assert named.digest != FunctionReranker(lengths, "lengths-2").digest
    assert named.digest != FunctionReranker(lengths, "lengths-1", pointwise=True).digest


def test_a_registered_name() -> None:
    reranker("lengths-3", pointwise=True)(lengths)
    try:
        found = open_reranker("lengths-3")
        assert (found.name, found.pointwise) == ("lengths-3", True)
        with pytest.raises(ValueError, match="registered twice"):
            reranker("lengths-3")(lengths)
    finally:
        del RERANKERS["lengths-3"]


@pytest.mark.parametrize("how", ["own.py:size", "own:size", "python:own:size", "./own.py:size"])
def test_a_function_in_a_file_or_module(how: str, here: Path) -> None:
    (here / "own.py").write_text("def size(question, texts):\n    return [len(text) for text in texts]\n")
    first = open_reranker(how)
    assert first.score("q", ["ab"]).tolist() == [2]
    assert first.name == how.removeprefix("python:")
    (here / "own.py").write_text("def size(question, texts):\n    return [-len(text) for text in texts]\n")
    again = open_reranker(how)
    assert again.score("q", ["ab"]).tolist() == [-2]
    assert again.digest != first.digest, "scores of a function that was changed are not those of before"


def test_models_of_a_module(here: Path) -> None:
    (here / "own.py").write_text(
        "from ltr.text_models import FunctionEncoder, FunctionReranker\n"
        "ours = FunctionEncoder(lambda texts: [[len(text), 1] for text in texts], 'lengths-1')\n"
        "mine = FunctionReranker(lambda question, texts: [1.0] * len(texts), 'mine-1', pointwise=True)\n"
    )
    assert open_encoder("python:own:ours").name == "lengths-1"
    assert open_reranker("own:mine").name == "mine-1"
    same = letter_encoder()
    assert open_encoder(same) is same
    assert {*ENCODERS.search()} == {"onnx", "python"}
    assert SHIPPED.parts[-3:] == ("models", "pretrained", "encoder")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("own:f", "No module named 'nothing_of_this_name'"),
        ("end.py:f", "SystemExit: 3"),
        ("absent.py:f", "cannot be imported"),
        ("not_there.at_all:f", "No module named 'not_there'"),
        *((f"python:{name}", "cannot be imported") for name in ("no_such_module:mine", "mine", ":", ".:x")),
        ("plain:score", "not a function or"),
        ("plain:other", "plain has no 'other'"),
        ("nothing", "there is no such"),
        ("nothing", "name FILE.py:FUNCTION, MODULE:FUNCTION"),
        ("mine.py", "name FILE.py:FUNCTION, MODULE:FUNCTION"),
        (".", "there is no"),
    ],
)
def test_what_cannot_be_opened(here: Path, name: str, said: str) -> None:
    (here / "own.py").write_text("import nothing_of_this_name\n")
    (here / "end.py").write_text("raise SystemExit(3)\n")
    (here / "plain.py").write_text("score = 3\n")
    for opened in (open_encoder, open_reranker):
        named = str(here) if name == "." else name.removeprefix("python:")
        refuses(lambda opened=opened: opened(name), named, said)


def test_threads_leave_the_standard_output_to_others() -> None:
    seen: list[Any] = []

    def look(question: str, texts: list[str]) -> list[float]:
        seen.append(sys.stdout)
        return [1.0 for _ in texts]

    thread = Thread(target=FunctionReranker(look).score, args=("?", ["a"]))
    thread.start()
    thread.join()
    assert seen == [sys.stdout]


def test_what_it_prints_is_not_among_the_results(capsys: pytest.CaptureFixture[str]) -> None:
    def talks(question: str, texts: list[str]) -> list[float]:
        print("loading")
        return [1.0] * len(texts)

    open_reranker(talks).score("q", ["text"])
    assert capsys.readouterr() == ("", "loading\n")


def test_a_digest_is_of_settings_and_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    files = [tmp_path / "a", tmp_path / "b"]
    assert digest_of("x", files) == digest_of("x", files)
    assert len({digest_of("x", files), digest_of("x", files[::-1]), digest_of("y", files), digest_of("x")}) == 4
    refuses(lambda: digest_of("x", [tmp_path / "c"]), str(tmp_path / "c"), "cannot be read")
