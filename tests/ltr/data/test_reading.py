"""Files that never end or are too large: one line, and in little memory."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.memory import at_most
from support.refusals import refuses

from ltr import files
from ltr.data import topics
from ltr.data.qrels import read_qrels
from ltr.data.runs import read_run
from ltr.data.topics import read_topics
from ltr.files import read_whole

READERS = {read_topics: 2, read_qrels: 3, read_run: 3}
"""Reader -> the MB that it takes, where `small` is used."""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if there was less memory."""
    monkeypatch.setattr(files, "LARGEST", 3 << 20)
    monkeypatch.setattr(topics, "LARGEST", 2 << 20)


@pytest.fixture
def in_little_memory() -> Iterator[None]:
    with at_most(40):
        yield


@pytest.mark.usefixtures("small", "in_little_memory")
@pytest.mark.parametrize(("read", "most"), READERS.items())
def test_what_never_ends_or_is_too_large(read: Callable[[Path], object], most: int, tmp_path: Path):
    said = f"holds more than {most} MB"
    refuses(lambda: read(Path("/dev/zero")), "/dev/zero", said)
    sparse = tmp_path / "field"
    with sparse.open("wb") as out:
        out.truncate(1 << 30)
    refuses(lambda: read(sparse), str(sparse), said)
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(bytes(30 << 20)))
    refuses(lambda: read(bomb), str(bomb), said)


def test_a_file_is_read_as_it_is(tmp_path: Path):
    (tmp_path / "file").write_bytes(bytes(range(256)) * 9_000)
    assert read_whole(tmp_path / "file") == bytes(range(256)) * 9_000
    assert read_whole(Path("/dev/null")) == b""
    with pytest.raises(IsADirectoryError):
        read_whole(tmp_path)
