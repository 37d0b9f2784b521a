"""Files that are packed, hold odd characters, never end or are too large."""

from __future__ import annotations

import codecs
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.memory import at_most
from support.refusals import refuses

from ltr import files
from ltr.corpora.source import open_corpus
from ltr.data import topics
from ltr.data.columns import read_bytes
from ltr.data.qrels import read_qrels
from ltr.data.runs import read_run
from ltr.data.topics import read_topics
from ltr.files import read_whole


@pytest.mark.parametrize("read", [read_topics, read_qrels, read_run])
def test_files_that_cannot_be_read(tmp_path, read):
    refuses(lambda: read(tmp_path / "absent"), "absent", "no such file")
    refuses(lambda: read(tmp_path), str(tmp_path), "is a directory")


@pytest.mark.parametrize(
    ("read", "content"),
    [
        (read_topics, b"<topics>\n\0</topics>"),
        (read_qrels, b"1 0 a 1\n1 0 a\0x 2\n"),
        (read_run, b"1 Q0 a 1 2.0 t\n1 Q0 a\0x 2 1.0 t\n"),
    ],
)
def test_a_nul_is_no_part_of_an_id(tmp_path, read, content):
    """Of `a` and `a`, NUL, `x` trec_eval made one id, and gave the topic 0."""
    (tmp_path / "file").write_bytes(content)
    refuses(lambda: read(tmp_path / "file"), f"{tmp_path / 'file'} line 2", "holds a NUL byte")


def test_a_packed_file_is_unpacked_and_bounded(tmp_path):
    path, text = tmp_path / "a.gz", b"1 0 a 1\n" * 100
    path.write_bytes(gzip.compress(codecs.BOM_UTF8 + text))
    assert read_bytes(path) == text
    refuses(lambda: read_bytes(path, 700), "a.gz", "holds more than")
    path.write_bytes(text)
    refuses(lambda: read_bytes(path, 700), "a.gz", "holds more than")
    path.write_bytes(gzip.compress(text)[:-9])
    refuses(lambda: read_bytes(path), "a.gz", "is not a complete gzip file; make it again")


def _lines_corpus(path):
    rows = path.read_text("utf-8").splitlines()
    path = path.with_suffix(".jsonl")
    path.write_text("".join(json.dumps({"id": row, "text": "Yes.", "stance": "PRO"}) + "\n" for row in rows), "utf-8")
    return next(iter(open_corpus(path))).id


ID_READERS = {
    "1 0 {} 1": lambda path: next(iter(read_qrels(path)["1"])),
    "1 Q0 {} 1 1.0 t": lambda path: read_run(path)[0].pair,
    "<topics><topic><number>{}</number><title>t</title></topic></topics>": lambda path: read_topics(path)[0].number,
    "{}": _lines_corpus,
}
"""The line of a file with an id, and what is read of it."""


@pytest.mark.parametrize("line", ID_READERS)
def test_ids_are_the_same_in_every_file(tmp_path, line):
    """A mark or a blank that nobody sees let a judged document count as unjudged."""
    path = tmp_path / "file"
    for written in ("\ufeffcaf\u00e9", " cafe\u0301 "):
        path.write_text(line.format(written) + "\n", "utf-8")
        assert ID_READERS[line](path) == "caf\u00e9"
    for odd in ("a\u200bb", "a\u00adb", "a\ufeffb", "ab\ufe0f", "\u3164a"):
        path.write_text(line.format(odd) + "\n", "utf-8")
        refuses(lambda: ID_READERS[line](path), str(path.parent), "holds an invisible character (U+")


def test_a_byte_order_mark_between_joined_files(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n\ufeff2 0 b 2\n", "utf-8")
    assert read_qrels(tmp_path / "q") == {"1": {"a": 1}, "2": {"b": 2}}


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
