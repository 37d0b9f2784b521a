"""What ``ltr.fuse`` writes and refuses, of runs of three lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.refusals import refuses

from ltr.commands import fuse
from ltr.data.runs import read_run
from ltr.errors import InputError
from ltr.tasks import find_task

A, B, C = (f"S1-A{n}__PREMISE__1,S1-A{n}__PREMISE__2" for n in "abc")


def given(folder: Path, *units: str, side: str = "PRO") -> list[str]:
    """Two runs of the same units, and where their fusion goes."""
    lines = [f"1 {side} {unit} {rank} {9 - rank} t\n" for rank, unit in enumerate(units, 1)]
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
    refuses(lambda: fuse.main([*two, "--tag", "my tag"]), "--tag", "a tag is one word")
    refuses(lambda: fuse.main(given(tmp_path, "S1-A1")), f"{tmp_path / 'one'} line 1", "'S1-A1' is not a pair")
    given(tmp_path, A)
    (tmp_path / "fused").touch()
    refuses(lambda: fuse.main(two), str(tmp_path / "fused"), "the output directory cannot be written")
