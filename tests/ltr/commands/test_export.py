"""The feature matrix in other tools' formats: what their own readers find in it is what we had."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file
from support.corpora import SMALL, write_corpus
from support.sample_model import sample_index
from support.tables import make_matrix, plain_matrix

from features.core.registry import column_features
from ltr import export
from ltr.cli.process import run_command
from ltr.corpora.base import open_corpus
from ltr.data.qrels import read_qrels, write_qrels
from ltr.data.topics import Topic, read_topics, write_topics
from ltr.errors import InputError
from ltr.export import FORMATS, SIDE, matrix_frame, topic_ids, write_matrix
from ltr.index.reader import open_index
from ltr.parallel.processes import Processes
from ltr.pipeline.extract import describe_topics
from ltr.pipeline.matrix import Matrix
from ltr.progress import Progress
from ltr.retrieval.base import CandidateConfig
from ltr.supervision.judgments import Judgments
from ltr.supervision.labels import Labels, make_labels
from ltr.tasks import find_task
from ltr.train import SAMPLE

IDENTITY = ["topic", "first", "second", "stance", "label", "weight", "used"]
needs_pyarrow = pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="pyarrow is not installed")


def labels_of(matrix: Matrix) -> Labels:
    """A third of the rows are unlabelled."""
    rng = np.random.default_rng(0)
    label = np.where(np.arange(len(matrix)) % 3 == 0, np.nan, rng.random(len(matrix)))
    return Labels(label, rng.random(len(matrix)), {})


def read_letor(path: Path, columns: int) -> tuple[np.ndarray[Any, Any], ...]:
    X, y, qid = load_svmlight_file(str(path), n_features=columns, query_id=True, zero_based=False)
    return X.toarray(), y, qid


# ---- LETOR ----------------------------------------------------------------------------------------


def test_a_letor_file_by_hand(tmp_path: Path) -> None:
    matrix = plain_matrix(
        {"7": [("a", "b"), ("a", "c")], "5": [("d", "e")]},
        {"x": [0.1, 2, -3], "bm25_k0.9_b0.4_sentence_min": [0, 1, 0.5]},
    )
    labels = Labels(np.array([1, 0.25, np.nan]), np.array([0.5, 2.0, 9.0]), {})
    assert write_matrix(tmp_path / "m.svm", matrix, labels) == 2
    # Topic 5 comes first; the label of its one row is the first, and the last row has none.
    assert (tmp_path / "m.svm").read_text() == (
        "1.0 qid:5 1:-3.0 2:0.5 # d,e weight = 0.5\n"
        "0.25 qid:7 1:0.1 2:0.0 # a,b weight = 2.0\n"
    )  # fmt: skip
    assert (tmp_path / f"m.svm{SIDE}").read_text() == (
        "number\tcolumn\tgroup\n1\tx\t\n2\tbm25_k0.9_b0.4_sentence_min\tlexical\n"
    )
    assert write_matrix(tmp_path / "m.svm", matrix) == 3
    assert (tmp_path / "m.svm").read_text().splitlines()[-1] == "0 qid:7 1:2.0 2:1.0 # a,c"


@pytest.mark.parametrize("suffix", [suffix for suffix, kind in FORMATS.items() if kind == "letor"])
def test_scikit_learn_reads_the_same_values(suffix: str, tmp_path: Path) -> None:
    matrix = make_matrix()
    labels = labels_of(matrix)
    path = tmp_path / f"m{suffix}"
    written = write_matrix(path, matrix, labels)
    X, y, qid = read_letor(path, matrix.features.shape[1])
    used = labels.used
    assert len(X) == written == used.sum() < len(matrix)
    assert (X.astype(np.float32) == matrix.features.to_numpy()[used]).all()
    assert (y == labels.label[used]).all()
    assert (qid == np.repeat([2, 3, 10], matrix.groups)[used]).all()
    pairs = [line.split(" # ")[1].split()[0] for line in path.read_text().splitlines()]
    assert pairs == matrix.ids[used].tolist()
    weights = [float(line.rsplit(" ", 1)[1]) for line in path.read_text().splitlines()]
    assert weights == labels.weight[used].tolist()


def test_without_labels_every_row_is_there(tmp_path: Path) -> None:
    matrix = make_matrix()
    write_matrix(tmp_path / "m.svm", matrix)
    X, y, _ = read_letor(tmp_path / "m.svm", matrix.features.shape[1])
    assert (X.astype(np.float32) == matrix.features.to_numpy()).all()
    assert not y.any()


def test_the_side_file_names_every_number(tmp_path: Path) -> None:
    matrix = make_matrix()
    write_matrix(tmp_path / "m.svm", matrix)
    side = pd.read_csv(tmp_path / f"m.svm{SIDE}", sep="\t", comment="#")
    known = column_features()
    assert side["number"].tolist() == list(range(1, len(known) + 1))
    assert side["column"].tolist() == list(matrix.features.columns)
    assert side["group"].tolist() == [known[column].group for column in side["column"]]


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_any_float32_survives(tmp_path_factory: pytest.TempPathFactory, values: list[float]) -> None:
    folder = tmp_path_factory.mktemp("values")
    matrix = plain_matrix(
        {"1": [("a", f"b{n:02d}") for n in range(len(values))]}, {"x": values, "one": [1] * len(values)}
    )
    write_matrix(folder / "m.svm", matrix)
    assert (read_letor(folder / "m.svm", 2)[0][:, 0].astype(np.float32) == np.float32(values)).all()
    write_matrix(folder / "m.csv", matrix)
    assert (pd.read_csv(folder / "m.csv", dtype={"x": np.float32})["x"] == np.float32(values)).all()


def test_topics_that_are_no_numbers_go_by_place(tmp_path: Path) -> None:
    assert topic_ids(["2", "10", "51"]) == {"2": 2, "10": 10, "51": 51}
    assert topic_ids(["2", "10", "cars"]) == {"2": 1, "10": 2, "cars": 3}
    assert topic_ids(["07", "7"]) == {"07": 1, "7": 2}, "both are the number 7"
    assert topic_ids(["9" * 19]) == {"9" * 19: 1}, "no 64 bits hold it"
    assert topic_ids(["9" * 18]) == {"9" * 18: int("9" * 18)}
    matrix = plain_matrix({"cars": [("a", "b")], "3": [("a", "b")]})
    write_matrix(tmp_path / "m.svm", matrix)
    assert read_letor(tmp_path / "m.svm", 1)[2].tolist() == [1, 2]
    said = (tmp_path / f"m.svm{SIDE}").read_text().splitlines()
    assert said[:3] == ["# qid 1 is topic 3", "# qid 2 is topic cars", "number\tcolumn\tgroup"]
    write_matrix(tmp_path / "m.svm", plain_matrix({"9" * 18: [("a", "b")]}))
    assert read_letor(tmp_path / "m.svm", 1)[2].tolist() == [int("9" * 18)]


# ---- tables ---------------------------------------------------------------------------------------


def test_the_table() -> None:
    matrix = make_matrix()
    labels = labels_of(matrix)
    frame = matrix_frame(matrix, labels)
    assert list(frame.columns) == [*IDENTITY, *matrix.features.columns]
    assert frame[list(matrix.features.columns)].equals(matrix.features)
    assert frame["topic"].tolist() == np.repeat(matrix.topics, matrix.groups).tolist()
    assert frame["first"].tolist() == matrix.parts[:, 0].tolist()
    assert frame["stance"].tolist() == matrix.stance.tolist()
    assert (frame["used"] == ~np.isnan(labels.label)).all()
    assert (frame["label"].isna() == ~frame["used"]).all()
    assert (frame["weight"] == np.where(labels.used, labels.weight, 0)).all()
    bare = matrix_frame(matrix)
    assert bare["label"].isna().all()
    assert bare["weight"].isna().all()
    assert not bare["used"].any()


@needs_pyarrow
@pytest.mark.parametrize("labelled", [True, False])
def test_pandas_reads_the_same_parquet(labelled: bool, tmp_path: Path) -> None:
    matrix = make_matrix()
    labels = labels_of(matrix) if labelled else None
    write_matrix(tmp_path / "m.parquet", matrix, labels)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "m.parquet"), matrix_frame(matrix, labels))


def test_pandas_reads_the_same_csv(tmp_path: Path) -> None:
    matrix = make_matrix()
    labels = labels_of(matrix)
    write_matrix(tmp_path / "m.csv", matrix, labels)
    expected = matrix_frame(matrix, labels)
    types = {**dict.fromkeys(matrix.features.columns, np.float32), "topic": str}
    found = pd.read_csv(tmp_path / "m.csv", dtype=types)
    pd.testing.assert_frame_equal(found, expected)


@pytest.mark.parametrize("suffix", [".svm", ".csv", pytest.param(".parquet", marks=needs_pyarrow)])
def test_twice_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        matrix = make_matrix()
        write_matrix(tmp_path / f"{name}{suffix}", matrix, labels_of(matrix))
    assert (tmp_path / f"a{suffix}").read_bytes() == (tmp_path / f"b{suffix}").read_bytes()


def test_an_error_leaves_the_older_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = make_matrix()
    for suffix in (".svm", ".csv"):
        write_matrix(tmp_path / f"m{suffix}", matrix)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def broken(*_: object, **__: object) -> Any:
        yield "half a line"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export, "_letor_lines", broken)
    monkeypatch.setattr(pd.DataFrame, "to_csv", lambda *a, **k: list(broken()))
    for suffix in (".svm", ".csv"):
        with pytest.raises(OSError, match="No space"):
            write_matrix(tmp_path / f"m{suffix}", matrix)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert len(before) == 3


# ---- the command ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", ["relevance", "quality", "coherence"])
def test_labels_are_those_that_training_learns_from(
    dimension: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    topics = read_topics(SAMPLE / "topics-train.xml")[:1]
    write_topics(tmp_path / "one.xml", topics)
    files = {
        "arguments": SAMPLE / f"qrels-train-{dimension}.qrels",
        "pairs": SAMPLE / f"qrels-train-pairs-{dimension}.qrels",
    }
    qrels = {
        level: {topic.number: read_qrels(path)[topic.number] for topic in topics} if path.exists() else {}
        for level, path in files.items()
    }
    for level, found in qrels.items():
        write_qrels(tmp_path / f"{level}.qrels", found)
    out = tmp_path / "m.csv"
    options = ["--topics", str(tmp_path / "one.xml"), "--dimension", dimension]
    options += ["--pair-qrels", f"{dimension}={tmp_path}/pairs.qrels"]
    options += ["--qrels", str(tmp_path / "arguments.qrels")] if qrels["arguments"] else []
    common = ["-i", str(SAMPLE), "--index", str(sample_index()), "--quiet", "--jobs", "1"]
    assert export.main([*common, *options, "-o", str(out)]) == 0
    found = pd.read_csv(out, dtype={"topic": str})

    index = open_index(open_corpus(str(SAMPLE)), sample_index(), Progress(quiet=True))
    judgments = Judgments({dimension: qrels["pairs"]}, {dimension: qrels["arguments"]} if qrels["arguments"] else {})
    matrix = describe_topics(
        find_task("pairs"),
        index,
        topics,
        CandidateConfig(),
        graded=judgments.graded_ids(),
        workers=Processes(1),
        progress=Progress(quiet=True),
    )
    expected = make_labels(matrix, judgments, dimension)
    assert found["label"].to_numpy() == pytest.approx(expected.label, abs=0, nan_ok=True)
    assert (found["weight"] == np.where(expected.used, expected.weight, 0)).all()
    assert found["used"].tolist() == expected.used.tolist()
    used = int(expected.used.sum())
    assert expected.counts["graded pairs"] == len(qrels["pairs"]["1"]) < used < len(matrix)
    grades = dict(zip(found["first"] + "," + found["second"], found["label"], strict=True))
    for pair, grade in qrels["pairs"]["1"].items():
        first, second = pair.split(",")
        assert grades.get(pair, grades.get(f"{second},{first}")) == grade
    assert capsys.readouterr().out == (
        f"{out}: {len(matrix):,} pairs of 1 topics, {matrix.features.shape[1]} features; "
        f"{used:,} labelled, {len(matrix) - used:,} without a label\n"
    )


def options_of(tmp_path: Path, name: str) -> list[str]:
    corpus = write_corpus(tmp_path / "corpus", SMALL)
    write_topics(corpus / "topics.xml", [Topic("1", "Ban cars?"), Topic("2", "Zyzzyva quokka?")])
    (tmp_path / "out").mkdir(exist_ok=True)
    place = ["--index", str(tmp_path / "index"), "--quiet", "--jobs", "1"]
    return ["-i", str(corpus), "-o", str(tmp_path / "out" / name), *place]


def test_the_letor_file_of_a_small_corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = options_of(tmp_path, "m.svm")
    write_qrels(tmp_path / "q.qrels", {"1": {"S2-A9": 2.0, "S1-A1": 0.0}})
    assert export.main([*options, "--qrels", str(tmp_path / "q.qrels"), "--timings"]) == 0
    said = capsys.readouterr()
    _, y, qid = read_letor(tmp_path / "out" / "m.svm", len(column_features()))
    assert set(qid) == {1}
    assert len(set(y)) > 1
    assert f"{len(y)} pairs of 1 topics" in said.out
    assert f"{len(y)} labelled, 0 without a label" in said.out
    assert "warning: topic 2: no argument shares a word with it; it is not in the matrix" in said.err
    assert "write " in said.err
    assert export.main(options) == 0
    _, y, _ = read_letor(tmp_path / "out" / "m.svm", len(column_features()))
    assert not y.any()
    assert capsys.readouterr().out.endswith(f"{len(column_features())} features\n")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["m.svm", f"m.svm{SIDE}"]


REFUSED = {
    "no such format": ("m.xlsx", [], "no format has the suffix '.xlsx'; use one of .svm .letor .txt .parquet .csv"),
    "no suffix": ("m", [], "no format has the suffix ''"),
    "unknown topic": (
        "m.csv",
        ["--qrels", "{place}/99.qrels"],
        "no topics file holds (99)",
    ),
    "pairs": ("m.csv", ["--qrels", "{place}/pairs.qrels"], "these judge pairs"),
    "another corpus": ("m.csv", ["--qrels", "{place}/other.qrels"], "no judged argument is in this corpus"),
    "arguments in coherence": (
        "m.csv",
        ["--qrels", "{place}/q.txt", "--dimension", "coherence"],
        "judgments of arguments do not speak of coherence",
    ),
    "pairs of another dimension": (
        "m.csv",
        ["--pair-qrels", "quality={place}/pairs.qrels"],
        "no pairs are graded in relevance; add --pair-qrels relevance=FILE or --dimension",
    ),
    "its own pairs": ("../pairs.txt", ["--pair-qrels", "relevance={place}/pairs.txt"], "would replace what it is made"),
    "no qrels": ("m.csv", ["--qrels", "{place}/none.qrels"], "cannot be read"),
    "no topics": ("m.csv", ["--topics", "{place}/none.xml"], "cannot be read"),
    "no match": ("m.csv", ["--topics", "{place}/odd.xml"], "no topic matches any argument"),
    "no dimension": ("m.csv", ["--dimension", "style"], "invalid choice"),
    "a directory": ("folder.csv", [], "is a directory; name a file"),
    "its own corpus": ("../corpus/args_processed.csv", [], "would replace what it is made from"),
    "its own qrels": ("../q.txt", ["--qrels", "{place}/q.txt"], "would replace what it is made from"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name, more, said = REFUSED[case]
    options = options_of(tmp_path, name)
    write_qrels(tmp_path / "99.qrels", {"99": {"S2-A9": 1.0}})
    write_qrels(tmp_path / "pairs.qrels", {"1": {"S2-A9__PREMISE__1,S1-A1__PREMISE__1": 1.0}})
    write_qrels(tmp_path / "pairs.txt", {"1": {"S2-A9__PREMISE__1,S1-A1__PREMISE__1": 1.0}})
    write_qrels(tmp_path / "other.qrels", {"1": {"S0-A0": 1.0}})
    write_qrels(tmp_path / "q.txt", {"1": {"S2-A9": 1.0}})
    write_topics(tmp_path / "odd.xml", [Topic("1", "Zyzzyva?")])
    (tmp_path / "out" / "folder.csv").mkdir()
    corpus = (tmp_path / "corpus" / "args_processed.csv").read_bytes()
    monkeypatch.setattr(sys, "argv", ["export", *options, *(word.format(place=tmp_path) for word in more)])
    with pytest.raises(SystemExit) as caught:
        run_command(export.main)
    out, err = capsys.readouterr()
    assert (caught.value.code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")
    assert said in err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["folder.csv"]
    assert (tmp_path / "corpus" / "args_processed.csv").read_bytes() == corpus


def test_parquet_without_pyarrow_is_refused_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyarrow" else find(name))
    with pytest.raises(
        InputError, match=r"needs the package pyarrow; pip install 'riposte\[parquet\]', or name a .csv"
    ):
        export.main(options_of(tmp_path, "m.parquet"))
    assert not (tmp_path / "index").exists()
