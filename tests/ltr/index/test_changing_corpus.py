"""A corpus that changes between two looks at it is found out, now or by the next command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.corpora import QUIET, SMALL, write_corpus

from ltr.corpora.source import open_corpus
from ltr.index.cache import open_index
from ltr.parallel import Workers


def test_a_corpus_that_changes_after_its_bytes_were_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_corpus(tmp_path / "corpus", SMALL)
    place, alone = tmp_path / "index", Workers(1)
    open_index(open_corpus(str(folder)), place, QUIET, alone)
    os.utime(folder / "args_processed.csv", (1, 1))  # the same bytes, under another date
    corpus = open_corpus(str(folder))
    found = corpus.fingerprint()

    def fingerprint(_: object) -> str:
        write_corpus(folder, SMALL[:3])
        return found

    with monkeypatch.context() as patch:
        patch.setattr(type(corpus), "fingerprint", fingerprint)
        assert open_index(corpus, place, QUIET, alone).arguments == len(SMALL)
    assert open_index(corpus, place, QUIET, alone).arguments == 3  # it was noted as it was before
