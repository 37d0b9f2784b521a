from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ltr.files import atomic_folder, atomic_text


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_text_is_written(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    with atomic_text(path) as out:
        out.write("naïve\nline\n")
        assert not path.exists()
    assert path.read_bytes() == "naïve\nline\n".encode()
    assert names(tmp_path) == ["run.txt"]


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt(), OSError(errno.ENOSPC, "full"), SystemExit(3)])
@pytest.mark.parametrize("open_one", [atomic_text, atomic_folder])
def test_an_error_leaves_what_was_there(open_one: Callable[[Path], Any], error: BaseException, tmp_path: Path) -> None:
    def write(raised: BaseException | None = None) -> None:
        with open_one(tmp_path / "place") as out:
            out.write("x") if open_one is atomic_text else (out / "x").write_text("x")
            if raised:
                raise raised

    write()
    before = (tmp_path / "place").stat()
    with pytest.raises(type(error)):
        write(error)
    assert (tmp_path / "place").stat() == before
    assert names(tmp_path) == ["place"]


def test_modes_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with atomic_text(tmp_path / "file"):
            pass
        with atomic_folder(tmp_path / "folder"):
            pass
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o750


def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as thread:
        content = thread.submit(pipe.read_text, "utf-8")
        with atomic_text(pipe) as out:
            out.write("naïve\n" * 20_000)  # more than a pipe holds at once
        assert content.result(30) == "naïve\n" * 20_000
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert names(tmp_path) == ["pipe"]


def test_standard_output_by_name(tmp_path: Path) -> None:
    code = "from pathlib import Path; from ltr.files import atomic_text; print('before', flush=True)\n"
    code += "with atomic_text(Path('/dev/stdout')) as out: out.write('text\\n')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"before\ntext\n"
    with (tmp_path / "out").open("ab") as target:
        subprocess.run([sys.executable, "-c", code], stdout=target, check=True)
    assert (tmp_path / "out").read_bytes() == b"before\ntext\n"


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "run.txt", tmp_path / "run.txt"
    link.symlink_to(target)
    for text in ("made", "replaced"):  # at first it leads to nothing
        with atomic_text(link) as out:
            out.write(text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert names(tmp_path) == ["far", "run.txt"]
    assert names(tmp_path / "far") == ["run.txt"]


def test_a_folder_is_no_place_for_text(tmp_path: Path) -> None:
    (tmp_path / "run.txt").mkdir()
    with pytest.raises(IsADirectoryError) as caught, atomic_text(tmp_path / "run.txt"):
        pass
    assert caught.value.filename == str(tmp_path / "run.txt")
    assert names(tmp_path) == ["run.txt"]


def test_a_folder_is_written_whole(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "model"
    for content in ("one", "two"):
        with atomic_folder(place) as part:
            assert names(part) == []
            (part / content).write_text(content)
        assert names(place) == [content]
        assert names(place.parent) == ["model"]
