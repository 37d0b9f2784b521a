"""The folder of an index: what is built, kept, swept, waited for and refused there."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest
from support.corpora import QUIET, SMALL, build, contents, write_corpus

from ltr.cli import process as command_process
from ltr.corpora.source import open_corpus
from ltr.errors import InputError
from ltr.files import user_cache
from ltr.index.cache import index_place, open_index
from ltr.index.folder import read_pointer, refuse_outputs
from ltr.index.kept_rows import KeptRows
from ltr.parallel import Workers
from ltr.ranking.corpus import IndexedCorpus
from ltr.ranking.task import find_task

BESIDE = [".index.lock", "corpus", "index"]


def keep(place: Path) -> None:
    """Put things of all kinds beside an index."""
    (place / "run.txt").write_text("dear to me")
    (place / "notes" / "empty").mkdir(parents=True)
    (place / "riposte-notes").mkdir()
    (place / "mine.npy").write_text("no array")
    (place / "link").symlink_to("run.txt")
    os.mkfifo(place / "pipe")


def rebuild(folder: Path, place: Path) -> None:
    write_corpus(folder, SMALL[:3])
    assert build(folder, place).arguments == 3


def test_what_a_user_keeps_beside_an_index_stays(folder: Path, place: Path, tmp_path: Path) -> None:
    keep(place)
    before = {
        path.name: path.lstat() for path in place.iterdir() if not path.name.startswith(("index.json", "riposte-index"))
    }
    assert len(before) == 6
    rebuild(folder, place)
    rebuild(folder, place)  # nothing to do
    after = {path.name: path.lstat() for path in place.iterdir()}
    assert {name: after[name] for name in before} == before
    current = read_pointer(place)
    assert current is not None
    assert sorted(after) == sorted([*before, "index.json", current.folder.name]), "nothing of the old index stays"
    assert contents(current.folder) == contents(build(folder, tmp_path / "fresh").folder)
    assert sorted(path.name for path in place.parent.iterdir()) == sorted([*BESIDE, ".fresh.lock", "fresh"])


@pytest.mark.parametrize("output", ["index", "index/run.txt", "index/deep/out", "link", "link/run.txt"])
def test_an_output_in_the_folder_of_the_index(output: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("index", target_is_directory=True)
    with pytest.raises(InputError, match=f"{output}: this would lie in the folder of the index, .*; name another"):
        refuse_outputs(tmp_path / "index", [None, tmp_path / "other", tmp_path / output])
    with pytest.raises(InputError, match="would lie in the folder"):
        refuse_outputs(tmp_path / "link", [tmp_path / output])


# ---- what somebody put in the place of our files ------------------------------------------------------


def odd(path: Path, what: str) -> Path:
    """A link, a pipe or a link to a device in the place of ``path``; what a link leads to."""
    victim = path.parent.parent / "victim"
    victim.write_bytes(path.read_bytes() if path.exists() else b"dear to me")
    path.unlink(missing_ok=True)
    if what == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(victim if what == "link" else "/dev/zero")
    return victim


@pytest.mark.parametrize("what", ["link", "pipe", "device"])
@pytest.mark.parametrize("name", ["index.json", "manifest.json", "near_key.npy", "texts.bin", "values.bin"])
def test_what_is_not_a_plain_file_is_not_ours(name: str, what: str, folder: Path, place: Path) -> None:
    pointer = read_pointer(place)
    assert pointer is not None
    victim = odd(place / name if name == "index.json" else pointer.folder / name, what)
    before = victim.read_bytes()
    index = build(folder, place)
    kept = KeptRows(index.folder / "values.bin", "state", np.int8)
    rows = np.zeros(1, np.uint64), np.zeros(1, np.int64), np.ones((1, 1), np.int8)
    if name == "values.bin":
        with pytest.raises(OSError, match=r"values\.bin"):
            kept.write(*rows)
        assert not kept.read(*rows[:2])[1].any()
    else:
        assert index.folder != pointer.folder
        assert (place / "index.json").lstat().st_nlink == 1
        assert read_pointer(place) is not None
        kept.write(*rows)
    assert victim.read_bytes() == before


def test_a_link_in_the_place_of_the_files_folder(folder: Path, place: Path, tmp_path: Path) -> None:
    pointer = read_pointer(place)
    assert pointer is not None
    before = contents(pointer.folder.rename(tmp_path / "elsewhere"))
    pointer.folder.symlink_to(tmp_path / "elsewhere")
    assert build(folder, place).folder.resolve().parent == place
    assert contents(tmp_path / "elsewhere") == before


def test_a_lock_that_is_a_link_is_one_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / ".index.lock").symlink_to(tmp_path / "victim")
    with pytest.raises(OSError, match=r"\.index\.lock") as caught:
        build(folder, tmp_path / "index")
    assert caught.value.errno in command_process._HINTS
    assert not (tmp_path / "victim").exists()


def test_a_folder_whose_parent_is_not_writable_can_be_the_index(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = folder.parent / "theirs" / "index"
    place.mkdir(parents=True)
    monkeypatch.setattr("os.access", lambda path, _: path != place.parent)
    assert build(folder, place).arguments == len(SMALL)
    assert [*place.parent.iterdir()] == [place]
    rebuild(folder, place)


def test_what_a_killed_build_left_goes_before_the_next_one(
    folder: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = place / "riposte-index-abcdefgh"
    (left / "parts").mkdir(parents=True)

    def full(*_: object) -> None:
        assert not left.exists()
        raise OSError(errno.ENOSPC, "full")

    write_corpus(folder, SMALL[:3])
    monkeypatch.setattr("ltr.index.build._index_parts", full)
    with pytest.raises(OSError, match="full"):
        build(folder, place)


# ---- in the user's cache -----------------------------------------------------------------------------


def test_an_index_that_nobody_placed_is_in_the_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = folder.parent / "cache"
    monkeypatch.setenv("RIPOSTE_CACHE", str(cache))
    before = sorted(folder.iterdir())
    index = open_index(open_corpus(str(folder)), None, QUIET, Workers(1))
    assert sorted(folder.iterdir()) == before
    place = index.folder.parent
    assert place.parent == cache / "indexes"
    assert place.name.startswith("args_processed-")
    assert index_place(open_corpus(str(folder)), None) == place


def test_a_corpus_is_known_by_its_path(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(folder, target_is_directory=True)
    place = index_place(open_corpus(str(folder)), None)
    assert index_place(open_corpus(str(tmp_path / "link")), None) == place
    monkeypatch.chdir(folder)
    assert index_place(open_corpus("."), None) == place
    other = write_corpus(tmp_path / "other", SMALL)  # the same words elsewhere may change on their own
    assert index_place(open_corpus(str(other)), None) != place


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIPOSTE_CACHE", "mine")
    assert user_cache() == Path("mine")
    monkeypatch.setenv("RIPOSTE_CACHE", "~/mine")
    assert user_cache() == Path.home() / "mine"
    monkeypatch.delenv("RIPOSTE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/theirs")
    assert user_cache() == Path("/theirs/riposte")
    monkeypatch.setenv("XDG_CACHE_HOME", "theirs")
    assert user_cache() == Path.home() / ".cache" / "riposte", "the specification wants it absolute"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert user_cache() == Path.home() / ".cache" / "riposte"
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)  # as in a container with a user that it does not know
    with pytest.raises(InputError, match="set RIPOSTE_CACHE"):
        user_cache()


def test_the_place_that_nobody_named_is_guarded_too(folder: Path) -> None:
    indexed = IndexedCorpus.open(find_task("pairs"), folder)
    with pytest.raises(InputError, match=r"a\.csv: this would lie in the folder of the index"):
        indexed.refuse_output(index_place(indexed.corpus, None) / "a.csv")
    assert [path.name for path in folder.iterdir()] == ["args_processed.csv"]
