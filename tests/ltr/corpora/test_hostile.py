"""Corpora that are made to take all memory or all time: refused in one line, or passed over."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.memory import at_most
from support.refusals import refuses

from ltr.corpora import base
from ltr.corpora.args_csv import COLUMNS
from ltr.corpora.argsme import SentenceSplitter
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
