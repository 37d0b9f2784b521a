"""What training refuses, counts and warns of."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from features.registry import column_features
from features.text import Analyzer
from ltr import train
from ltr.errors import InputError
from ltr.formats import Qrels, Topic, read_qrels, read_topics, write_qrels, write_topics
from ltr.labelling import labelling_functions
from ltr.learning import signed_columns
from ltr.progress import Progress
from ltr.supervision import DEFAULT, UNJUDGED
from ltr.train import SAMPLE, alike, judgment_files, kept_columns, label_functions, parser
from models.blend import DIMENSIONS, WEIGHTS

ROOT = Path(__file__).resolve().parents[1]
FEW = ["--trees", "10", "--seeds", "1", "--folds", "2", "--quiet"]
RELEVANCE = read_qrels(SAMPLE / "qrels-train-relevance.qrels")
QUALITY = read_qrels(SAMPLE / "qrels-train-quality.qrels")
TOPICS = read_topics(SAMPLE / "topics-train.xml")
_KEPT: list[tempfile.TemporaryDirectory[str]] = []


@cache
def trained_on_sample() -> Path:
    """A model trained by the command without options but few trees, with its index beside it; once a session."""
    _KEPT.append(tempfile.TemporaryDirectory())
    folder = Path(_KEPT[0].name)
    assert train.main(["-m", str(folder / "model"), *FEW, "--jobs", "1", "--index", str(folder / "index")]) == 0
    return folder / "model"


def manifest_of(model: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((model / "manifest.json").read_text("utf-8"))
    return found


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("train") / "index"


def run(place: Path, index: Path, qrels: Qrels, *options: str) -> None:
    write_qrels(place / "q.qrels", qrels)
    write_topics(place / "t.xml", [topic for topic in TOPICS if topic.number in qrels])
    files = ["--topics", str(place / "t.xml"), "--qrels", str(place / "q.qrels")]
    common = [
        "--index",
        str(index),
        "-m",
        str(place / "model"),
        "--quiet",
        "--jobs",
        "1",
        "--trees",
        "5",
        "--seeds",
        "1",
    ]
    train.main(["-i", str(SAMPLE), *files, *common, *options])


def one_topic(number: str = "1") -> Qrels:
    return {number: RELEVANCE[number]}


REFUSED = {
    "one topic cannot be held out": (one_topic(), "too few, or too alike, to hold some out"),
    "nothing is relevant": (
        {number: dict.fromkeys(RELEVANCE[number], 0.0) for number in ("1", "3")},
        "no topic has an argument of good relevance among its candidates",
    ),
    "pairs are judged": ({"1": {"S1-A1__PREMISE__1,S1-A1__CONC__1": 1.0}}, "these judge pairs"),
    "another corpus": ({"1": {"Sff-Aff": 1.0}}, "no judged argument is in this corpus"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_judgments_that_teach_nothing_are_refused(case: str, tmp_path: Path, index: Path) -> None:
    qrels, said = REFUSED[case]
    with pytest.raises(InputError, match=said):
        run(tmp_path, index, qrels)
    assert not (tmp_path / "model").exists()


def some(qrels: Qrels) -> Qrels:
    return {number: qrels[number] for number in list(RELEVANCE)[:4]}


def test_labels_that_are_all_the_same_are_refused(tmp_path: Path, index: Path) -> None:
    same = {number: dict.fromkeys(grades, 3.0) for number, grades in some(RELEVANCE).items()}
    with pytest.raises(InputError, match="the same label"):
        run(tmp_path, index, same, "--labels", "minimum_grade", "--unjudged", "0")


def test_labels_without_judgments_are_refused(tmp_path: Path, index: Path) -> None:
    with pytest.raises(InputError, match="none of these functions looks at the judgments"):
        run(tmp_path, index, some(RELEVANCE), "--labels", "debris,position")
    assert not (tmp_path / "model").exists()


# ---- what the options do --------------------------------------------------------------------------


def test_explain_labels_names_every_function_and_writes_no_model(
    tmp_path: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, index, some(RELEVANCE), "--explain-labels")
    out = capsys.readouterr().out
    rows = re.findall(r"^  (\w+) +([\d.]+)% +([\d.]+)% +([\d.]+)% +([\d.]+) +([\d.]+)$", out, re.M)
    assert [row[0] for row in rows] == list(labelling_functions())
    for _, *shares, accuracy, voices in rows:
        assert all(0 <= float(share) <= 100 for share in shares)
        assert 0 < float(accuracy) < 1
        assert float(voices) >= 1
    assert out.startswith("labels of relevance: ")
    assert "quality" not in out
    assert not (tmp_path / "model").exists()


def test_explain_labels_of_the_functions_that_are_named(
    tmp_path: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_qrels(tmp_path / "quality.qrels", some(QUALITY))
    options = ["--explain-labels", "--labels", "debris,minimum_grade", "--quality-qrels"]
    run(tmp_path, index, some(RELEVANCE), *options, str(tmp_path / "quality.qrels"))
    out = capsys.readouterr().out
    assert re.findall(r"^labels of (\w+): ", out, re.M) == ["relevance", "quality"]
    assert re.findall(r"^  (\w+) +[\d.]+%", out, re.M) == ["debris", "minimum_grade"] * 2
    assert not (tmp_path / "model").exists()


def test_quality_has_judgments_of_its_own(tmp_path: Path, index: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_qrels(tmp_path / "quality.qrels", some(QUALITY))
    both = ["--quality-qrels", str(tmp_path / "quality.qrels"), "--target", "quality", "--unjudged", "0"]
    run(tmp_path, index, some(RELEVANCE), *both)
    found = manifest_of(tmp_path / "model")
    assert found["labels"].keys() == found["cross_validation"]["figures"].keys() == {"relevance", "quality"}
    assert {name: list(files) for name, files in found["data"]["qrels"].items()} == {
        "relevance": ["q.qrels"],
        "quality": ["quality.qrels"],
    }
    assert found["blend"]["weights"] == {"relevance": 0, "quality": 1, "coherence": 0}
    assert all(one["account"]["unjudged pairs as light negatives"] == 0 for one in found["labels"].values())
    assert "held-out argument-level nDCG@5 of quality" in capsys.readouterr().out


def test_quality_may_be_judged_alone(tmp_path: Path, index: Path) -> None:
    write_qrels(tmp_path / "q.qrels", some(QUALITY))
    write_topics(tmp_path / "t.xml", [topic for topic in TOPICS if topic.number in some(QUALITY)])
    files = ["--topics", str(tmp_path / "t.xml"), "--quality-qrels", str(tmp_path / "q.qrels")]
    options = [*files, "--index", str(index), "--jobs", "1", "--blend", "1,2,0.5", "--labels", "minimum_grade"]
    assert train.main(["-i", str(SAMPLE), "-m", str(tmp_path / "model"), *FEW, *options]) == 0
    found = manifest_of(tmp_path / "model")
    assert found["labels"].keys() == {"quality"}
    assert found["rankers"].keys() == set(DIMENSIONS)
    assert found["blend"]["weights"] == {"relevance": 1, "quality": 2, "coherence": 0.5}
    assert [row["name"] for row in found["labels"]["quality"]["functions"]] == ["minimum_grade"]


def test_bad_quality_judgments_are_refused(tmp_path: Path, index: Path) -> None:
    for qrels, said in (({"99": {"S1-A1": 1.0}}, "quality.qrels: judgments for 1 topic"), (None, "cannot be read")):
        if qrels:
            write_qrels(tmp_path / "quality.qrels", qrels)
        else:
            (tmp_path / "quality.qrels").unlink()
        with pytest.raises(InputError, match=said):
            run(tmp_path, index, some(RELEVANCE), "--quality-qrels", str(tmp_path / "quality.qrels"))


def test_the_sample_is_judged_in_both_dimensions() -> None:
    found = manifest_of(trained_on_sample())
    for name in ("relevance", "quality"):
        labels = found["labels"][name]
        assert [row["name"] for row in labels["functions"]] == list(DEFAULT[name])
        assert labels["overlaps"].keys() == set(DEFAULT[name])
        assert (labels["account"]["unjudged pairs as light negatives"] > 0) == (UNJUDGED[name] > 0)
    assert found["blend"]["weights"] == pytest.approx(dict(WEIGHTS))


def test_a_drop_that_changes_nothing_is_warned_of_and_recorded(
    tmp_path: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, index, some(RELEVANCE))
    plain = manifest_of(tmp_path / "model")
    assert "warning" not in capsys.readouterr().err
    run(tmp_path, index, some(RELEVANCE), "--drop", "readability", "--drop", "argument_terms")
    dropped = manifest_of(tmp_path / "model")
    (warning,) = capsys.readouterr().err.splitlines()
    assert warning.startswith("warning: --drop readability changes nothing in the model: rankers learn from features")
    assert "dropped" not in plain
    assert dropped["dropped"] == ["argument_terms", "readability"]
    assert set(plain["rankers"]["relevance"]["columns"]) - set(dropped["rankers"]["relevance"]["columns"]) == {
        "argument_terms_min",
        "argument_terms_max",
    }


def test_what_is_described_and_what_is_learned_from() -> None:
    every = column_features()
    out = io.StringIO()
    kept = kept_columns(["argument_terms"], Progress(stream=out))
    left = len(signed_columns(kept))
    assert 0 < left == len(signed_columns(list(every))) - 2
    assert out.getvalue() == f"features: {len(every)} columns described, {left} learned from (those with a sign)\n"


BROKEN = """
import numpy as np
from features.registry import feature

@feature("text", group="readability", unit="count", range=(0, 9), description="one number where many are due")
def broken(texts):
    return np.zeros(1)
"""


def test_a_feature_of_the_wrong_shape_ends_training_in_one_line_even_in_a_worker(tmp_path: Path, index: Path) -> None:
    for folder in ("ltr", "models"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (tmp_path / "features").mkdir()
    for path in (ROOT / "features").glob("*.*"):
        (tmp_path / "features" / path.name).symlink_to(path)
    (tmp_path / "features" / "zz_broken.py").write_text(BROKEN, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "ltr.train", "-m", "model", *FEW, "--index", str(index), "--jobs", "2"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    shape = r"gave shape \(1,\) where \(\d+,\) was due; return one finite number for each text"
    assert re.fullmatch(f"error: feature 'broken': {shape}", line)
    assert not (tmp_path / "model").exists()


# ---- parts ----------------------------------------------------------------------------------------


def test_which_files_judge_what() -> None:
    sample = {n: [SAMPLE / f"qrels-train-{n}.qrels"] for n in ("relevance", "quality")}
    a, b, c = Path("a"), Path("b"), Path("c")
    cases: dict[str, dict[str, list[Path]]] = {
        "": sample,
        "--qrels a --qrels b": {"relevance": [a, b]},
        "--quality-qrels c": {"quality": [c]},
        "--quality-qrels c --qrels a": {"relevance": [a], "quality": [c]},
    }
    for options, expected in cases.items():
        assert judgment_files(parser().parse_args(options.split())) == expected


def test_which_functions_label() -> None:
    every = list(labelling_functions())
    for dimension in DEFAULT:
        assert label_functions(None, dimension, explain=False) == list(DEFAULT[dimension])
        assert label_functions(None, dimension, explain=True) == every
        assert label_functions("all", dimension, explain=False) == every
        assert label_functions("minimum_grade,role", dimension, explain=True) == ["minimum_grade", "role"]
        with pytest.raises(InputError, match="none of these functions looks at the judgments"):
            label_functions("debris,role", dimension, explain=True)


def test_topics_that_share_half_of_their_words_are_alike() -> None:
    titles = {
        "1": "Should cars be banned?",
        "2": "Ban all cars!",  # ban and car: the same
        "3": "Are electric cars good?",  # electric car good: one of four
        "4": "Are electric cars bad?",  # two of four with 3: half
        "5": "Should we?",  # nothing but stop words
        "6": "Or not?",
    }
    topics = [Topic(*title) for title in titles.items()]
    assert alike(topics, Analyzer()) == [("1", "2"), ("3", "4")]
    assert alike(topics[:1], Analyzer()) == []
