"""The study of sources of supervision, on the sample; and what all studies set up."""

from __future__ import annotations

import contextlib
import io
import json
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.encoders import word_encoder
from support.refusals import refuses
from support.tables import plain_block

from experiments import supervision
from experiments.figures import MEASURES, Figures, rank_correlation
from experiments.study import blended
from experiments.supervision import ROWS, TESTED, compared, main
from ltr.data.qrels import read_qrels, write_qrels
from ltr.data.runs import read_run
from ltr.evaluation.evaluator import MEAN
from ltr.evaluation.report import set_title
from ltr.evaluation.runs import evaluate
from ltr.evaluation.significance import CORRELATION
from ltr.ranking.candidates import Candidates
from ltr.text_models.encoders import ENCODERS

SAMPLE = Path(supervision.__file__).parents[1] / "ltr" / "sample"
DIMENSIONS = ("relevance", "quality", "coherence")
BASELINES = ["argues", "bm25", "bm25-tuned", "dirichlet", "length", "random", "words"]
PAIRS = [
    part for name in DIMENSIONS for part in ("--pair-qrels", f"{name}={SAMPLE / f'qrels-train-pairs-{name}.qrels'}")
]
OPTIONS = [
    *("-i", str(SAMPLE), "--topics", str(SAMPLE / "topics-train.xml"), "--folds", "2", "--trees", "3"),
    *("--columns", "0", "--jobs", "1", "--quiet"),
]
QRELS = ["--qrels", str(SAMPLE / "qrels-train-relevance.qrels")]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return ["--index", str(tmp_path_factory.mktemp("index") / "index")]


# ---- figures, on lists that can be worked out by hand ----------------------------------------------


def measured(document: dict[str, Any], judgments: str) -> dict[str, Any]:
    """Row -> measure -> figures."""
    return {run["run"]: run["dimensions"][judgments]["measures"] for run in document["runs"]}


def two_topics() -> Candidates:
    """Topics 1 and 2 with pairs a to d, each of an argument of its own."""
    blocks = []
    for topic in "12":
        pairs = [(f"S{topic}-A{name}__PREMISE__1", f"S{topic}-A{name}__PREMISE__2") for name in "abcd"]
        blocks.append(plain_block(topic, pairs, {"x": [0.0] * 4}))
    return Candidates.concat(blocks)


def graded(topic: str, **grades: float) -> dict[str, float]:
    return {f"S{topic}-A{name}__PREMISE__1,S{topic}-A{name}__PREMISE__2": grade for name, grade in grades.items()}


def test_figures_of_a_dimension_are_those_of_topics_that_can_be_scored() -> None:
    table = two_topics()
    qrels = {"1": graded("1", a=0, b=2), "2": graded("2", a=0, b=0)}
    found = Figures(table, {"quality": qrels}).values(np.array([4.0, 3.0, 2.0, 1.0] * 2), "quality")
    # Topic 1 ranks a b c d: the good pair is second. DCG 2/log2(3), ideal 2, condensed the same; 2 of 4 are graded,
    # and the judged share is of five ranks at most. Two pairs in the wrong order correlate with -1.
    full, judged, condensed, correlation = found[0]
    assert full == condensed == pytest.approx(1 / np.log2(3))
    assert judged == pytest.approx(2 / 4)
    assert correlation == -1
    assert found[1, :-1].tolist() == [0, 0.5, 0], "nothing is relevant"
    assert np.isnan(found[1, -1])
    alone = Figures(table, {"quality": {"1": qrels["1"]}}).values(np.zeros(8), "quality", shuffled=True)
    assert np.isnan(alone[1]).all()
    # At random each of four ranks is as likely for the good pair.
    assert alone[0, 0] == pytest.approx((1 + 1 / np.log2(3) + 0.5 + 1 / np.log2(5)) / 4, abs=0.1)


def test_the_mean_is_of_topics_that_every_dimension_can_score() -> None:
    table = two_topics()
    relevance = {"1": graded("1", a=2, b=0), "2": graded("2", a=2, b=1)}
    quality = {"1": graded("1", a=0, b=2)}
    figures = Figures(table, {"relevance": relevance, "quality": quality})
    scores = np.array([4.0, 3.0, 2.0, 1.0] * 2)
    mean = figures.of_row([scores])[MEAN]
    assert mean[0, 0] == pytest.approx((1 + 1 / np.log2(3)) / 2)
    assert np.isnan(mean[1]).all()
    assert not np.isnan(figures.values(scores, "relevance")).any()


def test_rank_correlation() -> None:
    for scores, expected in (([1, 2, 3], 1), ([3, 2, 1], -1), ([1, 1, 1], 0)):
        assert rank_correlation(np.array(scores, float), np.array([0.0, 1.0, 2.0])) == expected
    assert rank_correlation(np.array([1.0, 2.0]), np.ones(2)) == rank_correlation(np.ones(1), np.ones(1)) == 0


def test_the_blend_is_of_the_dimensions_that_there_are() -> None:
    one = np.array([1.0, 0.0])
    weights = {"relevance": 1.0, "quality": 0.35, "coherence": 0.4}
    assert blended({"relevance": one}, weights).tolist() == [1, 0]
    # Relevance weighs 1, coherence .4: 1 + .4 * 2.
    assert blended({"relevance": one, "coherence": 2 * one}, weights).tolist() == [1.8, 0]


def test_rows_differ_from_graded_over_the_topics_that_can_be_scored() -> None:
    nan = float("nan")
    by_row = {
        "graded": np.array([[0.0, 1.0, 0.2], [0.5, 1.0, 0.4], [nan, nan, nan]]),
        "weak": np.array([[1.0, 0.5, 0.2], [1.0, 0.5, 0.4], [nan, nan, nan]]),
    }
    board = {row: {"relevance of pairs": values} for row, values in by_row.items()}
    study = {"folds": 2, "draws": 1}
    report = compared(board, ["1", "2", "3"], study)
    graded, weak = (measured(report.document, "relevance of pairs")[row]["nDCG@5"] for row in by_row)
    assert (weak["mean"], weak["per_topic"]) == (1, {"1": 1, "2": 1})
    assert (graded["mean"], len(graded["per_topic"])) == (0.25, 2)
    # Both topics gain: of four patterns of signs two have a mean of .75 or -.75. Condensed figures do not differ.
    # The one that differs is alone in its family: of two topics no p is below .5, and that is said.
    tests = [(test.difference.mean, test.difference.p, test.adjusted_p) for test in report.tests]
    assert tests == [(0.75, 0.5, 0.5), (0, 1, 1)]
    assert "With 2 topics no Holm p of this table is below 0.5" in str(report)
    untested = compared(board, ["1", "2", "3"], study, plain=["weak"])
    assert untested.tests == [], "a baseline is in no family"
    assert [(one["mean"], "adjusted_p" in one) for one in untested.document["untested"]] == [(0.75, False), (0, False)]


# ---- the command ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(whole_study: None, index: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("supervision")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert main([*OPTIONS, *QRELS, *PAIRS, *index, "--json", str(out / "f.json"), "--run", str(out / "runs")]) == 0
    (out / "printed").write_text(printed.getvalue())
    return out


def test_every_source_is_a_row_beside_the_baselines(made: Path) -> None:
    found = json.loads((made / "f.json").read_text())
    sets = [*(f"{name} of pairs" for name in (*DIMENSIONS, set_title(MEAN))), "relevance of arguments"]
    for name in sets:
        rows = measured(found, name)
        assert list(rows) == [*ROWS, *BASELINES]
        for measures in rows.values():
            assert list(measures) == list(MEASURES if name.endswith("pairs") else MEASURES[:-1])
            for one in measures.values():
                assert one["mean"] == pytest.approx(np.mean(list(one["per_topic"].values())))
                assert one["low"] <= one["mean"] <= one["high"]
                assert len(one["per_topic"]) <= 8
    tested = {(test["judgments"], test["run"], test["measure"]): test for test in found["comparisons"]}
    assert [*tested] == [(name, row, one) for name in sets for row in ROWS if row != "graded" for one in TESTED]
    assert all(test["p"] <= test["adjusted_p"] <= 1 for test in tested.values())
    assert {(test["run"], test["measure"]) for test in found["untested"]} == {*product(BASELINES, TESTED)}
    by_name = measured(found, sets[0])
    for measure in TESTED:
        own, base = (by_name[name][measure]["mean"] for name in ("weak", "graded"))
        assert tested[sets[0], "weak", measure]["mean"] == pytest.approx(own - base, abs=1e-9)
    text = (made / "printed").read_text()
    assert text.count("all three, lambdarank") == 3 * (len(DIMENSIONS) + 2), "means, and two tests"
    assert text.count("random  ") == len(DIMENSIONS) + 2, "baselines are not tested"


def test_the_runs_of_all_rows_are_what_was_measured(made: Path) -> None:
    files = {path.stem for path in (made / "runs").iterdir()}
    assert files == {
        *("distant", "weak", "distant-weak", "graded", "graded-weak", "graded-distant", "all-three"),
        *("default", "all-three-lambdarank", "distant-weak-lambdarank", "all-three-both", *BASELINES),
    }
    rows = read_run(made / "runs" / "all-three.txt")
    qrels = read_qrels(SAMPLE / "qrels-train-pairs-quality.qrels")
    assert {row.topic for row in rows} == set(qrels)
    assert {row.tag for row in rows} == {"all-three"}
    measures = measured(json.loads((made / "f.json").read_text()), "quality of pairs")["all three"]
    found = evaluate(rows, qrels).means.loc["run"]
    for name in ("nDCG@5", "judged@5", "condensed_nDCG@5"):
        assert measures[name]["mean"] == pytest.approx(found[name])


def test_without_judgments_of_arguments_their_rows_are_left_out(
    index: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {name: ROWS[name] for name in ("distant", "graded", "weak")}
    monkeypatch.setattr(supervision, "ROWS", kept)
    loud = [option for option in OPTIONS if option != "--quiet"]
    assert main([*loud, *PAIRS[:2], *index]) == 0
    said = capsys.readouterr()
    assert "distant: left out, there is nothing to learn from" in said.err
    assert "graded: trained and ranked, row 2 of 3" in said.err
    assert "\ndistant" not in said.out
    assert "mean of the" not in said.out, "of one dimension"


def test_votes_that_contradict_grades_are_warned_of_as_in_training(
    index: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervision, "ROWS", {"graded": ROWS["graded"]})
    grades = read_qrels(Path(PAIRS[1].partition("=")[2]))
    turned = {topic: {id_: 2 - grade for id_, grade in of.items()} for topic, of in grades.items()}
    write_qrels(tmp_path / "t.qrels", turned)
    assert main([*OPTIONS, *PAIRS[:2], *index, "--votes", f"turned:relevance={tmp_path / 't.qrels'}"]) == 0
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "contradict each other or trusted grades" in said
    assert "relevance (turned " in said


def test_of_whole_arguments_grades_alone_and_with_weak_labels_are_compared(index: list[str], tmp_path: Path) -> None:
    graded = [*QRELS, "--quality-qrels", str(SAMPLE / "qrels-train-quality.qrels")]
    out = ["--json", str(tmp_path / "f.json"), "--run", str(tmp_path / "runs")]
    assert main([*OPTIONS, "--task", "arguments", *graded, *index, *out]) == 0
    found = json.loads((tmp_path / "f.json").read_text())
    rows = [*measured(found, "relevance of arguments")]
    sets = [f"{name} of arguments" for name in ("relevance", "quality", set_title(MEAN))]
    assert [*found["runs"][0]["dimensions"]] == sets
    assert rows[:2] == ["graded", "graded + weak"], "arguments inherit no judgments, and one vote alone orders nothing"
    assert {"dph", "random"} <= set(rows[2:])
    assert "," not in read_run(tmp_path / "runs" / "graded.txt")[0].pair


def test_with_an_encoder_whole_lists_are_ranked_and_shuffled_grades_teach_nothing(
    index: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No model that knows the topics chooses what is ranked."""
    monkeypatch.setitem(ENCODERS, "words", lambda what, threads: word_encoder(what))
    monkeypatch.setattr(supervision, "ROWS", {"graded": ROWS["graded"]})
    shuffled, rng = tmp_path / "shuffled.qrels", np.random.default_rng(0)
    grades = read_qrels(SAMPLE / "qrels-train-pairs-relevance.qrels")
    write_qrels(shuffled, {t: dict(zip(of, rng.permutation([*of.values()]), strict=True)) for t, of in grades.items()})
    found = []
    for encoder in ("none", "words:words-1"):
        out = tmp_path / "f.json"
        options = ["--pair-qrels", f"relevance={shuffled}", "--encoder", encoder, "--json", str(out)]
        assert main([*OPTIONS, *options, *index, "--seeds", "2"]) == 0
        document = json.loads(out.read_text())
        found.append(measured(document, "relevance of pairs"))
        assert [*found[-1]][-1] in {test["run"] for test in document["untested"]}
    plain, encoded = found
    assert all(plain[name] == encoded[name] for name in BASELINES)
    assert plain["graded"] != encoded["graded"]
    assert list(encoded) == [*plain, "dense"], "the encoder's cosine alone is a baseline"
    assert encoded["dense"]["nDCG@5"]["mean"] > encoded["random"]["nDCG@5"]["mean"]
    for measures in (plain["graded"], encoded["graded"]):
        assert measures[CORRELATION]["low"] < 0.1
        assert abs(measures[CORRELATION]["mean"]) < 0.15
    assert "by the first step of its own fold, are ordered with the encoder" in capsys.readouterr().out


def test_mistakes_are_one_line(index: list[str], tmp_path: Path) -> None:
    flat = tmp_path / "flat.qrels"
    grades = read_qrels(SAMPLE / "qrels-train-pairs-quality.qrels")
    write_qrels(flat, {topic: dict.fromkeys(of, 0.0) for topic, of in grades.items()})
    cases: list[tuple[list[object], str]] = [
        ([], "figures of pairs need graded pairs"),
        (["--pair-qrels", f"quality={flat}"], "flat.qrels: grades no pair of these topics above 0"),
        (["--pair-qrels", f"beauty={flat}"], "is not DIMENSION=FILE, with one of relevance"),
        ([*PAIRS, "--json", tmp_path], "this is a directory"),
        ([*PAIRS, "--json", Path(index[1]) / "f.json"], "this would lie in the folder of the index"),
        ([*PAIRS, "--json", flat, "--pair-qrels", f"quality={flat}"], "would replace one of the files"),
        ([*PAIRS, "--qrels", PAIRS[1].partition("=")[2]], "these judge pairs, not arguments"),
    ]
    for more, said in cases:
        refuses(partial(main, [*OPTIONS, *index, *map(str, more)]), said)
    assert [path.name for path in tmp_path.iterdir()] == ["flat.qrels"]
