"""Files that never end, that hold too much, or that nobody writes: one line, at once, and in little memory."""

from __future__ import annotations

import gzip
import io
import math
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.memory import at_most
from support.refusals import refuses

from ltr.corpora import args_csv, lines
from ltr.corpora.argument import RowError
from ltr.corpora.source import open_corpus
from ltr.data import reading, topics
from ltr.data.columns import read_bytes
from ltr.data.qrels import read_qrels
from ltr.data.reading import read_whole
from ltr.data.runs import read_run
from ltr.data.topics import read_topics

READERS = {read_topics: 2, read_qrels: 3, read_run: 3}
"""Reader -> the MB that it takes, where `small` is used."""


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if there was less memory."""
    monkeypatch.setattr(reading, "LARGEST", 3 << 20)
    monkeypatch.setattr(topics, "LARGEST", 2 << 20)
    monkeypatch.setattr(reading, "PATIENCE", 0.2)


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


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("read", READERS)
def test_a_pipe_without_a_writer(read: Callable[[Path], object], tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    refuses(lambda: read(tmp_path / "pipe"), str(tmp_path / "pipe"), "nobody writes into this pipe")


@pytest.mark.usefixtures("small")
def test_a_pipe_with_a_writer_that_takes_its_time(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    go_on = threading.Event()

    def write() -> None:
        with (tmp_path / "pipe").open("wb", buffering=0) as out:
            go_on.wait(1)  # longer than anybody waits for a writer
            out.write(b"1 0 a 1\n")
            out.write(b"1 0 b 2\n" * 10_000)

    writer = threading.Thread(target=write)
    writer.start()
    assert read_bytes(tmp_path / "pipe") == b"1 0 a 1\n" + b"1 0 b 2\n" * 10_000
    writer.join()


def test_a_file_is_read_as_it_is(tmp_path: Path):
    (tmp_path / "file").write_bytes(bytes(range(256)) * 9_000)
    assert read_whole(tmp_path / "file") == bytes(range(256)) * 9_000
    assert read_whole(Path("/dev/null")) == b""
    with pytest.raises(IsADirectoryError):
        read_whole(tmp_path)


@pytest.mark.usefixtures("in_little_memory")
def test_a_cell_and_a_line_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(args_csv, "LONGEST_CELL", 4 << 20)
    monkeypatch.setattr(lines, "LONGEST_LINE", 4 << 20)
    for mark in (b"x", b"\n"):  # one line, and many
        rows = args_csv.csv_rows(args_csv.lines(io.BytesIO(b'"' + mark * (5 << 20)), math.inf))
        with pytest.raises(RowError, match=r"a line longer than|field larger than"):
            args_csv._next_row(rows)
    path = tmp_path / "passages.jsonl"
    path.write_bytes(b'{"id": "1", "contents": "' + b"x" * (5 << 20))
    refuses(lambda: list(open_corpus(str(path))), str(path), "row 1: has 4,194,304 bytes or more")
