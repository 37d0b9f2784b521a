"""Whole runs of ltr.collect answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.chat import MODEL, completion, prompt_of
from support.web import Asked, Reply, Web

from ltr.commands import collect
from ltr.data.topics import read_answers
from ltr.errors import InputError

TOPICS = """<topics><topic><number>1</number><title>Is tea "good"?</title></topic>
<topic><number>2</number><title>Is milk?</title></topic></topics>"""


def run(folder: Path, web: Web, *more: str) -> int:
    (folder / "topics.xml").write_text(TOPICS)
    options = ["answers", "--topics", f"{folder}/topics.xml", "-o", f"{folder}/a.jsonl", "--cache", f"{folder}/cache"]
    return collect.main([*options, "--endpoint", web.address, "--model", MODEL, *more])


def test_answers(tmp_path: Path, web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    web.answer = lambda asked: completion(f"Yes,\n\x1b[1m{len(prompt_of(asked)) > 0} \ud800\n")
    assert run(tmp_path, web, "--words", "20") == 0
    assert capsys.readouterr().out == f"{tmp_path}/a.jsonl: answers to 2 of 2 topics by {MODEL}\n"
    assert read_answers(tmp_path / "a.jsonl") == {"1": "Yes, True \ufffd", "2": "Yes, True \ufffd"}
    first = json.loads((tmp_path / "a.jsonl").read_text("utf-8").splitlines()[0])
    assert list(first) == ["topic", "query", "answer", "by", "prompt", "date"]
    assert (first["query"], first["by"], first["date"]) == ('Is tea "good"?', MODEL, "2025-10-09")
    prompt = prompt_of(web.asked[0])
    assert prompt.startswith("Answer the question in about 20 words")
    assert prompt.endswith('Question: "Is tea \\"good\\"?"')
    assert "response_format" not in web.asked[0].json
    assert web.asked[0].json["max_tokens"] == 600


def test_a_missing_answer_is_said_and_asked_for_again(
    tmp_path: Path, web: Web, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(asked: Asked) -> Reply:
        return completion("Half an", finish_reason="length") if "milk" in prompt_of(asked) else completion("Yes.")

    web.answer = answer
    assert run(tmp_path, web, "--quiet") == 1
    out, err = capsys.readouterr()
    assert out == f"{tmp_path}/a.jsonl: answers to 1 of 2 topics by {MODEL}\n"
    assert err.startswith("warning: topic 2 (Is milk?): no answer: the answer is cut off")
    web.answer, web.asked = (lambda _: completion("No.")), []
    assert run(tmp_path, web) == 0
    assert len(web.asked) == 1
    assert read_answers(tmp_path / "a.jsonl") == {"1": "Yes.", "2": "No."}


def test_no_answer_at_all(tmp_path: Path, web: Web) -> None:
    web.answer = lambda _: completion("x" * 20_001)
    with pytest.raises(InputError, match="no question has an answer: the answer has 20,001 characters"):
        run(tmp_path, web)
    assert not (tmp_path / "a.jsonl").exists()


def test_usage(tmp_path: Path, web: Web) -> None:
    with pytest.raises(InputError, match="answers need --endpoint and --model"):
        run(tmp_path, web, "--model", "")
