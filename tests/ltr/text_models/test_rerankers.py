"""Re-rankers by name, functions as re-rankers, and what is refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from support.refusals import refuses

from ltr.text_models import FunctionReranker, Reranker, open_reranker, reranker
from ltr.text_models.model import digest_of
from ltr.text_models.rerankers import RERANKERS


def lengths(question: str, texts: list[str]) -> list[int]:
    return [len(text) for text in texts]


class Fixed(Reranker):
    name, digest = "fixed", None

    def __init__(self, found: Any) -> None:
        self._found = found

    def scores(self, question: str, texts: list[str]) -> Any:
        if isinstance(self._found, BaseException):
            raise self._found
        return self._found


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


def test_a_re_ranker_in_a_module(here: Path) -> None:
    (here / "own.py").write_text(
        "from ltr.text_models import FunctionReranker\n"
        "mine = FunctionReranker(lambda question, texts: [1.0] * len(texts), 'mine-1', pointwise=True)\n"
    )
    assert open_reranker("own:mine").name == "mine-1"


def test_what_cannot_be_imported(here: Path) -> None:
    (here / "own.py").write_text("import nothing_of_this_name\n")
    (here / "end.py").write_text("raise SystemExit(3)\n")
    (here / "plain.py").write_text("score = 3\n")
    refuses(lambda: open_reranker("own:f"), "own:f", "No module named 'nothing_of_this_name'")
    refuses(lambda: open_reranker("end.py:f"), "end.py:f", "SystemExit: 3")
    refuses(lambda: open_reranker("absent.py:f"), "absent.py:f", "cannot be imported")
    refuses(lambda: open_reranker("not_there.at_all:f"), "not_there.at_all:f", "No module named 'not_there'")
    refuses(lambda: open_reranker("plain:score"), "plain:score", "not a function or re-ranker")
    refuses(lambda: open_reranker("plain:other"), "plain:other", "plain has no 'other'")
    refuses(lambda: open_reranker("nothing"), "nothing", "there is no such re-ranker")
    refuses(lambda: open_reranker("mine.py"), "mine.py", "name FILE.py:FUNCTION, MODULE:FUNCTION")
    refuses(lambda: open_reranker(str(here)), str(here), "there is no cross-encoder in it")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([1.0], "an array of shape (1,) for 2 texts"),
        ([[1.0], [2.0]], "an array of shape (2, 1) for 2 texts"),
        (3.0, "an array of shape () for 2 texts"),
        ([1.0, np.nan], "NaN or infinity for the text 'second'"),
        ([-np.inf, 1.0], "NaN or infinity for the text 'first'"),
        (["high", "low"], "failed (ValueError"),
        (None, "an array of shape () for 2 texts"),
        (KeyError("model\nof mine"), "failed (KeyError"),
        (SystemExit(0), "failed (SystemExit: 0)"),
    ],
    ids=["one", "columns", "number", "nan", "infinity", "words", "nothing", "raises", "exits"],
)
def test_what_it_must_return(found: Any, said: str) -> None:
    refuses(lambda: Fixed(found).score("q", ["first", "second"]), "fixed", said)


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
