"""An index that is incomplete, truncated or of another version is made anew, and a folder that is no index is left."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support.corpora import QUIET, SMALL
from support.parts import files_of
from support.refusals import refuses

from ltr.corpora.source import open_corpus
from ltr.index.cache import index_state, open_index
from ltr.index.folder import MANIFEST
from ltr.index.reader import Index
from ltr.parallel import Workers
from ltr.progress import Progress


def is_made_anew(folder: Path, place: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Open the index twice beside a file of the user; returns the first line that it said."""
    (place / "notes").write_text("dear to me")
    index = open_index(open_corpus(folder), place, Progress(), Workers(1))
    first, *_, last = capsys.readouterr().err.splitlines()
    assert "index" in last
    assert index.search("sentence", index.analyzer.terms("zoos"), 9)[0].tolist() == [12, 8]
    assert [index.text(row) for row in index.sentence_rows(0)] == [*SMALL[0][3], SMALL[0][1]]
    assert open_index(open_corpus(folder), place, Progress(), Workers(1)).arguments == len(SMALL)
    assert capsys.readouterr().err == ""
    assert (place / "notes").read_text() == "dear to me"
    return first.removeprefix(f"the index in {place} ")


@pytest.mark.parametrize("name", ["near_key.npy", "units.json", "texts.bin", "sentence/*.idx", "argument/meta.json"])
@pytest.mark.parametrize("whole", [True, False])
def test_an_index_with_an_absent_or_truncated_file(
    folder: Path, place: Path, name: str, whole: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    path = next(files_of(place).glob(name))
    path.unlink() if whole else os.truncate(path, path.stat().st_size - 1)
    said = f"is damaged ({path.relative_to(files_of(place))}) and is made anew"
    assert is_made_anew(folder, place, capsys) == said


@pytest.mark.parametrize("manifest", [b"", b"\xff", None])
def test_an_index_without_a_manifest(
    folder: Path, place: Path, manifest: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    (files_of(place) / MANIFEST).unlink()
    if manifest is not None:
        (files_of(place) / MANIFEST).write_bytes(manifest)
    assert index_state(open_corpus(folder), place).startswith("the one there is damaged")
    assert is_made_anew(folder, place, capsys) == "is unfinished and is made anew"


@pytest.mark.parametrize("setting", ["format", "stemmer", "tantivy"])
def test_an_index_of_another_version(
    folder: Path, place: Path, setting: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = files_of(place) / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | {setting: "0"}))
    assert index_state(open_corpus(folder), place) == "the one there is of another version"
    assert is_made_anew(folder, place, capsys) == f"has another {setting} and is made anew"


def test_a_folder_that_is_no_index_is_left_alone(folder: Path, tmp_path: Path):
    names = ("manifest.json", "index.json", "starts.npy", "sentence/meta.json", "riposte-index/x")
    for name in names:
        (tmp_path / "mine" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "mine" / name).write_text("dear to me")
    refuses(
        lambda: open_index(open_corpus(folder), tmp_path / "mine", QUIET),
        "mine",
        "neither empty nor a Riposte index",
    )
    refuses(lambda: Index(tmp_path / "mine"), "mine", "not a Riposte index")
    assert {(tmp_path / "mine" / name).read_text() for name in names} == {"dear to me"}
