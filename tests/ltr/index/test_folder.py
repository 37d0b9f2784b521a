"""What a user keeps in the folder of an index is there when the index is built anew."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from types import SimpleNamespace
from typing import cast

import pytest
import tantivy
from support.corpora import QUIET, SMALL, build, contents, write_corpus

from ltr.corpora.source import open_corpus
from ltr.data.files import user_cache
from ltr.data.locks import locked
from ltr.errors import InputError
from ltr.index import cache
from ltr.index import engine as engines
from ltr.index.build import building_place
from ltr.index.cache import index_place, open_index
from ltr.index.engine import ENGINES
from ltr.index.folder import MANIFEST, SUMS, refuse_outputs
from ltr.progress import Progress


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus", SMALL)


@pytest.fixture
def place(folder: Path, tmp_path: Path) -> Path:
    """An index of all of `SMALL`."""
    return build(folder, tmp_path / "index").folder


def kept(place: Path) -> None:
    """Put things of all kinds into an index."""
    (place / "run.txt").write_text("dear to me")
    (place / "notes" / "old").mkdir(parents=True)
    (place / "notes" / "old" / "list.npy").write_text("no array")
    (place / "notes" / "empty").mkdir()
    (place / "sentence" / "read me").write_text("put here by mistake")
    (place / "link").symlink_to("run.txt")
    (place / "away").symlink_to(place.parent, target_is_directory=True)
    (place / "nowhere").symlink_to("nowhere/at/all")
    os.mkfifo(place / "pipe")
    (place / "run.txt").chmod(0o600)


def rebuild(folder: Path, place: Path) -> None:
    write_corpus(folder, SMALL[:3])
    assert build(folder, place).arguments == 3


def test_who_waits_for_another_process_takes_the_index_that_it_makes(
    folder: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: Queue[str] = Queue()
    progress = SimpleNamespace(say=said.put)
    monkeypatch.setattr(cache, "build_index", lambda *_: pytest.fail("it is built anew"))
    place.rename(place.with_name("made by another"))
    with ThreadPoolExecutor(1) as thread:
        with locked(place, lambda: pytest.fail("nobody else is there")):
            waiting = thread.submit(open_index, open_corpus(str(folder)), place, cast(Progress, progress))
            assert said.get(timeout=20) == f"another process is indexing in {place}; waiting for it"
            assert not waiting.done()
            place.with_name("made by another").rename(place)
        assert waiting.result(timeout=20).arguments == len(SMALL)
    assert said.empty()


def test_what_the_manifest_does_not_list_stays(folder: Path, place: Path) -> None:
    kept(place)
    inode = (place / "run.txt").stat().st_ino
    rebuild(folder, place)
    rebuild(folder, place)  # nothing to do
    assert (place / "run.txt").read_text() == "dear to me"
    assert ((place / "run.txt").stat().st_ino, stat.S_IMODE((place / "run.txt").stat().st_mode)) == (inode, 0o600)
    assert (place / "notes" / "old" / "list.npy").read_text() == "no array"
    assert list((place / "notes" / "empty").iterdir()) == []
    assert (place / "sentence" / "read me").read_text() == "put here by mistake"
    assert [os.readlink(place / name) for name in ("link", "away", "nowhere")] == [
        "run.txt",
        str(place.parent),
        "nowhere/at/all",
    ]
    assert stat.S_ISFIFO((place / "pipe").lstat().st_mode)
    assert sorted(path.name for path in place.parent.iterdir()) == [".index.lock", "corpus", "index"]


def test_nothing_of_the_old_index_stays(folder: Path, place: Path, tmp_path: Path) -> None:
    kept(place)
    rebuild(folder, place)
    fresh = build(folder, tmp_path / "fresh").folder
    own = {"run.txt", "list.npy", "read me", "link", "away", "nowhere", "pipe"}
    for engine in ENGINES:
        assert len(list((place / engine).glob("*.store"))) == len(list((fresh / engine).glob("*.store"))) == 1
        managed = json.loads((place / engine / ".managed.json").read_text())
        left = {path.name for path in (place / engine).iterdir()} - {*managed, "read me", ".managed.json", SUMS}
        assert {name for name in left if not name.endswith(".lock")} == set()
    columns = {name: raw for name, raw in contents(place).items() if name not in own}
    assert columns == contents(fresh)


def test_files_are_copied_where_there_are_no_links(folder: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    (place / "run.txt").write_text("dear to me")
    (place / "link").symlink_to("run.txt")
    monkeypatch.setattr(os, "link", refuse)
    rebuild(folder, place)
    assert (place / "run.txt").read_text() == "dear to me"
    assert os.readlink(place / "link") == "run.txt"


def test_a_name_that_the_new_index_needs(folder: Path, place: Path) -> None:
    manifest = json.loads((place / MANIFEST).read_text())
    del manifest["files"]["ids.bin"], manifest["digest"]  # as of an older version that had no such file
    (place / MANIFEST).write_text(json.dumps(manifest))
    (place / "ids.bin").write_text("dear to me")
    write_corpus(folder, SMALL[:3])
    with pytest.raises(InputError, match=r"index/ids\.bin: the index needs a file of this name; move this one"):
        build(folder, place)
    assert (place / "ids.bin").read_text() == "dear to me"
    assert sorted(path.name for path in place.parent.iterdir()) == [".index.lock", "corpus", "index"]


def test_a_corpus_that_cannot_be_read_takes_nothing(folder: Path, place: Path) -> None:
    kept(place)
    before = contents(place)
    write_corpus(folder, [*SMALL, SMALL[0]])
    with pytest.raises(InputError):
        build(folder, place)
    assert contents(place) == before


@pytest.mark.parametrize("output", ["index", "index/run.txt", "index/deep/out", "link", "link/run.txt"])
def test_an_output_in_the_folder_of_the_index(output: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("index", target_is_directory=True)
    with pytest.raises(InputError, match=f"{output}: this would lie in the folder of the index, .*; name another"):
        refuse_outputs(tmp_path / "index", [None, tmp_path / "other", tmp_path / output])
    with pytest.raises(InputError, match="would lie in the folder"):
        refuse_outputs(tmp_path / "link", [tmp_path / output])


def test_outputs_elsewhere(folder: Path, tmp_path: Path) -> None:
    outputs = [None, tmp_path, tmp_path / "index.json", Path(os.devnull)]
    assert index_place(open_corpus(str(folder)), tmp_path / "index", outputs) == tmp_path / "index"


# ---- in the user's cache -----------------------------------------------------------------------------


def test_an_index_that_nobody_placed_is_in_the_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = folder.parent / "cache"
    monkeypatch.setenv("RIPOSTE_CACHE", str(cache))
    before = sorted(folder.iterdir())
    index = open_index(open_corpus(str(folder)), None, QUIET)
    assert sorted(folder.iterdir()) == before
    assert index.folder.parent == cache / "indexes"
    assert index.folder.name.startswith("args_processed-")
    assert index_place(open_corpus(str(folder)), None) == index.folder


def test_a_corpus_is_known_by_its_path(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(folder, target_is_directory=True)
    place = index_place(open_corpus(str(folder)), None)
    assert index_place(open_corpus(str(tmp_path / "link")), None) == place
    monkeypatch.chdir(folder)
    assert index_place(open_corpus("."), None) == place
    other = write_corpus(tmp_path / "other", SMALL)  # the same words elsewhere may change on their own
    assert index_place(open_corpus(str(other)), None) != place


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOMEM])
def test_an_index_is_not_built_anew_for_want_of_files_or_memory(
    number: int, folder: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(cache, "build_index", None)
    for name in ("damaged_file", "Index"):
        with monkeypatch.context() as patch:
            patch.setattr(cache, name, refuse)
            with pytest.raises(OSError, match=os.strerror(number)):
                open_index(open_corpus(str(folder)), place, QUIET)


@pytest.mark.parametrize("kind", ["PermissionDenied", "ReadOnlyFilesystem"])
def test_an_index_that_the_engine_cannot_lock(
    kind: str, folder: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_only = [str(place / engine) for engine in ENGINES]

    class Engines:
        @staticmethod
        def open(at: str) -> object:
            if at in read_only:
                raise ValueError(f'Failed to acquire Lockfile: IoError(Os {{ code: 13, kind: {kind}, message: "" }})')
            return tantivy.Index.open(at)

    monkeypatch.setattr(engines, "tantivy", SimpleNamespace(Index=Engines))
    building_place(place).mkdir()
    monkeypatch.setattr(cache, "locked", lambda *_: (_ for _ in ()).throw(PermissionError))
    index = open_index(open_corpus(str(folder)), place, QUIET)
    assert index.search("sentence", index.analyzer.terms("zoos"), 9)[0].tolist() == [12, 8]


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
    corpus = open_corpus(str(folder))
    with pytest.raises(InputError, match=r"a\.csv: this would lie in the folder of the index"):
        index_place(corpus, None, [index_place(corpus, None) / "a.csv"])
    assert [path.name for path in folder.iterdir()] == ["args_processed.csv"]


def test_the_current_directory_is_read_but_not_replaced(
    folder: Path, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = open_corpus(str(folder))
    monkeypatch.chdir(place)
    assert open_index(corpus, index_place(corpus, Path(".")), QUIET).arguments == len(SMALL)
    write_corpus(folder, SMALL[:3])
    for here in (".", "..", str(place)):
        with pytest.raises(InputError, match=r"this is the current directory or one above it|no Riposte index"):
            open_index(corpus, index_place(corpus, Path(here)), QUIET)
    assert Path.cwd() == place
    assert sorted(path.name for path in tmp_path.iterdir()) == [".index.lock", "corpus", "index"]


def test_a_name_that_is_no_utf_8_is_refused_before_anything_is_built(folder: Path, tmp_path: Path) -> None:
    corpus = open_corpus(str(folder))
    with pytest.raises(InputError, match="this name is no UTF-8, and the engine takes no other; name another"):
        index_place(corpus, tmp_path / "caf\udce9")


def test_an_old_index_that_was_not_removed_goes_with_the_next_look(folder: Path, place: Path) -> None:
    left, written, other = (
        place.parent / f".{name}.part" for name in ("index.abcdefgh", "index.ijklmnop", "mine.abcdefgh")
    )
    for one in (left, written, other):
        one.mkdir()
        (one / "text").write_text("old")
    held = os.open(written, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    open_index(open_corpus(str(folder)), place, QUIET)
    os.close(held)
    assert not left.exists()
    assert (written / "text").exists(), "somebody still writes it"
    assert (other / "text").exists()
