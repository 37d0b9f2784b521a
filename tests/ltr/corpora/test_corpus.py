from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from support.refusals import corpus_complaint

from ltr.corpora.args_csv import COLUMNS
from ltr.corpora.argument import Argument, RowError, Sentence, build_argument
from ltr.corpora.source import open_corpus
from ltr.errors import InputError
from ltr.searcher import Searcher

Row = list[str]


def row(name: str, conclusion: str = "Ban all cars", stance: str = "PRO", texts: tuple[str, ...] = ("Smog.",)) -> Row:
    sentences = [{"sent_id": f"{name}__PREMISE__{n}", "sent_text": text} for n, text in enumerate(texts, 1)]
    if len(conclusion.split()) > 1:
        sentences.append({"sent_id": f"{name}__CONC__1", "sent_text": conclusion})
    premises = [{"text": " ".join(texts), "stance": stance, "annotations": []}]
    context = {"sourceTitle": "Page", "sourceUrl": "https://example.org/1", "topic": "Cars"}
    return [name, conclusion, repr(premises), repr(context), repr(sentences)]


def table(*rows: Row, header: Row | None = None) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header or list(COLUMNS), *rows])
    return out.getvalue()


def tar(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


@pytest.fixture
def saved(tmp_path: Path) -> Callable[..., Path]:
    def save(content: str | bytes, name: str = "args_processed.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return save


def read(path: Path) -> list[Argument]:
    return list(open_corpus(str(path)))


TWO = table(row("S1-A1"), row("S2-A2", "Ban", "CON", ("One.", 'Two, "it\'s"\n\xa0.')))


# ---- what is read ---------------------------------------------------------------------------------


def test_an_argument_has_all_that_its_row_says(saved: Callable[..., Path]) -> None:
    first, second = read(saved(TWO))
    assert first == Argument(
        id="S1-A1",
        conclusion="Ban all cars",
        stance="PRO",
        sentences=(Sentence("S1-A1__PREMISE__1", "Smog."), Sentence("S1-A1__CONC__1", "Ban all cars")),
        title="Cars",
        url="https://example.org/1",
    )
    assert second.stance == "CON"
    # A conclusion of one word is absent from the cell, yet a legal answer.
    assert second.sentences == (
        Sentence("S2-A2__PREMISE__1", "One."),
        Sentence("S2-A2__PREMISE__2", 'Two, "it\'s"\n\xa0.'),
        Sentence("S2-A2__CONC__1", "Ban"),
    )


def test_arguments_and_sentences_without_text_are_kept(saved: Callable[..., Path]) -> None:
    bare, hollow = read(saved(table(row("S1-A1", "", texts=()), row("S2-A2", "", texts=("",)))))
    assert bare.sentences == ()
    assert hollow.sentences == (Sentence("S2-A2__PREMISE__1", ""),)


def test_premises_come_first_whatever_the_cell_says(saved: Callable[..., Path]) -> None:
    cells = row("S1-A1")
    cells[4] = repr([{"sent_id": f"S1-A1__{role}", "sent_text": role} for role in ("CONC__1", "PREMISE__1")])
    (argument,) = read(saved(table(cells)))
    assert [sentence.text for sentence in argument.sentences] == ["PREMISE__1", "CONC__1"]


def test_columns_may_be_shuffled_and_more_than_needed(saved: Callable[..., Path]) -> None:
    cells = dict(zip(COLUMNS, row("S1-A1"), strict=True)) | {"extra": "x,\ny"}
    order = ["extra", *sorted(COLUMNS)]
    (argument,) = read(saved(table([cells[column] for column in order], header=order)))
    assert argument == build_argument(
        "S1-A1",
        "Ban all cars",
        "PRO",
        [("S1-A1__PREMISE__1", "Smog."), ("S1-A1__CONC__1", "Ban all cars")],
        title="Cars",
        url="https://example.org/1",
    )


def test_split_surrogates_are_joined_or_replaced(saved: Callable[..., Path]) -> None:
    (argument,) = read(saved(table(row("S1-A1", texts=("joined \ud83d\ude00", "alone \ud83d.")))))
    assert [sentence.text for sentence in argument.sentences[:2]] == ["joined \U0001f600", "alone \ufffd."]


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("args_processed_04_01.csv.gz", gzip.compress),
        ("args_processed_04_01.tar.gz", lambda content: tar({"args_processed.csv": content})),
        ("args_processed.tar.gz", lambda c: tar({"README": b"x", "./in/args.csv": c, "in/._args.csv": b"\0Mac"})),
    ],
)
def test_packed_tables_read_like_plain_ones(
    saved: Callable[..., Path], name: str, pack: Callable[[bytes], bytes]
) -> None:
    plain = read(saved(TWO, "plain.csv"))
    packed = saved(pack(TWO.encode()), name)
    assert read(packed) == plain
    assert read(packed.parent) == plain


def test_a_directory_with_a_table_and_json_means_the_table(saved: Callable[..., Path]) -> None:
    saved('{"arguments": []}', "args.json")
    saved("not a table", ".args_processed.csv.part")
    saved("id\n", "topics.csv")
    path = saved(TWO)
    assert open_corpus(str(path.parent)).name == str(path)


# ---- identity and progress ------------------------------------------------------------------------


def test_identity_follows_the_file(saved: Callable[..., Path]) -> None:
    path = saved(TWO)
    corpus = open_corpus(str(path))
    before = corpus.signature()
    assert json.loads(json.dumps(before)) == before
    stat = path.stat()
    facts = [(path.name, len(TWO.encode()), stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)]
    assert before == {"files": 1, "digest": hashlib.sha256(json.dumps(facts).encode()).hexdigest()}
    assert corpus.fingerprint() == hashlib.sha256(TWO.encode()).hexdigest()
    os.utime(path, ns=(1, 1))
    assert open_corpus(str(path)).signature() != before
    assert open_corpus(str(path)).fingerprint() == corpus.fingerprint()


# ---- what is refused: the place ---------------------------------------------------------------------


def test_missing_places(tmp_path: Path) -> None:
    assert corpus_complaint(tmp_path / "absent") == (
        f"{tmp_path}/absent: no such file or directory; name the directory with the corpus"
    )
    assert "embedded null" in corpus_complaint("a\0b")
    assert "file name too long" in corpus_complaint("x" * 5000)
    assert f"{tmp_path}: there is no args_processed*.csv" in corpus_complaint(tmp_path)


def test_two_corpora_in_one_directory(saved: Callable[..., Path], tmp_path: Path) -> None:
    saved(TWO)
    saved(gzip.compress(TWO.encode()), "args_processed.csv.gz")
    files = "args_processed.csv and args_processed.csv.gz"
    assert corpus_complaint(tmp_path) == f"{tmp_path}: has 2 corpus files, {files}; name the file instead"


def test_other_kinds_of_files(saved: Callable[..., Path], tmp_path: Path) -> None:
    said = "is not a supported corpus file; name a .csv, .csv.gz, .tar.gz, .json, .jsonl, .jsonl.gz or .txt file"
    assert said in corpus_complaint(saved("", "a.parquet"))
    (tmp_path / "args_processed.csv").mkdir()
    assert "is not a regular file" in corpus_complaint(tmp_path)


# ---- what is refused: the file ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty; name a corpus with arguments"),
        (table(), "there are no arguments in it; name a corpus with at least one"),
        (
            table(header=["id", "conclusion", "premises", "context"]),
            "the header has no column sentences; the first line",
        ),
        (table(header=[*COLUMNS, "id"]), "the header has the column id 2 times; the first line must name"),
        ("\0" * 100_000, "the header is not CSV in UTF-8"),
        (TWO.encode("utf-16"), "the header is not CSV in UTF-8"),
        (TWO.encode("utf-16-le"), "the header is not CSV in UTF-8"),
        ("\n\n" + TWO, "the header is not CSV in UTF-8"),
        (TWO.replace("id,", '"id,', 1), "the header is not CSV in UTF-8"),
    ],
)
def test_files_that_are_no_table(saved: Callable[..., Path], content: str | bytes, message: str) -> None:
    path = saved(content)
    assert corpus_complaint(path).startswith(f"{path}: {message}")


def with_cell(column: str, cell: str) -> str:
    cells = row("S2-A2")
    cells[COLUMNS.index(column)] = cell
    return table(row("S1-A1"), cells, row("S3-A3"))


def sentences(*names: str) -> str:
    return with_cell("sentences", repr([{"sent_id": name, "sent_text": "x"} for name in names]))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (TWO.rstrip("\n")[:-1], "the file ends inside a quoted cell; the file is cut off or damaged"),
        (TWO[: TWO.index("S2-A2,Ban") + 8], "has 2 cells where the header has 5; quote cells"),
        (TWO.rstrip("\n") + ",more\n", "has 6 cells where the header has 5; quote cells"),
        (TWO.replace("S2-A2,", '"S2"-A2,', 1), "is not well-formed CSV ("),
        (TWO.replace("S2-A2,", "S2-A2\r,", 1), "is not well-formed CSV ("),
        (TWO.replace("S2-A2", "Sé-A2", 1).encode("latin-1"), "is not UTF-8 (byte 0xe9); convert"),
        (TWO.replace("S2-A2,B", "S2-A2,\0B", 1), "column conclusion holds a NUL byte; the file is cut off"),
        (TWO.replace("S2-A2,B", "S2\0-A2,B", 1), "column id holds a NUL byte; the file is cut off"),
        (with_cell("sentences", "[{'sent_id': 'a"), "column sentences is not a Python literal (unterminated"),
        (with_cell("sentences", "[{'sent_id': 'a\0'}]"), "column sentences is not a Python literal (source code"),
        (with_cell("sentences", '[{"a": null}]'), "column sentences is not a Python literal (malformed node"),
        (with_cell("sentences", "{}"), "column sentences is not a list of dicts; write the cell as"),
        (with_cell("premises", ""), "column premises is not a Python literal (invalid syntax); write the cell"),
        (with_cell("context", "nan"), "column context is not a Python literal (malformed node"),
        (with_cell("context", "[]"), "column context is not a dict; write the cell as Python's repr does"),
        (with_cell("id", ""), "the id is empty; give every argument an id"),
        (with_cell("id", "S2 A2"), "the id 'S2 A2' holds white space (U+0020); give"),
        (with_cell("id", "S2,A2"), "the id 'S2,A2' holds a comma"),
        (with_cell("id", "S2\x85A2"), "the id 'S2\\x85A2' holds white space"),
        (with_cell("id", "S1-A1"), "the sentence id 'S2-A2__PREMISE__1' does not belong to the argument S1-A1"),
        (table(row("S1-A1"), row("S1-A1")), "the id S1-A1 is already that of row 1; keep one of the two"),
        (sentences("S1-A1__PREMISE__1"), "the sentence id 'S1-A1__PREMISE__1' does not belong"),
        (sentences("S2-A2__PREMISE__"), "the sentence id 'S2-A2__PREMISE__' does not belong"),
        (sentences("S2-A2__PREMISE__1\n"), "the sentence id 'S2-A2__PREMISE__1\\n' does not belong"),
        (sentences("S2-A2__OTHER__1"), "the sentence id 'S2-A2__OTHER__1' does not belong"),
        (sentences("S2-A2__CONC__1", "S2-A2__CONC__1"), "a sentence id of S2-A2 comes twice; number"),
    ],
)
def test_bad_rows_are_named(saved: Callable[..., Path], content: str | bytes, message: str) -> None:
    path = saved(content)
    assert corpus_complaint(path).startswith(f"{path}: row 2: {message}")


# ---- what is refused: the archive -------------------------------------------------------------------

MANY = table(*(row(f"S1-A{n}", texts=(os.urandom(500).hex(),)) for n in range(200))).encode()


@pytest.mark.parametrize("pack", [gzip.compress, lambda content: tar({"a.csv": content})], ids=["csv", "tar"])
def test_cut_off_and_damaged_archives(saved: Callable[..., Path], pack: Callable[[bytes], bytes]) -> None:
    whole = pack(MANY)
    name = "args_processed.csv.gz" if whole == gzip.compress(MANY) else "args_processed.tar.gz"
    spoilt = bytearray(whole)
    spoilt[-6] ^= 1  # in the checksum
    tail = "the file is cut off or damaged: copy or download it again"
    for content in (whole[: len(whole) // 2], whole[:-5], bytes(spoilt), whole[:20], MANY):
        path = saved(content, name)
        message = corpus_complaint(path)
        assert message.startswith(f"{path}: cannot be unpacked (")
        assert message.endswith(tail)


def test_an_archive_holds_exactly_one_table(saved: Callable[..., Path]) -> None:
    path = saved(tar({"README.txt": b"none"}), "args_processed.tar.gz")
    assert corpus_complaint(path) == f"{path}: there is no CSV file in this archive; pack exactly one CSV file into it"
    path = saved(tar({"a.csv": TWO.encode(), "b.csv": TWO.encode()}), "args_processed.tar.gz")
    assert corpus_complaint(path) == f"{path}: holds two CSV files, a.csv and b.csv; pack exactly one CSV file into it"


@pytest.mark.parametrize("name", ["S1__PREMISE__1", "S1__CONC__2", "S1__CONC__x"])
def test_an_argument_is_not_called_like_a_sentence(name):
    with pytest.raises(RowError, match="holds the mark of a sentence's id"):
        build_argument(name, "C", "PRO", [], title="", url="")


def test_a_folder_names_what_it_leaves_out(tmp_path, caplog):
    argument = {"id": "S1-A1", "conclusion": "C", "premises": [{"text": "Yes.", "stance": "PRO"}]}
    one = json.dumps({"arguments": [argument]})
    files = {"a.json": one, "b.json": f'{{"x": "{"x" * 70_000}", {one[1:]}', "d.JSON": one}
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "c.json").write_bytes(one.encode("utf-16"))
    (tmp_path / "e.json.gz").write_bytes(gzip.compress(one.encode()))
    (tmp_path / "topics.xml").write_text("<topics/>", "utf-8")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "a.txt").write_text("Yes.", "utf-8")
    reasons = {
        "b.json": 'no "arguments" in its first 64 KiB',
        "c.json": "in UTF-16: save it as UTF-8",
        "d.JSON": "write the end of its name in small letters",
        "e.json.gz": "packed: unpack it",
        "more": "a folder: name it for another corpus",
    }
    corpus = open_corpus(tmp_path)
    assert corpus.left_out == tuple(f"{name} ({reason})" for name, reason in reasons.items())
    assert corpus.notes() == [f"left out: {name}" for name in corpus.left_out]
    with Searcher(tmp_path, model="bm25"):
        assert "left out: b.json (no" in caplog.text
    (tmp_path / "more" / "b.TXT").write_text("No.", "utf-8")
    (tmp_path / "more" / "run.txt").write_text("No.", "utf-8")
    assert [name.split()[0] for name in open_corpus(tmp_path / "more").left_out] == ["b.TXT", "run.txt"]
    (tmp_path / "more" / "a.txt").unlink()
    with pytest.raises(InputError, match=r"in it, but b.TXT \(write the end of its name in small letters\)"):
        open_corpus(tmp_path / "more")
