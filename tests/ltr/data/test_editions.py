"""Published files are known by their sums, and their corpora by ids."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from ltr.commands import check, evaluate
from ltr.data import editions
from ltr.data.editions import Edition, corpus_of

OLD, NEW = "c67482ba-2019-04-18T13:32:05Z-00000-000", "S1a-A2b"


@pytest.fixture
def qrels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Judgments that are an edition for version 1.0 of the corpus."""
    monkeypatch.chdir(tmp_path)
    Path("touche.qrels").write_text(f"1 0 {OLD} 1\n1 0 {NEW} 0\n")
    digest = hashlib.md5(Path("touche.qrels").read_bytes(), usedforsecurity=False).hexdigest()
    monkeypatch.setattr(editions, "_editions", lambda: {digest: Edition("Touché 2020", "args.me 1.0")})
    return Path("touche.qrels")


@pytest.mark.parametrize(("id_", "odd"), [(OLD, ""), (NEW, "; but run.txt has ids of args.me 2020-04-01")])
def test_evaluate_names_the_edition(qrels: Path, capsys: pytest.CaptureFixture[str], id_: str, odd: str) -> None:
    Path("run.txt").write_text(f"1 Q0 {id_} 1 1 t\n")
    assert evaluate.main(["--run", "run.txt", "--qrels", str(qrels)]) == 0
    assert f"touche.qrels: Touché 2020, for args.me 1.0{odd}.\n" in capsys.readouterr().out


def test_check_names_the_edition(qrels: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.jsonl").write_text(
        f'{{"id": "{NEW}", "conclusion": "C", "premises": [{{"text": "P", "stance": "PRO"}}]}}\n'
    )
    check.main(["a.jsonl", "--quiet"])
    assert "edition: touche.qrels: Touché 2020, for args.me 1.0; but a.jsonl has ids" in capsys.readouterr().out


def test_the_sums_are_those_that_are_published() -> None:
    assert editions._editions()["83a9cb2290f867199d6de9c73eeacf43"] == (
        "Touché 2022 task 1, topics",
        "args.me 2020-04-01",
    )


def test_ids_name_their_corpus() -> None:
    pair, passage = f"{NEW}__PREMISE__1,{NEW}__CONC__1", "51|clueweb12-0200tw-48-13390___2"
    found = [corpus_of(id_) for id_ in (OLD, NEW, pair, passage, "d1")]
    assert found == ["args.me 1.0", "args.me 2020-04-01", "args.me 2020-04-01", "ClueWeb12", ""]
