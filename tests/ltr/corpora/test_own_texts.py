"""A user's own arguments: JSON lines and folders of plain texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.corpora import save_lines
from support.refusals import refuses

from ltr.corpora import base
from ltr.corpora.own_texts import ArgumentLines, TextFolder
from ltr.corpora.source import open_corpus

TRAM = {
    "id": "tram-A1",
    "title": "A tram",
    "conclusion": "Build a tram",
    "stance": "pro",
    "text": "It is fast. I agree!",
}


@pytest.mark.parametrize("name", ["arguments.jsonl", "mine.jsonl.gz"])
def test_lines_become_arguments_with_the_ids_of_the_official_corpus(tmp_path: Path, name: str) -> None:
    pool = {"id": 7, "premises": ["One. Two.", {"text": "Three.\n\nFour without a stop"}], "url": "https://a"}
    corpus = open_corpus(save_lines(tmp_path, TRAM, "\n", pool, name=name).parent)
    assert isinstance(corpus, ArgumentLines)
    tram, other = corpus
    assert (tram.id, tram.conclusion, tram.stance, tram.title) == ("tram-A1", "Build a tram", "PRO", "A tram")
    assert [tuple(sentence) for sentence in tram.sentences] == [
        ("tram-A1__PREMISE__1", "It is fast."),
        ("tram-A1__PREMISE__2", "I agree!"),
        ("tram-A1__CONC__1", "Build a tram"),
    ]
    # premises are numbered through; a paragraph ends a sentence, and a line break does not
    assert [sentence.text for sentence in other.sentences] == ["One.", "Two.", "Three.", "Four without a stop"]
    assert other.sentences[3].id == "7__PREMISE__4"
    assert (other.conclusion, other.stance, other.url) == ("", "", "https://a")
    assert corpus.notes() == []


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([TRAM, "{"], "row 2: is not JSON"),
        ([TRAM, "[]\n"], "row 2: is not a JSON object"),
        ([TRAM | {"id": None}], "row 1: has no id"),
        ([TRAM | {"id": True}], "row 1: its id is neither word nor number"),
        ([TRAM | {"id": "a b"}], "row 1: the id 'a b' holds white space"),
        ([TRAM, TRAM], "row 2: the id tram-A1 is already that of row 1"),
        ([TRAM | {"text": 3}], "row 1: the text of tram-A1 is not a string"),
        ([TRAM | {"title": []}], "row 1: the title of tram-A1 is not a string"),
        ([TRAM | {"premises": ["a"]}], "row 1: tram-A1 has a text and premises"),
        ([TRAM | {"text": None, "premises": [{"txt": "a"}]}], "row 1: a premise of tram-A1 is not a string"),
        ([TRAM | {"stance": "maybe"}], "row 1: the stance 'maybe' of tram-A1 is neither PRO nor CON"),
        ([{"id": "a", "conclusion": " ", "text": ""}], "row 1: a has no text"),
    ],
)
def test_what_is_wrong_is_one_line_with_its_row(tmp_path: Path, rows: list[Any], complaint: str) -> None:
    save_lines(tmp_path, *rows)
    refuses(lambda: list(open_corpus(tmp_path)), "arguments.jsonl", complaint)


def test_a_folder_has_one_file_of_lines(tmp_path: Path) -> None:
    save_lines(tmp_path, TRAM, name="more.jsonl")
    save_lines(tmp_path, TRAM, name="other.jsonl")
    refuses(lambda: open_corpus(str(tmp_path)), str(tmp_path), "has 2 corpus files, more.jsonl and other.jsonl")


def test_fields_that_are_not_read_are_named(tmp_path: Path) -> None:
    premises = [{"text": "Trams are quick.", "Stance": "PRO"}, "Cars are not."]
    more = {"id": "m", "conclusion": "Trams", "premises": premises, "metadata": {"Stance": "PRO"}}
    corpus = open_corpus(save_lines(tmp_path, TRAM | {"year": 3, "author": "x"}, more).parent)
    list(corpus)
    assert corpus.notes() == ["fields that are not read: author, metadata, premises.Stance, year"]


# ---- plain texts ---------------------------------------------------------------------------------


def texts(folder: Path, **contents: str | bytes) -> Path:
    for name, content in contents.items():
        (folder / f"{name}.txt").write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def test_files_become_arguments(tmp_path: Path) -> None:
    texts(
        tmp_path,
        b="\ufeffA tram\n\nIt is\nfast. I agree!\n\nNo stop",
        a="One line. Another.",
        c="First\nsecond\n\nthird",
    )
    texts(tmp_path, run="51 Q0 a 1 1.0 t", **{"my-qrels": "51 0 a 1"})
    (tmp_path / "topics.xml").write_text("<topics/>", "utf-8")
    one, two, three = corpus = open_corpus(str(tmp_path))
    assert isinstance(corpus, TextFolder)
    assert corpus.name == str(tmp_path)
    assert (one.id, one.title, [tuple(sentence) for sentence in one.sentences]) == (
        "a",
        "",
        [("a__PREMISE__1", "One line."), ("a__PREMISE__2", "Another.")],
    )
    assert (two.id, two.title, two.conclusion, two.stance) == ("b", "A tram", "", "")
    assert [sentence.text for sentence in two.sentences] == ["It is fast.", "I agree!", "No stop"]
    assert (three.title, [one.text for one in three.sentences]) == ("", ["First second", "third"])
    assert corpus.position == corpus.size_hint() == sum(path.stat().st_size for path in tmp_path.glob("?.txt"))


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a", b"\xff", "is not UTF-8 (byte 0xff)"),
        ("a", b" \n ", "there is no text in it"),
        ("two words", b"x", "the id 'two words' holds white space"),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, name: str, content: bytes, complaint: str) -> None:
    texts(tmp_path, **{name: content, "b": "fine."})
    refuses(lambda: list(open_corpus(str(tmp_path))), f"{name}.txt", complaint)


def test_parts_of_files_are_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = open_corpus(str(texts(tmp_path, **{f"n{number:02}": "word. " * (number + 1) for number in range(40)})))
    monkeypatch.setattr(base, "SMALLEST_PART", 1400)
    parts = corpus.parts()
    assert len(parts) == 3
    assert [argument for part in parts for argument in part] == list(corpus)


def test_the_identity_follows_the_files(tmp_path: Path) -> None:
    before = open_corpus(str(texts(tmp_path, a="one", b="two")))
    state = before.signature(), before.fingerprint()
    assert (before.signature(), before.fingerprint()) == state
    texts(tmp_path, b="three")
    changed = open_corpus(str(tmp_path))
    assert changed.signature() != state[0]
    fingerprint = changed.fingerprint()
    assert fingerprint != state[1]
    (tmp_path / "b.txt").rename(tmp_path / "c.txt")
    assert open_corpus(str(tmp_path)).fingerprint() not in (state[1], fingerprint)
