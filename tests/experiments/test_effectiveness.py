"""The second view, whole arguments: what is compared, and with what."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from experiments import effectiveness
from experiments.effectiveness import TESTED, find_sets, main, table
from experiments.leaderboard import boards
from ltr.data.qrels import Qrels
from ltr.data.runs import RunRow
from ltr.errors import InputError
from ltr.evaluation.evaluator import evaluate
from ltr.progress import Progress

SAMPLE = Path(effectiveness.__file__).parents[1] / "ltr" / "sample"


def run(**orders: str) -> list[RunRow]:
    """Topic -> arguments in order, each as one pair."""
    return [
        RunRow(topic, "Q0", f"S1-A{name}__PREMISE__1,S1-A{name}__PREMISE__2", rank, 10.0 - rank, "x")
        for topic, order in orders.items()
        for rank, name in enumerate(order, 1)
    ]


def sets_of(runs: dict[str, list[RunRow]], qrels: dict[str, Qrels]) -> list[dict[str, Any]]:
    return boards(
        {
            run: {name: evaluate(rows, one, level="argument") for name, one in qrels.items()}
            for run, rows in runs.items()
        },
        "dirichlet",
    )


def test_differences_are_from_dirichlet_topic_by_topic() -> None:
    qrels = {"t1": {"S1-Aa": 2.0, "S1-Ab": 0.0}, "t2": {"S1-Aa": 1.0}}
    (board,) = sets_of({"dirichlet": run(t1="ba", t2="cba"), "other": run(t1="ab", t2="abc")}, {"set": qrels})
    base, other = board["rows"]
    # t1: 1/log2(3), then 1. t2: the good one third, 1/log2(4), full; condensed it is alone.
    third = 0.6309297535714574
    full, condensed = TESTED.values()
    assert base[full]["mean"] == pytest.approx((third + 0.5) / 2)
    assert base[condensed]["mean"] == pytest.approx((third + 1) / 2)
    assert other[full]["mean"] == other[condensed]["mean"] == 1
    assert set(base["tests"].values()) == {None}
    assert other["tests"][full]["mean"] == pytest.approx(1 - (third + 0.5) / 2)
    assert other["tests"][condensed]["mean"] == pytest.approx((1 - third) / 2)
    # Two topics: of four patterns of signs two are as far from 0, p = .5; with one that differs, all are. Three tests,
    # and that of the judged share, 2 of 2 and 1 of 3 in both runs, has no difference and does not count.
    assert [other["tests"][name]["p"] for name in TESTED.values()] == [1.0, 1.0]
    assert (board["topics"], board["against"], other["missing"]) == (2, "dirichlet", 0)
    assert len(table([board]).splitlines()) == 3 + 2


def test_p_values_are_corrected_over_all_sets() -> None:
    topics = [str(number) for number in range(6)]
    qrels = {topic: {"S1-Aa": 1.0, "S1-Ab": 0.0} for topic in topics}
    runs = {"dirichlet": run(**dict.fromkeys(topics, "ba")), "other": run(**dict.fromkeys(topics, "ab"))}
    # Six topics that all gain the same: 2 of 64 patterns of signs are as far from 0.
    (alone,) = sets_of(runs, {"one": qrels})
    assert alone["rows"][1]["tests"]["nDCG@5"]["p"] == pytest.approx(2 / 64)
    # A second set whose differences are others, of five topics: 2 of 32, and each is corrected for the other.
    fewer = {topic: grades for topic, grades in qrels.items() if topic != "0"}
    both = sets_of(runs, {"one": qrels, "two": fewer})
    assert [board["rows"][1]["tests"]["nDCG@5"]["p"] for board in both] == pytest.approx([4 / 64, 4 / 64])


def corpus(place: Path) -> Path:
    """The sample with its judged topics as a set."""
    place.mkdir()
    shutil.copy(SAMPLE / "args_processed_sample.csv", place / "args_processed_sample.csv")
    shutil.copy(SAMPLE / "topics-train.xml", place / "topics-sample.xml")
    for name in ("relevance", "quality", "pairs-relevance"):
        shutil.copy(SAMPLE / f"qrels-train-{name}.qrels", place / f"qrels-sample-{name}.qrels")
    return place


def test_sets_are_of_arguments_that_the_model_did_not_see(tmp_path: Path) -> None:
    from ltr.data.files import sha256

    place = corpus(tmp_path / "x")
    (one,) = find_sets(place, set(), Progress(quiet=True))
    assert (one.name, list(one.qrels)) == ("sample", ["relevance", "quality"])
    with pytest.raises(InputError, match="there is no test set"):
        find_sets(place, {sha256(place / "topics-sample.xml")}, Progress(quiet=True))
    with pytest.raises(InputError, match="there is no test set"):
        find_sets(place, set(), Progress(quiet=True), ["other"])


@pytest.mark.parametrize(("task", "own"), [("pairs", "bm25"), ("arguments", "dph")])
def test_the_model_that_ships_stands_beside_the_baselines(
    task: str, own: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, out = corpus(tmp_path / "x"), tmp_path / "figures.json"
    argv = ["-i", str(place), "--task", task, "--index", str(tmp_path / "index"), "--jobs", "1", "--quiet"]
    assert main([*argv, "--json", str(out)]) == 0
    results: list[dict[str, Any]] = json.loads(out.read_text())
    assert capsys.readouterr().out == table(results) + "\n"
    assert [board["set"] for board in results] == ["sample relevance", "sample quality"]
    for board in results:
        assert board["dropped"] == {"judgments absent from the corpus": 0, "topics without a relevant argument": 0}
        figures = {row["run"]: row["nDCG@5"]["mean"] for row in board["rows"]}
        assert {own, "random", "relevance", "quality", "blend"} <= set(figures)
        assert board["topics"] == 8
        assert figures["dirichlet"] > figures["random"]
