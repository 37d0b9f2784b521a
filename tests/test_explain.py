"""The explanation of a run's places, through the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from test_train import trained_on_sample

from features.registry import find
from ltr import explain, predict
from ltr.errors import InputError
from ltr.explanation import describe, explain_pair
from ltr.formats import RunRow, read_run, read_topics, write_topics
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


MADE: list[list[str]] = [
    ["--blend", ".5,.4,.1"],
    ["--target", "quality"],
    ["--diversify", "0"],
    ["--diversify", "1", "--depth", "150"],
    ["-m", "bm25"],
    ["-m", "TRAINED"],
]
"""How else a run can come to be."""


@pytest.mark.parametrize("made", MADE, ids=" ".join)
def test_only_a_run_of_this_model_and_these_weights_is_explained(index: Path, made: list[str], tmp_path: Path):
    made = [str(trained_on_sample()) if option == "TRAINED" else option for option in made]
    write_topics(tmp_path / "topics.xml", [t for t in read_topics(SAMPLE / "topics.xml") if t.number == TOPIC])
    common = ["-i", str(SAMPLE), "--topics", str(tmp_path / "topics.xml"), "--index", str(index), "--quiet"]
    assert predict.main([*common, "-o", str(tmp_path), *made]) == 0
    other = tmp_path / "run.txt"
    if made[0] == "--diversify":  # the same scores, in another order
        call(index, other, "--topic", TOPIC, "--rank", 7)
        return
    line = rf"run.txt: its scores are not this model's: topic {TOPIC}, rank 1 has .*; name -m, --target or --blend"
    with pytest.raises(InputError, match=line):
        call(index, other, "--topic", TOPIC, "--rank", 7, "--json", tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()
    if made[-1] != "bm25":
        call(index, other, "--topic", TOPIC, "--rank", 7, *made)


def test_written_scores_are_lowered_to_stay_apart_and_compared_as_written(tmp_path: Path):
    rows = [RunRow("1", "PRO", pair, rank, score, "t") for rank, (pair, score) in enumerate(WRITTEN, 1)]
    # c ties with b and is written a step lower; d stands higher by its score, and was put below both.
    explain.refuse_other_scores(tmp_path, rows, {"a": 2.0000004, "b": 1.0, "c": 1.0, "d": 1.7, "e": 9.0})
    for scores in ({"a": 2.0, "b": 1.0, "c": 1.0, "d": 0.9}, {"a": 2.0, "b": 1.001, "c": 1.0, "d": 1.7}):
        with pytest.raises(InputError, match=r"its scores are not this model's: topic 1, rank [24] has"):
            explain.refuse_other_scores(tmp_path, rows, scores)
    with pytest.raises(InputError, match="the pair at rank 3 of topic 1 is no candidate"):
        explain.refuse_other_scores(tmp_path, rows, {"a": 2.0, "b": 1.0})


WRITTEN = [("a", 2.0), ("b", 1.0), ("c", 0.999999), ("d", 0.999998)]


def test_no_file_that_is_read_is_overwritten(index: Path, run: Path, tmp_path: Path):
    before = run.read_bytes()
    (tmp_path / "link").symlink_to(run)
    topics = tmp_path / "topics.xml"
    topics.write_bytes((SAMPLE / "topics.xml").read_bytes())
    for file in (run, tmp_path / "link", topics):
        with pytest.raises(InputError, match="the output would replace one of the files it is made from"):
            call(index, run, "--topic", TOPIC, "--rank", 1, "--topics", topics, "--json", file)
    assert run.read_bytes() == before


def test_escapes_in_a_run_do_not_reach_the_terminal(
    index: Path, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "run.txt").write_text(run.read_text("utf-8").replace(" PRO ", " \x1b[31mPRO\x07 "), "utf-8")
    call(index, tmp_path / "run.txt", "--topic", TOPIC, "--rank", 1)
    out = capsys.readouterr().out
    assert "rank 1, PRO\N{REPLACEMENT CHARACTER}, score" in out
    assert not {"\x1b", "\x07"} & set(out)


def test_values_of_the_choice_are_possible_ones(index: Path, run: Path, tmp_path: Path):
    shown = 0
    for rank in (20, 40, 60):
        document = told(index, run, tmp_path / "x.json", "--rank", rank)
        for reason in (r for family in document["families"] for r in family["reasons"]):
            if reason["dimension"] == "choice" and reason["feature"] != "stance_conflict":
                low, high = find(reason["feature"]).range
                assert low <= reason["value"] <= high, reason
                assert reason["description"].endswith("(mean of the two)")
                shown += 1
    assert shown


def test_a_value_of_the_choice_is_a_mean_over_both_sentences():
    features = pd.DataFrame({"latent_centrality_min": [0.7, 0.2], "latent_centrality_max": [0.84, 0.4]})
    features["stance_conflict"] = [1.0, 0.0]
    columns = pd.MultiIndex.from_tuples([("choice", "latent_centrality"), ("choice", "stance_conflict")])
    families = explain_pair(features, pd.DataFrame([[-1.0, -5], [0, 0]], columns=columns), 0, 1)
    values = {reason.feature: (reason.value, reason.other) for family in families for reason in family.reasons}
    assert values["latent_centrality"] == pytest.approx((0.77, 0.3))  # (.7 + .84) / 2, (.2 + .4) / 2
    assert values["stance_conflict"] == (1, 0)


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
    assert describe("n_letters") == "number of letters and digits (mean of the two)"
    assert describe("n_letters_max") == "number of letters and digits (the higher of the two)"
    assert "(" not in describe("coherence")
