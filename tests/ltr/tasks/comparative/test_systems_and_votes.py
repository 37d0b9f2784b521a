"""Systems of the lab and labelling functions that rank and vote on documents, by hand."""

import numpy as np
import pandas as pd
from support.tables import make_part, plain_table

from ltr.learning.functions import Evidence, labelling_functions
from models.base import make_ranker


def inigo(**columns: list[float]) -> list[float]:
    frame = pd.DataFrame({column: np.array(values, np.float32) for column, values in columns.items()})
    return list(make_ranker("inigo", kind="document").score(make_part(frame, np.array([3]))).tolist())


def test_inigo_weighs_a_match_by_how_much_is_argued() -> None:
    columns = {"mean_argumentative": [0.5, 1, 0], "bm25_k1.2_b0.75_argument": [4.0, 1, 9]}
    assert inigo(**columns) == [2, 1, 0]


def vote(name: str, **column: list[float]) -> list[float]:
    pairs = [(f"S1-A{n}__PREMISE__1", f"S1-A{n}__PREMISE__2") for n in range(3)]
    return list(labelling_functions()[name].vote(Evidence(plain_table({"1": pairs}, column))).tolist())


def test_documents_that_compare_are_voted_for_and_others_are_not_voted_on() -> None:
    # ln(1 + count) of .4, .6 and 3 comparing sentences.
    found = vote("prefers", preferences=[np.log(1.4), np.log(1.6), np.log(4)])
    np.testing.assert_array_equal(found, [np.nan, 1, 1])
    assert vote("every_word_met", weakest_word=[0.2, 0.9, 0.4]) == [0, 1, 0.5]
    assert {one.dimension for one in labelling_functions(kind="document").values()} == {"relevance", "quality"}
