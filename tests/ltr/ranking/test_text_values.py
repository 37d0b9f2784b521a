"""Values of text features that are kept beside an index save time and change nothing."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from support.corpora import SMALL, build, write_corpus

from features.content import argumentativeness
from features.learned import argumentative, convincing
from ltr.data.topics import Topic
from ltr.index.reader import Index
from ltr.ranking import steps
from ltr.ranking.source import RankingSource
from ltr.ranking.steps import propose
from ltr.ranking.task import find_task
from ltr.ranking.text_values import VALUES, known_values

COLUMNS = ["convincing_min", "argumentative_max", "number_max", "n_words_min"]


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return build(write_corpus(tmp_path / "corpus", SMALL), tmp_path / "index")


def describe(index: Index) -> bytes:
    task = find_task("pairs")
    source = RankingSource(task, index, task.config)
    table = steps.describe(source, propose(source, Topic("1", "Should cars be banned?")), COLUMNS)
    assert len(table)
    return table.features.to_numpy().tobytes()


refuse = Mock(side_effect=AssertionError("computed anew"))


def test_a_second_run_computes_nothing_and_gives_the_same_bytes(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    first = describe(index)
    monkeypatch.setattr(convincing, "score", refuse)
    monkeypatch.setattr(argumentative, "score", refuse)
    monkeypatch.setattr(argumentativeness.Tokens, "read", refuse)
    assert describe(index) == first


def test_nothing_is_kept_after_an_error_or_where_the_user_wants_none(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyError), known_values(index, np.arange(2)) as known:
        known["no such feature"][:] = known["convincing"].fill(1)
    monkeypatch.setenv("RIPOSTE_VALUES", "0")
    describe(index)
    assert not (index.folder / VALUES).exists()
