"""Answers that a user brings, and what ranks by them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ltr.commands import explain, export, predict, train
from ltr.data.topics import LONGEST_ANSWER, Topic, read_answers, read_topics, with_answers
from ltr.errors import InputError
from ltr.sample import SAMPLE

FOLDER = SAMPLE / "comparative"


def test_read(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"topic": "1", "answer": "Tea \\ud800", "by": "me"}\n\n{"topic": "2", "answer": ""}\n' * 2)
    assert read_answers(path) == {"1": "Tea \ufffd", "2": ""}
    one, three = with_answers([Topic("1", "Tea?"), Topic("3", "Milk?")], path)
    assert (one.answer, three.answer) == ("Tea \ufffd", "")
    assert with_answers([Topic("1", "Tea?")], None)[0].answer is None
    with pytest.raises(InputError, match="has no answer to any of the topics"):
        with_answers([Topic("3", "Milk?")], path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tea", "line 2: is not JSON"),
        ("[" * 100_000, "line 2: is not JSON"),
        ("[]", "line 2: is not a JSON object"),
        ('{"topic": 2, "answer": "x"}', "line 2: topic and answer must be texts"),
        ('{"topic": "2"}', "line 2: topic and answer must be texts"),
        (json.dumps({"topic": "2", "answer": "x" * (LONGEST_ANSWER + 1)}), "line 2: the answer has 20,001 characters"),
        ('{"topic": "1", "answer": "Coffee"}', "line 2: topic '1' has another answer in an earlier line"),
    ],
    ids=["words", "deep", "list", "number", "no answer", "long", "two answers"],
)
def test_refused(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(f'{{"topic": "1", "answer": "Tea"}}\n{line}\n')
    with pytest.raises(InputError, match=re.escape(said)):
        read_answers(path)


@pytest.fixture(scope="module")
def common(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    index = tmp_path_factory.mktemp("index")
    return ["--task", "comparative", "--index", str(index), "--jobs", "1", "--quiet"]


def answers_file(folder: Path, text: str) -> str:
    """The same answer to every topic of the sample."""
    path = folder / "answers.jsonl"
    topics = [topic for file in FOLDER.glob("topics*.xml") for topic in read_topics(file)]
    path.write_text("".join(json.dumps({"topic": topic.number, "answer": text}) + "\n" for topic in topics))
    return str(path)


def ranked(folder: Path) -> dict[str, list[str]]:
    rows = [line.split() for line in (folder / "run.txt").read_text().splitlines()]
    return {topic: [row[2] for row in rows if row[0] == topic] for topic in {row[0] for row in rows}}


def test_a_model_learns_by_answers_and_then_needs_them(tmp_path: Path, common: list[str]) -> None:
    answers, model = answers_file(tmp_path, "It is better, since it saves money and lives."), tmp_path / "model"
    learn = ["--objective", "linear", "--folds", "2", "--columns", "0", "--answers", answers]
    assert train.main(["-m", str(model), *learn, *common]) == 0
    manifest = json.loads((model / "manifest.json").read_text())
    assert manifest["features"]["answer_cosine"] == 1
    assert list(manifest["data"]["answers"]) == ["answers.jsonl"]
    run = ["-i", str(FOLDER), "-m", str(model), "-o", str(tmp_path), *common]
    with pytest.raises(InputError, match="name a file with --answers"):
        predict.main(run)
    assert predict.main([*run, "--answers", answers]) == 0
    options = ["--run", str(tmp_path / "run.txt"), "-m", str(model), "-i", str(FOLDER), *common]
    topic = min(ranked(tmp_path))
    assert explain.main([*options, "--topic", topic, "--rank", "1", "--answers", answers]) == 0
    matrix = tmp_path / "matrix.csv"
    for given in (["--answers", answers], []):
        assert export.main(["-i", str(FOLDER), "-o", str(matrix), *given, *common]) == 0
        assert ("answer_cosine" in matrix.read_text().partition("\n")[0]) is bool(given)
