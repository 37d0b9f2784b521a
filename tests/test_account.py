"""What training tells of itself."""

from __future__ import annotations

import hashlib
import json
import platform
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from features.text import Analyzer
from ltr.account import account, explain, summary
from ltr.candidates import Settings
from ltr.labelling import labelling_functions
from ltr.learning import Figure, Lesson, Teaching
from ltr.supervision import Explained, WeakLabels
from models.blend import Blend
from models.coherence import Coherence

COUNTS = {"judgments": 1234, "used": 1000, "pairs labelled": 56_789, "pairs left out": 3}
ROWS = [
    Explained("minimum_grade", 0.5, 0.25, 0.125, 0.987654, 1.0),
    Explained("teachers_agree", 1.0, 0.0, 0.0, 0.5, 2.345),
]
INDEX: Any = SimpleNamespace(analyzer=Analyzer(), corpus_fingerprint="f" * 64, arguments=5, sentences=17)


def teaching(rows: list[Explained] = ROWS) -> Teaching:
    return Teaching(WeakLabels(np.array([1.0]), np.array([1.0]), COUNTS, rows), {"1": {"S1-A1": 1.0}})


@pytest.fixture
def lesson() -> Lesson:
    model = Blend({"coherence": Coherence(), "quality": Coherence()}, {"coherence": 0.25, "quality": 0.75})
    own, blend, teacher = Figure(0.61236, 0.5, 0.75, 8), Figure(0.6, 0.5, 0.7, 8), Figure(0.4, 0.25, 0.5, 8)
    return Lesson(
        model,
        {"quality": {"quality": own, "blend": blend, "bm25": teacher}},
        {"quality": {0: 0.512345, 5: 0.61236}},
        {"quality": 5},
        [["1", "3"], ["2"]],
    )


def test_explain_is_a_table():
    lines = explain("quality", teaching()).splitlines()
    assert lines[0] == "labels of quality: 56,789 pairs train"
    assert lines[1].split() == ["function", "coverage", "overlap", "conflict", "accuracy", "voices"]
    assert lines[2].split() == ["minimum_grade", "50.0%", "25.0%", "12.5%", "0.988", "1.00"]
    assert lines[3].split() == ["teachers_agree", "100.0%", "0.0%", "0.0%", "0.500", "2.35"] or lines[3].endswith(
        "2.34"
    )
    assert len({len(line) for line in lines[1:]}) == 1, "the columns stand under their titles"


def test_every_function_fits_into_the_table():
    rows = [Explained(name, 1.0, 1.0, 1.0, 0.5, 10.0) for name in labelling_functions()]
    lines = explain("relevance", teaching(rows)).splitlines()
    assert len(lines) == 2 + len(rows)
    assert len({len(line) for line in lines[1:]}) == 1


def test_summary_says_what_was_used_and_what_to_expect(lesson: Lesson):
    said = summary(
        {"quality": teaching()}, lesson, {"topics without judgments": 2, "judged topics that match nothing": 0}
    )
    counts = {row[1]: int(row[2].replace(",", "")) for row in re.finditer(r"^  (\S.+?)  +([\d,]+)$", said, re.M)}
    assert counts == {**COUNTS, "topics without judgments": 2, "judged topics that match nothing": 0}
    lines = said.splitlines()
    assert lines[0] == "judgments of quality"
    assert "held-out argument-level nDCG@5 of quality, judged arguments only, 8 topics" in lines
    assert "  quality             0.612 [0.500, 0.750]" in lines
    assert "  bm25                0.400 [0.250, 0.500]" in lines
    assert any(line.startswith("  5 trees") for line in lines)
    assert lines[-1] == "blend: 0.25 coherence, 0.75 quality"


def test_the_manifest_holds_what_was_done(lesson: Lesson, tmp_path: Path):
    for name in ("t.xml", "a.qrels", "b.qrels"):
        (tmp_path / name).write_text(name)
    files = {"quality": [tmp_path / "a.qrels", tmp_path / "b.qrels"]}
    found = account(INDEX, Settings(arguments=7), [tmp_path / "t.xml"], files, {"quality": teaching()}, lesson)
    assert json.loads(json.dumps(found)) == found, "as it comes back from JSON"
    digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("t.xml", "a.qrels", "b.qrels")}
    assert found["data"]["topics"] == {"t.xml": digests["t.xml"]}
    assert set(digests.values()) - {digests["t.xml"]} <= set(re.findall(r"[0-9a-f]{64}", json.dumps(found["data"])))
    assert found["data"]["corpus"] == {"fingerprint": "f" * 64, "arguments": 5, "sentences": 17}
    assert Settings(**found["candidates"]) == Settings(arguments=7)
    assert Analyzer(**found["analysis"]).settings() == INDEX.analyzer.settings()
    assert found["versions"]["python"] == platform.python_version()
    labels = found["labels"]["quality"]
    assert [Explained(**row) for row in labels["functions"]] == ROWS
    assert labels["account"] == COUNTS
    assert labels["overlaps"] == {row.name: list(labelling_functions()[row.name].overlaps) for row in ROWS}
    checked = found["cross_validation"]
    assert checked["folds"] == lesson.folds
    assert checked["curves"] == {"quality": {"0": 0.5123, "5": 0.6124}}
    assert checked["figures"]["quality"]["quality"] == {"mean": 0.6124, "low": 0.5, "high": 0.75, "topics": 8}
    assert checked["figures"]["quality"].keys() == {"quality", "blend", "bm25"}
