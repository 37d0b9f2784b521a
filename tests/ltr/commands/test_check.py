"""``riposte check``: what a corpus holds, what commands would do with it, and its first problem."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.refusals import refuses

from ltr.commands import predict
from ltr.commands.check import main
from ltr.sample import SAMPLE

LINE = {
    "id": "tram-A1",
    "title": "A tram",
    "conclusion": "Build a tram",
    "stance": "PRO",
    "text": "It is fast. I agree!",
}


def write(folder: Path, *lines: object) -> Path:
    (folder / "arguments.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return folder


def test_the_sample(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(SAMPLE)]) == 0
    said = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    for line in ("arguments 215", "sentences 1,312", "with a conclusion 215", "topics: 4"):
        assert line in said
    (judged,) = [line for line in said if "qrels-train-relevance" in line]
    assert judged.endswith("143 arguments, 143 of them in the corpus; 0 of their 8 topics are above")
    assert any(line.startswith("riposte predict --task arguments -i") and "4 topics" in line for line in said)


def test_counts_of_a_corpus_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(
        tmp_path, LINE | {"author": "x"}, LINE | {"id": "tram-A2", "stance": "CON"}, LINE | {"id": "pool-A3"}
    )
    (folder / "mine.qrels").write_text("1001 0 tram-A1 2\n1001 0 tram-A9 1\n", "utf-8")
    assert main([str(folder)]) == 0
    said = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert said[:3] == [f"corpus: {folder / 'arguments.jsonl'}: arguments, JSON lines", "arguments 3", "sentences 9"]
    assert {"for their conclusion (PRO) 2", "against (CON) 1", "debates (ids up to their -A) 2"} <= {*said}
    assert "fields that are not read: author" in said
    assert "topics: none" in said
    assert (
        f"judgments: {folder / 'mine.qrels'}: 2 arguments, 1 of them in the corpus; 0 of their 1 topics are above"
        in said
    )
    assert f"riposte predict -i {folder} -o OUT: needs --topics FILE" in said


def test_the_first_problem_ends_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path, LINE, LINE | {"id": "tram-A2", "stance": "maybe"})
    refuses(lambda: main([str(folder)]), "arguments.jsonl", "row 2: the stance 'maybe' of tram-A2")
    assert "arguments                                      1" in capsys.readouterr().out
    write(tmp_path, LINE)
    (folder / "topics.xml").write_text("<topics>", "utf-8")
    refuses(lambda: main([str(folder)]), "topics.xml", "")
    shutil.copy(SAMPLE / "topics.xml", folder)
    (folder / "mine.qrels").write_text("1001 0 tram-A1\n", "utf-8")
    refuses(lambda: main([str(folder)]), "mine.qrels", "line 1")
    assert "commands" not in capsys.readouterr().out
    write(tmp_path, LINE | {"id": "tram"})
    (folder / "mine.qrels").unlink()
    assert main([str(folder)]) == 0
    assert "debates (ids have no -A)                       0" in capsys.readouterr().out
    refuses(lambda: main([str(tmp_path / "none")]), "none", "no such file")
    refuses(lambda: main([""]), "input: ", "'' is not a path")
    model = Path(predict.__file__).parents[2] / "models" / "pretrained" / "pairs"
    refuses(lambda: main([str(model)]), str(model), "this is a model for --task pairs")
