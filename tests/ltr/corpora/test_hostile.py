"""Corpora that are made to take all memory or all time: refused in one line, or read in a time that grows with them."""

from __future__ import annotations

import gzip
import json
import tarfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.large_inputs import extents, head, member, row
from support.memory import at_most
from support.refusals import refuses

from ltr.corpora import archives, args_csv, argsme
from ltr.corpora.archives import LONGEST_HEADER
from ltr.corpora.args_csv import COLUMNS, CsvCorpus
from ltr.corpora.argsme import SentenceSplitter
from ltr.corpora.documents import split_sentences
from ltr.corpora.literals import MOST_SIGNS, parse_sentences, parse_stance
from ltr.corpora.source import open_corpus

HEADER = ",".join(COLUMNS) + "\n"
TABLE = member("a.csv", (HEADER + row("S1-A1", ["Ban cars."])).encode())
LONG = LONGEST_HEADER + 1
MOST = 500


@pytest.fixture
def in_little_memory() -> Iterator[None]:
    with at_most(60):
        yield


@pytest.fixture
def few_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_HEADERS", MOST)


def packed(folder: Path, *members: bytes) -> Path:
    path = folder / "args_processed.tar.gz"
    path.write_bytes(gzip.compress(b"".join(members) + bytes(1024), 1))
    return path


# ---- archives -------------------------------------------------------------------------------------

HARMLESS: dict[str, list[bytes]] = {
    "a link": [head("x.csv", kind=tarfile.SYMTYPE)],
    "a hard link": [head("x.csv", kind=tarfile.LNKTYPE)],
    "a device": [head("x.csv", kind=tarfile.CHRTYPE)],
    "a pipe": [head("x.csv", kind=tarfile.FIFOTYPE)],
    "an absolute name": [head("/etc/passwd")],
    "a name outside": [head("../../x")],
    "empty members": [head(f"{number}.txt") for number in range(MOST - 10)],
}


@pytest.mark.usefixtures("few_members")
@pytest.mark.parametrize("what", HARMLESS)
def test_members_that_are_no_tables_are_passed_over(what: str, tmp_path: Path):
    assert [one.id for one in open_corpus(str(packed(tmp_path, *HARMLESS[what], TABLE)))] == ["S1-A1"]
    assert [path.name for path in tmp_path.iterdir()] == ["args_processed.tar.gz"], "nothing is unpacked"
    refuses(lambda: list(open_corpus(str(packed(tmp_path, *HARMLESS[what])))), "tar.gz", "there is no CSV file in")


def pax(*records: bytes, kind: bytes = tarfile.XHDTYPE) -> bytes:
    return member("pax", b"".join(records), kind)


HOLES = pax(b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n")
REFUSED: dict[str, tuple[list[bytes], str]] = {
    "members without number": ([head("a.txt")] * (MOST + 1), "more than 500 members"),
    "long attributes": ([pax(b"%d a=%s\n" % (LONG, b"x" * LONG))], "a name or attributes of more than 32,768 bytes"),
    "long attributes of all": ([pax(b"x" * LONG, kind=tarfile.XGLTYPE)], "a name or attributes of more than"),
    "a long name": ([member("x", b"x" * LONG, tarfile.GNUTYPE_LONGNAME)], "a name or attributes of more than"),
    "names of names": ([member("x", b"x", tarfile.GNUTYPE_LONGNAME)] * 400, "a member with headers of"),
    "attributes of attributes": ([pax(b"5 a=\n")] * 400, "a member with headers of"),
    "a number too long": ([pax(b"1" * 5_000 + b" a=\n")], "invalid header"),
    "holes": ([*extents(3)], "a file with holes"),
    "holes of another kind": ([HOLES, member("x.csv", b"1\n0\n9\n")], "a file with holes"),
    "holes without end": (
        [HOLES, member("x.csv", b"99999\n" + b"0\n" * 70_000)],
        "a member with headers of more than 131,072 bytes",
    ),
}


@pytest.mark.usefixtures("few_members", "in_little_memory")
@pytest.mark.parametrize("what", REFUSED)
def test_archives_that_claim_too_much(what: str, tmp_path: Path):
    members, said = REFUSED[what]
    refuses(lambda: list(open_corpus(str(packed(tmp_path, *members, TABLE)))), "tar.gz: cannot be unpacked (", said)


# ---- cells and lines ------------------------------------------------------------------------------

MANY = MOST_SIGNS + 1
NOT_AS_REPR = [
    f"[{'{},' * MANY}]",
    f"['''it's''' ,{'{},' * MANY} 'b']",  # one text, and not two with all the rest between them
    f"[# '\n{'{},' * MANY}# '\n]",
    "[" + "'a'" * MANY + "]",
    f"[{'a' * MANY}]",
]


@pytest.mark.usefixtures("in_little_memory")
@pytest.mark.parametrize("cell", NOT_AS_REPR, ids=range(len(NOT_AS_REPR)))
def test_a_literal_is_refused_before_it_takes_memory(cell: str):
    for parse in (parse_sentences, parse_stance):
        with pytest.raises(ValueError, match="holds more than 300,000 signs outside of its texts"):
            parse(cell)


def test_a_text_of_a_literal_may_be_long():
    text = "x" * MANY
    assert parse_sentences(f"[{{'sent_id':'1', 'sent_text':'{text}\\\n\\q'}}]") == [("1", f"{text}\\q")]


def test_an_argument_of_json_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(argsme, "LONGEST_ARGUMENT", 1 << 18)
    path = tmp_path / "args.json"
    plain = json.dumps({"id": "S{}-A1", "premises": [{"text": "x" * 100_000}]})
    path.write_text('{"arguments": [' + ",".join(plain.replace("{}", str(n)) for n in range(5)) + "]}")
    assert len(list(open_corpus(str(path)))) == 5, "each is counted alone"
    for item in (plain.replace("x", "xxx"), '{"id": [' + "{}," * 100_000 + "1]}"):
        path.write_text(f'{{"arguments": [{item}]}}')
        refuses(lambda: list(open_corpus(str(path))), "args.json: argument 1", "has more than 262,144 bytes")


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


def test_sentences_around_a_long_piece_are_those_of_short_ones():
    for short in ("A. B {} C. D", "{}. A", "A {}", "(A. {} B!)", "{} {}. A {}"):
        long = "y" * 300 + "/" * 300 + "z" * 300
        assert SPLITTER(short.format(long, long, long)) == [
            one.replace("yz", long) for one in SPLITTER(short.format(*["yz"] * 3))
        ]
    assert SPLITTER("x" * 900 + ". A.") == ["x" * 900 + ".", "A."]
