"""Somebody else's scores of items as a column: read, learned from, named by the model and asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.encoders import word_encoder
from support.refusals import refuses
from support.sample_model import sample_index
from support.tables import plain_matrix

from features.core.feature import all_columns, column_features, columns, is_given
from ltr.cli.options import Parser, add_options
from ltr.commands import predict, train
from ltr.data.runs import read_run
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.model_folder.store import MANIFEST
from ltr.ranking.external_scores import read_given_scores
from ltr.sample import SAMPLE
from ltr.searcher import Searcher
from models.learned import input_values, inputs_of

LINES = "1 b,a 2.5\n1 c,d -1e3\n\n2 a,b 7\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mono.txt"
    path.write_text(LINES)
    return path


def units(*pairs: tuple[str, str]) -> pd.DataFrame:
    return pd.DataFrame(pairs, columns=["id_1", "id_2"])


def test_a_column_has_the_scores_of_pairs_in_either_order(file: Path) -> None:
    given = read_given_scores([("mono", file), ("other", file)])
    assert given.columns == ["scores_mono", "scores_other"]
    found = given.frame("1", units(("a", "b"), ("x", "y"), ("d", "c")))
    assert found["scores_mono"].tolist() == pytest.approx([2.5, np.nan, -1000], nan_ok=True)
    assert found.dtypes.tolist() == [np.float32] * 2
    assert given.of_topic("2").frame("2", units(("a", "b")))["scores_other"].tolist() == [7]
    assert given.of_topic("2").frame("1", units(("a", "b"))).isna().all(axis=None)
    assert given.of_topic("3").frame("3", units()).shape == (0, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("1 a,b\n", "has 2 columns, not 3"),
        ("1 a,b high\n", "line 1: score 'high' is not a finite number"),
        ("1 a,b nan\n", "is not a finite number"),
        ("1 a,b 1e10\n", "is off the scale"),
        ("1 a,b 1\n2 a,b 1\n1 b,a 2\n", "line 3: 'b,a' of topic '1' is there already"),
    ],
)
def test_what_is_no_file_of_scores(text: str, said: str, file: Path) -> None:
    file.write_text(text)
    refuses(lambda: read_given_scores([("mono", file)]), str(file), said)


def test_names_and_topics_that_do_not_fit(file: Path) -> None:
    refuses(lambda: read_given_scores([("a", file), ("a", file)]), str(file), "two files of scores 'a'")
    given = read_given_scores([("a", file)])
    given.check_topics([Topic("2", "t"), Topic("9", "t")])
    refuses(lambda: given.check_topics([Topic("9", "t")]), str(file), "none of its lines is of these topics")


def test_what_is_covered(file: Path) -> None:
    given = read_given_scores([("mono", file)])
    matrix = plain_matrix({"1": [("a", "b"), ("c", "e")]}, {"scores_mono": [2.5, np.nan]})
    assert given.coverage(matrix) == ["scores mono: 50.0% of 2 items"]
    matrix.features["scores_mono"] = np.nan
    refuses(lambda: given.coverage(matrix), str(file), "none of its lines is of a candidate")


def test_the_option(file: Path) -> None:
    parser = Parser()
    add_options(parser, "--scores")
    read = parser.parse_args(["--scores", f"a-1={file}", "--scores", f"{file}"]).scores
    assert read == [("a-1", file), ("mono", file)]
    for wrong in ("a b=x", "=x", "a=", "a:b=x"):
        with pytest.raises(InputError, match="is not NAME=FILE"):
            parser.parse_args(["--scores", wrong])


def test_the_registry_knows_the_column_and_lists_it_not() -> None:
    known = column_features("argument")
    assert known["scores_mono"].group == all_columns()["scores_mono"].group == "scores"
    assert "scores_mono" not in known
    assert not [name for unit in ("pair", "argument", "document") for name in columns(unit) if is_given(name)]
    with pytest.raises(KeyError):
        known["no such column"]


def test_a_missing_score_counts_as_the_mean_of_its_topic() -> None:
    assert inputs_of(["scores_mono"]) == ["scores_mono@topic"]
    pairs = {"1": [("a", "b"), ("c", "d"), ("e", "f")], "2": [("a", "b")]}
    matrix = plain_matrix(pairs, {"scores_mono": [1, np.nan, 5, np.nan]})
    assert input_values(matrix, ["scores_mono@topic"])[:, 0].tolist() == [-1, 0, 1, 0]


# ---- a model of them ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder with a model in two steps that reads scores, ``mono``, of two thirds of the items.

    Its first step, which chooses the head, reads them in the process that describes a topic.
    """
    folder = tmp_path_factory.mktemp("scores")
    searcher = Searcher(SAMPLE, model="bm25", index=sample_index(), jobs=1)
    for name, topics in (("train", SAMPLE / "topics-train.xml"), ("test", SAMPLE / "topics.xml")):
        matrix = searcher.describe(topics, columns=())
        rows = [(topic, id_) for topic, span in matrix for id_ in matrix.ids[span]]
        lines = [f"{topic} {id_} {len(id_) + row % 7}\n" for row, (topic, id_) in enumerate(rows) if row % 3]
        (folder / f"{name}.txt").write_text("".join(lines))
    grades = {name: f"{name}={SAMPLE / f'qrels-train-pairs-{name}.qrels'}" for name in ("relevance", "quality")}
    judged = [word for grade in grades.values() for word in ("--pair-qrels", grade)]
    given = ["-i", str(SAMPLE), "--index", str(sample_index()), "--topics", str(SAMPLE / "topics-train.xml"), *judged]
    how = ["--objective", "linear", "--columns", "0", "--folds", "2", "--jobs", "1", "--quiet"]
    (folder / "words.py").write_text("from support.encoders import word_encoder\nwords = word_encoder()\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        scores = ["--scores", f"mono={folder / 'train.txt'}", "--encoder", "python:words:words"]
        train.main([*given, *how, "-m", str(folder / "model"), *scores])
        yield folder


def ranked(folder: Path, out: Path, *more: str) -> list[str]:
    given = ["-i", str(SAMPLE), "--index", str(sample_index()), "-m", str(folder / "model"), "-o", str(out), *more]
    predict.main([*given, "--encoder", "python:words:words", "--quiet"])
    return [row.pair for row in read_run(out / "run.txt")]


def test_a_model_names_them_and_asks_for_them(trained: Path, tmp_path: Path) -> None:
    manifest = json.loads((trained / "model" / MANIFEST).read_text())
    assert manifest["scores"] == ["mono"]
    assert manifest["features"]["scores_mono"] == 1
    refuses(lambda: ranked(trained, tmp_path), "model", "reads the scores 'mono', which are not given")
    scores = f"mono={trained / 'test.txt'}"
    one = ranked(trained, tmp_path, "--scores", scores, "--jobs", "1")
    assert one == ranked(trained, tmp_path, "--scores", scores, "--jobs", "2"), "in other processes, too"
    wrong = "trained without scores 'test'"
    refuses(lambda: ranked(trained, tmp_path, "--scores", str(trained / "test.txt")), "--scores", wrong)
    others = f"mono={trained / 'train.txt'}"
    refuses(lambda: ranked(trained, tmp_path, "--scores", others), "train.txt", "none of its lines is of these topics")


def test_a_searcher_with_scores(trained: Path) -> None:
    searcher = Searcher(SAMPLE, model=trained / "model", index=sample_index(), encoder=word_encoder(), jobs=1)
    refuses(lambda: searcher.search("Should cities ban cars?"), "model", "Searcher.with_scores")
    searcher = searcher.with_scores({"mono": trained / "test.txt"})
    matrix = searcher.describe()
    assert 0.5 < matrix.features["scores_mono"].notna().mean() < 0.8
    run = searcher.rank(depth=30)
    without = run[run["docno"].isin(matrix.ids[matrix.features["scores_mono"].isna().to_numpy()])].iloc[0]
    explained = searcher.explain(str(without["qid"]), int(without["rank"])).document
    json.dumps(explained, allow_nan=False)
    assert searcher.search("Should cities ban cars?").results, "a question has no scores"
    refuses(lambda: searcher.with_scores({"poly": trained / "test.txt"}), "--scores", "trained without scores 'poly'")
