from __future__ import annotations

from dataclasses import replace

import pytest
from support.corpora import SMALL, build, write_corpus

from features.core import feature as registry
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.ranking.source import RankingSource
from ltr.ranking.steps import describe, described, propose
from ltr.ranking.task import find_task


def test_a_feature_that_breaks_its_word_is_one_line_for_the_user(tmp_path, monkeypatch):
    task, index = find_task("pairs"), build(write_corpus(tmp_path / "corpus", SMALL))
    broken = replace(
        registry.FEATURES.find("same_argument"), compute=lambda context: [float("nan")] * len(context.pairs)
    )
    monkeypatch.setitem(registry.FEATURES, "same_argument", broken)
    with pytest.raises(InputError) as caught:
        described(RankingSource(task, index, task.config), Topic("1", "Should cars be banned?"))
    said = "feature 'same_argument': gave values that are not finite; return one finite number for each pair"
    assert str(caught.value) == said


def test_features_are_those_of_the_first_stage_that_is_named(tmp_path):
    """The tables of the last topic are kept: not for another width of the first stage, or another task."""
    task, index, topic = find_task("arguments"), build(write_corpus(tmp_path / "corpus", SMALL)), Topic("1", "Ban cars")
    wide, narrow = (RankingSource(task, index, replace(task.config, sentences_each=size)) for size in (5, 0))
    of_wide, of_narrow = described(wide, topic), described(narrow, topic)
    assert not of_wide.features.equals(of_narrow.features)
    assert describe(narrow, propose(wide, topic)).features.equals(of_narrow.features)
