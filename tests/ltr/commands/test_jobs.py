"""``--jobs 1`` is this process alone, for the index too."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.corpora import SMALL, write_corpus
from support.topics import write_topics

from ltr import parallel
from ltr.commands import explain, export, predict, search
from ltr.data.topics import Topic


def test_no_other_process_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*_: object, **__: object) -> None:
        raise AssertionError("a process is started")

    monkeypatch.setattr(parallel, "block_sigint", start)
    corpus = write_corpus(tmp_path / "corpus", SMALL)
    write_topics(corpus / "topics.xml", [Topic("1", "Should we ban cars or close zoos?")])
    run = tmp_path / "out" / "run.txt"

    def common(index: str) -> list[str]:
        return ["-i", str(corpus), "--index", str(tmp_path / index), "--jobs", "1", "--quiet"]

    assert predict.main([*common("1"), "-o", str(run.parent)]) == 0
    assert search.main([*common("2"), "Ban cars or zoos?"]) == 0
    assert export.main([*common("3"), "-o", str(tmp_path / "rows.svm")]) == 0
    assert explain.main([*common("5"), "--run", str(run), "--topic", "1", "--rank", "1"]) == 0
