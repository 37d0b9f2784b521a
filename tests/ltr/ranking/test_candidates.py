from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import SMALL, build, write_corpus
from support.tables import Pair, make_table, plain_block, plain_table

from ltr.data.topics import Topic
from ltr.ranking.candidates import Candidates, item_frame, topic_order
from ltr.ranking.source import RankingSource
from ltr.ranking.steps import describe, described, propose
from ltr.ranking.task import find_task

A1, A2, B1, C1 = "S1-A1__PREMISE__1", "S1-A1__PREMISE__2", "S2-A2__PREMISE__1", "S3-A3__CONC__1"
PAIRS: dict[str, list[Pair]] = {"10": [(B1, C1), (A1, A2)], "2": [(A2, B1), (A1, C1), (A1, B1)]}


def topic(number: str) -> Topic:
    return Topic(number, number)


def two_topics() -> Candidates:
    return plain_table(PAIRS, {"x": [1, 2, 3, 4, 5], "y": [10, 20, 30, 40, 50]})


def test_rows_are_sorted_by_topic_number_then_by_ids_and_stay_whole():
    table = two_topics()
    assert table.topics == ["2", "10"]  # as numbers, not as text
    assert table.groups.tolist() == [3, 2]
    assert list(map(tuple, table.parts.tolist())) == [(A1, B1), (A1, C1), (A2, B1), (A1, A2), (B1, C1)]
    assert table["x"].tolist() == [5, 4, 3, 2, 1]
    assert table["y"].tolist() == [50, 40, 30, 20, 10]
    assert table["qid"].tolist() == ["2", "2", "2", "10", "10"]
    assert table.topic_of_row.tolist() == [0, 0, 0, 1, 1]
    assert list(table.spans.items()) == [("2", slice(0, 3)), ("10", slice(3, 5))]
    assert (table.features.index.name, table.features.index.tolist()) == ("topic", table["qid"].tolist())
    assert table.feature_columns == ["x", "y"]


def test_steps_keep_the_topics_and_the_rows_that_they_do_not_cut():
    table = two_topics()
    table["score"] = np.arange(5.0)
    some = pickle.loads(pickle.dumps(table[table["score"] > 2]))  # noqa: S301
    assert (type(some), some.topics, some.unmatched, some.kind) == (Candidates, ["10"], ["2"], "pair")
    wider = table.with_columns(pd.DataFrame({"x": np.zeros(5), "z": np.ones(5)}))
    assert wider["x"].tolist() == [0.0] * 5
    assert [topic.number for topic in wider.asked] == ["2", "10"]
    first, last = table.by_topic()
    assert (first.topics, last.topics, last["score"].tolist()) == (["2"], ["10"], [3.0, 4.0])
    pd.testing.assert_frame_equal(Candidates.concat([last, first]), table)


def test_tables_that_pandas_joins_keep_the_topics_that_were_asked():
    none = item_frame([([], [], [])], [])
    of_arguments = [Candidates.of_topic(topic(number), none, kind="argument", origin="o") for number in "12"]
    first, second = of_arguments
    more = pd.DataFrame({"docno": first["docno"], "z": 1.0})
    for table in (first.merge(more, how="left"), first.join(more[["z"]]), pd.concat([first, more["z"]], axis=1)):
        assert (type(table), table.asked, table.kind, table.origin) == (Candidates, first.asked, "argument", "o")
    both = pd.concat([second, first, second])
    assert (both.asked, both.kind, both.origin) == ((topic("2"), topic("1")), "argument", "o")
    second.origin = "of another corpus"
    assert pd.concat(of_arguments).origin == ""


def test_every_column_of_a_row_moves_together():
    table = make_table()
    for topic, rows in table.spans.items():
        ids = list(map(tuple, table.parts[rows]))
        assert ids == sorted(ids), topic
    # A sentence has one key and one text hash in a topic, wherever it stands.
    for ids, keys, texts in zip(table.parts.T, table.near_keys().T, table.text_keys.T, strict=True):
        for column in (keys, texts):
            seen: dict[tuple[int, str], int] = {}
            for topic, name, key in zip(table.topic_of_row.tolist(), ids, column.tolist(), strict=True):
                assert seen.setdefault((topic, name), key) == key


def test_topics_without_candidates_are_named():
    table = Candidates.concat([plain_block("1", []), plain_block("2", [(A1, B1)])])
    assert table.unmatched == ["1"]
    assert table.topics == ["2"]
    empty = Candidates.concat([])
    assert len(empty) == 0
    assert list(empty.spans) == empty.topics == empty.unmatched == []


def test_tables_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="a topic stands in two tables"):
        Candidates.concat([plain_block("1", [(A1, B1)]), plain_block("1", [(A1, A2)])])
    with pytest.raises(ValueError, match="the tables have different columns"):
        Candidates.concat([plain_block("1", [(A1, B1)]), plain_block("2", [(A1, A2)], {"y": [1.0]})])


@given(st.lists(st.integers(0, 500).map(str), unique=True))
def test_numbers_come_in_the_order_of_numbers(numbers: list[str]):
    assert sorted(numbers, key=topic_order) == [str(n) for n in sorted(map(int, numbers))]


def test_features_are_those_of_the_first_stage_that_is_named(tmp_path):
    """The tables of the last topic are kept: not for another width of the first stage, or another task."""
    task, index, topic = find_task("arguments"), build(write_corpus(tmp_path / "corpus", SMALL)), Topic("1", "Ban cars")
    wide, narrow = (RankingSource(task, index, replace(task.config, sentences_each=size)) for size in (5, 0))
    of_wide, of_narrow = described(wide, topic), described(narrow, topic)
    assert not of_wide.features.equals(of_narrow.features)
    assert describe(narrow, propose(wide, topic)).features.equals(of_narrow.features)
