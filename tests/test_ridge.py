from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear
from sklearn.linear_model import Ridge

from models.ridge import signed_ridge

# Two topics' worth of nothing but themselves: columns of mean 0, orthogonal.
SQUARE = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])


def problem(seed: int, topics: int = 4, columns: int = 5) -> dict[str, np.ndarray]:
    """Random rows of several topics, some with one row only, with labels that the columns explain in part."""
    rng = np.random.default_rng(seed)
    groups = np.concatenate([[1], rng.integers(1, 12, topics - 1)])
    rows = int(groups.sum())
    values = rng.normal(size=(rows, columns))
    labels = values @ rng.normal(size=columns) + rng.normal(size=rows) + np.repeat(rng.normal(size=topics), groups)
    weights = rng.uniform(0.1, 3, rows)
    return {"values": values, "labels": labels, "weights": weights, "groups": groups}


def fit(data: dict[str, np.ndarray], **options) -> np.ndarray:
    columns = data["values"].shape[1]
    options = {"signs": [1] * columns, "l2": 1.0, "start": [0.0] * columns} | options
    return signed_ridge(data["values"], data["labels"], data["weights"], data["groups"].tolist(), **options)


def bounds(signs) -> tuple[list[float], list[float]]:
    return [-np.inf if sign <= 0 else 0 for sign in signs], [np.inf if sign >= 0 else 0 for sign in signs]


def by_bounds(data: dict[str, np.ndarray], signs, l2: float, start) -> np.ndarray:
    """The same from its definition, topic by topic and row by row, by a solver with bounds on each weight."""
    rows, targets, begin = [], [], 0
    for size in data["groups"]:
        part = slice(begin, begin + size)
        begin += size
        values, labels, weights = data["values"][part], data["labels"][part], data["weights"][part]
        middle, level = np.average(values, axis=0, weights=weights), np.average(labels, weights=weights)
        for row, label, weight in zip(values, labels, weights, strict=True):
            # A topic counts by the square root of its rows: W rows of 1 / sqrt W each.
            scale = np.sqrt(weight / np.sqrt(weights.sum()))
            rows.append(scale * (row - middle))
            targets.append(scale * (label - level))
    rows += list(np.sqrt(l2) * np.eye(len(signs)))
    targets += [np.sqrt(l2) * aim for aim in start]
    return lsq_linear(np.array(rows), np.array(targets), bounds(signs), method="bvls", tol=1e-14).x


# ---- by hand


@pytest.mark.parametrize(
    ("labels", "signs", "l2", "expected"),
    [
        # 4 rows of weight 1 count as 4 / sqrt(4) = 2 for both columns: w = 2 b / (2 + l2), b the plain fit.
        ([4, -2, 2, -4], (1, 1), 0, (1, 3)),
        ([4, -2, 2, -4], (1, 1), 2, (0.5, 1.5)),
        ([4, -2, 2, -4], (-1, 1), 2, (0, 1.5)),
        ([4, -2, 2, -4], (-1, -1), 2, (0, 0)),
        ([-4, 2, -2, 4], (-1, -1), 2, (-0.5, -1.5)),
        ([-4, 2, -2, 4], (0, 0), 2, (-0.5, -1.5)),
        ([-4, 2, -2, 4], (1, 0), 2, (0, -1.5)),
    ],
)
def test_two_orthogonal_columns(labels, signs, l2, expected):
    found = signed_ridge(SQUARE, np.array(labels, float), np.ones(4), [4], signs=signs, l2=max(l2, 1e-12), start=[0, 0])
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_weight_of_the_wrong_sign_leaves_its_part_to_the_others():
    # y = 3 a - b, and b is a with a little of its own: b = a + e. Without b, a does what both did.
    a, e = SQUARE.T
    values = np.column_stack([a, a + e])
    free = signed_ridge(values, 3 * a - (a + e), np.ones(4), [4], signs=(0, 0), l2=1e-12, start=[0, 0])
    np.testing.assert_allclose(free, [3, -1], atol=1e-6)
    # a alone: y = 2 a - e, and e is orthogonal to a.
    bound = signed_ridge(values, 3 * a - (a + e), np.ones(4), [4], signs=(1, 1), l2=1e-12, start=[0, 0])
    np.testing.assert_allclose(bound, [2, 0], atol=1e-6)


def test_weights_and_topics_by_hand():
    # Topic 1: rows 0 and 3 with weights 1 and 3, mean 9/4; topic 2: rows -1 and 1, weights 8 each, mean 0.
    values = np.array([[0.0], [3], [-1], [1]])
    labels = np.array([10.0, 13, 4, 5])
    # Topic 1: sum w x'^2 = 81/16 + 3 * 9/16 = 27/4, label slope 1, scaled by 1 / sqrt(4).
    # Topic 2: sum w x'^2 = 16, label slope 1/2, scaled by 1 / sqrt(16).
    expected = (27 / 8 * 1 + 4 * 0.5) / (27 / 8 + 4 + 7)
    found = signed_ridge(values, labels, np.array([1.0, 3, 8, 8]), [2, 2], signs=[1], l2=7.0, start=[0.0])
    np.testing.assert_allclose(found, [expected])


def test_the_start_is_what_the_weights_are_drawn_to():
    # As above, without topic 2's say: (27/8 * 1 + 5 * 3) / (27/8 + 5).
    values, labels = np.array([[0.0], [3]]), np.array([10.0, 13])
    found = signed_ridge(values, labels, np.array([1.0, 3]), [2], signs=[1], l2=5.0, start=[3.0])
    np.testing.assert_allclose(found, [(27 / 8 + 15) / (27 / 8 + 5)])


# ---- against others


@pytest.mark.parametrize("seed", range(8))
def test_one_topic_whose_signs_fit_is_a_plain_ridge(seed):
    data = problem(seed, topics=1) | {"groups": np.array([30])}
    rng = np.random.default_rng(seed)
    data["values"], data["weights"] = rng.normal(size=(30, 4)), np.ones(30)
    data["labels"] = data["values"] @ [2, -1, 3, -2] + 0.1 * rng.normal(size=30) + 5
    l2 = float(10 ** rng.uniform(-2, 2))
    # The rows weigh 1 / sqrt(30) each here and 1 there.
    plain = Ridge(alpha=l2 * np.sqrt(30), solver="cholesky").fit(data["values"], data["labels"]).coef_
    assert (np.sign(plain) == (1, -1, 1, -1)).all()
    for signs in ((1, -1, 1, -1), (0, 0, 0, 0), (1, 0, 0, -1)):
        np.testing.assert_allclose(fit(data, signs=signs, l2=l2, start=[0] * 4), plain, rtol=1e-8)


@pytest.mark.parametrize("seed", range(30))
def test_bounded_least_squares_finds_the_same(seed):
    rng = np.random.default_rng(1000 + seed)
    data = problem(seed, topics=int(rng.integers(1, 7)), columns=int(rng.integers(1, 8)))
    columns = data["values"].shape[1]
    signs = rng.integers(-1, 2, columns)
    l2 = float(10 ** rng.uniform(-1, 2))
    start = np.abs(rng.normal(size=columns)) * signs  # 0 for the free ones; see the test below
    np.testing.assert_allclose(
        fit(data, signs=signs, l2=l2, start=start), by_bounds(data, signs, l2, start), rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("start", [2.0, -2.0])
def test_a_free_column_is_drawn_to_its_start_as_others_are(start):
    # The column weighs 2 (see above) and fits 1: (2 * 1 + 3 * start) / (2 + 3).
    values = np.array([[1.0], [-1], [1], [-1]])
    found = signed_ridge(values, values[:, 0], np.ones(4), [4], signs=[0], l2=3.0, start=[start])
    np.testing.assert_allclose(found, [(2 + 3 * start) / 5])


# ---- what it owes


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.01, 1000), st.lists(st.sampled_from([-1, 0, 1]), min_size=5, max_size=5))
def test_signs_are_kept(seed, l2, signs):
    found = fit(problem(seed), signs=signs, l2=l2)
    assert all(weight * sign >= 0 for weight, sign in zip(found, signs, strict=True) if sign)
    assert np.isfinite(found).all()


def test_a_very_strong_pull_ends_at_the_start():
    start = [0.5, -2.0, 0.0, 3.0, -1.0]
    found = fit(problem(1), signs=[1, -1, 1, 0, 0], l2=1e12, start=start)
    np.testing.assert_allclose(found, start, atol=1e-6)


def test_a_start_of_the_wrong_sign_is_none():
    wrong, none = (fit(problem(2), signs=[1, -1, 1, -1, 1], start=start) for start in ([-3, 3, -3, 3, -3], [0] * 5))
    np.testing.assert_array_equal(wrong, none)


def test_labels_are_compared_inside_a_topic_only():
    data = problem(3)
    shift = np.repeat([5.0, -100, 0.25, 7], data["groups"])
    other = data | {"labels": data["labels"] + shift}
    np.testing.assert_allclose(fit(other), fit(data), rtol=1e-9, atol=1e-9)
    moved = data | {"values": data["values"] + shift[:, None]}
    np.testing.assert_allclose(fit(moved), fit(data), rtol=1e-9, atol=1e-9)


def test_a_topic_of_one_row_says_nothing():
    data = problem(4)
    less = {name: column[1:] for name, column in data.items()}  # the first topic of each problem has one row
    np.testing.assert_allclose(fit(data), fit(less), rtol=1e-9, atol=1e-12)


def test_a_row_of_weight_two_is_two_rows():
    data = problem(5)
    times = np.random.default_rng(5).integers(1, 4, len(data["labels"]))
    starts = np.concatenate([[0], np.cumsum(data["groups"])[:-1]])
    repeated = {
        "values": np.repeat(data["values"], times, axis=0),
        "labels": np.repeat(data["labels"], times),
        "weights": np.ones(times.sum()),
        "groups": np.add.reduceat(times, starts),
    }
    weighted = data | {"weights": times.astype(float)}
    np.testing.assert_allclose(fit(repeated), fit(weighted), rtol=1e-9, atol=1e-12)


def test_a_topic_counts_by_the_square_root_of_its_rows():
    data = problem(6)
    # Nine times the weight is three times the say.
    heavier = data | {"weights": 9 * data["weights"]}
    np.testing.assert_allclose(fit(heavier, l2=3.0), fit(data, l2=1.0), rtol=1e-9, atol=1e-12)


def test_order_of_rows_and_of_topics_does_not_matter():
    data = problem(7)
    ends = np.cumsum(data["groups"])
    parts = [np.arange(end - size, end) for end, size in zip(ends, data["groups"], strict=True)]
    rng = np.random.default_rng(7)
    order = np.concatenate([rng.permutation(part) for part in parts[::-1]])
    other = {name: data[name][order] for name in ("values", "labels", "weights")} | {"groups": data["groups"][::-1]}
    np.testing.assert_allclose(fit(other), fit(data), rtol=1e-9, atol=1e-12)


def test_a_turned_column_has_a_turned_weight():
    data = problem(8)
    turn = np.array([1, -1, 1, -1, -1])
    other = data | {"values": data["values"] * turn}
    np.testing.assert_allclose(fit(other, signs=turn), fit(data) * turn, rtol=1e-9, atol=1e-12)


def test_labels_or_columns_without_spread_leave_the_start():
    data = problem(9)
    start = [0.1, 0.0, 0.2, 0.0, 0.3]
    constant = data | {"values": np.ones_like(data["values"])}
    np.testing.assert_allclose(fit(constant, start=start), start, atol=1e-12)
    nothing = {name: column[:0] for name, column in data.items()}
    np.testing.assert_allclose(fit(nothing, start=start), start, atol=1e-12)
    level = data | {"labels": np.repeat([1.0, 2, 3, 4], data["groups"])}
    np.testing.assert_allclose(fit(level), np.zeros(5), atol=1e-12)


def test_what_is_given_is_left_alone():
    data = problem(10)
    before = {name: column.copy() for name, column in data.items()}
    fit(data)
    for name, column in data.items():
        np.testing.assert_array_equal(column, before[name])
