"""The sentence encoder and the reader of sides that ship: their files, and what they say of plain sentences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import models
from ltr.text_models import open_encoder, reader
from ltr.text_models.reader import Reader, SideReader

SENTENCES = [
    "Should boxing be banned?",
    "Boxing harms the brain and should not be allowed.",
    "Professional fighters know the risks that they take.",
    "Zoos protect species that would die out in the wild.",
    "Thanks to my opponent, and good luck!",
]
COSINES = [
    [1.000, 0.810, 0.435, 0.117, 0.171],
    [0.810, 1.000, 0.497, 0.150, 0.189],
    [0.435, 0.497, 1.000, 0.149, 0.178],
    [0.117, 0.150, 0.149, 1.000, -0.018],
    [0.171, 0.189, 0.178, -0.018, 1.000],
]


@pytest.mark.parametrize("folder", [Path(models.__file__).parent / "pretrained" / "encoder", reader.FOLDER])
def test_the_files_are_few_and_small_and_the_card_names_the_licence(folder: Path):
    assert sorted(path.name for path in folder.iterdir()) == ["MODEL_CARD.md", "model.onnx", "tokenizer.json"]
    assert (folder / "model.onnx").stat().st_size < 24_000_000
    assert "Apache License 2.0" in " ".join((folder / "MODEL_CARD.md").read_text("utf-8").split())


def test_cosines_of_five_sentences():
    encoder = open_encoder()
    vectors = encoder.encode(SENTENCES)
    assert (encoder.size, vectors.shape) == (384, (5, 384))
    assert vectors @ vectors.T == pytest.approx(np.array(COSINES), abs=0.0015)


def test_it_reads_for_and_against(tmp_path):
    read = SideReader(tmp_path)
    said = read("Should zoos be banned?", ["Zoos are cruel and should be banned", "A ban on zoos would hurt animals"])
    assert said[0] > 1 > -1 > said[1]
    assert read("Should zoos be banned?", ["A ban on zoos would hurt animals"]) == said[1:], "whatever else is read"


def test_other_words_opposites_and_negations_are_one_question(tmp_path):
    verbs = ("banned", "abolished", "ended", "prohibited", "outlawed", "scrapped", "phased out", "done away with")
    asked = {f"Should circuses be {verb}?": 1 for verb in verbs} | {f"Circuses should never be {verbs[1]}": -1}
    asked |= {"Should we get rid of circuses?": 1, "Should circuses be kept?": -1, "Should circuses not be banned?": -1}
    for question, sign in asked.items():
        assert sign * SideReader(tmp_path)(question, ["Circuses should be banned"])[0] > 1, question


def test_what_was_read_is_kept_beside_the_index(tmp_path, monkeypatch):
    read, asked = SideReader(tmp_path), ("Should circuses be closed?", ["Circuses are cruel"])
    said = read(*asked)
    reader._judged.cache_clear()
    monkeypatch.setattr(Reader, "score", None)
    assert read(*asked) == said
