"""The ablation study, on the sample, through its command."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.corpora import QUIET
from support.encoders import word_encoder

from experiments import study as experiments_study
from experiments.ablation import command as ablation
from experiments.ablation import trials as ablation_trials
from experiments.ablation.log import TrialLog, only_study
from experiments.ablation.output import compared, table
from experiments.ablation.trials import families_of
from experiments.figures import MEAN, MEASURES
from experiments.report.studies import ablation as ablation_section
from experiments.report.studies import show_study
from experiments.study import draw_folds, read_study_data
from experiments.study_options import study_settings
from features.core.feature import all_features, columns
from ltr.data.qrels import read_qrels
from ltr.encoders.base import ENCODERS
from ltr.errors import InputError
from ltr.ranking.describe import describe_topics
from ltr.ranking.matrix import Matrix
from ltr.tasks import find_task

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "ltr" / "sample"
GRADED = {name: SAMPLE / f"qrels-train-pairs-{name}.qrels" for name in ("relevance", "coherence")}
PAIRS = [part for name, path in GRADED.items() for part in ("--pair-qrels", f"{name}={path}")]
OPTIONS = [
    *("-i", str(SAMPLE), "--topics", str(SAMPLE / "topics-train.xml"), "--folds", "2", "--trees", "2"),
    *("--jobs", "1", "--quiet"),
]
QRELS = ["--qrels", str(SAMPLE / "qrels-train-relevance.qrels")]
FEATURES = [
    f for f in all_features() if f.columns() and not (f.needs_encoder or f.needs_answers)
]  # some describe arguments alone
FAMILIES = list(dict.fromkeys(feature.group for feature in FEATURES))
VARIANTS = 1 + 2 * len(FAMILIES)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("index") / "index"


@pytest.fixture(scope="module", autouse=True)
def described_once() -> Iterator[None]:
    """The candidates of the sample's topics are the same for every study of this file."""
    found: dict[str, Matrix] = {}

    def describe(*arguments: Any, **options: Any) -> Matrix:
        stage = arguments[0]
        key = json.dumps(
            [
                stage.task.name,
                stage.encoder is not None,
                bool(options.get("head_columns")),
                sorted(options["graded"].items()),
            ]
        )
        if key not in found:
            found[key] = describe_topics(*arguments, **options)
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
    assert results["dimensions"] == ["relevance", "coherence", MEAN]
    names = ["all features", *(f"{kind} {name}" for kind in ("without", "only") for name in FAMILIES)]
    for dimension in results["dimensions"]:
        rows = {row["name"]: row for row in results["variants"] if row["dimension"] == dimension}
        assert list(rows) == names
        total = rows["all features"]["columns"]
        assert total == len(columns())
        for name in FAMILIES:
            assert rows[f"without {name}"]["columns"] + rows[f"only {name}"]["columns"] == total
        for row in rows.values():
            known = [(own, base) for own, base in zip(row["values"], rows["all features"]["values"], strict=True)]
            known = [pair for pair in known if pair[0] is not None]
            assert row["topics"] == len(known)
            assert row["mean"] == pytest.approx(np.mean([own for own, _ in known]))
            assert row["low"] <= row["mean"] <= row["high"]
            if row["kind"] != "baseline":
                assert row["difference"] == pytest.approx(np.mean([own - base for own, base in known]), abs=1e-9)
                assert row["p"] <= row["p_holm"] <= 1
    one, other, mean = (
        next(row["values"] for row in results["variants"] if (row["dimension"], row["name"]) == (name, "only lexical"))
        for name in results["dimensions"]
    )
    for a, b, found in zip(one, other, mean, strict=True):
        assert found == (None if a is None or b is None else pytest.approx((a + b) / 2))
    tested = sorted((row for row in results["variants"] if row["kind"] != "baseline"), key=lambda row: row["p"])
    assert len(tested) == (VARIANTS - 1) * 3, "all p values are corrected together"
    assert tested[0]["p_holm"] == pytest.approx(min(1, tested[0]["p"] * len(tested)))
    assert table(results).count("no evidence of a difference") == sum(row["p_holm"] > 0.05 for row in tested)
    # Every variant in two dimensions, under two draws.
    assert len((whole / "trials.jsonl").read_text("utf-8").splitlines()) == VARIANTS * 2 * 2
    with (whole / "results.csv").open(encoding="utf-8", newline="") as lines:
        read = list(csv.DictReader(lines))
    assert [row["name"] for row in read if row["dimension"] == MEAN][5:] == names
    section = show_study(whole / "results.json", ablation_section)
    assert section.count("<h3>") == 3 * 2, "a chart in the report for each dimension and kind"
    pytest.importorskip("matplotlib")
    plot = (whole / "results.svg").read_text("utf-8")
    assert all(name in plot for name in [*(f"without {name}" for name in FAMILIES), "mean ("])


def test_differences_by_hand() -> None:
    nan = float("nan")
    # (n_topics, n_measures): full, judged, condensed, correlation; the last topic cannot be scored.
    base = np.array([[0.5, 1.0, 0.5, 0.5]] * 6 + [[nan] * 4])
    less = np.array([[0.4, 1.0, 0.5, 0.3]] * 6 + [[nan] * 4])
    keys = [("quality", "all features", "baseline"), ("quality", "without role", "leave-one-out")]
    first, second = compared(dict(zip(keys, [(9, base), (7, less)], strict=True)), column=3)
    assert "difference" not in first
    assert (first["mean"], first["topics"], first["columns"]) == (0.5, 6, 9)
    assert [second[name] for name in ("difference", "difference_low", "difference_high")] == pytest.approx([-0.2] * 3)
    # Of 64 patterns of six equal signs two are as far from 0.
    assert (second["p"], second["p_holm"], second["verdict"]) == (2 / 64, 2 / 64, "worse")


def test_a_killed_study_goes_on_to_the_same_results(whole: Path, index: Path, tmp_path: Path) -> None:
    done = (whole / "trials.jsonl").read_bytes()
    cut = tmp_path / "cut"
    cut.mkdir()
    (cut / "study.json").write_bytes((whole / "study.json").read_bytes())
    (cut / "trials.jsonl").write_bytes(done[: random.Random(4).randrange(len(done) * 3 // 4, len(done) - 1)])
    study(index, cut, "--study", "leave-one-out", "--study", "only")
    for name in ("results.json", "results.csv"):
        assert (cut / name).read_bytes() == (whole / name).read_bytes()
    assert sorted((cut / "trials.jsonl").read_bytes().splitlines()) == sorted(done.splitlines())


def test_two_processes_and_one_dimension_find_the_same(whole: Path, index: Path, tmp_path: Path) -> None:
    known = json.loads((whole / "results.json").read_text("utf-8"))["variants"]
    results = study(index, tmp_path / "two", "--jobs", "2", "--dimension", "coherence")
    assert results["dimensions"] == ["coherence"]
    assert len(results["variants"]) == 1 + len(FAMILIES)
    for row in results["variants"]:
        of = next(one for one in known if (one["dimension"], one["name"]) == ("coherence", row["name"]))
        assert row["values"] == of["values"]


def test_forward_takes_the_best_family_first(whole: Path, index: Path, tmp_path: Path) -> None:
    alone = {
        row["name"].removeprefix("only "): row["mean"]
        for row in json.loads((whole / "results.json").read_text("utf-8"))["variants"]
        if (row["dimension"], row["kind"]) == ("coherence", "only")
    }
    taken = ["--study", "forward", "--steps", "2", "--dimension", "coherence"]
    results = study(index, tmp_path / "x", *taken)
    first, second = (row for row in results["variants"] if row["kind"] == "forward")
    assert first["name"] == max(alone, key=alone.__getitem__)
    assert first["mean"] == alone[first["name"]]
    assert second["name"].startswith("+ ")
    assert second["columns"] > first["columns"]
    assert "a path, no proof" in table(results)


def test_another_measure_needs_no_new_trial(whole: Path, index: Path) -> None:
    trials = (whole / "trials.jsonl").read_bytes()
    before = {path: path.read_bytes() for path in whole.iterdir()}
    results = study(index, whole, "--measure", "full")
    assert results["measure"] == "nDCG@5"
    for row in results["variants"] + results["baselines"]:
        assert row["mean"] == pytest.approx(row["measures"]["full"])
        assert 0 <= row["low"] <= row["high"] <= 1
    assert (whole / "trials.jsonl").read_bytes() == trials
    for path, was in before.items():
        path.write_bytes(was)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--folds", "3"], r"holds another study \(it differs in: folds\); name a new folder with -o"),
        (["--trees", "3"], r"it differs in: parameters \(trees\)"),
        (["--seeds", "1"], r"it differs in: seeds"),
        (QRELS, r"it differs in: qrels"),
        (["--steps", "2"], "--steps is for --study forward"),
        (["--dimension", "quality"], "--dimension quality needs graded pairs of it; add --pair-qrels quality=FILE"),
    ],
)
def test_another_study_is_not_mixed_in(whole: Path, index: Path, options: list[str], message: str) -> None:
    before = {path.name: path.read_bytes() for path in whole.iterdir()}
    with pytest.raises(InputError, match=message):
        study(index, whole, *options)
    assert {path.name: path.read_bytes() for path in whole.iterdir()} == before


def test_a_folder_of_something_else_is_left_alone(index: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("\\begin")
    with pytest.raises(InputError, match="not empty and no study"):
        study(index, tmp_path)


def trial(name: str = "a", **figures: Any) -> str:
    return json.dumps({"trial": name, "figures": {measure: [1, None] for measure in MEASURES} | figures})


def test_a_spoilt_line_is_named(whole: Path, tmp_path: Path) -> None:
    place = tmp_path / "x"
    settings = json.loads((whole / "study.json").read_text("utf-8"))
    TrialLog(place, settings)
    assert not place.exists()
    log = TrialLog(place, settings)
    log.begin(2)
    log.add("a", {}, np.array([[1.0] * len(MEASURES), [np.nan] * len(MEASURES)]))
    good = f"{trial()}\n"
    assert json.loads((place / "trials.jsonl").read_text()) == json.loads(good)
    spoilt = [trial(full=of) for of in ([99, None], [-0.5, None], [True, None], ["1", None], [1], 3, "1", [[1], None])]
    spoilt += [trial(correlation=[float("nan"), None]), trial(correlation=[-1.5, None])]
    for bad in ("rubbish", "[]", '{"trial": "b"}', '{"trial": "b", "figures": 3}', *spoilt):
        (place / "trials.jsonl").write_text(f'{good}{bad}\n{{"tri')
        with pytest.raises(InputError, match=r"trials\.jsonl line 2: this is no record of a study"):
            TrialLog(place, settings)
    (place / "trials.jsonl").write_text(f'{good}{trial("b", correlation=[-1, 0.5])}\n{{"tri')
    again = TrialLog(place, settings)
    assert "a" in again.trials
    assert again.trials["b"][:, MEASURES.index("correlation")].tolist() == [-1, 0.5]
    assert (place / "trials.jsonl").read_text().startswith(good)
    again.begin(2)
    with pytest.raises(InputError, match="trial a has figures of other than 3 topics; delete the folder"):
        again.begin(3)


def test_families() -> None:
    every = columns()
    by_feature = families_of(every, "features")
    assert [column for of in by_feature.values() for column in of] == every
    assert list(by_feature) == [feature.name for feature in FEATURES]
    assert list(families_of(every, "groups")) == FAMILIES


def test_with_an_encoder_it_is_a_study_of_heads(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(ENCODERS, "words", lambda what, threads: word_encoder(what))
    options = ["--encoder", "words:words-1", "--dimension", "coherence", "--seeds", "1"]
    results = study(index, tmp_path / "x", *options)
    assert results["study"]["encoder"] == word_encoder().digest
    said = capsys.readouterr().out
    assert "\nwithout semantic " in said
    size = find_task("pairs").config.head
    assert f"\nOf graded pairs and the {size} best of each topic by the shipped model's first step.\n" in said
    draw = study_settings(vars(ablation.parser().parse_args([*OPTIONS, *PAIRS, "-o", "x", *options])))
    data = read_study_data(replace(draw, index=index))
    made = draw_folds(data, data.open_index(QUIET), QUIET)
    assert made.matrix.features[columns(head=True)].notna().all(axis=None)
    assert {*made.examples.inputs} >= {*columns(head=True)}
    width = data.task.config.head + max(map(len, data.judgments.graded_ids().values()))
    assert made.matrix.groups.max() <= width
    with pytest.raises(InputError, match="another"):
        study(index, tmp_path / "x", "--dimension", "coherence", "--seeds", "1")


# ---- another task ---------------------------------------------------------------------------------


def test_whole_arguments_are_a_study_of_their_own_features(index: Path, tmp_path: Path) -> None:
    graded = [*QRELS, "--quality-qrels", str(SAMPLE / "qrels-train-quality.qrels")]
    argv = [*OPTIONS, "--task", "arguments", *graded, "--index", str(index), "-o", str(tmp_path / "x"), "--seeds", "1"]
    assert ablation.main(argv) == 0
    results = json.loads((tmp_path / "x" / "results.json").read_text("utf-8"))
    assert (results["study"]["task"], results["dimensions"]) == ("arguments", ["relevance", "quality", MEAN])
    own = [
        feature
        for feature in all_features()
        if feature.columns("argument") and not (feature.needs_encoder or feature.needs_answers)
    ]
    assert list(results["study"]["features"]) == [feature.name for feature in own]
    every = columns("argument")
    for dimension in results["dimensions"]:
        rows = {row["name"]: row for row in results["variants"] if row["dimension"] == dimension}
        assert list(rows) == ["all features", *(f"without {name}" for name in families_of(every, "groups"))]
        assert rows["all features"]["columns"] == len(every)
        topics = {len(row["values"]) for row in rows.values()}
        assert topics == {len(read_qrels(Path(QRELS[1])))}
    plain = {row["name"] for row in results["baselines"]}
    assert {"dph", "length", "random"} <= plain, "rankers of arguments stand beside it"
    before = (tmp_path / "x" / "trials.jsonl").read_bytes()
    assert ablation.main(argv) == 0
    assert (tmp_path / "x" / "trials.jsonl").read_bytes() == before
    assert json.loads((tmp_path / "x" / "results.json").read_text("utf-8")) == results
    with pytest.raises(InputError, match="it differs in: task, "):
        ablation.main([*OPTIONS, *PAIRS, "--index", str(index), "-o", str(tmp_path / "x"), "--seeds", "1"])


def test_documents_are_a_study_with_linear_rankers(tmp_path: Path) -> None:
    sample = find_task("comparative").sample
    argv = ["-i", str(sample.folder), "--topics", str(sample.topics), "--qrels", *map(str, sample.qrels["relevance"])]
    options = "--task comparative --objective linear --folds 2 --seeds 1 --jobs 1 --quiet".split()
    assert ablation.main([*argv, *options, "--index", str(tmp_path / "index"), "-o", str(tmp_path / "x")]) == 0
    results = json.loads((tmp_path / "x" / "results.json").read_text("utf-8"))
    assert results["study"]["parameters"]["objective"] == "linear"
    names = [row["name"] for row in results["variants"] if row["dimension"] == "relevance"]
    assert names == ["all features", *(f"without {name}" for name in families_of(columns("document"), "groups"))]


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("pairs", [], "figures of pairs need graded pairs; add --pair-qrels"),
        ("arguments", [], "figures of arguments need graded arguments; add --qrels FILE or --quality-qrels FILE"),
        ("arguments", PAIRS, "--pair-qrels: this task ranks arguments; leave it out, or take --task pairs"),
        ("arguments", [*QRELS, "--dimension", "quality"], "needs graded arguments of it; add --quality-qrels FILE"),
        ("arguments", [*QRELS, "--dimension", "coherence"], "of it; it is none of relevance, quality"),
    ],
)
def test_what_a_task_needs(index: Path, tmp_path: Path, task: str, options: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ablation.main([*OPTIONS, "--task", task, *options, "--index", str(index), "-o", str(tmp_path / "x")])
    assert not list(tmp_path.iterdir())


# ---- what makes a study another one ---------------------------------------------------------------


def test_of_two_files_of_one_name_either_may_change(index: Path, tmp_path: Path) -> None:
    graded = GRADED["coherence"].read_text("utf-8").splitlines(keepends=True)
    files = [tmp_path / name / "same.qrels" for name in ("a", "b")]
    for path, lines in zip(files, (graded[:90], graded[90:]), strict=True):
        path.parent.mkdir()
        path.write_text("".join(lines))
    both = [part for path in files for part in ("--pair-qrels", f"coherence={path}")]
    few = ["--seeds", "1", "--study", "only", "--dimension", "coherence"]
    argv = [*OPTIONS, *both, *few, "--index", str(index), "-o", str(tmp_path / "x")]
    assert ablation.main(argv) == 0
    for path in files:
        kept = path.read_text()
        path.write_text(kept.replace(" 2\n", " 1\n"))
        with pytest.raises(InputError, match=r"it differs in: pairs of coherence \(same.qrels\)"):
            ablation.main(argv)
        path.write_text(kept)
    assert ablation.main(argv) == 0


def test_the_features_that_differ_are_named(whole: Path, index: Path, tmp_path: Path) -> None:
    old = json.loads((whole / "study.json").read_text("utf-8"))
    names = list(old["features"])
    assert names == columns(), "others do not make it another study"
    del old["features"][names[0]]
    old["features"][names[1]] = "0"
    old["features"]["gone"] = "0"
    place = tmp_path / "old"
    place.mkdir()
    (place / "study.json").write_text(json.dumps(old))
    named = ", ".join(sorted(["gone", *names[:2]]))
    with pytest.raises(InputError, match=rf"it differs in: features \({named}\)\); name a new folder"):
        study(index, place)


# ---- one study at a time --------------------------------------------------------------------------


def test_a_second_study_in_the_same_folder_is_refused_at_once(whole: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in whole.iterdir()}
    (tmp_path / "link").symlink_to(whole)
    command = [sys.executable, "-m", "ltr.cli.main", "ablation", *OPTIONS, *PAIRS, "--index", str(tmp_path / "none")]
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


def test_what_a_study_is_stands_before_its_first_trial(
    index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError

    monkeypatch.setattr(ablation_trials, "try_columns", fail)
    with pytest.raises(OSError):  # noqa: PT011
        study(index, tmp_path / "x")
    assert [path.name for path in (tmp_path / "x").iterdir()] == ["study.json"]


# ---- what it says meanwhile -----------------------------------------------------------------------


def test_it_says_where_trials_are_and_how_many(whole: Path, index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    loud = [part for part in OPTIONS if part != "--quiet"]
    again = ["--study", "leave-one-out", "--study", "only", "--study", "forward", "--steps", "1"]
    assert ablation.main([*loud, *PAIRS, "--index", str(index), "-o", str(whole), *again]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"trials are kept in {whole / 'trials.jsonl'}; after a stop, the same command goes on there",
        f"0 trials to make, {VARIANTS * 4} made before",
        f"forward: {len(FAMILIES) * 4} trials, fewer where some were made before",
    ]
    study(index, whole, *again)
    assert capsys.readouterr().err == ""
