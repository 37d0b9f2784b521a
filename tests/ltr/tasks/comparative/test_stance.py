"""Runs of the lab on comparative questions must have the figures that it published for them; and stances by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.collection import COLLECTION
from support.refusals import refuses

from ltr.commands import evaluate
from ltr.data.qrels import read_stances
from ltr.data.runs import RunRow
from ltr.tasks.comparative.stance import both_sides, stance_figures

SHARED = COLLECTION.parent / "comparative" if COLLECTION else Path("nowhere")
PUBLISHED = {  # relevance, quality, macro-F1 of the stance (None: the run names no side)
    "Asuna__run1": (0.263, 0.332, 0.106),
    "Captain-Tempesta__run1": (0.574, 0.589, None),
    "Grimjack__run1": (0.376, 0.363, 0.207),
    "Katana__run1": (0.562, 0.637, 0.212),
    "Olivier-Armstrong__run1": (0.492, 0.582, 0.191),
    "Puss-in-Boots__run1": (0.469, 0.476, 0.158),
}


@pytest.mark.skipif(not SHARED.is_dir(), reason="no folder comparative beside the collection")
def test_published_figures(capsys: pytest.CaptureFixture[str]):
    qrels = {name: SHARED / "qrels" / f"qrels-2022-{name}.qrels" for name in ("relevance", "quality", "stance")}
    runs = [part for name in PUBLISHED for part in ("--run", str(SHARED / "runs-2022" / f"{name}.txt"))]
    judged = [p for name in ("relevance", "quality") for p in ("--argument-qrels", f"{name}={qrels[name]}")]
    assert evaluate.main([*runs, *judged, "--stance-qrels", str(qrels["stance"]), "--json", "-"]) == 0
    for found, (relevance, quality, stance) in zip(
        json.loads(capsys.readouterr().out)["runs"], PUBLISHED.values(), strict=True
    ):
        means = {name: one["measures"]["lab_nDCG@5"]["mean"] for name, one in found["dimensions"].items()}
        # The lab rounds some figures down.
        assert means["relevance"] == pytest.approx(relevance, abs=0.0006)
        assert means["quality"] == pytest.approx(quality, abs=0.0006)
        assert round(found["stance"]["macro_f1"], 3) == (stance or 0)


def test_macro_f1_by_hand():
    judged = {"1": {"a": "FIRST", "b": "FIRST", "c": "NO"}, "2": {"a": "SECOND"}}
    rows = [
        RunRow("1", side, id_, 1, 1.0, "t") for id_, side in (("a", "FIRST"), ("b", "NO"), ("c", "NO"), ("x", "NO"))
    ]
    found = stance_figures(rows, judged, 5)
    # FIRST: 1 right of 1 named and 2 judged, F1 2/3; NO: 1 of 2 and 1, 2/3; SECOND: judged, not in the run, 0.
    assert found["macro_f1"] == pytest.approx(4 / 9)
    assert found["documents"] == 3  # x is not judged
    assert found["confusion"] == {
        "FIRST": {"FIRST": 1, "NO": 1},
        "NO": {"FIRST": 0, "NO": 1},
        "SECOND": {"FIRST": 0, "NO": 0},
    }


@pytest.mark.parametrize(
    ("ids", "value"),
    [("abxyz", 1), ("xaybz", 1), ("abcxy", 1), ("abcdx", 0.5), ("abcdu", 0), ("aaaaab", 0), ("", 0)],
)
def test_both_sides_by_hand(ids: str, value: float):
    """Of the first five two of each side could be shown; the rarer side counts, and no topic of one side alone."""
    sides = {**dict.fromkeys("abcd", "PRO"), **dict.fromkeys("xyz", "CON"), "u": "NEUTRAL"}
    rows = [RunRow("1", "Q0", id_, rank, -float(rank), "t") for rank, id_ in enumerate(ids)]
    assert both_sides(rows, {"1": sides, "2": {"a": "PRO", "u": "NO"}}) == {"1": value}


def test_stances_are_read_by_topic_and_document(tmp_path: Path):
    (tmp_path / "s.qrels").write_text("1 0 d FIRST\n1 0 e NO\n2 0 d NO\n1 0 d FIRST\n")  # repeated lines are harmless
    assert read_stances(tmp_path / "s.qrels") == {"1": {"d": "FIRST", "e": "NO"}, "2": {"d": "NO"}}


def test_a_document_counts_once_and_a_run_without_a_judged_one_is_refused():
    rows = [RunRow("1", side, "a", rank, -float(rank), "t") for rank, side in ((2, "NO"), (1, "first"))]
    assert stance_figures(rows, {"1": {"a": "FIRST"}}, 5)["confusion"] == {"FIRST": {"FIRST": 1}}
    refuses(lambda: stance_figures(rows, {"01": {"a": "FIRST"}}, 5), "stance qrels", "judge no document of a run")


def test_the_orders_of_a_pair_are_one_and_other_words_for_sides_are_refused(tmp_path: Path):
    (tmp_path / "s.qrels").write_text("1 0 b,a PRO\n1 0 c CON\n")
    judged = read_stances(tmp_path / "s.qrels")
    rows = [RunRow("1", side, id_, 1, 1.0, "t") for id_, side in (("a,b", "pro"), ("c", "Q0"))]
    assert stance_figures(rows, judged, 2)["documents"] == 2
    assert both_sides(rows, judged, 2) == {"1": 1}
    said = "judge CON, PRO, and a run names FIRST"
    refuses(lambda: stance_figures([rows[0]._replace(stance="FIRST")], judged, 2), "stance qrels", said)


@pytest.mark.parametrize("last", ["1 0 e PRO", "1 0 e maybe"])
def test_words_that_are_not_sides_together_are_refused(tmp_path: Path, last: str):
    (tmp_path / "s.qrels").write_text(f"1 0 d first\n{last}\n")
    refuses(lambda: read_stances(tmp_path / "s.qrels"), "line 2", "is not a side, or not of those above")


def test_two_sides_of_one_document_are_refused(tmp_path: Path):
    (tmp_path / "s.qrels").write_text("1 0 d FIRST\n1 0 d NO\n")
    refuses(lambda: read_stances(tmp_path / "s.qrels"), "line 2", "topic 1, id d has another side earlier")
