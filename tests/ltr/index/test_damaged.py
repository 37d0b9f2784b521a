"""An index with a flipped bit: made anew, refused in a line, or as good as before; never another result in silence."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from support.corpora import QUIET, SMALL, write_corpus
from support.refusals import refuses

from ltr.corpora.source import open_corpus
from ltr.errors import InputError
from ltr.index.cache import open_index
from ltr.index.folder import damaged_file, read_manifest
from ltr.index.reader import Index
from ltr.index.strings import BLOCK, Strings, block_sums
from ltr.progress import Progress

FLIPS = 300


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


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus", SMALL)


def flip(path: Path, rng: random.Random) -> None:
    raw = path.read_bytes()
    place = rng.randrange(len(raw))
    with path.open("r+b") as out:  # in its place: who has the file mapped must not see it end
        out.seek(place)
        out.write(bytes([raw[place] ^ 1 << rng.randrange(8)]))


def test_no_flipped_bit_changes_what_an_index_says(corpus: Path, tmp_path: Path):
    place = tmp_path / "whole"
    right = answers(open_index(open_corpus(str(corpus)), place, QUIET))
    files = sorted(path.relative_to(place) for path in place.rglob("*") if path.is_file() and path.stat().st_size)
    assert len(files) > 40
    rng, refused, same = random.Random(0), 0, 0
    for number in range(FLIPS):
        damaged = Path(shutil.copytree(place, tmp_path / "damaged" / str(number)))
        name = files[number % len(files)]
        flip(damaged / name, rng)
        # As if building took no time: an index that is damaged is named, and made anew where it is.
        manifest = read_manifest(damaged)
        try:
            if manifest is None or damaged_file(damaged, manifest):
                raise InputError(damaged, "would be made anew")
            found = answers(Index(damaged))
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
def test_a_damaged_index_is_made_anew(corpus: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]):
    place = tmp_path / "index"
    right = answers(open_index(open_corpus(str(corpus)), place, QUIET))
    flip(next(place.glob(name)), random.Random(1))
    assert answers(open_index(open_corpus(str(corpus)), place, Progress())) == right
    assert "is damaged (" in capsys.readouterr().err
    assert answers(open_index(open_corpus(str(corpus)), place, Progress())) == right
    assert "damaged" not in capsys.readouterr().err


def test_a_damaged_text_is_refused_when_it_is_read(corpus: Path, tmp_path: Path):
    index = open_index(open_corpus(str(corpus)), tmp_path / "index", QUIET)
    path = tmp_path / "index" / "text-0000.bin"
    flip(path, random.Random(0))
    index = Index(tmp_path / "index")
    refuses(lambda: index.text(0), str(path), "is damaged")


def test_blocks_are_checked_once_and_each(tmp_path: Path):
    import numpy as np

    path = tmp_path / "strings"
    path.write_bytes(b"x" * 3 * BLOCK)
    strings = Strings(path, np.arange(1, 4) * BLOCK, block_sums(path))
    assert strings[0] == "x" * BLOCK
    raw = bytearray(path.read_bytes())
    raw[0] = raw[2 * BLOCK] = ord("y")
    path.write_bytes(raw)
    assert strings[0].startswith("y")  # it was as it should be when it was first read
    assert strings[1] == "x" * BLOCK
    refuses(lambda: strings[2], "strings", "is damaged")
