"""The explanation of a run's places, through the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ltr import explain, predict
from ltr.errors import InputError
from ltr.explanation import describe, explain_pair
from ltr.formats import read_run
from ltr.train import SAMPLE

TOPIC = "2"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("index") / "index"


@pytest.fixture(scope="module")
def run(index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run")
    options = ["-i", str(SAMPLE), "-o", str(out), "--index", str(index), "--jobs", "1", "--quiet"]
    assert predict.main(options) == 0
    return out / "run.txt"


def call(index: Path, run: Path, *options: object) -> None:
    assert explain.main(["--run", str(run), "--index", str(index), "--quiet", "--jobs", "1", *map(str, options)]) == 0


def told(index: Path, run: Path, path: Path, *options: object) -> dict[str, Any]:
    call(index, run, "--json", path, "--topic", TOPIC, *options)
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def test_families_sum_to_the_score_of_the_run(index: Path, run: Path, tmp_path: Path):
    document = told(index, run, tmp_path / "x.json", "--rank", 1)
    row = next(row for row in read_run(run) if row.topic == TOPIC and row.rank == 1)
    assert document["pair"]["pair"] == row.pair
    assert document["pair"]["rank_by_score"] == 1
    assert document["adds"] == pytest.approx(row.score, abs=1e-6)
    assert sum(family["adds"] for family in document["families"]) == pytest.approx(row.score, abs=1e-6)
    for family in document["families"]:
        assert sum(reason["adds"] for reason in family["reasons"]) == pytest.approx(family["adds"], abs=1e-9)
    sizes = [abs(family["adds"]) for family in document["families"]]
    assert sizes == sorted(sizes, reverse=True)
    assert document["against"] is None


def test_against_another_pair_the_lead_is_told_and_turns_round(index: Path, run: Path, tmp_path: Path):
    ahead = told(index, run, tmp_path / "x.json", "--rank", 2, "--against", 9)
    behind = told(index, run, tmp_path / "x.json", "--rank", 9, "--against", 2)
    lead = ahead["pair"]["score"] - ahead["against"]["score"]
    assert ahead["adds"] == pytest.approx(lead, abs=1e-9)
    assert behind["adds"] == pytest.approx(-lead, abs=1e-9)
    values = {(r["dimension"], r["feature"]): r for family in ahead["families"] for r in family["reasons"]}
    for family in behind["families"]:
        for reason in family["reasons"]:
            other = values[reason["dimension"], reason["feature"]]
            assert reason["value"] == other["other"]
            assert reason["adds"] == pytest.approx(-other["adds"], abs=1e-12)


def test_the_text_says_it_in_words_and_bars(index: Path, run: Path, capsys: pytest.CaptureFixture[str]):
    call(index, run, "--topic", TOPIC, "--rank", 1)
    out = capsys.readouterr().out
    assert "Should cities ban cars from their centres?" in out
    assert "relevance: feedback" in out
    assert "+" * explain.WIDTH in out
    assert "above" in out
    call(index, run, "--topic", TOPIC, "--rank", 1, "--against", 2, "--features", 0)
    out = capsys.readouterr().out
    assert "ahead of rank 2" in out or "behind rank 2" in out
    assert "[" not in out.partition("What makes the difference:")[2]


def test_json_on_stdout(index: Path, run: Path, capsys: pytest.CaptureFixture[str]):
    call(index, run, "--topic", TOPIC, "--rank", 1, "--json", "-")
    assert json.loads(capsys.readouterr().out)["topic"] == TOPIC


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--topic", "99", "--rank", "1"], "there is no topic 99 in it"),
        (["--topic", TOPIC, "--rank", "99999"], "topic 2 has no pair at rank 99999"),
        (["--topic", TOPIC, "--rank", "3", "--against", "3"], "does not stand above itself"),
        (["--topic", TOPIC, "--rank", "1", "-m", "dirichlet"], "there is nothing to take apart"),
        (["--topic", TOPIC, "--rank", "1", "--target", "quality", "--blend", "1,0,0"], "leave one of them out"),
    ],
)
def test_bad_input(index: Path, run: Path, options: list[str], message: str):
    with pytest.raises(InputError, match=message):
        call(index, run, *options)


def test_a_run_of_another_corpus(index: Path, run: Path, tmp_path: Path):
    foreign = tmp_path / "run.txt"
    foreign.write_text("2 PRO S1-A1__PREMISE__1,S1-A1__PREMISE__2 1 3.5 other\n")
    with pytest.raises(InputError, match="rank 1 of topic 2 is no candidate"):
        call(index, foreign, "--topic", TOPIC, "--rank", 1)


def test_by_hand():
    features = pd.DataFrame({"coherence": [0.2, 0.6, 0.6, 0.9], "distinct_terms_min": [1.0, 2, 3, 4]})
    columns = pd.MultiIndex.from_tuples([("coherence", "coherence"), ("relevance", "distinct_terms_min")])
    parts = pd.DataFrame([[-1, 2], [0.5, 0.25], [0.5, 1], [0, 0]], columns=columns, dtype=float)
    first, second = explain_pair(features, parts, 1)
    assert (first.dimension, first.adds, second.dimension, second.adds) == ("coherence", 0.5, "relevance", 0.25)
    # One candidate is lower, and of the two that tie (itself one of them) half counts.
    assert first.reasons[0].percentile == pytest.approx((1 + 2 / 2) / 4)
    first, second = explain_pair(features, parts, 1, 0)
    assert (first.family, first.adds, first.reasons[0].value, first.reasons[0].other) == ("substance", -1.75, 2, 1)
    assert (second.adds, second.reasons[0].other) == (1.5, 0.2)


def test_columns_are_described_by_the_registry():
    assert describe("distinct_terms_min").endswith("(the lower of the two)")
    assert describe("n_letters") == "number of letters and digits"
    assert "(" not in describe("coherence")
