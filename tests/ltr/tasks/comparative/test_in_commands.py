"""What commands say of documents, and of arguments where documents are ranked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from support.refusals import refuses

from ltr.commands import predict, search, train
from ltr.commands.check import main
from ltr.errors import InputError
from ltr.ranking.task import find_task
from ltr.sample import SAMPLE
from ltr.searcher import Searcher

COMPARATIVE = ["--task", "comparative"]


def test_documents_have_no_sides_of_a_question(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="documents have a preferred object"):
        predict.main([*COMPARATIVE, "-i", "nowhere", "-o", str(tmp_path), "--stance", "question"])


def test_check_names_the_tasks_of_a_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(SAMPLE)]) == 0
    assert "--task comparative: not for this corpus: holds arguments" in capsys.readouterr().out
    assert main([str(find_task("comparative").sample.folder)]) == 0
    said = capsys.readouterr().out
    assert "riposte search --task comparative" in said
    assert "--task pairs: not for this corpus: holds documents" in said


def test_check_finds_documents_of_result_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed = [{"topic": "7", "id": name, "text": "Steel is better than glass."} for name in "ab"]
    (tmp_path / "lists.jsonl").write_text("".join(json.dumps(line) + "\n" for line in listed), "utf-8")
    (tmp_path / "mine.qrels").write_text("7 0 a 2\n7 0 z 1\n", "utf-8")
    assert main([str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "2 documents, 1 of them in the corpus" in said
    assert "riposte train --task comparative" in said
    assert "could learn from the judgments with a file of their topics" in said


@pytest.mark.parametrize(
    ("command", "words"),
    [(predict.main, ["-o", "nowhere"]), (search.main, ["Trams?"]), (train.main, ["--topics", "t", "--qrels", "q"])],
)
def test_no_command_ranks_arguments_as_documents(command: Callable[[list[str]], object], words: list[str]) -> None:
    refuses(
        lambda: command([*words, "-i", str(SAMPLE), *COMPARATIVE, "--quiet"]),
        str(SAMPLE),
        "holds arguments, and the task comparative ranks documents; name a .jsonl file of documents, or another task",
    )
    refuses(lambda: Searcher(SAMPLE, task="comparative"), str(SAMPLE), "holds arguments")


def test_no_command_ranks_documents_as_pairs(tmp_path: Path) -> None:
    documents = str(find_task("comparative").sample.folder)
    words = ["-i", documents, "-o", str(tmp_path / "out"), "--quiet"]
    refuses(lambda: predict.main(words), documents, "holds documents, and the task pairs ranks pairs")
