"""The ablation study, on the sample, through its command."""

from __future__ import annotations

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from test_learning import planted, teach

from experiments import ablation, ablation_study
from experiments.ablation_notebook import Notebook, difference, only_study
from experiments.ablation_output import table
from experiments.ablation_study import make_bench, told, trial_name, try_columns
from ltr import pipeline
from ltr.errors import InputError
from ltr.formats import read_qrels, write_qrels
from ltr.learning import Judge, signed_columns, split_topics, train_dimension
from ltr.matrix import Matrix
from ltr.pipeline import describe_topics
from ltr.progress import Progress
from ltr.train import SAMPLE
from models.base import unit_table
from models.lambdamart import Parameters

ROOT = Path(__file__).parent.parent
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
        (["--folds", "2"], r"holds another study \(it differs in: folds\); name a new folder with -o"),
        (["--trees", "3"], r"it differs in: parameters \(trees\)"),
        (["--learn", "every"], r"it differs in: learn, columns"),
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
    notebook = Notebook(place, settings)
    notebook.begin()
    notebook.add("a", 0, ["x"], {"condensed": [1.0], "full": [1.0]})
    (place / "trials.jsonl").write_text('{"trial": "a", "condensed": [1], "full": [1]}\nrubbish\n{"tri')
    with pytest.raises(InputError, match=r"trials\.jsonl line 2: this is no trial"):
        Notebook(place, settings)
    (place / "trials.jsonl").write_text('{"trial": "a", "condensed": [1], "full": [1]}\n{"tri')
    assert Notebook(place, settings).trials == {"a": {"condensed": [1], "full": [1]}}
    assert (place / "trials.jsonl").read_text().count("\n") == 1


def test_a_trial_is_known_by_its_columns_and_seed():
    assert trial_name(["a", "b"], 1) == trial_name(["b", "a"], 1)
    assert len({trial_name(c, s) for c in (["a"], ["b"], ["a", "b"]) for s in (0, 1)}) == 6


# ---- what makes a study another one ---------------------------------------------------------------


def test_of_two_files_of_one_name_either_may_change(index: Path, tmp_path: Path):
    judged = (SAMPLE / "qrels-train-relevance.qrels").read_text("utf-8").splitlines(keepends=True)
    files = [tmp_path / name / "same.qrels" for name in ("a", "b")]
    for path, lines in zip(files, (judged[:60], judged[60:]), strict=True):
        path.parent.mkdir()
        path.write_text("".join(lines))
    both = [part for path in files for part in ("--qrels", str(path))]
    few = ["--folds", "2", "--seeds", "1", "--trees", "0", "--study", "only"]
    argv = [*OPTIONS[:4], *both, *OPTIONS[6:], *few, "--index", str(index), "-o", str(tmp_path / "x")]
    assert ablation.main(argv) == 0
    for path in files:
        kept = path.read_text()
        path.write_text(kept.replace(" 2\n", " 1\n"))
        with pytest.raises(InputError, match=r"it differs in: qrels \(same.qrels\)"):
            ablation.main(argv)
        path.write_text(kept)
    assert ablation.main(argv) == 0


def test_the_features_that_differ_are_named(whole: Path, index: Path, tmp_path: Path):
    old = json.loads((whole / "study.json").read_text("utf-8"))
    names = list(old["features"])
    del old["features"][names[0]]
    old["features"][names[1]] = "0"
    old["features"]["gone"] = "0"
    place = tmp_path / "old"
    place.mkdir()
    (place / "study.json").write_text(json.dumps(old))
    named = ", ".join(sorted(["gone", *names[:2]]))
    with pytest.raises(InputError, match=rf"it differs in: features \({named}\)\); name a new folder"):
        study(index, place)


@pytest.mark.parametrize("known", [None, [], {}, {"a": 1}, {"a": [1, [], [[]]]}, {"a": [["x", 1], ["y"]]}, {"a": {}}])
def test_any_settings_are_told_apart(known: Any):
    value = [[name, 1] for name in "pqrst"]
    assert difference(known, {"a": value}).startswith("a")
    assert difference({"a": value[:1]}, {"a": value}) == "a (q, r, s and 1 more)"


# ---- one study at a time --------------------------------------------------------------------------


def test_a_second_study_in_the_same_folder_is_refused_at_once(whole: Path, tmp_path: Path):
    before = {path.name: path.read_bytes() for path in whole.iterdir()}
    (tmp_path / "link").symlink_to(whole)
    command = [sys.executable, "-m", "experiments.ablation", *OPTIONS, "--index", str(tmp_path / "none")]
    with only_study(whole):
        for place in (whole, tmp_path / "link"):
            found = subprocess.run([*command, "-o", str(place)], cwd=ROOT, capture_output=True, text=True, check=False)
            assert (found.returncode, found.stdout) == (2, "")
            said = "another study is running in this folder; wait for it, or name a new folder with -o"
            assert found.stderr == f"error: {place}: {said}\n"
    assert not (tmp_path / "none").exists()
    assert {path.name: path.read_bytes() for path in whole.iterdir()} == before
    with only_study(whole):  # it is free again
        pass


def test_what_a_study_is_stands_before_its_first_trial(index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: Any) -> None:
        raise OSError

    monkeypatch.setattr(ablation_study, "try_columns", fail)
    with pytest.raises(OSError):  # noqa: PT011
        study(index, tmp_path / "x")
    assert [path.name for path in (tmp_path / "x").iterdir()] == ["study.json"]


# ---- what it says meanwhile -----------------------------------------------------------------------


def test_it_says_where_trials_are_and_how_many(whole: Path, index: Path, capsys: pytest.CaptureFixture[str]):
    capsys.readouterr()
    loud = [part for part in OPTIONS if part != "--quiet"]
    again = ["--study", "leave-one-out", "--study", "only", "--study", "forward", "--steps", "1"]
    assert ablation.main([*loud, "--index", str(index), "-o", str(whole), *again]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"trainings are kept in {whole / 'trials.jsonl'}; after a stop, the same command goes on there",
        "0 trainings to make, 18 made before",
        "forward: 8 trainings, fewer where some were made before",
    ]
    study(index, whole, *again)
    assert capsys.readouterr().err == ""


def test_a_plain_line_now_and_then(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    clock = iter([0.0, 1.0, 31.0, 31.0, 60.0, 90.0, 90.0])
    monkeypatch.setattr(ablation_study, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with told(Progress(), "variants", 4) as tick:
        for _ in range(4):
            tick()
    assert capsys.readouterr().err == "variants: 2 of 4 trainings\nvariants: 4 of 4 trainings\n"


def test_numbers_of_one_are_singular(whole: Path):
    results = json.loads((whole / "results.json").read_text("utf-8"))
    assert " over 8 held-out topics, 3 folds, 2 seeds;\n" in table(results)
    one = results | {"topics": 1, "study": results["study"] | {"seeds": 1}}
    assert " over 1 held-out topic, 3 folds, 1 seed;\n" in table(one)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_an_interrupt_is_one_line_and_leaves_no_process(index: Path, tmp_path: Path):
    out, judged = tmp_path / "x", tmp_path / "some.qrels"
    qrels = read_qrels(SAMPLE / "qrels-train-relevance.qrels")
    write_qrels(judged, {topic: qrels[topic] for topic in list(qrels)[:4]})
    few = ["--folds", "2", "--trees", "30", "--jobs", "2", "--index", str(index), "-o", str(out)]
    command = [sys.executable, "-m", "experiments.ablation", *OPTIONS[:4], "--qrels", str(judged), *OPTIONS[6:], *few]
    process = subprocess.Popen(
        command, cwd=ROOT, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    until = time.monotonic() + 60
    while not (out / "trials.jsonl").exists() and time.monotonic() < until and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    said, _ = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, "interrupted; earlier output is untouched\n")
    assert {path.name for path in out.iterdir()} == {"study.json", "trials.jsonl"}
    until = time.monotonic() + 5  # the helpers of a process end a moment after it
    while (left := of_session(process.pid)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left


def of_session(number: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, _, _, session = (path / "stat").read_text().rpartition(")")[2].split()[:4]
            found += [int(path.name)] if int(session) == number and state != "Z" else []
    return found


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
