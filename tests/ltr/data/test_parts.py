"""Parts that were left go, those of living writers stay, and a folder is there at every moment."""

from __future__ import annotations

import errno
import multiprocessing
import os
from pathlib import Path

import pytest

from ltr.data import parts
from ltr.data.files import atomic_folder, atomic_text


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_a_killed_writer_left_goes_with_the_next(tmp_path: Path) -> None:
    for left in (".run[1].txt.abcdefgh.part", ".run1.txt.abcdefgh.part"):
        (tmp_path / left).write_text("half")
    (tmp_path / ".model.mine.part").mkdir()
    (tmp_path / ".model.abcdefgh.part").mkdir()
    (tmp_path / ".model.abcdefgh.part" / "trees").write_text("half")
    with atomic_text(tmp_path / "run[1].txt") as out:
        out.write("whole")
    with atomic_folder(tmp_path / "model"):
        pass
    assert names(tmp_path) == [".model.mine.part", ".run1.txt.abcdefgh.part", "model", "run[1].txt"]  # those of others


def test_what_is_being_written_stays(tmp_path: Path) -> None:
    with atomic_text(tmp_path / "file") as first, atomic_text(tmp_path / "file") as second:
        first.write("first")
        second.write("second")
    assert (tmp_path / "file").read_text() == "first"  # its block ended last
    with atomic_folder(tmp_path / "folder") as one, atomic_folder(tmp_path / "folder") as two:
        (one / "one").touch()
        (two / "two").touch()
    assert names(tmp_path / "folder") == ["one"]
    assert names(tmp_path) == ["file", "folder"]


def look(place: Path, ended: multiprocessing.Event, missing: multiprocessing.Value) -> None:  # type: ignore[valid-type]
    while not ended.is_set():
        missing.value += not place.exists()


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="only Linux exchanges two folders")
def test_there_is_no_moment_without_the_folder(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "old").touch()
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    if not parts._exchanged(tmp_path / "one", tmp_path / "two"):
        pytest.skip("this file system cannot")
    context = multiprocessing.get_context("fork")
    ended, missing = context.Event(), context.Value("i", 0)
    looker = context.Process(target=look, args=(place, ended, missing))
    looker.start()
    for _ in range(300):
        with atomic_folder(place) as part:
            (part / "new").touch()
    ended.set()
    looker.join(30)
    assert missing.value == 0


def write_often(place: Path, name: str) -> None:
    for _ in range(200):
        with atomic_text(place) as out:
            out.write(name * 9)


def test_processes_that_write_one_file_at_once_leave_it_whole(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=write_often, args=(tmp_path / "file", name)) for name in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert (tmp_path / "file").read_text() in {name * 9 for name in "abc"}
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("call", [1, 2])
def test_where_two_steps_are_needed_an_error_leaves_the_old_folder(
    call: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "_exchanged", lambda *_: False)
    place, calls, rename = tmp_path / "place", [], os.rename
    for content in ("older", "old"):
        with atomic_folder(place) as part:
            (part / content).touch()
    assert names(place) == ["old"]

    def refuse(source: Path, target: Path) -> None:
        if not calls or len(calls) == call:  # the first one finds that a folder is there
            calls.append(target)
            number = errno.ENOTEMPTY if len(calls) == 1 else errno.EACCES
            raise OSError(number, os.strerror(number))
        calls.append(target)
        rename(source, target)

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(PermissionError), atomic_folder(place) as part:
        (part / "new").touch()
    assert names(place) == ["old"]
    assert names(tmp_path) == ["place"]
