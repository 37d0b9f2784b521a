"""The explanation of a run's places, through the command."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from support.sample_model import sample_index, sample_model
from support.topics import write_topics

from ltr.answers.explanation import WIDTH, Explanation, changed, refuse_other_scores
from ltr.commands import explain, predict
from ltr.data.runs import RunRow, read_run
from ltr.data.topics import read_topics
from ltr.errors import InputError
from ltr.sample import SAMPLE
from models.contributions import describe, explain_pair

TOPIC = "2"


@pytest.fixture(scope="session")
def topics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One topic of the sample."""
    path = tmp_path_factory.mktemp("topics") / "topics.xml"
    write_topics(path, [topic for topic in read_topics(SAMPLE / "topics.xml") if topic.number == TOPIC])
    return path


def predicted(out: Path, topics: Path, *options: str) -> Path:
    common = ["-i", str(SAMPLE), "--topics", str(topics), "--index", str(sample_index()), "--jobs", "1", "--quiet"]
    model = [] if "-m" in options else ["-m", str(sample_model())]
    assert predict.main([*common, "-o", str(out), *model, *options]) == 0
    return out / "run.txt"


@pytest.fixture(scope="session")
def run(topics: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return predicted(tmp_path_factory.mktemp("run"), topics)


def call(run: Path, *options: object) -> None:
    common = ["--run", str(run), "--index", str(sample_index()), "--quiet", "--jobs", "1"]
    model = [] if "-m" in options else ["-m", str(sample_model())]
    assert explain.main([*common, *model, *map(str, options)]) == 0


def explained(run: Path, path: Path, *options: object) -> dict[str, Any]:
    call(run, "--json", path, "--topic", TOPIC, *options)
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def test_families_sum_to_the_score_less_the_mean_of_the_topic(run: Path, tmp_path: Path):
    document = explained(run, tmp_path / "x.json", "--rank", 1)
    row = next(row for row in read_run(run) if row.topic == TOPIC and row.rank == 1)
    pair = document["pair"]
    assert (pair["pair"], pair["rank_by_score"]) == (row.pair, 1)
    # Written scores have six digits.
    assert pair["score"] == pytest.approx(row.score, abs=1e-6)
    assert document["adds"] == pytest.approx(pair["score"] - document["mean_score"], abs=1e-5)
    assert sum(family["adds"] for family in document["families"]) == pytest.approx(document["adds"], abs=1e-9)
    weighted = [document["weights"][name] * grade for name, grade in pair["expected_grades"].items()]
    assert sum(weighted) == pytest.approx(pair["score"], abs=1e-9)
    assert all(-0.2 < grade < 2.2 for grade in pair["expected_grades"].values())
    for family in document["families"]:
        assert sum(reason["adds"] for reason in family["reasons"]) == pytest.approx(family["adds"], abs=1e-9)
    sizes = [abs(family["adds"]) for family in document["families"]]
    assert sizes == sorted(sizes, reverse=True)
    assert document["against"] is None


def test_the_lead_over_another_pair_changes_its_sign_with_them(run: Path, tmp_path: Path):
    ahead = explained(run, tmp_path / "x.json", "--rank", 2, "--against", 9)
    behind = explained(run, tmp_path / "x.json", "--rank", 9, "--against", 2)
    lead = ahead["pair"]["score"] - ahead["against"]["score"]
    assert ahead["adds"] == pytest.approx(lead, abs=1e-5)
    assert behind["adds"] == pytest.approx(-lead, abs=1e-5)
    values = {(r["dimension"], r["feature"]): r for family in ahead["families"] for r in family["reasons"]}
    for family in behind["families"]:
        for reason in family["reasons"]:
            other = values[reason["dimension"], reason["feature"]]
            assert reason["value"] == other["other"]
            assert reason["adds"] == pytest.approx(-other["adds"], abs=1e-12)


def test_the_text_says_it_in_words_and_bars(run: Path, capsys: pytest.CaptureFixture[str]):
    call(run, "--topic", TOPIC, "--rank", 1)
    out = capsys.readouterr().out
    assert "Should cities ban cars from their centres?" in out
    assert "relevance: " in out
    assert "+" * WIDTH in out or "-" * WIDTH in out
    assert "  scores: " in out
    assert "above" in out
    call(run, "--topic", TOPIC, "--rank", 1, "--against", 2)
    out = capsys.readouterr().out
    assert "ahead of rank 2" in out or "behind rank 2" in out
    call(run, "--topic", TOPIC, "--rank", 1, "--json", "-")
    assert json.loads(capsys.readouterr().out)["topic"] == TOPIC


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--topic", "99", "--rank", "1"], "there is no topic 99 in it"),
        (["--topic", TOPIC, "--rank", "99999"], "topic 2 has no pair at rank 99999"),
        (["--topic", TOPIC, "--rank", "3", "--against", "3"], "is not ranked above itself"),
        (["--topic", TOPIC, "--rank", "1", "-m", "dirichlet"], "has no dimensions to explain"),
        (["--topic", TOPIC, "--rank", "1", "--dimension", "quality", "--blend", "1,0,0"], "leave one of them out"),
    ],
)
def test_bad_input(run: Path, options: list[str], message: str):
    with pytest.raises(InputError, match=message):
        call(run, *options)


def test_a_run_of_another_corpus_is_refused(tmp_path: Path):
    other = tmp_path / "run.txt"
    missing = r"sample.csv: there is no topic 51; name the corpus of the run, or its"
    for topic, message in (("51", missing), (TOPIC, "rank 1 of topic 2 is not a candidate")):
        other.write_text(f"{topic} PRO S1-A1__PREMISE__1,S1-A1__PREMISE__2 1 3.5 other\n")
        with pytest.raises(InputError, match=message):
            call(other, "--topic", topic, "--rank", 1)


MADE = ["--blend .5,.4,.1", "--dimension quality", "--diversify 0", "--diversify 1 --depth 150", "-m bm25", "-m OTHER"]
"""Options of other runs."""


@pytest.mark.parametrize("options", MADE)
def test_only_a_run_of_this_model_and_these_weights_is_explained(topics: Path, options: str, tmp_path: Path):
    made = [str(sample_model(graded=False)) if option == "OTHER" else option for option in options.split()]
    other = predicted(tmp_path, topics, *made)
    if made[0] == "--diversify":  # the same scores, in another order
        call(other, "--topic", TOPIC, "--rank", 7)
        return
    line = rf"run.txt: its scores are not this model's: topic {TOPIC}, rank 1 has .*; name the model, the encoder"
    with pytest.raises(InputError, match=line):
        call(other, "--topic", TOPIC, "--rank", 7, "--json", tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()
    if made[-1] != "bm25":
        call(other, "--topic", TOPIC, "--rank", 7, *made)


def test_lines_on_the_list_by_hand():
    pair = {"rank": 3, "rank_by_score": 3, "candidates": 1234, "score": 1.5, "score_in_run": 1.499999}
    assert changed(pair) == []
    up, down = changed(pair | {"rank_by_score": 9}), changed(pair | {"rank_by_score": 2, "score_in_run": 1.2})
    assert up == [
        "by score alone at rank 9 of 1,234: near-duplicates and pairs with sentences or arguments already "
        "shown were moved down"
    ]
    assert down == [
        "by score alone at rank 2 of 1,234: a pair above repeats the pair or a sentence, or is from the same arguments",
        "written with the score 1.200, to stay below the pair above it",
    ]


FAMILIES = (("a", 0.1), ("b", 0.004), ("c", 0.003))


def test_small_families_share_a_line():
    pair = {"rank": 1, "rank_by_score": 1, "candidates": 2, "score": 1.0, "score_in_run": 1.0, "stance": "PRO"}
    pair |= {"sentences": [], "expected_grades": {"quality": 1.0}}
    document = {"question": "q", "model": "m", "pair": pair, "against": None, "weights": {"quality": 1.0}}
    document |= {"mean_score": 0.891}
    families = [{"dimension": "quality", "family": name, "adds": adds, "reasons": []} for name, adds in FAMILIES]
    document |= {"adds": 0.107, "families": families}
    lines = Explanation(document).text().splitlines()
    assert lines[-3:] == [
        "From the topic's mean score, 0.891, it is +0.107. By family of features:",
        f"  +0.100  quality: a                     {'+' * WIDTH}",
        "  +0.007  all other families",
    ]


def test_written_scores_are_lowered_to_stay_apart_and_compared_as_written(tmp_path: Path):
    rows = [RunRow("1", "PRO", pair, rank, score, "t") for rank, (pair, score) in enumerate(WRITTEN, 1)]
    # c ties with b and is written a step lower; d stands higher by its score, and was put below both.
    refuse_other_scores(tmp_path, rows, {"a": 2.0000004, "b": 1.0, "c": 1.0, "d": 1.7, "e": 9.0})
    for scores in ({"a": 2.0, "b": 1.0, "c": 1.0, "d": 0.9}, {"a": 2.0, "b": 1.001, "c": 1.0, "d": 1.7}):
        with pytest.raises(InputError, match=r"its scores are not this model's: topic 1, rank [24] has"):
            refuse_other_scores(tmp_path, rows, scores)
    with pytest.raises(InputError, match="the pair at rank 3 of topic 1 is not a candidate"):
        refuse_other_scores(tmp_path, rows, {"a": 2.0, "b": 1.0})


WRITTEN = [("a", 2.0), ("b", 1.0), ("c", 0.999999), ("d", 0.999998)]


def test_escapes_in_a_run_do_not_reach_the_terminal(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "run.txt").write_text(re.sub(" (PRO|CON|Q0) ", " \x1b[31mPRO\x07 ", run.read_text("utf-8")), "utf-8")
    with pytest.raises(InputError, match=r"line 1: '\\x1b\[31mPRO\\x07' holds an invisible character") as caught:
        call(tmp_path / "run.txt", "--topic", TOPIC, "--rank", 1)
    assert not {"\x1b", "\x07"} & set(str(caught.value) + capsys.readouterr().out)


def test_by_hand():
    features = pd.DataFrame({"jaccard": [0.2, 0.6, 0.6, 0.9], "distinct_terms_min": [1.0, 2, 3, 4]})
    columns = pd.MultiIndex.from_tuples([("coherence", "jaccard"), ("relevance", "distinct_terms_min")])
    parts = pd.DataFrame([[-1, 2], [0.5, 0.25], [0.5, 1], [0, 0]], columns=columns, dtype=float)
    first, second = explain_pair(features, parts, 1)
    assert (first["dimension"], first["adds"]) == ("coherence", 0.5)
    assert (second["dimension"], second["adds"]) == ("relevance", 0.25)
    # One candidate is lower, and of the two that tie (itself one of them) half counts.
    assert first["reasons"][0]["percentile"] == pytest.approx((1 + 2 / 2) / 4)
    first, second = explain_pair(features, parts, 1, 0)
    reason = first["reasons"][0]
    assert (first["family"], first["adds"], reason["value"], reason["other"]) == ("aggregates", -1.75, 2, 1)
    assert (second["adds"], second["reasons"][0]["other"]) == (1.5, 0.2)


def test_columns_are_described_by_the_registry():
    assert describe("distinct_terms_min").endswith("(the lower of the two)")
    assert describe("n_syllables_max").endswith("(the higher of the two)")
    assert "(" not in describe("jaccard")
