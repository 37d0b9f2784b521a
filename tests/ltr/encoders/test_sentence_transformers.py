"""Models of sentence-transformers, with a package of that name that keeps to its interface: the real one is large."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support.encoders import letters
from support.refusals import refuses
from support.sentence_transformers import OfFolder

from ltr.encoders import open_encoder

PARTS = ["sentence_transformers.models.Transformer", "sentence_transformers.models.Pooling"]


class SentenceTransformer(OfFolder):
    def encode(self, texts: Sequence[str], *, batch_size: int, show_progress_bar: bool) -> Any:
        assert batch_size == 1
        assert not show_progress_bar
        return np.array(letters(texts), np.float32)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(
        sys.modules,
        "sentence_transformers",
        SimpleNamespace(SentenceTransformer=SentenceTransformer),  # type: ignore[arg-type]
    )
    write(tmp_path, PARTS)
    (tmp_path / "model.safetensors").write_bytes(b"numbers")
    return tmp_path


def write(folder: Path, parts: Sequence[object]) -> None:
    (folder / "modules.json").write_text(json.dumps([{"type": part} for part in parts]))


def test_a_folder(folder: Path) -> None:
    encoder = open_encoder(f"sentence-transformers:{folder}")
    assert encoder.size == 26
    assert encoder.encode(["cab", ""])[0][:4].tolist() == pytest.approx([3**-0.5] * 3 + [0])
    reopen, arguments = encoder.__reduce__()
    assert reopen(*arguments).digest == encoder.digest
    (folder / "model.safetensors").write_bytes(b"others")
    assert open_encoder(f"sentence-transformers:{folder}").digest != encoder.digest


def test_what_could_run_code_is_refused(folder: Path) -> None:
    name = f"sentence-transformers:{folder}"
    for part in ("my_module.Transformer", "sentence_transformers.models.Dense", "os.system", ["list"]):
        write(folder, [*PARTS, part])
        refuses(lambda: open_encoder(name), str(folder), "which could run code of its own")
    (folder / "modules.json").write_text("{}")
    (folder / "model.safetensors").unlink()  # only pickled numbers, perhaps
    refuses(lambda: open_encoder(name), str(folder), "cannot load this model (no file named model.safetensors);")


def test_what_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (None, "", "{", "[1]", '[{"path": ""}]', "1"):
        if content is not None:
            (tmp_path / "modules.json").write_text(content)
        name = f"sentence-transformers:{tmp_path}"
        refuses(lambda name=name: open_encoder(name), str(tmp_path), "no model of sentence-transformers")
    write(tmp_path, PARTS)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    refuses(lambda: open_encoder(name), "sentence_transformers", "is not installed; pip install sentence-transformers")
