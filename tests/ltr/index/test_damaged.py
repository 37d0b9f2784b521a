"""An index with a flipped bit: made anew, refused in a line, or as good as before; never another result in silence."""

from __future__ import annotations

import gc
import os
import random
import shutil
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from support.corpora import QUIET, SMALL, write_corpus
from support.parts import files_of
from support.refusals import refuses

from features.core.text import Analyzer
from ltr.corpora.source import open_corpus
from ltr.errors import InputError
from ltr.index.cache import _fitting, index_state, open_index
from ltr.index.folder import MANIFEST
from ltr.index.reader import Index
from ltr.index.strings import BLOCK, Blocks, Strings
from ltr.parallel import Workers
from ltr.progress import Progress

FLIPS = 120
Column = np.ndarray[Any, Any]


def answers(index: Index) -> list[object]:
    """All that a small index can say."""
    found: list[object] = [index.text(row) for row in range(index.sentences)]
    for row in range(index.arguments):
        found += [index.argument_id(row), index.title(row), index.stance(row), index.sentence_rows(row)]
    for field in ("sentence", "argument", "conclusion", "title"):
        rows, scores = index.search(field, index.analyzer.terms("cars pollute the city zoos animals work"), 5)
        found += [rows.tolist(), scores.tolist()]
    for name, column in sorted(index._columns.items()):
        found.append((name, column.tobytes()))
    return found


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("damaged") / "corpus", SMALL)


@pytest.fixture(scope="module")
def whole(corpus: Path) -> Path:
    """An index as it should be, to be copied."""
    return open_index(open_corpus(str(corpus)), corpus.parent / "index", QUIET, Workers(1)).folder.parent


@pytest.fixture(scope="module")
def right(whole: Path) -> list[object]:
    return answers(Index(whole))


@pytest.fixture
def place(whole: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(whole, tmp_path / "index"))


@pytest.fixture
def files(place: Path) -> Path:
    """The folder with its files."""
    return files_of(place)


def flip(path: Path, rng: random.Random) -> None:
    raw = path.read_bytes()
    place = rng.randrange(len(raw))
    with path.open("r+b") as out:  # in its place: who has the file mapped must not see it end
        out.seek(place)
        out.write(bytes([raw[place] ^ 1 << rng.randrange(8)]))


def test_no_flipped_bit_changes_what_an_index_says(corpus: Path, place: Path, right: list[object], tmp_path: Path):
    every = sorted(path.relative_to(place) for path in place.rglob("*") if path.is_file() and path.stat().st_size)
    assert len(every) > 40
    rng, refused, same = random.Random(0), 0, 0
    for number in range(FLIPS):
        damaged = Path(shutil.copytree(place, tmp_path / "damaged" / str(number)))
        name = every[number % len(every)]
        flip(damaged / name, rng)
        # As if building took no time: an index that is damaged is named, and made anew where it is.
        try:
            index = _fitting(damaged, open_corpus(str(corpus)), Analyzer())
            if index is None:
                raise InputError(damaged, "would be made anew")
            found = answers(index)
        except (InputError, ValueError, KeyError, OSError):
            refused += 1
            continue
        except Exception as error:
            raise AssertionError(f"{number}: {name}") from error
        assert found == right, f"{number}: {name}"
        same += 1
    assert refused + same == FLIPS
    assert refused > FLIPS * 0.9


@pytest.mark.parametrize(
    "name", ["near_key.npy", "starts.npy", "units.json", "ids.bin", "sentence/*.idx", "argument/*.fast"]
)
def test_a_damaged_index_is_made_anew(
    corpus: Path, place: Path, right: list[object], name: str, capsys: pytest.CaptureFixture[str]
):
    flip(next(files_of(place).glob(name)), random.Random(1))
    assert answers(open_index(open_corpus(str(corpus)), place, Progress(), Workers(1))) == right
    assert "is damaged (" in capsys.readouterr().err
    assert answers(open_index(open_corpus(str(corpus)), place, Progress(), Workers(1))) == right
    assert "damaged" not in capsys.readouterr().err


def test_a_damaged_text_is_refused_and_the_next_command_makes_the_index_anew(
    corpus: Path, place: Path, files: Path, right: list[object], capsys: pytest.CaptureFixture[str]
):
    path = files / "text-0000.bin"
    flip(path, random.Random(0))
    index, other = Index(files), Index(files)
    (place / "notes").write_text("dear to me")
    refuses(lambda: index.text(0), str(path), "; run the command again, and the index is made anew")
    assert Index(files, index.identity).arguments == index.arguments, "what runs may go on"
    assert answers(open_index(open_corpus(str(corpus)), place, Progress(), Workers(1))) == right
    assert "indexing" in capsys.readouterr().err
    assert (place / "notes").read_text() == "dear to me"
    refuses(lambda: other.text(0), str(path), "; run the command again")
    assert open_index(open_corpus(str(corpus)), place, Progress(), Workers(1))
    assert capsys.readouterr().err == "", "what another process still has open is not this index"


@pytest.mark.parametrize("manifest", [b"", b"\xff", None])
def test_without_its_manifest_it_is_made_anew_and_what_a_user_keeps_there_stays(
    corpus: Path,
    place: Path,
    files: Path,
    right: list[object],
    manifest: bytes | None,
    capsys: pytest.CaptureFixture[str],
):
    (files / MANIFEST).unlink()
    if manifest is not None:
        (files / MANIFEST).write_bytes(manifest)
    (place / "notes").write_text("dear to me")
    assert index_state(open_corpus(str(corpus)), place).startswith("the one there is damaged")
    assert answers(open_index(open_corpus(str(corpus)), place, Progress(), Workers(1))) == right
    assert "is damaged (" in capsys.readouterr().err
    assert (place / "notes").read_text() == "dear to me"
    assert answers(open_index(open_corpus(str(corpus)), place, Progress(), Workers(1))) == right
    assert "damaged" not in capsys.readouterr().err


def test_a_folder_that_is_no_index_is_left_alone(corpus: Path, tmp_path: Path):
    names = ("manifest.json", "index.json", "starts.npy", "sentence/meta.json", "sentence/sums.json", "riposte-index/x")
    for name in names:
        (tmp_path / "mine" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / name).write_text("dear to me")
    refuses(
        lambda: open_index(open_corpus(str(corpus)), tmp_path / "mine", QUIET),
        "mine",
        "neither empty nor a Riposte index",
    )
    assert {(tmp_path / "mine" / name).read_text() for name in names} == {"dear to me"}


@pytest.mark.parametrize("error", [ValueError("corrupted"), type("PanicException", (BaseException,), {})("mid > len")])
def test_an_engine_that_fails_is_damaged(
    corpus: Path, place: Path, error: BaseException, monkeypatch: pytest.MonkeyPatch
):
    index = Index(place)
    monkeypatch.setattr(index, "_hits", Mock(side_effect=error))
    refuses(lambda: index.search("sentence", ["car"], 5), str(index.folder), "is damaged: it cannot be searched")
    assert _fitting(place, open_corpus(str(corpus)), Analyzer()) is None


@pytest.mark.filterwarnings("error")
def test_files_that_are_open_are_closed_without_a_word(corpus: Path, place: Path):
    with warnings.catch_warnings(action="ignore"):
        gc.collect()  # what other tests left
    before = len(os.listdir("/proc/self/fd"))
    index = open_index(open_corpus(str(corpus)), place, QUIET)
    assert len(os.listdir("/proc/self/fd")) > before
    del index
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before


def write_blocks(path: Path, pieces: list[str]) -> Column:
    with path.open("wb") as file:
        blocks = Blocks(file)
        for piece in pieces:
            blocks.write(piece.encode())
        return blocks.finish()


def test_any_block_is_read_and_checked_without_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ltr.index.strings.KEPT", 1)
    path = tmp_path / "strings"
    blocks = write_blocks(path, ["x" * (BLOCK - 1), "x" * (2 * BLOCK + 1)])
    strings = Strings(path, np.arange(1, 4) * BLOCK, blocks)
    assert list(strings) == ["x" * BLOCK] * 3
    raw = bytearray(path.read_bytes())
    raw[0] ^= 1
    raw[-1] ^= 1
    path.write_bytes(raw)
    strings = Strings(path, np.arange(1, 4) * BLOCK, blocks)
    refuses(lambda: strings[0], "strings", "is damaged")
    assert strings[1] == "x" * BLOCK
    refuses(lambda: strings[2], "strings", "is damaged")
