"""Rows that are kept beside an index: read back as they were written, and never wrong."""

from __future__ import annotations

import os
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ltr.index.kept_rows import KeptRows, KeptScores, key_of

KEYS = np.array([7, 2**64 - 1, 9], np.uint64)
PLACES = np.array([5, 6, 0])
NUMBERS = np.array([[1, -2, 3], [4, 5, -128], [0, 0, 127]], np.int8)
RECORD = 16
"""Bytes of a row of three numbers in eight bits, with its check sum."""


def rows_in(folder: Path, state: str = "state") -> KeptRows:
    return KeptRows(folder / "some.bin", state, np.int8, 3)


def known(kept: KeptRows, keys: np.ndarray = KEYS) -> list[list[int] | None]:
    numbers, found = kept.read(keys, PLACES)
    assert numbers.dtype == np.int8
    return [row if right else None for row, right in zip(numbers.tolist(), found, strict=True)]


@pytest.fixture
def kept(tmp_path: Path) -> KeptRows:
    found = rows_in(tmp_path)
    found.write(KEYS, PLACES, NUMBERS)
    return found


def test_rows_are_read_as_they_were_written(kept: KeptRows, tmp_path: Path) -> None:
    assert known(rows_in(tmp_path)) == NUMBERS.tolist()
    assert kept.path.stat().st_size == 7 * RECORD
    assert known(kept, KEYS + np.uint64(1)) == [None] * 3
    assert known(rows_in(tmp_path, "another state")) == [None] * 3
    kept.write(KEYS[:1], PLACES[1:2], NUMBERS[2:])  # another key at the same place
    assert known(kept) == [[1, -2, 3], None, [0, 0, 127]]
    nothing = np.zeros(0, np.int64)
    assert kept.read(nothing.astype(np.uint64), nothing)[0].shape == (0, 3)


def test_holes_and_what_is_beyond_the_end_are_not_found(kept: KeptRows) -> None:
    numbers, found = kept.read(np.zeros(3, np.uint64), np.array([1, 4, 10**12]))
    assert not found.any()
    assert not numbers.any()


@given(data=st.data())
@settings(max_examples=60)
def test_damage_costs_rows_and_changes_none(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    kept = rows_in(tmp_path_factory.mktemp("kept"))
    kept.write(KEYS, PLACES, NUMBERS)
    whole = kept.path.read_bytes()
    raw = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    shift = data.draw(st.sampled_from([0, 0, 1, RECORD]))
    kept.path.write_bytes(bytes(raw[shift:] + raw[:shift])[: data.draw(st.integers(0, len(raw)))])
    for row, right in zip(known(kept), NUMBERS.tolist(), strict=True):
        assert row in (None, right)
    kept.write(KEYS, PLACES, NUMBERS)
    assert known(kept) == NUMBERS.tolist()


@pytest.mark.parametrize("plant", ["file", "pipe", "zero", "folder"])
def test_a_planted_file_is_neither_read_nor_written(plant: str, kept: KeptRows, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    kept.path.rename(theirs)
    before = theirs.read_bytes()
    if plant == "pipe":
        os.mkfifo(kept.path)
    elif plant == "folder":
        kept.path.mkdir()
    else:
        kept.path.symlink_to(theirs if plant == "file" else "/dev/zero")
    assert known(kept) == [None] * 3
    with pytest.raises(OSError, match=r"some\.bin"):
        kept.write(KEYS, PLACES, NUMBERS)
    assert theirs.read_bytes() == before


def test_the_files_can_be_left_alone_or_out_of_reach(kept: KeptRows, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept.path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setenv("RIPOSTE_VALUES", "0")
        assert known(kept) == [None] * 3
        kept.write(KEYS, PLACES, -NUMBERS)
    monkeypatch.setattr(os, "open", Mock(side_effect=PermissionError))
    assert known(kept) == [None] * 3
    monkeypatch.undo()
    assert kept.path.read_bytes() == before


def test_a_full_disk_leaves_half_a_row_that_is_not_found(kept: KeptRows) -> None:
    kept.path.unlink()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5 * RECORD + 8, before[1]))
    try:
        with pytest.raises(OSError, match="large"):
            kept.write(KEYS, PLACES, NUMBERS)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert known(kept) == [None, None, [0, 0, 127]]


def test_several_may_write_at_once(tmp_path: Path) -> None:
    kept = KeptRows(tmp_path / "some.bin", "", np.float32, 5)

    def write(start: int) -> None:
        rows = np.arange(start, start + 40)
        kept.write(rows.astype(np.uint64), rows, np.repeat(rows[:, None], 5, axis=1).astype(np.float32))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(0, 800, 20)))
    numbers, found = kept.read(np.arange(800).astype(np.uint64), np.arange(800))
    assert found.all()
    assert numbers[:, 4].tolist() == list(range(800))


def test_scores_of_rerankers(tmp_path: Path) -> None:
    keys = [key_of("question", text) for text in ("a", "b", "c")]
    kept = KeptScores(tmp_path, "digest")
    kept.keep(keys[:2], np.array([1.5, -1e300]))
    np.testing.assert_array_equal(KeptScores(tmp_path, "digest").read(keys), [1.5, -1e300, np.nan])
    assert np.isnan(KeptScores(tmp_path, "other digest").read(keys)).all()
    nobody = KeptScores(tmp_path, None)
    nobody.keep(keys, np.zeros(3))
    assert np.isnan(nobody.read(keys)).all()
    assert len([*tmp_path.iterdir()]) == 1


def test_keys_differ_by_where_a_text_ends() -> None:
    assert len({key_of("ab", "c"), key_of("a", "bc"), key_of("abc"), key_of("", "abc"), key_of("c", "ab")}) == 5
    assert 0 <= key_of("\udcff") < 2**64
