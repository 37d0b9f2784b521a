"""Rows that are kept beside an index: read back as they were written, and never wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ltr.index.kept_rows import KeptRows

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


def test_the_files_can_be_left_alone_or_out_of_reach(kept: KeptRows, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept.path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setenv("RIPOSTE_VALUES", "0")
        assert known(kept) == [None] * 3
        kept.write(KEYS, PLACES, -NUMBERS)
    assert kept.path.read_bytes() == before
    kept.path.unlink()
    kept.path.mkdir()
    assert known(kept) == [None] * 3
