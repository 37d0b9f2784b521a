"""Comparative questions from training to evaluation, by the commands, on the sample and on result lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ltr.commands import evaluate, predict, search, train
from ltr.data.runs import RunRow, read_run, validate_run
from ltr.ranking.task import find_task
from models.base import baselines

pytestmark = pytest.mark.system
TASK = ["--task", "comparative"]
FOLDER = find_task("comparative").sample.folder


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return ["--index", str(tmp_path_factory.mktemp("index") / "index"), "--quiet", "--jobs", "1"]


def rows_of(out: Path) -> list[RunRow]:
    rows = read_run(out / "run.txt")
    validate_run(rows, kind="document", sides=find_task("comparative").sides)
    return rows


@pytest.mark.parametrize("objective", ["both", "linear"])
def test_trained_on_the_sample_it_answers_better_than_luck(
    objective: str, tmp_path: Path, index: list[str], capsys: pytest.CaptureFixture[str]
):
    few = ["--folds", "2", "--objective", objective, *(["--trees", "40"] if objective == "both" else [])]
    assert train.main([*TASK, "-m", str(tmp_path / "model"), *few, *index]) == 0
    assert predict.main(["-i", str(FOLDER), "-o", str(tmp_path), "-m", str(tmp_path / "model"), *TASK, *index]) == 0
    assert {row.stance for row in rows_of(tmp_path)} >= {"FIRST", "NO"}
    capsys.readouterr()
    qrels = [f"{name}={FOLDER / f'qrels-test-{name}.qrels'}" for name in ("relevance", "quality")]
    sides = ["--stance-qrels", str(FOLDER / "qrels-test-stance.qrels")]
    options = ["--run", str(tmp_path / "run.txt"), "--argument-qrels", qrels[0], "--argument-qrels", qrels[1]]
    assert evaluate.main([*options, *sides, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    ours, luck = (
        one["dimensions"]["relevance"]["measures"]["nDCG@5"]["mean"] for one in (*found["runs"], found["random"])
    )
    assert ours > luck + 0.3
    assert found["runs"][0]["stance"]["documents"] >= 10


def test_every_baseline_ranks_a_list_and_source_keeps_its_order(tmp_path: Path):
    texts = ["Cats are better than dogs.", "A dog barks. 3 dogs bark more.", "The cat sleeps because it can.", "No."]
    rows = [
        {"topic": 7, "id": f"d{n}", "text": t, "query": "Which are better pets, cats or dogs?"}
        for n, t in enumerate(texts)
    ]
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    for name in baselines("document"):
        assert predict.main(["-i", str(tmp_path), "-o", str(tmp_path / name), "-m", name, *TASK, "--quiet"]) == 0
        assert sorted(row.pair for row in rows_of(tmp_path / name)) == ["d0", "d1", "d2", "d3"]
    run = rows_of(tmp_path / "source")
    assert [row.pair for row in run] == ["d0", "d1", "d2", "d3"]
    assert (run[0].topic, run[0].stance) == ("7", "FIRST")
    assert rows_of(tmp_path / "katana-2020")[0].pair == "d0"


def test_search_names_the_objects(index: list[str], capsys: pytest.CaptureFixture[str]):
    question = "Which keeps bread fresh longer, a bread box or a linen bag?"
    assert search.main([question, *TASK, "-m", "katana-2020", *index]) == 0
    out = capsys.readouterr().out
    assert "for bread box" in out
    assert "for linen bag" in out
    assert "PRO" not in out
    assert "(44 documents;" in out


def test_search_says_that_a_question_has_no_two_objects(index: list[str], capsys: pytest.CaptureFixture[str]):
    assert search.main(["What is the best bread?", *TASK, "-m", "bm25", *index]) == 0
    out = capsys.readouterr().out
    assert "No two objects are found in the question: ranked as an ordinary question." in out
    assert "\ndocuments\n" in out
    assert "stance" not in out


def test_a_question_without_objects_is_ranked_and_said(tmp_path: Path, index: list[str], capsys):
    topics = tmp_path / "topics.xml"
    topics.write_text("<topics><topic><number>9</number><title>What is the best bread?</title></topic></topics>")
    options = ["-i", str(FOLDER), "-o", str(tmp_path), "--topics", str(topics), "-m", "bm25", *TASK, *index]
    assert predict.main(options) == 0
    assert rows_of(tmp_path)
    assert "no two objects are found in topic 9: ranked as an ordinary question" in capsys.readouterr().err
