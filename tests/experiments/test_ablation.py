"""The ablation study, on the sample, through its command."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.encoders import word_encoder
from support.refusals import refuses

from experiments import ablation
from experiments import study as experiments_study
from experiments.ablation import TESTED, Variant, compared, families_of
from experiments.study import draw_folds, read_study_data
from features.core.feature import all_features, columns
from ltr.data.qrels import read_qrels
from ltr.evaluation.evaluator import MEAN
from ltr.evaluation.significance import CORRELATION
from ltr.ranking.candidates import Candidates
from ltr.ranking.steps import describe_topics
from ltr.ranking.task import find_task
from ltr.text_models.encoders import ENCODERS
from models.base import baselines

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "ltr" / "sample"
GRADED = {name: SAMPLE / f"qrels-train-pairs-{name}.qrels" for name in ("relevance", "coherence")}
PAIRS = [part for name, path in GRADED.items() for part in ("--pair-qrels", f"{name}={path}")]
OPTIONS = [
    *("-i", str(SAMPLE), "--topics", str(SAMPLE / "topics-train.xml"), "--folds", "2", "--trees", "2"),
    *("--jobs", "1", "--quiet"),
]
QRELS = ["--qrels", str(SAMPLE / "qrels-train-relevance.qrels")]
FEATURES = [f for f in all_features() if f.columns() and not f.needs_encoder]  # some describe arguments alone
FAMILIES = list(dict.fromkeys(feature.group for feature in FEATURES))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("index") / "index"


@pytest.fixture(scope="module", autouse=True)
def described_once() -> Iterator[None]:
    """The candidates of the sample's topics are the same for every study of this file."""
    found: dict[str, Candidates] = {}

    def describe(source: Any, topics: Any, resources: Any, graded: Any) -> Candidates:
        key = json.dumps([source.task.name, sorted(graded.items())])
        if key not in found:
            found[key] = describe_topics(source, topics, resources, graded)
        return found[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(experiments_study, "describe_topics", describe)
        yield


def study(index: Path, out: Path, *options: str) -> dict[str, Any]:
    assert ablation.main([*OPTIONS, *PAIRS, "--index", str(index), "-o", str(out), *options]) == 0
    results: dict[str, Any] = json.loads((out / "results.json").read_text("utf-8"))
    return results


@pytest.fixture(scope="module")
def whole(whole_study: None, index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("study") / "whole"
    study(index, out, "--study", "leave-one-out", "--study", "only")
    return out


def test_every_family_is_left_out_and_stands_alone_in_each_dimension(whole: Path) -> None:
    results = json.loads((whole / "results.json").read_text("utf-8"))
    names = ["all features", *(f"{kind} {name}" for kind in ("without", "only") for name in FAMILIES)]
    rows = {run["run"]: run for run in results["runs"]}
    assert list(rows) == [*baselines("pair"), *names]
    total = rows["all features"]["columns"]
    assert total == len(columns())
    for name in FAMILIES:
        assert rows[f"without {name}"]["columns"] + rows[f"only {name}"]["columns"] == total
    tests = {(test["judgments"], test["run"], test["measure"]): test for test in results["comparisons"]}
    dimensions = ["relevance", "coherence", MEAN]
    assert [*tests] == [(dimension, name, of) for dimension in dimensions for name in names[1:] for of in TESTED]
    for dimension in dimensions:
        found = {name: row["dimensions"][dimension]["measures"][CORRELATION] for name, row in rows.items()}
        base = found["all features"]["per_topic"]
        for name in names:
            row, own = found[name], found[name]["per_topic"]
            assert row["mean"] == pytest.approx(np.mean([*own.values()]))
            assert row["low"] <= row["mean"] <= row["high"]
            if test := tests.get((dimension, name, CORRELATION)):
                assert test["mean"] == pytest.approx(np.mean([own[topic] - base[topic] for topic in base]), abs=1e-9)
                assert test["p"] <= test["adjusted_p"] <= 1
    of_lexical = rows["only lexical"]["dimensions"]
    one, other, mean = (of_lexical[name]["measures"][CORRELATION]["per_topic"] for name in dimensions)
    assert mean == {topic: pytest.approx((one[topic] + other[topic]) / 2) for topic in one.keys() & other.keys()}
    tested = [*tests.values()]
    family = [test for test in tested if test["judgments"] == "relevance" and test["run"].startswith("only")]
    different = {(test["p"], test["mean"], test["low"]) for test in family if test["mean"]}
    least = min(family, key=lambda test: test["p"])
    assert least["adjusted_p"] == pytest.approx(min(1, least["p"] * len(different))), "a kind in a set is a family"
    page = (whole / "results.html").read_text("utf-8")
    assert page.count("no evidence of a difference") == sum(test["adjusted_p"] > 0.05 for test in tested)
    assert page.count("<svg") == 2 * 2 * 3, "means and topics of each dimension and measure"
    assert {path.name for path in whole.iterdir()} == {"results.json", "results.csv", "results.html"}
    with (whole / "results.csv").open(encoding="utf-8", newline="") as lines:
        read = list(csv.DictReader(lines))
    of_mean = dict.fromkeys(row["run"] for row in read if row["judgments"] == MEAN)
    assert [*of_mean] == [*baselines("pair"), *names]


def test_differences_by_hand_in_the_order_of_graded_pairs_and_in_the_list() -> None:
    nan = float("nan")
    # (n_topics, n_measures): full, judged, condensed, correlation; the last topic cannot be scored.
    base = np.array([[0.5, 1.0, 0.5, 0.5]] * 8 + [[nan] * 4])
    less = np.array([[0.4, 1.0, 0.5, 0.3]] * 8 + [[nan] * 4])
    variants = [Variant("all features", "baseline", ["a", "b"]), Variant("without role", "leave-one-out", ["a"])]
    board = {"all features": {"quality": base}, "without role": {"quality": less}}
    report = compared(board, variants, list("123456789"), {"folds": 2, "seeds": 1})
    first, second = report.document["runs"]
    of_first = first["dimensions"]["quality"]["measures"][CORRELATION]
    assert (of_first["mean"], len(of_first["per_topic"]), first["columns"], second["columns"]) == (0.5, 8, 2, 1)
    for test, measure, change in zip(report.tests, TESTED, (-0.2, -0.1), strict=True):
        found = test.difference
        assert test.measure == measure
        assert [found.mean, found.low, found.high] == pytest.approx([change] * 3)
        # Of 256 patterns of eight equal signs two are as far from 0; a test of either measure is in the family.
        assert (found.p, test.adjusted_p, test.verdict) == (2 / 256, 4 / 256, "worse")


def test_another_seed_is_another_draw(whole_study: None, index: Path, tmp_path: Path) -> None:
    options = ["--dimension", "coherence", "--study", "only", "--seeds", "1"]
    first, second, again = (
        study(index, tmp_path / name, *options, "--seed", seed) for name, seed in (("a", "0"), ("b", "3"), ("c", "3"))
    )
    assert second == again
    assert second["study"]["seed"] == 3
    assert second["study"]["parameters"]["seed"] == 3 * first["study"]["parameters"]["seeds"]
    assert [run["dimensions"] for run in first["runs"]] != [run["dimensions"] for run in second["runs"]]


def test_with_an_encoder_it_is_a_study_of_heads(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(ENCODERS, "words", lambda what, threads: word_encoder(what))
    options = ["--encoder", "words:words-1", "--dimension", "coherence", "--seeds", "1"]
    results = study(index, tmp_path / "x", *options)
    assert results["study"]["encoder"]["digest"] == word_encoder().digest
    said = capsys.readouterr().out
    assert "\nwithout semantic " in said
    size = find_task("pairs").config.head
    assert f"\nOf graded pairs and the {size} best of each topic by a first step that did not see the topic.\n" in said
    draw = ablation.main.read(*OPTIONS, *PAIRS, "-o", "x", *options)
    data = read_study_data(replace(draw, index=index))
    made = draw_folds(data).only_heads()
    assert made.table[columns(head=True)].notna().all(axis=None)
    assert {*made.examples.inputs} >= {*columns(head=True)}
    width = data.indexed.task.config.head + max(map(len, data.judgments.graded_ids().values()))
    assert made.table.groups.max() <= width


# ---- another task ---------------------------------------------------------------------------------


def test_whole_arguments_are_a_study_of_their_own_features(index: Path, tmp_path: Path) -> None:
    graded = [*QRELS, "--quality-qrels", str(SAMPLE / "qrels-train-quality.qrels")]
    argv = [*OPTIONS, "--task", "arguments", *graded, "--index", str(index), "-o", str(tmp_path / "x"), "--seeds", "1"]
    assert ablation.main(argv) == 0
    results = json.loads((tmp_path / "x" / "results.json").read_text("utf-8"))
    assert results["study"]["task"] == "arguments"
    own = [feature for feature in all_features() if feature.columns("argument") and not feature.needs_encoder]
    assert list(results["study"]["features"]) == [feature.name for feature in own]
    every = columns("argument")
    rows = {run["run"]: run for run in results["runs"]}
    names = ["all features", *(f"without {name}" for name in families_of(every, "groups"))]
    assert list(rows) == [*baselines("argument"), *names], "rankers of arguments stand beside it"
    assert rows["all features"]["columns"] == len(every)
    dimensions = rows["all features"]["dimensions"]
    assert list(dimensions) == ["relevance", "quality", MEAN]
    assert dimensions["relevance"]["counts"]["judged"] == len(read_qrels(Path(QRELS[1])))
    assert {"dph", "length", "random"} <= rows.keys()


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("pairs", [*PAIRS, "--dimension", "quality"], "judgments: quality needs graded pairs of it; add grades"),
        ("pairs", [], "figures of pairs need graded pairs; add grades of them"),
        ("arguments", [], "figures of arguments need graded arguments; add grades of them"),
        ("arguments", PAIRS, "--pair-qrels: this task ranks arguments; leave it out, or take the task pairs"),
        ("arguments", [*QRELS, "--dimension", "quality"], "needs graded arguments of it; add grades"),
        ("arguments", [*QRELS, "--dimension", "coherence"], "of it; it is none of relevance, quality"),
    ],
)
def test_what_a_task_needs(index: Path, tmp_path: Path, task: str, options: list[str], message: str) -> None:
    given = [*OPTIONS, "--task", task, *options, "--index", str(index), "-o", str(tmp_path / "x")]
    refuses(lambda: ablation.main(given), message)
    assert not list(tmp_path.iterdir())
