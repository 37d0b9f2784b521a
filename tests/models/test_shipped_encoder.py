"""The sentence encoder that ships: its files, its interface, and what it says of five sentences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import models
from ltr.text_models import open_encoder

FOLDER = Path(models.__file__).parent / "pretrained" / "encoder"
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


def test_its_files_are_few_and_small_and_the_card_names_the_licence():
    assert sorted(path.name for path in FOLDER.iterdir()) == ["MODEL_CARD.md", "model.onnx", "tokenizer.json"]
    assert (FOLDER / "model.onnx").stat().st_size < 24_000_000
    assert "Apache License 2.0" in (FOLDER / "MODEL_CARD.md").read_text("utf-8")


def test_cosines_of_five_sentences():
    encoder = open_encoder()
    vectors = encoder.encode(SENTENCES)
    assert (encoder.size, vectors.shape) == (384, (5, 384))
    assert vectors @ vectors.T == pytest.approx(np.array(COSINES), abs=0.0015)
