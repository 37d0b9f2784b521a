"""Vectors that are kept beside an index save time and change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.corpora import QUIET, SMALL, build, write_corpus
from support.encoders import letter_encoder, letters

from ltr.answers.understand import vectors_of
from ltr.data.topics import Topic
from ltr.index.reader import Index
from ltr.parallel import Workers
from ltr.ranking.feature_tables import TopicMeaning
from ltr.ranking.task import TableRows
from ltr.text_models import FunctionEncoder, kept
from ltr.text_models.kept import Vectors, eight_bits, encode_sentences, unit_vectors


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return build(write_corpus(tmp_path / "corpus", SMALL), tmp_path / "index")


class Counted:
    """An encoder, and the texts that it was given."""

    def __init__(self, index: Index, name: str = "letters-1") -> None:
        self.texts: list[str] = []
        self.vectors = Vectors(index, FunctionEncoder(self._letters, name))
        self.texts.clear()

    def _letters(self, texts: Sequence[str]) -> Any:
        self.texts += texts
        return letters(texts)

    def all(self) -> bytes:
        """Of all sentences and titles, encoded as far as they are not kept."""
        index = self.vectors.index
        titles = list(map(index.title, range(index.arguments)))
        found = self.vectors.of_sentences(range(index.sentences)), self.vectors.of_texts(titles)
        return b"".join(one.tobytes() for one in found)


def known(index: Index) -> bytes:
    """The same; raises where something is encoded."""
    counted = Counted(index)
    found = counted.all()
    assert not counted.texts
    return found


def test_eight_bits_keep_the_direction() -> None:
    # By hand: .6 is 127 * .6 / .8 = 95.25, which is 95; and 95, -127 is of length 158.6.
    codes = eight_bits(np.array([[0.6, -0.8], [0, 0]], np.float32))
    assert codes.tolist() == [[95, -127], [0, 0]]
    assert unit_vectors(codes)[0].tolist() == pytest.approx([95 / np.hypot(95, 127), -127 / np.hypot(95, 127)])
    vectors = letter_encoder().encode(["Cars should be banned", "Bikes should be banned"])
    assert (unit_vectors(eight_bits(vectors)) * vectors).sum(axis=1) == pytest.approx([1, 1], abs=1e-4)
    assert np.linalg.norm(unit_vectors(eight_bits(vectors)), axis=1) == pytest.approx([1, 1], abs=1e-6)
    assert not eight_bits(np.zeros((0, 3), np.float32)).size


def test_a_second_run_encodes_nothing_and_gives_the_same_bytes(index: Index) -> None:
    counted = Counted(index)
    first = counted.all()
    texts = [index.text(row) for row in {*index.column("canonical").tolist()}]
    assert sorted(counted.texts) == sorted([*texts, *{*map(index.title, range(index.arguments))}])
    assert known(index) == first == known(Index(index.folder))


def test_questions_are_kept_apart_from_titles(index: Index) -> None:
    title = index.title(0)
    vectors = Vectors(
        index, FunctionEncoder(letters, "apart-1", questions=lambda texts: letters([*map("q".__add__, texts)]))
    )
    as_title, as_question = (vectors.of_texts([title], questions=asked)[0] for asked in (False, True))
    assert vectors.knows(title)
    assert not vectors.knows("Another?")
    for text, vector in ((title, as_title), (f"q{title}", as_question)):
        assert vector.tolist() == unit_vectors(eight_bits(letter_encoder().encode([text])))[0].tolist()
    question = Topic("1", title)
    assert (
        TopicMeaning(index, question, TableRows(*[np.zeros(0, np.int64)] * 3), vectors.encoder).question.tolist()
        == as_question.tolist()
    )
    assert vectors_of(index, vectors.encoder, [title], questions=True)[0].tolist() == as_question.tolist()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_corpus_encoded_ahead(index: Index, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    by_need = Counted(index).all()
    files = {path.name: path.read_bytes() for path in index.folder.glob("*-*.bin")}
    for path in (index.folder / name for name in files if "text" not in name):
        path.unlink()
    monkeypatch.setattr(kept, "ROWS", 3)
    counts = encode_sentences(index, letter_encoder(), Workers(jobs), QUIET)
    distinct = len({*index.column("canonical").tolist()})
    titles = {index.title(row) for row in range(index.arguments)}
    assert counts["distinct"] == distinct
    assert counts["encoded"] >= distinct + len(titles)  # two calls may meet the same title at once
    assert {path.name: path.read_bytes() for path in index.folder.glob("*-*.bin")} == files
    assert known(index) == by_need
    again = encode_sentences(index, letter_encoder(), Workers(1), QUIET)
    assert again == counts | {"encoded": 0}
    assert 0 < again["bytes"] <= sum(len(content) for name, content in files.items() if "text" not in name)
