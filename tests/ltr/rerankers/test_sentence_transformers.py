"""A ``CrossEncoder``, with a package of that name that keeps to its interface: the real one is large."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.refusals import refuses
from support.sentence_transformers import OfFolder

from ltr.rerankers import open_reranker


class CrossEncoder(OfFolder):
    def predict(self, pairs: Sequence[tuple[str, str]], *, batch_size: int, show_progress_bar: bool) -> Any:
        assert batch_size == 1
        assert not show_progress_bar
        return np.array([len(text) - len(question) for question, text in pairs], np.float32)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package: Any = SimpleNamespace(CrossEncoder=CrossEncoder)
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"numbers")
    return tmp_path


def test_a_folder(folder: Path) -> None:
    found = open_reranker(f"sentence-transformers:{folder}")
    assert found.pointwise
    assert found.score("abc", ["", "abcde"]).tolist() == [-3, 2]
    (folder / "model.safetensors").write_bytes(b"others")
    assert open_reranker(f"sentence-transformers:{folder}").digest != found.digest


def test_what_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"sentence-transformers:{folder}"
    (folder / "modules.json").write_text(json.dumps([{"type": "their.own.Code"}]))
    refuses(lambda: open_reranker(name), "modules.json", "could run code of its own")
    (folder / "modules.json").write_text(json.dumps([{"type": "sentence_transformers.models.Transformer"}]))
    open_reranker(name)
    (folder / "model.safetensors").unlink()
    refuses(lambda: open_reranker(name), str(folder), "no file named model.safetensors")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # type: ignore[arg-type]  # not importable
    refuses(lambda: open_reranker(name), "sentence_transformers", "this Python package is not installed")
    (folder / "config.json").unlink()
    refuses(lambda: open_reranker(name), str(folder), "no model of sentence-transformers")
