from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import make_part

from models.base import Scores
from models.blend import Blend, push_below_head


class Column:
    """Scores rows by one of their columns."""

    def __init__(self, column: str) -> None:
        self.columns = [column]

    def score(self, table: pd.DataFrame) -> Scores:
        return table[self.columns[0]].to_numpy(np.float64)


PART = make_part(pd.DataFrame({"a": [1, 2, 0], "b": [2, 0, 0.5], "c": [9, 9, 9]}, dtype=np.float32), np.array([2, 1]))


def blend(**weights: float) -> Blend:
    return Blend({name: Column(name) for name in ("a", "b")}, weights)


def test_scores_add_up_as_they_are():
    # Expected grades need no scaling, in no topic: 1 + .5 * 2, 2 + .5 * 0, 0 + .5 * .5.
    assert blend(a=1, b=0.5).score(PART).tolist() == [2, 2, 0.25]
    assert blend(a=1, b=0.5).combine({"a": np.array([3.0]), "b": np.array([4.0])}).tolist() == [5]


def test_a_weight_of_zero_asks_for_nothing():
    model = blend(a=0, b=2)
    narrow = make_part(PART.features[["b"]], PART.groups)
    assert model.columns == ["b"]
    assert model.grades(narrow).keys() == {"b"}
    assert model.score(narrow).tolist() == [4, 0, 1]
    assert blend(b=2).weights == {"a": 0, "b": 2}, "whoever is not named weighs nothing"


def test_other_weights_for_the_same_rankers():
    model = blend(a=1, b=0.5)
    other = model.reweighted({"a": 0, "b": 2, "c": 0})
    assert other.score(PART).tolist() == [4, 0, 1]
    assert other.rankers == model.rankers
    assert model.weights == {"a": 1, "b": 0.5}
    with pytest.raises(KeyError, match="c"):
        model.reweighted({"a": 1, "c": 0.1})


def test_a_baseline_that_is_not_named_keeps_its_weight():
    rankers = {"relevance": Column("a"), "quality": Column("c"), "words": Column("b")}
    model = Blend(rankers, {"relevance": 1, "quality": 1, "words": 0.5})
    assert model.reweighted({"relevance": 2}).weights == {"relevance": 2, "quality": 0, "words": 0.5}
    alone = model.reweighted({"relevance": 1, "words": 0})
    assert (alone.columns, alone.score(PART).tolist()) == (["a"], [1, 2, 0])
    assert alone.reweighted({"quality": 1}).weights == {"relevance": 0, "quality": 1, "words": 0}


# ---- two steps ------------------------------------------------------------------------------------


class Second(Column):
    """Scores the head by one column of it."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.inputs = [column]

    def score_values(self, values: np.ndarray) -> Scores:
        return values[:, 0].astype(np.float64)


OF_HEAD = "meaning_pair"
HEAD = make_part(PART.features.assign(**{OF_HEAD: np.array([0.5, np.nan, -3], np.float32)}), PART.groups, [0, 2])


def two_steps(**weights: float) -> Blend:
    return replace(blend(**weights), head={"a": Second(OF_HEAD)})  # type: ignore[dict-item]


def test_the_second_step_replaces_the_first_in_the_head():
    # Rows 0 and 2 are the heads of two topics: .5 + .5 * 2 and -3 + .5 * .5. Row 1 has 2 + 0 and goes down to 1.5.
    model = two_steps(a=1, b=0.5)
    assert model.score(HEAD).tolist() == [1.5, 1.5, -2.75]
    assert model.grades(HEAD)["a"].tolist() == [0.5, 2, -3]
    assert model.first_step().score(PART).tolist() == blend(a=1, b=0.5).score(PART).tolist()
    assert not model.first_step().head_columns


def test_columns_of_all_and_of_the_head():
    model = two_steps(a=1, b=0.5)
    assert (model.columns, model.head_columns) == (["a", "b"], [OF_HEAD])
    other = model.reweighted({"a": 0, "b": 1})
    assert (other.columns, other.head_columns) == (["b"], [OF_HEAD]), "the head is the same for any weights"
    # Row 1 has 0 and row 0 has 2: nothing has to move.
    assert other.score(HEAD).tolist() == [2, 0, 0.5]


@given(st.lists(st.tuples(st.floats(-9, 9), st.booleans()), min_size=1, max_size=20), st.integers(1, 20))
def test_nothing_outside_a_head_passes_it(rows: list[tuple[float, bool]], cut: int):
    scores, head = np.array([score for score, _ in rows]), np.array([inside for _, inside in rows])
    groups = np.array([size for size in (min(cut, len(rows)), len(rows) - cut) if size > 0])
    found = push_below_head(scores, head, groups)
    np.testing.assert_array_equal(found[head], scores[head])
    for topic in np.split(np.arange(len(rows)), np.cumsum(groups)[:-1]):
        top, rest = topic[head[topic]], topic[~head[topic]]
        if len(top) and len(rest):
            assert found[rest].max() <= found[top].min() + 1e-9
        lowered = scores[rest] - found[rest]
        assert (lowered >= 0).all()
        np.testing.assert_allclose(lowered, lowered[:1].repeat(len(rest)), atol=1e-9)
