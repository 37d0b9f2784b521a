"""Corpora that are made to take all memory or all time: refused in one line, or passed over."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.memory import at_most
from support.refusals import refuses

from ltr.corpora import base
from ltr.corpora.args_csv import COLUMNS
from ltr.corpora.argsme import SentenceSplitter, _Bounded
from ltr.corpora.literals import LONGEST, parse_sentences, parse_stances
from ltr.corpora.source import open_corpus

HEADER = ",".join(COLUMNS) + "\n"


@pytest.fixture
def in_little_memory() -> Iterator[None]:
    with at_most(60):
        yield


# ---- archives -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "start"), [("args_processed.csv.gz", HEADER), ("passages.jsonl.gz", "")])
def test_a_file_that_unpacks_to_too_much(name: str, start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(base, "SMALLEST_LIMIT", 2 << 20)
    path = tmp_path / name
    line = b"\n" if start else b" " * 999 + b"\n"
    path.write_bytes(gzip.compress(start.encode() + line * ((3 << 20) // len(line))))
    refuses(lambda: list(open_corpus(str(path))), name, "cannot be unpacked (more than 2 MB from so small a file)")


# ---- cells and lines ------------------------------------------------------------------------------


@pytest.mark.usefixtures("in_little_memory")
def test_a_literal_is_refused_before_it_takes_memory():
    for parse in (parse_sentences, parse_stances):
        with pytest.raises(ValueError, match="has more than 1,048,576 characters and is not written as repr does"):
            parse(f"[{'{},' * LONGEST}]")


SPLITTER = SentenceSplitter()


def test_sentences_around_a_long_piece():
    long = "x" * 2_000
    assert SPLITTER(f"Cars smell. It is {long}. Ban them!") == ["Cars smell.", f"It is {long}.", "Ban them!"]


BOMBS = {
    "nested more than 100 levels deep": b'{"arguments":[' + b"[" * 1_000_000,
    "nested more than 100": b'{"arguments":[{"id":"]]]","x":' + b'["\\"]]",' * 1_000_000,
    "has more than 8,388,608 bytes": b'{"arguments":[{"id":"a","premises":[{"text":"' + b"[ yes ] " * 2_000_000,
    "more than 8,388,608": b'{"x":"' + b"a" * 12_000_000,
}


@pytest.mark.usefixtures("in_little_memory")
@pytest.mark.parametrize("said", BOMBS)
def test_json_is_refused_before_it_takes_memory(said: str, tmp_path: Path):
    (tmp_path / "d.json").write_bytes(BOMBS[said])
    refuses(lambda: list(open_corpus(tmp_path / "d.json")), "d.json: argument 1: ", said)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1 << 16])
def test_large_files_of_small_arguments_are_read(size: int):
    text = json.dumps({"a": "\\", "arguments": [{"x": '\\" ]]]{{{"', "y": [[{"z": "\\\\"}]]}] * 50}).encode()
    file = _Bounded(io.BytesIO(text))
    assert b"".join(iter(lambda: file.read(size), b"")) == text
    assert file._depth == 0


@pytest.mark.parametrize(("name", "start"), [("args_processed.csv", HEADER), ("a.jsonl", "")])
def test_blank_lines_end(name: str, start: str, tmp_path: Path):
    (tmp_path / name).write_bytes(start.encode() + b"\n" * 4_000_002)
    refuses(lambda: list(open_corpus(tmp_path / name)), name, "row 1: is after 4,000,000 blank lines")
