"""The ablation study, on the sample, through its command."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_learning import planted, teach

from experiments import ablation
from experiments.ablation_output import table
from experiments.ablation_study import Notebook, make_bench, trial_name, try_columns
from ltr import pipeline
from ltr.errors import InputError
from ltr.learning import Judge, signed_columns, split_topics, train_dimension
from ltr.matrix import Matrix
from ltr.pipeline import describe_topics
from ltr.train import SAMPLE
from models.base import unit_table
from models.lambdamart import Parameters

SMALL = Parameters(trees=3, seeds=1, rows_a_leaf=5)
OPTIONS = [
    *("-i", str(SAMPLE), "--topics", str(SAMPLE / "topics-train.xml")),
    *("--qrels", str(SAMPLE / "qrels-train-relevance.qrels"), "--learn", "signed"),
    *("--folds", "3", "--seeds", "2", "--trees", "2", "--jobs", "1", "--quiet"),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("index") / "index"


@pytest.fixture(scope="module", autouse=True)
def described_once() -> Iterator[None]:
    """The candidates of the sample's topics are the same for every study of this file."""
    found: dict[str, Matrix] = {}

    def describe(*arguments: Any, **options: Any) -> Matrix:
        return found.setdefault("sample", found.get("sample") or describe_topics(*arguments, **options))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "describe_topics", describe)
        yield


def study(index: Path, out: Path, *options: str) -> dict[str, Any]:
    assert ablation.main([*OPTIONS, "--index", str(index), "-o", str(out), *options]) == 0
    results: dict[str, Any] = json.loads((out / "results.json").read_text("utf-8"))
    return results


@pytest.fixture(scope="module")
def whole(index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("study") / "whole"
    study(index, out, "--study", "leave-one-out", "--study", "only")
    return out


def test_every_family_is_left_out_and_stands_alone(whole: Path):
    results = json.loads((whole / "results.json").read_text("utf-8"))
    rows = {row["name"]: row for row in results["variants"]}
    families = ["lexical", "feedback", "position", "substance"]
    assert set(rows) == {"all features"} | {f"{kind} {name}" for kind in ("without", "only") for name in families}
    total = rows["all features"]["columns"]
    assert total == len(signed_columns(ablation_columns()))
    for name in families:
        assert rows[f"without {name}"]["columns"] + rows[f"only {name}"]["columns"] == total
    for row in results["variants"]:
        assert len(row["values"]) == results["topics"] == 8
        assert row["mean"] == pytest.approx(np.mean(row["values"]))
        assert row["low"] <= row["mean"] <= row["high"]
        if row["kind"] != "baseline":
            change = np.array(row["values"]) - rows["all features"]["values"]
            assert row["difference"] == pytest.approx(change.mean())
            assert row["p"] <= row["p_holm"] <= 1
    # Twice eight trials and the baseline, under two seeds.
    assert len((whole / "trials.jsonl").read_text("utf-8").splitlines()) == 9 * 2
    with (whole / "results.csv").open(encoding="utf-8", newline="") as lines:
        assert [row["name"] for row in csv.DictReader(lines)][4:] == list(rows)


def ablation_columns() -> list[str]:
    from features.registry import columns

    return columns()


def test_a_killed_study_goes_on_to_the_same_results(whole: Path, index: Path, tmp_path: Path):
    done = (whole / "trials.jsonl").read_bytes()
    cut = tmp_path / "cut"
    cut.mkdir()
    (cut / "study.json").write_bytes((whole / "study.json").read_bytes())
    (cut / "trials.jsonl").write_bytes(done[: random.Random(4).randrange(len(done) // 2, len(done) - 1)])
    study(index, cut, "--study", "leave-one-out", "--study", "only")
    for name in ("results.json", "results.csv"):
        assert (cut / name).read_bytes() == (whole / name).read_bytes()
    assert sorted((cut / "trials.jsonl").read_bytes().splitlines()) == sorted(done.splitlines())


def test_two_processes_find_what_one_finds(whole: Path, index: Path, tmp_path: Path):
    results = study(index, tmp_path / "two", "--jobs", "2")
    known = {row["name"]: row for row in json.loads((whole / "results.json").read_text("utf-8"))["variants"]}
    assert len(results["variants"]) == 5
    for row in results["variants"]:
        assert row["values"] == known[row["name"]]["values"]


def test_forward_takes_the_best_family_first(whole: Path, index: Path, tmp_path: Path):
    alone = {
        row["name"].removeprefix("only "): row["mean"]
        for row in json.loads((whole / "results.json").read_text("utf-8"))["variants"]
        if row["kind"] == "only"
    }
    results = study(index, tmp_path / "x", "--study", "forward", "--steps", "2")
    first, second = (row for row in results["variants"] if row["kind"] == "forward")
    assert first["name"] == max(alone, key=alone.__getitem__)
    assert first["mean"] == alone[first["name"]]
    assert second["name"].startswith("+ ")
    assert second["columns"] > first["columns"]
    assert "a path, no proof" in table(results)


def test_the_plot_holds_every_variant(whole: Path):
    pytest.importorskip("matplotlib")
    plot = (whole / "results.svg").read_text("utf-8")
    assert plot.count("without ") == 4
    assert "<svg" in plot


def test_no_difference_is_called_so(whole: Path):
    results = json.loads((whole / "results.json").read_text("utf-8"))
    text = table(results)
    for row in results["variants"]:
        if row["kind"] != "baseline" and row["p_holm"] > 0.05:
            assert row["verdict"] == "no evidence of a difference"
    assert "no evidence of a difference" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--folds", "2"], "holds another study .it differs in: folds"),
        (["--trees", "3"], "it differs in: parameters"),
        (["--steps", "2"], "--steps is for --study forward"),
    ],
)
def test_another_study_is_not_mixed_in(whole: Path, index: Path, options: list[str], message: str):
    before = {path.name: path.read_bytes() for path in whole.iterdir()}
    with pytest.raises(InputError, match=message):
        study(index, whole, *options)
    assert {path.name: path.read_bytes() for path in whole.iterdir()} == before


def test_a_foreign_folder_is_left_alone(index: Path, tmp_path: Path):
    (tmp_path / "thesis.tex").write_text("\\begin")
    with pytest.raises(InputError, match="not empty and no study"):
        study(index, tmp_path)


def test_a_spoilt_line_is_named(whole: Path, tmp_path: Path):
    place = tmp_path / "x"
    settings = json.loads((whole / "study.json").read_text("utf-8"))
    Notebook(place, settings)
    assert not place.exists()
    Notebook(place, settings).add("a", 0, ["x"], {"condensed": [1.0], "full": [1.0]})
    (place / "trials.jsonl").write_text('{"trial": "a", "condensed": [1], "full": [1]}\nrubbish\n{"tri')
    with pytest.raises(InputError, match=r"trials\.jsonl line 2: this is no trial"):
        Notebook(place, settings)
    (place / "trials.jsonl").write_text('{"trial": "a", "condensed": [1], "full": [1]}\n{"tri')
    assert Notebook(place, settings).trials == {"a": {"condensed": [1], "full": [1]}}
    assert (place / "trials.jsonl").read_text().count("\n") == 1


def test_a_trial_is_known_by_its_columns_and_seed():
    assert trial_name(["a", "b"], 1) == trial_name(["b", "a"], 1)
    assert len({trial_name(c, s) for c in (["a"], ["b"], ["a", "b"]) for s in (0, 1)}) == 6


def test_units_are_judged_as_rows_are():
    # The differential: what training does with rows, and what the study does with units.
    matrix, qrels = planted(9, arguments=12, noise=2.0, seed=3)
    teaching = teach(matrix, {"relevance": qrels})["relevance"]
    signs = signed_columns(list(matrix.features.columns))
    splits = {0: split_topics(matrix, qrels, 3, 0)}
    bench = make_bench(matrix, qrels, splits, lambda seen: teaching.labels, signs, SMALL, lambda: None)
    found = try_columns(bench, list(signs), 0)
    table = unit_table(matrix, list(signs))
    scores = np.zeros(len(matrix))
    for held in splits[0]:
        test = np.isin(matrix.topic_of_row, held)
        model = train_dimension(matrix, table, teaching.labels, ~test, signs, SMALL, 1)
        scores[test] = model.score_units(table)[table.unit_of_row][test]
    judge = Judge(matrix, qrels)
    np.testing.assert_allclose(found["condensed"], judge.values(scores))
    np.testing.assert_allclose(found["full"], judge.values(scores, condensed=False))
