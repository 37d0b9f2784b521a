from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from support.tables import Part

from models.base import Rows, Scores
from models.blend import Blend
from models.cascade import cascade
from models.lambdamart import LambdaMart


class TwoSets(LambdaMart):
    """The first set gives column ``first``, all of them together column ``all``."""

    def __init__(self) -> None:
        super().__init__(["first", "all"])
        self.asked: list[tuple[int, str]] = []

    @property
    def columns(self) -> list[str]:
        return self.inputs

    def first_scores(self, values: npt.NDArray[np.float32]) -> Scores:
        self.asked.append((len(values), "first"))
        return values[:, 0].astype(np.float64)

    def score_values(self, values: npt.NDArray[np.float32]) -> Scores:
        self.asked.append((len(values), "all"))
        return values[:, 1].astype(np.float64)


# A topic of four rows, and one of two.
FIRST = [1.0, 4.0, 3.0, 2.0, 0.0, 5.0]
ALL = [9.0, 1.5, 2.5, 8.0, 2.0, 1.0]
PART = Part(pd.DataFrame({"first": FIRST, "all": ALL}, dtype=np.float32), np.array([4, 2]))


def test_the_best_of_each_topic_are_scored_by_all_trees() -> None:
    ranker = TwoSets()
    scores, found = cascade(Blend({"relevance": ranker}, {"relevance": 2}), PART, 2)
    assert ranker.asked == [(6, "first"), (4, "all")]
    # Rows 1 and 2 of the first topic are its best: 1.5 and 2.5 by all trees, twice that by weight. The others had
    # 2 * 2 and 2 * 1; they go down by 4 - 3, to where the worst of the best is.
    assert scores.tolist() == [1, 3, 5, 3, 4, 2]
    assert found["relevance"][[1, 2, 4, 5]].tolist() == [1.5, 2.5, 2, 1]


def test_known_rough_scores_are_not_computed_again() -> None:
    ranker, rough = TwoSets(), {"relevance": np.array(FIRST)}
    blend = Blend({"relevance": ranker}, {"relevance": 2})
    known = cascade(blend, PART, 2, rough)
    assert ranker.asked == [(4, "all")]
    assert rough["relevance"].tolist() == FIRST, "they are another's"
    scores, found = cascade(blend, PART, 2)
    assert known[0].tolist() == scores.tolist()
    assert known[1]["relevance"].tolist() == found["relevance"].tolist()
    # Of two sets of trees the first one's scores are not those of both.
    assert blend.dimension_scores(PART, rough)["relevance"].tolist() == ALL


def test_no_row_moves_up() -> None:
    low = Part(PART.features.assign(first=[-9.0, 4, 3, -8, 0, 5]), PART.groups)
    assert cascade(Blend({"relevance": TwoSets()}), low, 2)[0].tolist() == [-9, 1.5, 2.5, -8, 2, 1]


@pytest.mark.parametrize("head", [0, 4, 300])
def test_all_trees_where_all_rows_are_the_best(head: int) -> None:
    assert cascade(Blend({"relevance": TwoSets()}), PART, head)[0].tolist() == ALL


def test_other_rankers_are_scored_as_ever() -> None:
    class Column:
        columns = ("first",)

        def score(self, matrix: Rows) -> Scores:
            return matrix.features["first"].to_numpy(np.float64)

    scores, found = cascade(Blend({"relevance": TwoSets(), "quality": Column()}, {"quality": 1}), PART, 2)  # type: ignore[dict-item]
    assert scores.tolist() == found["quality"].tolist() == FIRST
