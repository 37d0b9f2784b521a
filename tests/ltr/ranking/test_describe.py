from __future__ import annotations

from dataclasses import replace

from support.corpora import SMALL, build, write_corpus

from ltr.data.topics import Topic
from ltr.ranking.source import RankingSource
from ltr.ranking.steps import describe, described, propose
from ltr.ranking.task import find_task


def test_features_are_those_of_the_first_stage_that_is_named(tmp_path):
    """The tables of the last topic are kept: not for another width of the first stage, or another task."""
    task, index, topic = find_task("arguments"), build(write_corpus(tmp_path / "corpus", SMALL)), Topic("1", "Ban cars")
    wide, narrow = (RankingSource(task, index, replace(task.config, sentences_each=size)) for size in (5, 0))
    of_wide, of_narrow = described(wide, topic), described(narrow, topic)
    assert not of_wide.features.equals(of_narrow.features)
    assert describe(narrow, propose(wide, topic)).features.equals(of_narrow.features)
