"""`ltr.evaluation.evaluate`: plain values in, figures out; and our measures by their names."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from support.ranked import P, Q
from support.refusals import refuses

from ltr.data.qrels import Qrels
from ltr.data.runs import RunRow
from ltr.evaluation.report import Plan, Report
from ltr.evaluation.runs import evaluate

SECOND = 1 / math.log2(3)
"""The discount of rank 2."""
SCORES = {"1": {"a": 3.0, "b": 2.0, "c": 2.0}, "2": {"a": 1.0}}
GRADES = {"1": {"b": 2.0, "c": 1.0}, "2": {"a": 0.5}}


FRAME = pd.DataFrame({"qid": [1, 1], "docno": ["a", "b"], "score": [2.0, 1.0]})


def triples() -> list[tuple[str, str, float]]:
    return [(topic, id_, score) for topic, scored in SCORES.items() for id_, score in scored.items()]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    # Without ranks a frame has those of its scores: of equal ones c before b, as trec_eval.
    ranks = {"a": 1, "c": 2, "b": 3}
    lines = "".join(f"{topic} Q0 {id_} {ranks[id_]} {score} t\n" for topic, id_, score in triples())
    (tmp_path / "run.txt").write_text(lines)
    judged_lines = (f"{t} 0 {id_} {grade}\n" for t, grades in GRADES.items() for id_, grade in grades.items())
    (tmp_path / "q.qrels").write_text("".join(judged_lines))
    return tmp_path / "run.txt", tmp_path / "q.qrels"


def test_whatever_runs_and_judgments_come_in_the_figures_are_the_same(files: tuple[Path, Path]):
    run_file, qrels_file = files
    frame = pd.DataFrame(triples(), columns=["qid", "docno", "score"])
    grades = [(topic, id_, grade) for topic, judgments in GRADES.items() for id_, grade in judgments.items()]
    runs: list[Any] = [run_file, str(run_file), SCORES, triples(), frame, frame.assign(rank=[0, 2, 1, 0]),
                       frame.rename(columns={"qid": "query_id", "docno": "doc_id"}).assign(stance="PRO")]  # fmt: skip
    qrels: list[Any] = [qrels_file, str(qrels_file), [qrels_file], GRADES, Qrels(GRADES),
                        pd.DataFrame(grades, columns=["qid", "docno", "label"]),
                        pd.DataFrame(grades, columns=["query_id", "doc_id", "relevance"])]  # fmt: skip
    expected = evaluate(run_file, qrels_file)
    # Topic 1 ranks a c b: gains 0, 1, 2 of 2 and 1. Topic 2: 1.
    first = (1 / math.log2(3) + 2 / 2) / (2 + 1 / math.log2(3))
    assert expected.figures["run"]["qrels"].values["nDCG@5"] == {"1": pytest.approx(first), "2": 1}
    assert all(evaluate(one, qrels_file) == expected for one in runs)
    assert all(evaluate(run_file, one) == expected for one in qrels)


@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        ({1: {101: 2.0, 102: 1.0}}, {1: {101: 1}}),
        ({"1": {101: 2.0, 102: 1.0}}, {1.0: {"101": np.float32(1)}}),
        (FRAME.assign(qid=[1.0, 1.0], docno=pd.Categorical([101, 102])), {"1": {"101": np.int64(1)}}),
        ([RunRow(1, "Q0", " 101", 1, 2.0, "t")], {"1": {"101": 1}}),  # type: ignore[arg-type]
        ([ir_measures.ScoredDoc("1", "101", 2.0)], [ir_measures.Qrel("1", "101", 1)]),
        (pd.DataFrame([ir_measures.ScoredDoc("1", "101", 2.0)]), pd.DataFrame([ir_measures.Qrel("1", "101", 1)])),
    ],
)
def test_numbers_and_categories_are_ids(run: Any, qrels: Any):
    assert evaluate(run, qrels).means.loc["run", "nDCG@5"] == 1


def test_a_repeated_result_is_counted_once_and_noted():
    rows = [("1", "b", 3.0), ("1", "a", 2.0), ("1", "b", 1.0)]
    assert "run: 1 repeated result (only the first place counts)" in repr(evaluate(rows, {"1": {"b": 1, "a": 1}}))


@pytest.mark.parametrize(
    ("rank", "grades", "said"),
    [
        ([1, 2], [1, 3], "qrels: all grades are above 0, so the lowest counts as relevant"),
        ([2, 1], [0, 1], "run: rank and score give different orders in 1 topic"),
        ([1, 2], [0, 1], ""),
        ([1, 2], [1, 1], ""),
    ],
)
def test_doubtful_grades_and_ranks_are_noted(rank: list[int], grades: list[int], said: str):
    shown = repr(evaluate(FRAME.assign(rank=rank), FRAME.assign(grade=grades)))
    assert said in shown
    assert ("the lowest" in shown, "different orders" in shown) == ("lowest" in said, "orders" in said)


def test_figures_are_frames_and_readable():
    found = evaluate(SCORES, GRADES, ["nDCG@5", "judged@5", "lab_nDCG@1"])
    of_run = found.table.xs("run").xs("qrels")
    assert list(of_run.index) == list(found.means.columns) == ["nDCG@5", "judged@5", "lab_nDCG@1"]
    assert of_run.loc["judged@5"].tolist() == [*found.figures["run"]["qrels"].summary["judged@5"]]
    assert of_run.loc["judged@5", ["mean", "topics"]].tolist() == [pytest.approx(5 / 6), 2]
    assert of_run.loc["lab_nDCG@1", "topics"] == 1  # nothing judged at the top of topic 1
    assert found.means.loc["run", "judged@5"] == pytest.approx(5 / 6)
    assert list(found.means.index) == ["run", "random order of run"]
    assert found.values.loc["qrels", "2"].tolist() == [1, 1, 1]
    assert math.isnan(found.values.loc[("qrels", "1"), ("run", "lab_nDCG@1")])
    assert repr(found).splitlines()[2].split()[:2] == ["run", "0.810"]
    assert "<td>0.810 [" in found._repr_html_()


def test_condensed_figures_of_little_that_is_judged_are_marked():
    few, enough = {"1": {"x": 1.0, "u": 3.0, "v": 2.0}}, {"1": {"x": 1.0}}
    found = evaluate({"few": few, "enough": enough}, enough)  # one of three is judged
    assert found.means.loc["few", "condensed_nDCG@5"] == 1
    assert {run: by_set["qrels"].doubtful for run, by_set in found.figures.items()} == {
        "few": ["condensed_nDCG@5"],
        "enough": [],
    }
    # The random order of the first, too; and a note.
    assert (repr(found).count("(?)"), found._repr_html_().count("(?)")) == (3, 3)
    assert "such a condensed figure is unreliable" in repr(found)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ((SCORES, {}), "qrels: hold no judgments; name a file with some"),
        ((SCORES, {"1": {}}), "qrels: hold no judgments; name a file with some"),
        (({"9": {"a": 1.0}}, GRADES), "run: has no topic in common with the qrels"),
        ((SCORES, {"1": {f"{P},{Q}": 1.0}}), "run: ranks no pairs, and the qrels judge pairs"),
        (({"1": {"a": math.nan}}, GRADES), "run: topic 1, id a: nan is not a score"),
        (
            (pd.DataFrame({"qid": ["1"], "score": [1.0]}), GRADES),
            "run: has no column docno; its columns are qid, score",
        ),
        ((SCORES, pd.DataFrame({"qid": ["1"], "docno": ["a"]})), "qrels: has no column grade"),
        ((SCORES, pd.DataFrame({"qid": [1, 1], "docno": ["a", "a"], "grade": [1, 2]})), "id a has two grades"),
        (({"1": {"a": None}}, GRADES), "run: topic 1, id a: None is not a score"),
        (({"1": {None: 1.0}}, GRADES), "run: row 0: '1', None is not a topic and an id"),
        ((3, GRADES), "run: is not in a form that can be read; give topic -> id -> score"),
        ((SCORES, {"1": {"a": "2"}}), "qrels: topic 1, id a: '2' is not a grade"),
        ((SCORES, {"1": {"a": math.nan}}), "qrels: topic 1, id a: nan is not a grade"),
        ((SCORES, {"1": {"a": 1e9}}), "id a: the grade 1e+09 is off the scale"),
        ((SCORES, {"1": 2}), "qrels: is not in a form that can be read"),
        ((FRAME.assign(rank=[0, math.nan]), GRADES), "run: column rank, row 1: 'nan' is not a finite number"),
        ((FRAME.assign(rank=[0, 0.5]), GRADES), "run: column rank, row 1: 0.5 is not a rank"),
        ((FRAME.assign(docno=["a", None]), GRADES), "run: column docno, row 1"),
        ((FRAME.assign(stance=["PRO", math.nan]), GRADES), "run: column stance, row 1: 'nan' is not a text"),
        ((SCORES, FRAME.assign(grade=["1", "2"])), "qrels: column grade, row 0: '1' is not a finite number"),
        ((SCORES, FRAME.assign(grade=[1, math.nan])), "qrels: column grade, row 1: 'nan' is not a finite number"),
        ((SCORES, GRADES, ["nDCG@0"]), "'nDCG@0' is unknown"),
        ((SCORES, GRADES, []), "measures: there are none"),
        ((SCORES, GRADES, None), "measure: 'None' is unknown"),
        (({"1": {"a": 10**400}}, GRADES), "id a: 1000"),
        (
            ([RunRow("1", "Q0", "a\u200bb", 1, 2.0, "t")], GRADES),
            "run: row 0: '1', 'a\\u200bb' is not a topic and an id",
        ),
        (({"1": {f"{P},{Q}": 1.0}}, {"1": {f"{P},{Q}": 1, "a": 1}}), "qrels: judge pairs and whole items"),
    ],
)
def test_values_that_do_not_fit_are_refused(values: Any, said: str):
    refuses(lambda: evaluate(*values), "", said)


# ---- comparisons ----------------------------------------------------------------------------------


def three() -> Report:
    """Eight topics: good has the relevant id first, bad second, half by turns."""
    topics = [str(topic) for topic in range(8)]
    runs = {
        "bad": {t: {"x": 1.0, "y": 2.0} for t in topics},
        "good": {t: {"x": 2.0, "y": 1.0} for t in topics},
        "half": {t: {"x": 1.5 + (-1) ** int(t), "y": 1.5} for t in topics},
    }
    return evaluate(runs, {t: {"x": 1.0, "y": 0.0} for t in topics})


def test_runs_are_compared_with_the_first_and_shares_of_judged_results_are_not_tested():
    found = three()
    assert [(test.run, test.baseline, test.measure) for test in found.tests] == [
        (name, "bad", measure) for name in ("good", "half") for measure in ("nDCG@5", "condensed_nDCG@5")
    ]
    # 8 wins: 2 of 256 patterns, times two tests. 4 wins: 2 of 16, the larger of two.
    adjusted = found.differences.set_index(["run", "measure"])["adjusted_p"]
    assert adjusted["good", "nDCG@5"] == pytest.approx(2 * 2 / 256)
    assert adjusted["half", "nDCG@5"] == pytest.approx(2 / 16)
    assert found.table.loc[("good", "qrels", "nDCG@5"), "mean"] == 1
    assert "judged@5" in repr(found)
    assert "better" in repr(found)
    assert "<table" in found._repr_html_()


def test_a_report_of_shares_of_judged_results_alone_tests_nothing_and_is_json_too():
    report = evaluate({"one": SCORES, "other": SCORES}, GRADES, ["judged@5"])
    assert report.tests == []
    assert "judged@5" in str(report)
    runs = json.loads(report.json())["runs"]
    # Of three and one results, two and one are judged: (2/3 + 1/1) / 2.
    assert [run["run"] for run in runs] == ["one", "other"]
    assert runs[0]["measures"]["judged@5"]["mean"] == pytest.approx(5 / 6)


def test_values_that_are_measured_make_the_same_report():
    found, plan = three(), Plan(["nDCG@5"], "good")
    families = [[("bad", "good")], [("half", "good")]]
    made = Report.of_values(
        found.values, plan, families, [("good", "bad")], facts={"study": 1}, of_runs={"bad": {"x": 2}}
    )
    assert made.table.equals(found.table.loc[["bad", "good", "half"]])
    # Of 8 losses 2 of 256 patterns are as far from 0, of 4 losses 2 of 16; either is a family of its own.
    assert [[test.adjusted_p for test in family] for family in made.families] == [[2 / 256], [2 / 16]]
    document = json.loads(made.json())
    assert (document["study"], document["runs"][0]["x"], document["baseline"]) == (1, 2, "good")
    means = [test["mean"] for test in document["comparisons"] + document["untested"]]
    assert means == pytest.approx([-(1 - SECOND), -(1 - SECOND) / 2, 1 - SECOND])
    unknown = found.values.copy()
    unknown["half", "nDCG@9"] = math.nan
    assert "nDCG@9" not in Report.of_values(unknown, plan).means


def test_a_comparison_says_what_it_lacks():
    said = "baseline: 'nobody' is not among the runs; name one of a, b"
    refuses(lambda: evaluate({"a": SCORES, "b": SCORES}, GRADES, baseline="nobody"), "", said)
    assert evaluate({"a": SCORES}, GRADES).tests == [], "nothing to compare with"


# ---- measures of ir_measures ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nDCG@5", "lab_nDCG@5", "judged@5", "condensed_nDCG@10"])
def test_our_measures_parse_and_print_as_those_of_ir_measures(name: str):
    measure = ir_measures.parse_measure(name)
    assert str(measure) == name
    assert ir_measures.parse_measure(str(measure)) == measure
    assert evaluate(SCORES, GRADES, [measure]).means.columns.tolist() == [name]
