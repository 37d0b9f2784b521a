from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tables import Part, make_matrix, plain_matrix

from models.base import baselines, rankers, standardise, unit_table


def part(columns: dict[str, list[float]], groups: list[int], units: list[int]) -> Part:
    features = pd.DataFrame({name: np.array(values, np.float32) for name, values in columns.items()})
    return Part(features, np.array(groups), np.array(units))


SMALL = part({"x": [1, 3, 5, 8, 8, 2, 4], "y": [0, 0, 9, 9, 9, 7, 7]}, [5, 2], [0, 0, 2, 1, 1, 3, 4])


# ---- by hand


def test_means_of_units_become_scores_within_their_topic():
    table = unit_table(SMALL, ["x", "y"])
    # Topic 1: units 0, 1 and 2 have x 2, 8 and 5 (deviation sqrt 6) and y 0, 9 and 9 (mean 6, deviation sqrt 18).
    # Topic 2: x 2 and 4; y has no spread.
    x = [-3 / np.sqrt(6), 3 / np.sqrt(6), 0, -1, 1]
    y = [-6 / np.sqrt(18), 3 / np.sqrt(18), 3 / np.sqrt(18), 0, 0]
    np.testing.assert_allclose(table.values, np.column_stack([x, y]), atol=1e-12)
    assert table.groups.tolist() == [3, 2]
    assert table.unit_of_row.tolist() == [0, 0, 2, 1, 1, 3, 4]


def test_columns_stand_in_the_order_asked_for():
    np.testing.assert_array_equal(unit_table(SMALL, ["y", "x"]).values, unit_table(SMALL, ["x", "y"]).values[:, ::-1])
    assert unit_table(SMALL, []).values.shape == (5, 0)


def test_numbers_of_units_may_have_gaps():
    other = Part(SMALL.features, SMALL.groups, SMALL.units * 10 + 3)
    table = unit_table(other, ["x"])
    np.testing.assert_array_equal(table.values, unit_table(SMALL, ["x"]).values)
    np.testing.assert_array_equal(table.unit_of_row, unit_table(SMALL, ["x"]).unit_of_row)


def test_a_unit_counts_once_however_many_pairs_it_has():
    few = part({"x": [1, 2, 3]}, [3], [0, 1, 2])
    many = part({"x": [1, 2, 2, 2, 2, 3]}, [6], [0, 1, 1, 1, 1, 2])
    np.testing.assert_array_equal(unit_table(many, ["x"]).values, unit_table(few, ["x"]).values)


def test_equal_values_are_equal_however_many_pairs_they_are_averaged_over():
    sizes = [1, 3, 5, 6, 7, 10, 11, 13]
    for value in (0.1, 0.3, 0.7, 0.9, 1.1, 2.3):
        units = np.repeat(np.arange(len(sizes) + 1), [*sizes, 1]).tolist()
        table = unit_table(part({"x": [value] * sum(sizes) + [5.0]}, [len(units)], units), ["x"])
        assert len(set(table.values[:-1, 0])) == 1
        assert table.values[-1, 0] > 0


def test_a_constant_column_and_a_topic_of_one_unit_are_zeros():
    table = unit_table(part({"x": [7, 7, 7, 1, 5]}, [3, 2], [0, 1, 1, 2, 2]), ["x"])
    assert table.values.tolist() == [[0], [0], [0]]


# ---- on the small matrix

COLUMNS = ["dirichlet_2500_argument_min", "key_terms_min", "n_words_pair", "stance_conflict", "mean_convincing_min"]


def test_units_of_the_matrix_are_topics_with_two_arguments():
    matrix = make_matrix()
    table = unit_table(matrix, COLUMNS)
    keys = [
        (topic, *sorted(sentence.split("__")[0] for sentence in pair))
        for topic, *pair in zip(matrix.topic_of_row, matrix.first, matrix.second, strict=True)
    ]
    order = list(dict.fromkeys(keys))  # units are numbered as they come
    assert len(table.values) == len(order)
    assert table.groups.tolist() == [sum(key[0] == topic for key in order) for topic in range(len(matrix.topics))]
    assert [order[unit] for unit in table.unit_of_row] == keys
    # The definition again, by loops.
    for place, column in enumerate(COLUMNS):
        values = matrix.features[column].to_numpy(np.float64)
        means = [np.mean(values[[other == key for other in keys]]) for key in order]
        expected = []
        for topic in range(len(matrix.topics)):
            own = np.array([mean for key, mean in zip(order, means, strict=True) if key[0] == topic])
            spread = own.std() if own.std() > 1e-6 else np.inf
            expected += ((own - own.mean()) / spread).tolist()
        np.testing.assert_allclose(table.values[:, place], expected, rtol=1e-5, atol=1e-6, err_msg=column)


def test_a_topic_has_its_values_alone():
    matrix = make_matrix()
    table = unit_table(matrix, COLUMNS)
    ends = np.cumsum(table.groups)
    for (topic, rows), end, size in zip(matrix, ends, table.groups, strict=True):
        found = unit_table(matrix.of_topics([topic]), COLUMNS)
        np.testing.assert_allclose(found.values, table.values[end - size : end], atol=1e-9, err_msg=topic)
        np.testing.assert_array_equal(found.unit_of_row, table.unit_of_row[rows] - (end - size))
        assert found.groups.tolist() == [size]


def test_rows_of_a_topic_may_stand_in_any_order():
    matrix = make_matrix()
    table = unit_table(matrix, COLUMNS)
    rng = np.random.default_rng(2)
    order = np.concatenate([rng.permutation(np.arange(len(matrix))[rows]) for _, rows in matrix])
    other = Part(matrix.features.iloc[order].reset_index(drop=True), matrix.groups, matrix.units[order])
    found = unit_table(other, COLUMNS)
    np.testing.assert_allclose(found.values, table.values, atol=1e-9)
    np.testing.assert_array_equal(found.groups, table.groups)
    np.testing.assert_array_equal(found.unit_of_row, table.unit_of_row[order])


def test_the_matrix_is_left_alone():
    matrix = plain_matrix({"1": [("S1-A1__PREMISE__1", "S1-A2__PREMISE__1")]}, {"x": [3.0]})
    before = matrix.features.copy(deep=True), matrix.units.copy(), matrix.groups.copy()
    assert unit_table(matrix, ["x"]).values.tolist() == [[0]]
    pd.testing.assert_frame_equal(matrix.features, before[0])
    np.testing.assert_array_equal(matrix.units, before[1])
    np.testing.assert_array_equal(matrix.groups, before[2])


def test_an_unknown_column_is_named():
    with pytest.raises(KeyError, match="no_such_column"):
        unit_table(make_matrix(), ["no_such_column"])


# ---- standardise


def test_scores_within_groups_by_hand():
    found = standardise([1, 2, 3, 10, 10, 4], [3, 2, 1])
    np.testing.assert_allclose(found, [-np.sqrt(1.5), 0, np.sqrt(1.5), 0, 0, 0])
    assert standardise([], []).tolist() == []
    assert standardise([1, 3], [2, 0]).tolist() == [-1, 1]


def test_scale_and_level_of_a_group_do_not_matter():
    values = np.random.default_rng(3).normal(size=9)
    found = standardise(values, [4, 5])
    other = np.concatenate([values[:4] * 3 + 100, values[4:] * 0.01 - 7])
    np.testing.assert_allclose(standardise(other, [4, 5]), found, atol=1e-9)
    for part_of in (found[:4], found[4:]):
        np.testing.assert_allclose([part_of.mean(), part_of.std()], [0, 1], atol=1e-12)


# ---- the registry of rankers


def test_baselines_are_the_rankers_that_learn_nothing():
    names = baselines()
    assert names == sorted(names)
    assert set(names) >= {"bm25", "bm25-tuned", "dirichlet", "length"}
    assert not {"lambdamart", "coherence"} & set(names)
    assert {*names, "lambdamart", "coherence"} <= rankers().keys()
    assert "prior" not in rankers()
