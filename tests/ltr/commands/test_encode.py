"""What ``ltr.encode`` writes, prints and refuses."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from support.corpora import SMALL, write_corpus
from support.refusals import refuses

from ltr.commands import encode
from ltr.index.reader import Index
from ltr.ranking.text_values import known_values
from ltr.text_models.kept import Vectors

MODULE = """
from ltr.text_models import FunctionEncoder


def letters(texts):
    return [[text.count(letter) for letter in "abcdefghij"] for text in texts]


mine = FunctionEncoder(letters, "letters-1")
broken = FunctionEncoder(lambda texts: [[float(texts == ["word"] or "nan")] for _ in texts], "broken-1")
"""


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    (tmp_path / "encoders_of_a_test.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    folder = write_corpus(tmp_path / "corpus", SMALL)
    return ["-i", str(folder), "--index", str(tmp_path / "index"), "--jobs", "1", "--quiet"]


def test_a_corpus_and_again(corpus: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for _ in range(2):
        assert encode.main([*corpus, "--encoder", "python:encoders_of_a_test:mine"]) == 0
        said.append(capsys.readouterr().out)
    line = r"{}: 13 sentences, 10 of them different; {} texts encoded in \d+\.\d s; \d\.\d MB of vectors\n"
    for out, new in zip(said, (11, 0), strict=True):
        assert re.fullmatch(line.format(re.escape(str(tmp_path / "index")), new), out)
    index = Index(tmp_path / "index")
    from encoders_of_a_test import mine

    assert Vectors(index, mine).codes([index.text(0)], index.column("canonical")[:1].astype(int))[1] == 0
    with known_values(index, np.arange(13)) as known:
        assert all(np.isfinite(values).all() for values in known.values())


def test_what_is_refused(corpus: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuses(lambda: encode.main([*corpus, "--encoder", str(tmp_path)]), str(tmp_path), "there is no encoder in it")
    refuses(lambda: encode.main([*corpus, "--encoder", "python:encoders_of_a_test:broken"]), "broken-1", "NaN")
    monkeypatch.setenv("RIPOSTE_VALUES", "0")
    refuses(lambda: encode.main([*corpus, "--encoder", "python:encoders_of_a_test:mine"]), "RIPOSTE_VALUES", "unset")
