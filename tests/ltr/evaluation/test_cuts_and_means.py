"""Where a measure cuts, what a mean of dimensions is over, which grade of two counts, and which tests are one."""

from __future__ import annotations

import pandas as pd
import pytest
from support.ranked import evaluate_rows, evaluate_run, run

from ltr.errors import InputError
from ltr.evaluation.evaluator import mean_evaluation
from ltr.evaluation.measures import standard_measures
from ltr.evaluation.significance import PairedTest, paired_tests


@pytest.mark.parametrize("low", [1.0, 1.000000001])  # the second is off the scale when made whole
def test_every_ndcg_is_cut_at_k(low: float):
    # Of the first alone: 1 of 3.
    means = evaluate_run(run(t1=["a", "b", "c"]), {"1": {"a": low, "b": 2.0, "c": 3.0}}, standard_measures(1)).means
    for name in ("nDCG@1", "lab_nDCG@1", "condensed_nDCG@1"):
        assert means[name] == pytest.approx(low / 3, abs=1e-9)


def test_what_there_is_no_figure_of():
    with pytest.raises(InputError) as error:
        evaluate_run(run(t1=["a"]), {"1": {}})
    assert str(error.value) == "qrels: hold no judgments; name a file with some"
    apart = [evaluate_rows([], {topic: {"a": 1.0}}) for topic in "12"]
    with pytest.raises(InputError) as error:
        mean_evaluation(apart)
    said = "have no topic that every dimension judges; name judgments of the same topics"
    assert str(error.value) == f"qrels: {said}"


def compared(**sets: tuple[list[float], list[float]]) -> list[PairedTest]:
    """Tests of the run a above the run b by each set, from their values of each topic."""
    values = {name: pd.DataFrame({(run, "m"): pd.Series(of) for run, of in zip("ab", pair, strict=True)})
              for name, pair in sets.items()}  # fmt: skip
    return paired_tests(pd.concat(values), [("a", "b")], ["m"])


def test_tests_of_the_same_differences_count_once_in_the_correction():
    # Six topics differ by .1, and one by rounding or by nothing: p = 2 / 2**6, once.
    a, b = [0.5] * 6 + [0.3], [0.4] * 6
    assert [one.adjusted_p for one in compared(q=(a, [*b, 0.1 + 0.2]), r=(a, [*b, 0.3]))] == [2 / 64] * 2
