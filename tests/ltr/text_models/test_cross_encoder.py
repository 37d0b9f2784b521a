"""Cross-encoders with a table of numbers for tokens: scores can be worked out by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.onnx_models import WORDS, write_cross_encoder, write_tokenizer
from support.refusals import refuses

from ltr.text_models import open_reranker
from ltr.text_models.onnx import MODEL, OnnxCrossEncoder

VALUES = np.random.default_rng(5).normal(size=len(WORDS)).astype(np.float32)
QUESTION = "should cars be banned"
TEXTS = ["cars not", "the cities of people", "", "something unknown", "cars not", "people " * 600]


def by_hand(text: str, tokens: int = 512) -> float:
    """The mean value of the tokens of question and text; those of the text count ten times, by their type."""
    words = QUESTION.split()
    ids = [WORDS.index(word) if word in WORDS else 0 for word in [*words, *text.split()]][:tokens]
    factors = np.array([1] * len(words) + [10] * (len(ids) - len(words)))
    return float((VALUES[ids].astype(np.float64) * factors).mean())


@pytest.mark.parametrize("output", ["column", "flat", "two"])
def test_scores_by_hand(output: str, tmp_path: Path) -> None:
    found = open_reranker(write_cross_encoder(tmp_path, VALUES, output=output))
    assert isinstance(found, OnnxCrossEncoder)
    assert found.pointwise
    assert found.score(QUESTION, TEXTS) == pytest.approx([by_hand(text) for text in TEXTS], abs=1e-5)


def test_how_much_is_read_and_the_digest(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path, VALUES)
    first = open_reranker(folder)
    write_tokenizer(folder, truncation=9)
    second = open_reranker(folder)
    assert first.digest != second.digest
    assert second.score(QUESTION, ["cars not " * 4]) == pytest.approx([by_hand("cars not " * 4, 9)], abs=1e-5)
    refuses(lambda: first.score(QUESTION, ["cars"]), str(folder), "changed while it was in use")


def test_other_models_are_refused(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path, VALUES, output="wide")
    refuses(lambda: open_reranker(folder).score("cars", ["a"]), MODEL, "one number for a question and a text, or two")
