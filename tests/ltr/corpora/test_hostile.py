"""Corpora that are made to take all memory or all time: refused in one line, or read in a time that grows with them."""

from __future__ import annotations

import gzip
import tarfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.large_inputs import head, member, row
from support.memory import at_most
from support.refusals import refuses

from ltr.corpora import args_csv, base
from ltr.corpora.args_csv import COLUMNS, CsvCorpus
from ltr.corpora.argsme import SentenceSplitter
from ltr.corpora.documents import split_sentences
from ltr.corpora.literals import LONGEST, parse_sentences, parse_stance
from ltr.corpora.source import open_corpus

HEADER = ",".join(COLUMNS) + "\n"
TABLE = member("a.csv", (HEADER + row("S1-A1", ["Ban cars."])).encode())


@pytest.fixture
def in_little_memory() -> Iterator[None]:
    with at_most(60):
        yield


def packed(folder: Path, *members: bytes) -> Path:
    path = folder / "args_processed.tar.gz"
    path.write_bytes(gzip.compress(b"".join(members) + bytes(1024), 1))
    return path


# ---- archives -------------------------------------------------------------------------------------

HARMLESS: dict[str, list[bytes]] = {
    "a link": [head("x.csv", kind=tarfile.SYMTYPE)],
    "a device": [head("x.csv", kind=tarfile.CHRTYPE)],
    "an absolute name": [head("/etc/passwd")],
    "a name outside": [head("../../x")],
    "empty members": [head(f"{number}.txt") for number in range(1_000)],
}


@pytest.mark.parametrize("what", HARMLESS)
def test_members_that_are_no_tables_are_passed_over(what: str, tmp_path: Path):
    assert [one.id for one in open_corpus(str(packed(tmp_path, *HARMLESS[what], TABLE)))] == ["S1-A1"]
    assert [path.name for path in tmp_path.iterdir()] == ["args_processed.tar.gz"], "nothing is unpacked"
    refuses(lambda: list(open_corpus(str(packed(tmp_path, *HARMLESS[what])))), "tar.gz", "there is no CSV file in")


def pax(*records: bytes) -> bytes:
    return member("pax", b"".join(records), tarfile.XHDTYPE)


REFUSED: dict[str, list[bytes]] = {
    "names of names": [member("x", b"x", tarfile.GNUTYPE_LONGNAME)] * 2_000,
    "a number too long": [pax(b"1" * 5_000 + b" a=\n")],
    "members without end": [head("a.txt")] * 5_000,
}


@pytest.mark.usefixtures("in_little_memory")
@pytest.mark.parametrize("what", REFUSED)
def test_archives_that_claim_too_much(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(base, "SMALLEST_LIMIT", 2 << 20)
    refuses(lambda: list(open_corpus(str(packed(tmp_path, *REFUSED[what], TABLE)))), "tar.gz", "cannot be unpacked (")


@pytest.mark.parametrize(("name", "start"), [("args_processed.csv.gz", HEADER), ("passages.jsonl.gz", "")])
def test_a_file_that_unpacks_to_too_much(name: str, start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(base, "SMALLEST_LIMIT", 2 << 20)
    path = tmp_path / name
    path.write_bytes(gzip.compress(start.encode() + b"\n" * (3 << 20)))
    refuses(lambda: list(open_corpus(str(path))), name, "cannot be unpacked (more than 2 MB from so small a file)")


# ---- cells and lines ------------------------------------------------------------------------------


@pytest.mark.usefixtures("in_little_memory")
def test_a_literal_is_refused_before_it_takes_memory():
    for parse in (parse_sentences, parse_stance):
        with pytest.raises(ValueError, match="has more than 1,048,576 characters and is not written as repr does"):
            parse(f"[{'{},' * LONGEST}]")


def test_a_text_of_a_literal_may_be_long():
    text = "x" * LONGEST
    assert parse_sentences(f"[{{'sent_id': '1', 'sent_text': '{text}'}}]") == [("1", text)]


def test_a_row_is_not_looked_for_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(args_csv, "LONGEST_ROW", 1 << 16)
    path = tmp_path / "args_processed.csv"
    path.write_text(HEADER + "".join(row(f"S1-A{n}", ["Ban cars."]) for n in range(10)) + "x" * (40 << 20))
    tracemalloc.start()
    assert len(CsvCorpus(path).parts()) == 1
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


# ---- time -----------------------------------------------------------------------------------------

TEXTS: dict[str, Callable[[int], str]] = {
    "blanks": lambda size: "A car." + " " * size + "x",
    "blanks after a line": lambda size: "a\n" + " " * size + "x",
    "lines": lambda size: "a\n" * (size // 2),
    "empty lines": lambda size: "\n \t" * (size // 3),
    "marks": lambda size: "." * size,
    "marks and quotes": lambda size: '."' * (size // 2),
    "quotes after a mark": lambda size: "." + '"' * size,
    "brackets": lambda size: "(" * size,
    "apostrophes": lambda size: "'" * size,
    "addresses": lambda size: "http://a." * (size // 9),
    "a word": lambda size: "x" * size,
    "short sentences": lambda size: "a. " * (size // 3),
}
SPLITTER = SentenceSplitter()


@pytest.mark.parametrize("split", [split_sentences, SPLITTER], ids=["documents", "argsme"])
@pytest.mark.parametrize("what", TEXTS)
def test_four_times_the_text_takes_no_sixteen_times_as_long(what: str, split: Callable[[str], list[str]]):
    def seconds(size: int) -> float:
        times = []
        for place in "ab":
            start = time.process_time()
            split(place + TEXTS[what](size))
            times.append(time.process_time() - start)
        return min(times)

    seconds(10)
    short, long = seconds(10_000), seconds(40_000)
    assert long < 8 * max(short, 0.02)


def test_sentences_around_a_long_piece():
    long = "x" * 2_000
    assert SPLITTER(f"Cars smell. It is {long}. Ban them!") == ["Cars smell.", f"It is {long}.", "Ban them!"]
