"""A corpus that is cut: the parts add up, and faults are found where they are."""

from __future__ import annotations

import csv
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.parts import ARGUMENTS, TITLES, columns, files_of, write

from ltr.corpora import base
from ltr.corpora.args_csv import COLUMNS, CsvCorpus
from ltr.corpora.base import FileCorpus
from ltr.corpora.own_texts import ArgumentLines
from ltr.corpora.source import open_corpus
from ltr.errors import InputError
from ltr.index import latent
from ltr.index.build import build_index
from ltr.index.reader import Index
from ltr.parallel import Workers
from ltr.progress import Progress

QUIET = Progress(quiet=True)


CSV, LINES = "args_processed.csv", "passages.jsonl"


@pytest.fixture(scope="module", params=[CSV, LINES])
def corpus_file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("cut") / request.param)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("table") / CSV)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "SMALLEST_PART", 4_000)


# ---- the cut --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small_parts")
def test_the_parts_are_the_corpus(corpus_file: Path) -> None:
    whole = open_corpus(str(corpus_file))
    parts = whole.parts()
    assert len(parts) == 16
    assert [argument for part in parts for argument in part] == list(whole)
    assert sum(part.size_hint() for part in parts) == whole.size_hint() == corpus_file.stat().st_size
    for part in parts:
        for _ in part:
            assert 0 <= part.position <= part.size_hint() + 2_000
        assert part.parts() == [part]


def test_a_small_corpus_and_an_archive_are_not_cut(corpus_file: Path) -> None:
    assert len(open_corpus(str(corpus_file)).parts()) == 1
    for packed in (CsvCorpus(Path("args_processed.csv.gz")), ArgumentLines(Path("arguments.jsonl.gz"))):
        assert packed.parts() == [packed]


@pytest.mark.usefixtures("small_parts")
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.text('a",\n []', max_size=60), min_size=40, max_size=80))
def test_cuts_are_where_rows_begin(tmp_path: Path, texts: list[str]) -> None:
    path = tmp_path / "args_processed.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(COLUMNS)
        rows.writerows([f"S1-A{n:x}", text, "[]", repr({"sourceText": text * 9}), "[]"] for n, text in enumerate(texts))
    whole = CsvCorpus(path)
    parts = whole.parts()
    assert len(parts) <= max(path.stat().st_size // 4_000, 1)
    every = list(whole)
    try:
        found = [argument for part in parts for argument in part]
    except InputError:  # a line inside a cell looked like a row: said, so that the corpus is read whole
        return
    assert found == every


# ---- the same index, however it is cut and whoever works on it --------------------------------------


def test_cut_or_whole_the_columns_are_the_same(
    corpus_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latent, "TEXTS", 50)  # a sample, not all
    corpus = open_corpus(str(corpus_file))
    build_index(corpus, tmp_path / "whole", QUIET)
    monkeypatch.setattr(base, "SMALLEST_PART", 4_000)
    build_index(corpus, tmp_path / "cut", QUIET)
    assert len(np.load(files_of(tmp_path / "cut") / "starts.npy")[0]) == 17
    assert columns(tmp_path / "cut") == columns(tmp_path / "whole")
    cut, whole = Index(tmp_path / "cut"), Index(tmp_path / "whole")
    for query in (["word1"], ["word2", "word3", "said"], ["ban", "word1"], ["unheard"]):
        for field in ("sentence", "argument", "conclusion"):
            (rows, scores), (expected, known) = cut.search(field, query, 100), whole.search(field, query, 100)
            assert rows.tolist() == expected.tolist()
            np.testing.assert_allclose(scores, known, rtol=1e-6)
    assert [cut.title(row) for row in range(cut.arguments)] == [TITLES[n % 10] for n in range(ARGUMENTS)]
    assert len(np.load(files_of(tmp_path / "cut") / "lsa_terms.npy")) > 10


def test_arguments_without_a_page_are_debates_of_their_own(tmp_path: Path) -> None:
    lines = [json.dumps({"id": f"d{number}", "contents": f"Text number {number}."}) for number in range(300)]
    (tmp_path / LINES).write_text("\n".join(lines) + "\n", "utf-8")
    build_index(open_corpus(str(tmp_path / LINES)), tmp_path / "index", QUIET)
    assert Index(tmp_path / "index").column("debate").tolist() == list(range(300))


# ---- faults ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("name", [CSV, LINES])
def test_a_copy_in_another_part_is_found_with_its_row(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name, copy_of_first=200)
    with pytest.raises(InputError, match=r"row 201: the id S1-A0 is already that of row 1"):
        build_index(open_corpus(str(path)), tmp_path / "index", QUIET)
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bad_row_in_a_late_part_is_named_as_in_the_whole(jobs: int, corpus_file: Path, tmp_path: Path) -> None:
    path = tmp_path / corpus_file.name
    good, bad, complaint = {
        CSV: (b"S1-Aaa__PREMISE__1", b"S1-Axx__PREMISE__1", "the sentence id 'S1-Axx__PREMISE__1'"),
        LINES: (b'"id": "S1-Aaa"', b'"id": "S1-Aaa', "is not JSON"),
    }[path.name]
    path.write_bytes(corpus_file.read_bytes().replace(good, bad))
    with pytest.raises(InputError, match=f"row 171: {complaint}"):
        build_index(open_corpus(str(path)), tmp_path / "index", QUIET, Workers(jobs))
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("jobs", [1, 2])
def test_rows_inside_cells_do_not_break_the_cut(jobs: int, tmp_path: Path) -> None:
    path = tmp_path / "args_processed.csv"
    inside = "\n".join(f"S9-A{n:x},an argument,[],{{}},[]" for n in range(100))
    with path.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(COLUMNS)
        rows.writerows([f"S1-A{n:x}", inside, "[]", "{}", "[]"] for n in range(20))
    corpus = CsvCorpus(path)
    with pytest.raises(InputError):
        list(corpus.parts()[0])
    build_index(corpus, tmp_path / "index", QUIET, Workers(jobs))
    assert Index(tmp_path / "index").arguments == 20


def test_a_corpus_that_changes_while_it_is_read(
    corpus_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(shutil.copy(corpus_file, tmp_path))
    fingerprint = FileCorpus.fingerprint

    def touched(corpus: FileCorpus) -> str:
        found = fingerprint(corpus)
        os.utime(path, (1, 1))
        return found

    monkeypatch.setattr(FileCorpus, "fingerprint", touched)
    with pytest.raises(InputError, match="changed while it was read; run the command again"):
        build_index(open_corpus(str(path)), tmp_path / "index", QUIET)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
