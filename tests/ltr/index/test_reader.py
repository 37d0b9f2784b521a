"""What is looked up for many rows at once is what is looked up for each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.corpora import SMALL, build, write_corpus

from ltr.index.reader import Index


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return build(write_corpus(tmp_path / "corpus", SMALL), tmp_path / "index")


def test_ids_of_sentences_are_those_of_each(index: Index) -> None:
    rows = np.arange(index.sentences)[::-1]
    assert index.sentence_ids(rows) == list(map(index.sentence_id, rows.tolist()))
    assert index.sentence_ids(rows[:0]) == []


def test_a_debate_has_as_many_arguments_as_are_found_in_it(index: Index) -> None:
    assert [index.in_debate(row) for row in range(index.arguments)] == [
        len(index.debate(row)) for row in range(index.arguments)
    ]
