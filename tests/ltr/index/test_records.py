"""Files of records: half a record costs itself alone, and what is not ours stays."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from ltr.index.records import append_records, mapped_records

RECORD = np.dtype([("key", "<u4"), ("value", "<f4")])


def test_half_a_record_is_filled_up(tmp_path: Path) -> None:
    path = tmp_path / "some.bin"
    append_records(path, np.array([(1, 0.5), (2, 1.5)], RECORD))
    os.truncate(path, 11)  # of two records of 8 bytes
    assert mapped_records(path, RECORD)["key"].tolist() == [1]
    append_records(path, np.array([(3, 2.5)], RECORD))
    first, _, third = mapped_records(path, RECORD).tolist()
    assert (first, third) == ((1, 0.5), (3, 2.5))


def test_a_full_file_is_removed_and_a_link_is_not_followed(tmp_path: Path) -> None:
    path, theirs = tmp_path / "some.bin", tmp_path / "theirs"
    append_records(path, np.zeros(3, RECORD))
    assert len(mapped_records(path, RECORD, 24)) == 3
    assert len(mapped_records(path, RECORD, 23)) == 0
    assert not path.exists()
    theirs.write_bytes(b"theirs, and no record")
    path.symlink_to(theirs)
    for act in (lambda: mapped_records(path, RECORD), lambda: append_records(path, np.zeros(1, RECORD))):
        with pytest.raises(OSError, match=r"some\.bin"):
            act()
    assert theirs.read_bytes() == b"theirs, and no record"
