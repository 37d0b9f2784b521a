from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import Pair, make_matrix, plain_block, plain_matrix

from ltr.ranking.matrix import Matrix, topic_order

A1, A2, B1, C1 = "S1-A1__PREMISE__1", "S1-A1__PREMISE__2", "S2-A2__PREMISE__1", "S3-A3__CONC__1"
PAIRS: dict[str, list[Pair]] = {"10": [(B1, C1), (A1, A2)], "2": [(A2, B1), (A1, C1), (A1, B1)]}


def two_topics() -> Matrix:
    return plain_matrix(PAIRS, {"x": [1, 2, 3, 4, 5], "y": [10, 20, 30, 40, 50]})


def test_rows_are_sorted_by_topic_number_then_by_ids_and_stay_whole():
    matrix = two_topics()
    assert matrix.topics == ["2", "10"]  # as numbers, not as text
    assert matrix.groups.tolist() == [3, 2]
    assert list(map(tuple, matrix.parts.tolist())) == [(A1, B1), (A1, C1), (A2, B1), (A1, A2), (B1, C1)]
    assert matrix.features["x"].tolist() == [5, 4, 3, 2, 1]
    assert matrix.features["y"].tolist() == [50, 40, 30, 20, 10]
    assert matrix.features.index.name == "topic"
    assert matrix.features.index.tolist() == ["2", "2", "2", "10", "10"]
    assert matrix.topic_of_row.tolist() == [0, 0, 0, 1, 1]
    assert matrix.rows("10") == slice(3, 5)
    assert list(matrix) == [("2", slice(0, 3)), ("10", slice(3, 5))]
    assert len(matrix) == 5


def test_grades_and_head_go_where_their_rows_go():
    blocks = [plain_block(topic, pairs, {"x": range(len(pairs))}) for topic, pairs in PAIRS.items()]
    blocks = [
        replace(
            block,
            grades={"relevance": block.features["x"].to_numpy(np.float64) + 1},
            head=block.features["x"].to_numpy() > 0,
        )
        for block in blocks
    ]
    matrix = Matrix(blocks)
    assert matrix.grades["relevance"].tolist() == (matrix.features["x"] + 1).tolist() == [3, 2, 1, 2, 1]
    assert matrix.head.tolist() == (matrix.features["x"] > 0).tolist()
    assert two_topics().grades == Matrix([]).grades == {}
    assert not two_topics().head.any()


def test_every_column_of_a_row_moves_together():
    matrix = make_matrix()
    for topic, rows in matrix:
        ids = list(map(tuple, matrix.parts[rows]))
        assert ids == sorted(ids), topic
    # A sentence has one key and one text hash in a topic, wherever it stands.
    for ids, keys, texts in zip(matrix.parts.T, matrix.keys.T, matrix.texts.T, strict=True):
        for column in (keys, texts):
            seen: dict[tuple[int, str], int] = {}
            for topic, name, key in zip(matrix.topic_of_row.tolist(), ids, column.tolist(), strict=True):
                assert seen.setdefault((topic, name), key) == key


def test_blocks_may_come_in_any_order():
    blocks = [plain_block(topic, pairs, {"x": range(len(pairs))}) for topic, pairs in PAIRS.items()]
    one, other = Matrix(blocks), Matrix(blocks[::-1])
    pd.testing.assert_frame_equal(one.features, other.features)
    pd.testing.assert_frame_equal(one.units, other.units)


def test_topics_without_candidates_are_named():
    matrix = Matrix([plain_block("1", []), plain_block("2", [(A1, B1)])])
    assert matrix.unmatched == ["1"]
    assert matrix.topics == ["2"]
    empty = Matrix([])
    assert len(empty) == 0
    assert list(empty) == empty.topics == empty.unmatched == []


def test_blocks_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="a topic stands in two blocks"):
        Matrix([plain_block("1", [(A1, B1)]), plain_block("1", [(A1, A2)])])
    with pytest.raises((ValueError, IndexError)):
        Matrix([plain_block("1", [(A1, B1), (A1, A2)], {"x": [1.0]})])


@given(st.lists(st.integers(0, 500).map(str), unique=True))
def test_numbers_come_in_the_order_of_numbers(numbers: list[str]):
    assert sorted(numbers, key=topic_order) == [str(n) for n in sorted(map(int, numbers))]
