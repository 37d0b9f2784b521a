"""What machine grades are worth: rows, curves and picture."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from experiments import supervision
from experiments.machine_grades import as_many, flipped, machine_rows, picture, worth_table
from experiments.supervision import main
from ltr.data.qrels import Qrels
from ltr.errors import InputError
from ltr.sample import SAMPLE

UNITS = {f"S1-A{n}__PREMISE__1,S1-A{n}__PREMISE__2": float(n % 3) for n in range(600)}


def test_a_machine_replaces_a_share_of_the_grades() -> None:
    right = flipped(Qrels({"1": UNITS}), 0.0, 0)
    assert right["1"] == {unit: grade / 2 for unit, grade in UNITS.items()}
    wrong = flipped(Qrels({"1": UNITS}), 0.25, 0)["1"]
    assert 120 < sum(wrong[unit] != right["1"][unit] for unit in UNITS) < 180
    every = flipped(Qrels({"1": UNITS}), 1.0, 0)["1"]
    assert all(every[unit] != right["1"][unit] for unit in UNITS)
    assert flipped(Qrels({"1": UNITS}), 0.25, 0)["1"] == wrong != flipped(Qrels({"1": UNITS}), 0.25, 1)["1"]


def test_as_many_topics_are_read_from_the_curve() -> None:
    curve = [{"trained": 5.0, "mean": 0.3}, {"trained": 20.0, "mean": 0.5}]
    assert as_many(curve, 0.3) == pytest.approx(5)
    assert as_many(curve, 0.4) == pytest.approx(10), "half way on a logarithmic scale: the root of 5 times 20"
    assert as_many(curve, 0.29) is as_many(curve, 0.51) is None


def test_rows_train_from_few_topics_and_never_from_held_out_ones() -> None:
    topics = [str(n) for n in range(1, 15)]
    graded = {"relevance": Qrels({topic: {f"{topic}a,{topic}b": 1.0} for topic in topics}, "pair")}
    study: Any = SimpleNamespace(
        judgments=SimpleNamespace(graded=graded),
        matrix=SimpleNamespace(topics=topics),
        splits=[[list(range(7)), list(range(7, 14))]],
    )
    rows = machine_rows(study, [0.2])
    together = "graded, 10 topics + 20% flipped"
    assert list(rows) == ["graded, 5 topics", "20% flipped, 5 topics", "20% flipped", together]
    seen = {name: judgments.without(["3"]) for name, (judgments,) in rows.items()}
    assert {name: len(of.topics()) for name, of in seen.items()} == {
        "graded, 5 topics": 5,
        "20% flipped, 5 topics": 5,
        "20% flipped": 13,
        together: 13,
    }
    assert not any("3" in of.topics() for of in seen.values())
    assert [len(seen[name].graded.get("relevance", {})) for name in rows] == [5, 0, 0, 10]
    assert machine_rows(study, []) == {}


CURVES = {
    "graded": [{"trained": 5.0, "mean": 0.3, "low": 0.2, "high": 0.4}, {"trained": 20.0, "mean": 0.5}],
    "20% flipped": [{"trained": 20.0, "mean": 0.4}, {"trained": 40.0, "mean": 0.6}],
}
WORTH = {
    "measure": "correlation",
    "dimension": "relevance",
    "curves": CURVES,
    "rows": [
        {"grades": "20% flipped", "topics": 20.0, "mean": 0.4, "trusted": 10.0},
        {"grades": "20% flipped", "topics": 40.0, "mean": 0.6, "trusted": None},
        {"grades": "20% flipped", "topics": 5.0, "mean": 0.1, "trusted": None},
    ],
}


def test_the_table_says_how_many_machine_grades_stand_for_one() -> None:
    rows = [line.split() for line in worth_table(WORTH).splitlines()[2:]]
    assert [row[2:] for row in rows] == [
        ["20", "0.400", "10.0", "2.0"],
        ["40", "0.600", "more", "than", "20"],
        ["5", "0.100", "fewer", "than", "5"],
    ]


def test_the_picture_is_the_same_svg_each_time() -> None:
    pytest.importorskip("matplotlib", reason="the extra plots is not installed")
    drawn = picture(WORTH)
    assert drawn == picture(WORTH)
    assert "machine, 20% flipped" in drawn
    assert drawn.lstrip().startswith("<?xml")


def test_machines_are_rows_of_the_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="the extra plots is not installed")
    monkeypatch.setattr(supervision, "ROWS", {"graded": ("graded",)})
    grades = f"relevance={SAMPLE / 'qrels-train-pairs-relevance.qrels'}"
    options = ["-i", str(SAMPLE), "--topics", str(SAMPLE / "topics-train.xml"), "--pair-qrels", grades, "--folds", "2"]
    options += ["--trees", "3", "--averaged", "1", "--columns", "0", "--jobs", "1", "--quiet"]
    options += ["--index", str(tmp_path / "index"), "--votes", f"gpt:{grades}"]
    with pytest.raises(InputError, match=r"--svg: draws the rows of simulated machines; add --machine \.2"):
        main([*options, "--svg", str(tmp_path / "w.svg")])
    out = ["--json", str(tmp_path / "f.json"), "--svg", str(tmp_path / "w.svg")]
    assert main([*options, "--machine", ".2", *out]) == 0
    found = json.loads((tmp_path / "f.json").read_text("utf-8"))
    rows = [row["row"] for row in found["boards"][0]["rows"]]
    assert rows[:5] == ["graded", "votes", "graded + votes", "20% flipped", "graded, 10 topics + 20% flipped"]
    (row,) = found["worth"]["rows"]
    assert (row["grades"], row["topics"]) == ("20% flipped", 4)
    assert np.isfinite(row["mean"])
    by_name = {row["row"]: row["measures"]["correlation"]["mean"] for row in found["boards"][0]["rows"]}
    assert by_name["votes"] == pytest.approx(by_name["graded"], abs=0.05), "the votes are the grades"
    assert (tmp_path / "w.svg").exists()
