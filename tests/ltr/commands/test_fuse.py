"""What ``ltr.fuse`` writes and refuses, of runs of three lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.refusals import refuses
from support.sample_model import sample_index

from ltr.commands import export, fuse, predict
from ltr.data.runs import read_run, validate_run
from ltr.errors import InputError
from ltr.ranking.task import find_task
from ltr.sample import SAMPLE

A, B, C = (f"S1-A{n}__PREMISE__1,S1-A{n}__PREMISE__2" for n in "abc")


def given(folder: Path, *items: str, side: str = "PRO") -> list[str]:
    """Two runs of the same items, and where their fusion goes."""
    lines = [f"1 {side} {item} {rank} {9 - rank} t\n" for rank, item in enumerate(items, 1)]
    for name in ("one", "other"):
        (folder / name).write_text("".join(lines))
    return ["--run", str(folder / "one"), "--run", str(folder / "other"), "-o", str(folder / "fused")]


def test_a_run_as_deep_as_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fuse.main([*given(tmp_path, B, A, C), "--depth", "2", "--tag", "mine"]) == 0
    place = tmp_path / "fused" / "run.txt"
    assert capsys.readouterr().out == f"{place}: 2 pairs for 1 topics, of 2 runs\n"
    assert [(row.pair, row.rank, row.tag) for row in read_run(place)] == [(B, 1, "mine"), (A, 2, "mine")]


def test_sides_are_those_of_the_task(tmp_path: Path) -> None:
    task = find_task("comparative")
    argv = given(tmp_path, "51|clueweb12-1", side=task.sides[0])
    assert fuse.main([*argv, "--task", task.name]) == 0
    assert [row.stance for row in read_run(tmp_path / "fused" / "run.txt")] == [task.sides[0]]
    refuses(lambda: fuse.main(given(tmp_path, A, side="BOTH")), "fused run row 1", "stance 'BOTH' is unknown")


def test_what_is_refused(tmp_path: Path) -> None:
    two = given(tmp_path, A)
    with pytest.raises(InputError) as error:
        fuse.main([*two[:2], *two[4:]])
    assert str(error.value) == "--run: fusion needs at least two runs; name at least two"
    refuses(lambda: fuse.main([*two, "--tag", "my tag"]), "--tag", "'my tag' is not one word")
    refuses(lambda: fuse.main(given(tmp_path, "S1-A1")), f"{tmp_path / 'one'} line 1", "'S1-A1' is not a pair")
    given(tmp_path, A)
    (tmp_path / "fused").touch()
    refuses(lambda: fuse.main(two), str(tmp_path / "fused"), "the output directory cannot be written")


HERE = ["-i", str(SAMPLE), "--index", str(sample_index()), "--quiet", "--jobs", "1"]


def test_runs_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = []
    for name in ("bm25", "length"):
        assert predict.main([*HERE, "-o", str(tmp_path / name), "-m", name, "--depth", "50"]) == 0
        runs += ["--run", str(tmp_path / name / "run.txt")]
    assert fuse.main([*runs, "-o", str(tmp_path / "fused"), "--depth", "60"]) == 0
    assert capsys.readouterr().out.endswith("run.txt: 240 pairs for 4 topics, of 2 runs\n")
    rows = read_run(tmp_path / "fused" / "run.txt", "pair")
    validate_run(rows, depth=60)
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


@pytest.mark.parametrize("file", ["matrix.letor.features.tsv", "run.txt", "ir-metadata.yml"])
def test_no_file_that_is_read_is_replaced(file: str, tmp_path: Path) -> None:
    topics = tmp_path / file
    topics.write_bytes((SAMPLE / "topics.xml").read_bytes())
    there = [*HERE, "--topics", str(topics), "-o"]
    if file.startswith("matrix"):
        refuses(lambda: export.main([*there, str(tmp_path / "matrix.letor")]), file, "would replace")
    else:
        refuses(lambda: predict.main([*there, str(tmp_path), "-m", "bm25", "--metadata"]), file, "would replace")
    assert topics.read_bytes() == (SAMPLE / "topics.xml").read_bytes()
