"""Anybody's scores as a run, and runs as one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.refusals import refuses
from support.sample_model import sample_index

from ltr.commands import export, fuse, predict, rerank
from ltr.data.runs import read_run, validate_run
from ltr.ranking.final_list import DIVERSIFY
from ltr.sample import SAMPLE
from ltr.searcher import Searcher

HERE = ["-i", str(SAMPLE), "--index", str(sample_index()), "--quiet", "--jobs", "1"]


@pytest.mark.parametrize("task", ["pairs", "arguments"])
def test_scores_of_rows_make_the_run_that_predict_makes(task: str, tmp_path: Path) -> None:
    there = [*HERE, "--task", task]
    assert export.main([*there, "-o", str(tmp_path / "test.svm"), "--grades"]) == 0
    assert predict.main([*there, "-o", str(tmp_path / "predicted"), "-m", "bm25", "--tag", "same"]) == 0
    searcher = Searcher(SAMPLE, model="bm25", task=task, index=sample_index(), jobs=1)
    scores = [f"{score!r}\n" for score in searcher.model.ranker.score(searcher.describe()).tolist()]
    (tmp_path / "scores.txt").write_text("".join(scores))
    given = [*there, "--scores", str(tmp_path / "scores.txt"), "--tag", "same"]
    assert rerank.main([*given, "-o", str(tmp_path / "all")]) == 0
    predicted = (tmp_path / "predicted" / "run.txt").read_text()
    assert (tmp_path / "all" / "run.txt").read_text() == predicted
    head, *rows = (tmp_path / "test.svm.key.tsv").read_text().splitlines(keepends=True)
    order = np.random.default_rng(0).permutation(len(rows))
    (tmp_path / "key.tsv").write_text(head + "".join(rows[place] for place in order))
    (tmp_path / "scores.txt").write_text("".join(scores[place] for place in order))
    assert rerank.main([*given, "-o", str(tmp_path / "shuffled"), "--key", str(tmp_path / "key.tsv")]) == 0
    assert (tmp_path / "shuffled" / "run.txt").read_text() == predicted


def test_runs_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = []
    for name in ("bm25", "length"):
        assert predict.main([*HERE, "-o", str(tmp_path / name), "-m", name, "--depth", "50"]) == 0
        runs += ["--run", str(tmp_path / name / "run.txt")]
    assert fuse.main([*runs, "-o", str(tmp_path / "fused"), "--depth", "60"]) == 0
    assert capsys.readouterr().out.endswith("run.txt: 240 pairs for 4 topics, of 2 runs\n")
    rows = read_run(tmp_path / "fused" / "run.txt", "pair")
    validate_run(rows, depth=60, minimum=60)
    assert {row.tag for row in rows} == {"fused-rrf"}


def test_arguments_with_sides_toward_the_question_are_fused(tmp_path: Path) -> None:
    run = "".join(f"1 {side} S1-A{rank} {rank} {-rank} t\n" for rank, side in enumerate(("PRO", "CON", "Q0"), 1))
    for name in ("one", "other"):
        (tmp_path / name).write_text(run)
    runs = [f"--run={tmp_path / name}" for name in ("one", "other")]
    assert fuse.main([*runs, "-o", str(tmp_path / "fused"), "--task", "arguments"]) == 0
    assert [row.stance for row in read_run(tmp_path / "fused" / "run.txt")] == ["PRO", "CON", "Q0"]
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "run.txt.gz").touch()
    refuses(lambda: fuse.main([*runs, "-o", str(tmp_path / "packed")]), "run.txt.gz", "a reader would find it beside")


def test_what_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scores.txt").write_text("1\n")
    (tmp_path / "key.tsv").write_text("row qid topic unit\n1 2 2 S1-A1\n")
    given = [*HERE, "--scores", str(tmp_path / "scores.txt"), "-o", str(tmp_path)]
    refuses(lambda: rerank.main([*given, "--topics", str(tmp_path / "absent")]), "absent", "cannot be read")
    another_task = [*given, "--key", str(tmp_path / "key.tsv")]
    refuses(lambda: rerank.main(another_task), "key.tsv line 2", "topic 2 has no unit 'S1-A1'")


@pytest.mark.parametrize("file", ["test.svm.weight", "run.txt", "ir-metadata.yml"])
def test_no_file_that_is_read_is_replaced(file: str, tmp_path: Path) -> None:
    topics = tmp_path / file
    topics.write_bytes((SAMPLE / "topics.xml").read_bytes())
    there = [*HERE, "--topics", str(topics), "-o"]
    if file.startswith("test"):
        refuses(lambda: export.main([*there, str(tmp_path / "test.svm"), "--grades"]), file, "would replace")
    else:
        refuses(lambda: predict.main([*there, str(tmp_path), "-m", "bm25", "--metadata"]), file, "would replace")
    assert topics.read_bytes() == (SAMPLE / "topics.xml").read_bytes()


def test_the_default_of_the_option_is_that_of_the_list() -> None:
    assert {command.parser().get_default("diversify") for command in (predict, rerank)} == {DIVERSIFY}
