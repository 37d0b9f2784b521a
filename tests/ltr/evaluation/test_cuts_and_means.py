"""Where a measure cuts, what a mean of dimensions is over, which grade of two counts, and which tests are one."""

from __future__ import annotations

import pandas as pd
import pytest
from support.ranked import P, Q, R, evaluate_rows, evaluate_run, run

from ltr.data.runs import RunRow
from ltr.errors import InputError
from ltr.evaluation.evaluator import Coverage, Evaluation, mean_evaluation, values_frame
from ltr.evaluation.measures import standard_measures
from ltr.evaluation.significance import PairedTest, paired_tests


@pytest.mark.parametrize("low", [1.0, 1.000000001])  # the second is off the scale when made whole
def test_every_ndcg_is_cut_at_k(low: float):
    # Of the first alone: 1 of 3.
    means = evaluate_run(run(t1=["a", "b", "c"]), {"1": {"a": low, "b": 2.0, "c": 3.0}}, standard_measures(1)).means
    for name in ("nDCG@1", "lab_nDCG@1", "condensed_nDCG@1"):
        assert means[name] == pytest.approx(low / 3, abs=1e-9)


def by_two(rows: list[RunRow], one: dict[str, float], other: dict[str, float]) -> Evaluation:
    """The mean of two dimensions, which judge the first pair of topic 1 alike and differ in topic 2."""
    first = {f"{P},{Q}": 1.0}
    return mean_evaluation([evaluate_run(rows, {"1": first, "2": grades}) for grades in (one, other)])


def test_a_mean_of_dimensions_is_over_topics_where_all_have_a_value():
    # In topic 2 the second dimension judges nothing that the run has, so the lab's mean leaves the topic out.
    found = by_two(run(t1=[f"{P},{Q}", f"{Q},{P}"], t2=[f"{P},{R}"]), {f"{P},{R}": 1.0}, {f"{Q},{R}": 1.0})
    assert found.values["lab_nDCG@5"] == {"1": 1.0}
    assert found.values["nDCG@5"] == {"1": 1.0, "2": 0.5}
    assert found.coverage == Coverage(("1", "2"), (), (), (), ("2",), 1)


def test_what_there_is_no_figure_of():
    with pytest.raises(InputError) as error:
        evaluate_run(run(t1=["a"]), {"1": {}})
    assert str(error.value) == "qrels: hold no judgments; name a file with some"
    apart = [evaluate_rows([], {topic: {"a": 1.0}}) for topic in "12"]
    with pytest.raises(InputError) as error:
        mean_evaluation(apart)
    said = "have no topic that every dimension judges; name judgments of the same topics"
    assert str(error.value) == f"qrels: {said}"


def test_two_runs_are_tested_over_the_topics_that_both_have():
    qrels = {"1": {"a": 1.0}, "2": {"a": 1.0}, "3": {"a": 1.0}}
    one, other = (evaluate_run(rows, qrels) for rows in (run(t1=["a"], t2=["a"]), run(t3=["a"], t2=["a"])))
    frame = values_frame({"one": {"q": one}, "other": {"q": other}})
    (found,) = paired_tests(frame, [("one", "other")], ["lab_nDCG@5"])
    assert (found.difference.topics, found.difference.equal) == (1, 1)
    nowhere = evaluate_run(run(t3=["a"]), qrels)
    with pytest.raises(InputError) as error:
        paired_tests(values_frame({"one": {"q": one}, "other": {"q": nowhere}}), [("one", "other")], ["lab_nDCG@5"])
    said = "one and other have a value for no topic in common; test another measure"
    assert str(error.value) == f"lab_nDCG@5 by q: {said}"


def compared(**sets: tuple[list[float], list[float]]) -> list[PairedTest]:
    """Tests of the run a above the run b by each set, from their values of each topic."""
    values = {name: pd.DataFrame({(run, "m"): pd.Series(of) for run, of in zip("ab", pair, strict=True)})
              for name, pair in sets.items()}  # fmt: skip
    return paired_tests(pd.concat(values), [("a", "b")], ["m"])


def test_tests_of_the_same_differences_count_once_in_the_correction():
    # Six topics differ by .1, and one by rounding or by nothing: p = 2 / 2**6, once.
    a, b = [0.5] * 6 + [0.3], [0.4] * 6
    assert [one.adjusted_p for one in compared(q=(a, [*b, 0.1 + 0.2]), r=(a, [*b, 0.3]))] == [2 / 64] * 2
