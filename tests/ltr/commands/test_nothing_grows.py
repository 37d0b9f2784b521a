"""What a process holds does not grow with the number of commands that it runs. RIPOSTE_TURNS: how many (6)."""

from __future__ import annotations

import gc
import os
import tempfile
import time
from pathlib import Path

import pytest
from support.corpora import SMALL, write_corpus
from support.topics import write_topics
from support.usage import usage

from ltr.commands import predict
from ltr.data.topics import Topic

TURNS = int(os.environ.get("RIPOSTE_TURNS", "6"))

if not Path("/proc/self/task").exists():
    pytest.skip("only Linux tells what a process holds", allow_module_level=True)


def turn(place: Path, number: int, jobs: str) -> None:
    """Index a new corpus and ask it."""
    rows = [(id_, text, side, [f"{one} new{number}" for one in texts]) for id_, text, side, texts in SMALL]
    corpus = write_corpus(place / f"corpus-{number}", rows)
    topics = [Topic(str(n), f"Should we ban cars or close zoos, new{number}?") for n in range(5)]
    write_topics(corpus / "topics.xml", topics)
    common = ["--index", str(place / f"index-{number}"), "--jobs", jobs, "--quiet", "-m", "bm25"]
    assert predict.main(["-i", str(corpus), "-o", str(place / "out"), *common]) == 0


@pytest.fixture
def uncollected():
    """What waits for a collection of garbage may wait long: commands collect seldom."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_indexing_and_asking_leave_nothing(
    uncollected: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("TMPDIR", str(temporary))

    def held() -> dict[str, float]:
        found = usage(os.getpid(), temporary)
        return {name: found[name] for name in ("files", "threads", "children", "temporary", "shared")}

    for number, jobs in enumerate("112"):  # libraries start their threads; indexes of two corpora stay open
        turn(tmp_path, number, jobs)
    before = held()
    for number in range(3, TURNS):
        turn(tmp_path, number, "121"[number % 3])
    until = time.monotonic() + 30
    while any(value > before[name] for name, value in held().items()) and time.monotonic() < until:
        time.sleep(0.1)  # threads of the engine, and processes, end soon after
    after = held()
    assert {name: after[name] for name in after if after[name] > before[name]} == {}
