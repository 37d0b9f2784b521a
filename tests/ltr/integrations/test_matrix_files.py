"""The feature table in other tools' formats: what their own readers find in it is what we had."""

from __future__ import annotations

from pathlib import Path

import lightgbm
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_svmlight_file
from support.sample_model import sample_index
from support.tables import Pair, make_table, plain_table

from ltr.commands import export
from ltr.data.qrels import read_qrels
from ltr.integrations.matrix_files import files_written, matrix_frame, whole_grades, write_matrix
from ltr.learning.labels import Labels
from ltr.ranking.candidates import Candidates
from ltr.sample import SAMPLE

A1, A2, B1, C1 = "S1-A1__PREMISE__1", "S1-A1__PREMISE__2", "S2-A2__PREMISE__1", "S3-A3__CONC__1"
PAIRS: dict[str, list[Pair]] = {"10": [(A1, A2), (B1, C1)], "2": [(A1, B1), (A1, C1), (A2, B1)]}
MATRIX = plain_table(PAIRS, {"x": [4, 5, 1, 2, 3], "y": [0.5, 0, 0, 0, 0.25]})  # rows of topic 2 come first
LABELS = Labels(np.array([0.49, np.nan, 0.5, 2.0, 1.2]), np.array([0.1, 0.0, 1.0, 1.0, 0.1]), {})
GRADES, WEIGHTS, SIZES = [0, 1, 2, 1], [0.1, 1, 1, 0.1], [2, 2]
"""Of the four rows that have a label."""


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def test_graded_rows_have_whole_labels_and_a_qid(tmp_path: Path) -> None:
    path = tmp_path / "train.svm"
    assert write_matrix(path, MATRIX, LABELS, grades=True) == 4
    assert lines(path)[1] == f"1 qid:2 1:3.0 2:0.25 # {A2},{B1} weight = 1.0"
    assert sorted(files_written(path)) == sorted(tmp_path.iterdir())
    values, labels, qid = load_svmlight_file(str(path), query_id=True)
    assert (labels.tolist(), qid.tolist()) == (GRADES, [2, 2, 10, 10])
    assert values.toarray().tolist() == [[1, 0], [3, 0.25], [4, 0.5], [5, 0]]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_graded_table_has_whole_labels_and_topics_in_order(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"train{suffix}"
    assert write_matrix(path, MATRIX, LABELS, grades=True) == 4
    table = pd.read_csv(path) if suffix == ".csv" else pd.read_parquet(path)
    assert list(table.columns) == ["topic", "first", "second", "stance", "qid", "label", "weight", "x", "y"]
    assert table["label"].dtype == table["qid"].dtype == np.int64
    assert (table["label"].tolist(), table["weight"].tolist()) == (GRADES, WEIGHTS)
    assert table["qid"].tolist() == [2, 2, 10, 10]


def test_without_grades_labels_are_fractions(tmp_path: Path) -> None:
    assert write_matrix(tmp_path / "train.svm", MATRIX, LABELS) == 4
    assert lines(tmp_path / "train.svm")[0] == f"0.49 qid:2 1:1.0 2:0.0 # {A1},{B1} weight = 0.1"
    assert {path.name for path in tmp_path.iterdir()} == {"train.svm", "train.svm.features.tsv"}
    table = matrix_frame(MATRIX, LABELS)
    assert len(table) == 5
    assert table["used"].tolist() == [True, False, True, True, True]


def test_halves_round_up_and_no_label_is_zero() -> None:
    labels = Labels(np.array([0, 0.5, 1.49, 1.5, 2]), np.ones(5), {})
    assert whole_grades(labels, np.arange(5)).tolist() == [0, 1, 1, 2, 2]
    assert whole_grades(None, np.arange(2)).tolist() == [0, 0]


# ---- other people's rankers learn from the files -----------------------------------------------------


def graded_problem() -> tuple[Candidates, Labels]:
    """Three topics with all features; the label grows with one of them, the topic's best quarter is a 2."""
    table = make_table()
    column = table["n_words_pair"].to_numpy(np.float64)
    label = np.empty(len(table))
    for _, rows in table.spans.items():
        label[rows] = np.digitize(column[rows], np.quantile(column[rows], [0.5, 0.75]))
    label[::7] = np.nan
    return table, Labels(label, np.ones(len(label)), {})


def test_lightgbm_learns_from_the_file(tmp_path: Path) -> None:
    table, labels = graded_problem()
    path = tmp_path / "train.svm"
    write_matrix(path, table, labels, grades=True)
    values, grades, qid = load_svmlight_file(str(path), query_id=True)
    assert np.array_equal(grades, labels.label[labels.used])
    few = {"min_data_in_leaf": 2, "min_data_in_bin": 1, "verbosity": -1, "num_threads": 1, "objective": "lambdarank"}
    booster = lightgbm.train(few, lightgbm.Dataset(values, grades, group=np.unique(qid, return_counts=True)[1]), 30)
    scores = np.asarray(booster.predict(table.features))
    words = table["n_words_pair"].to_numpy()
    for _, topic in table.spans.items():
        best = np.argsort(-scores[topic], kind="stable")[:5]
        assert words[topic][best].mean() > np.quantile(words[topic], 0.75)


def test_sources_and_votes_are_a_choice(tmp_path: Path) -> None:
    given = ["-i", str(SAMPLE), "--index", str(sample_index()), "--jobs", "1", "--quiet", "--grades"]
    grades, out = SAMPLE / "qrels-test-pairs-relevance.qrels", tmp_path / "table.letor"

    def weights(*options: str) -> set[str]:
        export.main([*given, *options, "-o", str(out)])
        return {line.partition(" weight = ")[2] for line in lines(out)}

    judged = ["--pair-qrels", f"relevance={grades}"]
    assert weights(*judged) == {"1.0", "0.1"}
    assert weights(*judged, "--sources", "graded") == {"1.0"}
    assert len(lines(out)) == sum(map(len, read_qrels(grades).values()))
    weights("--votes", f"gpt:relevance={grades}", "--sources", "votes")
    assert len(lines(out)) == sum(map(len, read_qrels(grades).values()))
