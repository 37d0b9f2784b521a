"""The reader of sides that ships: its files, and what it reads in plain sentences."""

from __future__ import annotations

import pytest

from ltr.pipeline.side_reader import FOLDER, read, shipped_reader


def test_its_files_are_few_and_small_and_the_card_names_the_licence():
    assert sorted(path.name for path in FOLDER.iterdir()) == ["MODEL_CARD.md", "model.onnx", "tokenizer.json"]
    assert (FOLDER / "model.onnx").stat().st_size < 24_000_000
    assert "Apache License 2.0" in " ".join((FOLDER / "MODEL_CARD.md").read_text("utf-8").split())


def test_it_reads_for_and_against():
    pytest.importorskip("onnxruntime", reason="the extra riposte-ltr[encoder] is not installed")
    said = read("Should zoos be banned?", ["Zoos are cruel and should be banned", "A ban on zoos would hurt animals"])
    assert said[0] > 1 > -1 > said[1]
    assert read("Should zoos be banned?", ["A ban on zoos would hurt animals"]) == said[1:], "whatever else is read"


def test_without_onnxruntime_there_is_none(monkeypatch):
    monkeypatch.setattr("ltr.pipeline.side_reader.find_spec", lambda _: None)
    assert shipped_reader() is None
