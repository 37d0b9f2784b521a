from __future__ import annotations

from dataclasses import replace

import pytest
from support.corpora import SMALL, build, write_corpus

from features.core import feature as registry
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.ranking.steps import RankingSource, described
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
