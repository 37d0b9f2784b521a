"""Human judgments: measures by hand, readers on small files, and the command from end to end."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.collection import COLLECTION, needs_collection
from support.refusals import refuses

from experiments.human import command, sets
from experiments.human.command import differences, mean_over
from experiments.human.judged import JudgedSet, TextCorpus, text_argument
from experiments.human.sets import claims_set, key_points_set, preferences_set, without_trained
from experiments.human.study import best_pair, both_sides, first_sentences, item_scores, share_preferred
from ltr.data.qrels import Qrels
from ltr.data.topics import Topic
from ltr.learning.agreement import share_in_order
from ltr.model_folder.store import PRETRAINED

CLAIMS = [
    ("C", "Cars make cities loud and should be banned from them."),
    ("O", "Cars have four wheels."),
    ("O", "The first car was built in Mannheim."),
    ("C", "Banning cars from cities makes the air better."),
]


def text_files(folder: Path) -> Path:
    """Data as published: one question of IAM, two debates of UKPConvArg, one of EviConv."""
    for name in ("iam", "ukpconvarg", "ibm-eviconv", "ibm-argq", "argkp2021"):
        (folder / name).mkdir(parents=True)
    question = "Should cars be banned from cities?"
    sides = ("1", "0", "0", "-1")
    lines = [f"{label}\t{question}\t{text}\t1_1\t{side}" for (label, text), side in zip(CLAIMS, sides, strict=True)]
    for name in ("claims-dev", "claims-test"):
        (folder / f"iam/{name}.tsv").write_text("\n".join(lines) + "\n")
    good, poor = "Cars kill people in cities every day, and buses do not.", "cars r bad"
    rows = [f"ban-cars_{side}-it\t1_2\ta{number}\t{one}\t{two}" for side in ("do", "drop") for number, one, two in
            ((1, good, poor), (2, poor, good), (1, good, good))]  # fmt: skip
    (folder / "ukpconvarg/strict-pairs.tsv").write_text(
        "debate_side\tpair_id\tmore_convincing\ta1\ta2\n" + "\n".join(rows)
    )
    evidence = f'ban cars,"{good}",{poor},1\nban cars,{poor},"{good}",2\n'
    (folder / "ibm-eviconv/test.csv").write_text("topic,evidence_1,evidence_2,label\n" + evidence)
    (folder / "ibm-argq/pairs-14k.tsv").write_text(f"topic\tlabel\ta1\ta2\nBan cars\ta1\t{good}\t{poor}\n")
    for split in ("dev", "test"):
        place = folder / "argkp2021"
        (place / f"arguments_{split}.csv").write_text(
            f"arg_id,argument,topic\n{split}1,cars are loud,Ban cars {split}\n"
        )
        points = f"key_point_id,key_point\n{split}k1,Cars make noise\n{split}k2,Cars cost money\n"
        (place / f"key_points_{split}.csv").write_text(points)
        labels = f"arg_id,key_point_id,label\n{split}1,{split}k1,1\n{split}1,{split}k2,0\n"
        (place / f"labels_{split}.csv").write_text(labels)
    return folder


# ---- measures -----------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [{"label": None}, {"label": "a"}, {"label": "nan"}, {"query": None}])
def test_a_line_of_snippets_without_its_facts_is_named(wrong: dict[str, Any], tmp_path: Path) -> None:
    line = {"query": "tea or coffee", "text": "Tea is better.", "chatnoir_rank": 1, "label": 1} | wrong
    (tmp_path / "snippets").mkdir()
    file = tmp_path / "snippets" / "judged-2020.jsonl"
    file.write_text(json.dumps({name: fact for name, fact in line.items() if fact is not None}) + "\n")
    refuses(lambda: next(sets.snippet_sets(tmp_path)), str(file), "is not as published")


def test_share_in_order_by_hand() -> None:
    grades = np.array([2.0, 1.0, 0.0, 0.0])
    assert share_in_order(grades, np.array([4.0, 3.0, 2.0, 1.0])) == 1
    assert share_in_order(grades, np.array([1.0, 2.0, 3.0, 4.0])) == 0
    # Of five pairs the second and the third are equal; the fourth is not ranked and so below all that is.
    assert share_in_order(grades, np.array([3.0, 2.0, 2.0, -math.inf])) == 4.5 / 5
    assert share_in_order(grades, np.full(4, -math.inf)) == 0.5
    assert math.isnan(share_in_order(np.ones(2), np.array([1.0, 2.0])))
    assert math.isnan(share_in_order(np.array([]), np.array([])))


def test_share_preferred_by_hand() -> None:
    pairs = [("a", "b"), ("b", "a"), ("a", "c"), ("d", "e")]
    assert share_preferred({"a": 2.0, "b": 1.0}, pairs) == (1 + 0 + 1 + 0.5) / 4


def test_an_argument_has_the_score_of_its_best_pair() -> None:
    ids = ["A1__PREMISE__1,A1__PREMISE__2", "A2__PREMISE__1,A1__PREMISE__1", "A3__PREMISE__2,A3__PREMISE__1"]
    scores = np.array([1.0, 3.0, 2.0])
    assert item_scores(ids, scores, "argument") == {"A2": 3, "A1": 3, "A3": 2}
    assert item_scores(ids, scores, "sentence")["A1__PREMISE__2"] == 1
    assert item_scores(ids, scores, "pair")["A3__PREMISE__1,A3__PREMISE__2"] == 2


def test_marked_sentences_by_hand() -> None:
    marks = {"a": 1.0, "b": 0.0, "c": 1.0}
    assert first_sentences(["a,b", "x,c", "b,x"], marks, 2) == 2 / 4
    assert first_sentences(["a,c"], marks, 5) == 2 / 10
    assert best_pair(["x,a", "a,b", "a,c"], np.array([3.0, 2.0, 1.0]), marks) == 0.5
    assert math.isnan(best_pair(["x,a"], np.array([1.0]), marks))
    sides = {"a": 1.0, "b": 1.0, "c": -1.0, "d": -1.0, "x": 0.0}
    assert both_sides(["a,b", "x,c"], sides, 2) == 1 / 2
    assert both_sides(["a,b", "c,d"], sides, 2) == both_sides(["a,c"], {"a": 1.0, "c": -1.0}, 5) == 1
    assert both_sides(["a,c", "a,c"], sides, 5) == 1 / 2, "a sentence counts once"
    assert math.isnan(both_sides(["a,b"], {"a": 1.0, "b": 1.0}, 2))


def test_intervals_over_sets_and_topics() -> None:
    one, other = {"1": 1.0, "2": 0.0}, {"7": 0.5, "8": 0.5, "9": 0.5}
    mean, low, high, topics = mean_over([one, other])
    assert (mean, topics, mean_over([other])) == (0.5, 5, (0.5, 0.5, 0.5, 3))
    assert low < 0.3
    assert high > 0.7
    narrow = mean_over([dict.fromkeys(map(str, range(50)), 0.4), dict.fromkeys(map(str, range(50)), 0.6)])
    assert (narrow.low, narrow.high) == (pytest.approx(0.4), pytest.approx(0.6))  # the sets differ, topics do not
    assert differences(other, {"7": 0.0, "8": 0.25}) == {"7": 0.5, "8": 0.25}


# ---- readers ------------------------------------------------------------------------------------


def test_claims_are_sentences_of_articles(tmp_path: Path) -> None:
    judged = claims_set(text_files(tmp_path), "claims-test")
    assert [(topic.number, topic.title) for topic in judged.topics] == [("1", "Should cars be banned from cities?")]
    assert list(judged.grades["1"].values()) == [1, 0, 0, 1]
    assert [one.text for one in next(iter(judged.corpus)).sentences] == [text for _, text in CLAIMS]
    assert list(claims_set(tmp_path, "claims-test", "sides").grades["1"].values()) == [1, 0, 0, -1]
    assert not judged.seen
    assert claims_set(tmp_path, "claims").seen


def test_preferences_are_between_arguments_of_a_side(tmp_path: Path) -> None:
    judged = preferences_set(text_files(tmp_path), "ukp")
    assert judged.preferences == {"1": [("A1", "A2"), ("A1", "A2")], "2": [("A3", "A4"), ("A3", "A4")]}
    assert [topic.title for topic in judged.topics] == ["ban cars", "ban cars"]
    assert [argument.conclusion for argument in judged.corpus] == ["do it"] * 2 + ["drop it"] * 2
    assert judged.seen
    assert not preferences_set(tmp_path, "eviconv").seen


def test_key_points_are_conclusions(tmp_path: Path) -> None:
    judged = key_points_set(text_files(tmp_path))
    assert [list(of.values()) for of in judged.grades.values()] == [[1, 0], [1, 0]]
    assert judged.grades.level == "pair"
    assert next(iter(judged.corpus)).conclusion == "Cars make noise"


def test_what_trained_the_model_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    topics = [Topic("1", "Should cars be banned?"), Topic("2", "Is wine healthy?")]
    grades = Qrels({"1": {"A1": 1.0}, "2": {"A1": 1.0, "A2": 0.0}})
    judged = JudgedSet(
        name="s", what="", dimension="relevance", kind="argument", tasks=("pairs",),
        corpus=TextCorpus("s", [text_argument("A1", ["x"])]), topics=topics, grades=grades,
    )  # fmt: skip
    monkeypatch.setattr(sets, "_graded_arguments", lambda: {"A1"})
    left = without_trained(judged, [Topic("60", "Should all cars be banned?")])
    assert left.grades == {"2": {"A2": 0.0}}
    assert [topic.number for topic in left.topics] == ["2"]
    assert left.left_out == "1 question and 2 judgments that are like training data"


# ---- the command --------------------------------------------------------------------------------


def test_from_files_to_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, out = text_files(tmp_path / "data"), tmp_path / "human.json"
    wanted = ["--set", "claims-test", "--set", "ukp", "--set", "eviconv"]
    command.main(["--data", str(data), "--task", "pairs", *wanted, "--jobs", "1", "--quiet", "--json", str(out)])
    printed = capsys.readouterr().out
    for line in ("pairs, claims, sides, quality", "quality: means over topics", "ukp†", "ukp†: its texts train"):
        assert line in printed
    (found,) = json.loads(out.read_text())
    manifest = json.loads((PRETRAINED / "pairs" / "manifest.json").read_text())
    assert found["models"] == {"ours": manifest["digest"]}
    assert [one["name"] for one in found["sets"]] == ["claims-test", "claims-test", "eviconv", "ukp"]
    quality = {run["run"]: run["dimensions"]["quality"]["measures"] for run in found["runs"]}
    assert quality["length"]["ukp†"]["mean"] == 1  # the longer text is the better one
    assert quality["ours"]["mean"]["mean"] == quality["ours"]["eviconv"]["mean"]
    assert {"bm25", "bm25-tuned", "dirichlet", "length", "random", "ours, relevance alone"} <= quality.keys()
    assert {"ours, relevant", "ours, readable"} <= quality.keys() - {"ours, balanced"}, "the default once"
    assert quality["length"]["ours minus it"]["mean"] == quality["ours"]["mean"]["mean"] - 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "no judgments are named"),
        (["--data", "DATA", "--set", "ukb"], "there is no set 'ukb'; use one of claims-test"),
        (["--data", "DATA", "--task", "pairs", "--model", "ukp="], "'ukp=' is not NAME=DIR"),
        (["--data", "DATA", "--model", "mine=m"], "a model is of one task; add --task"),
        (["--data", "DATA", "--task", "comparative"], "no set is left"),
        (["--data", "nowhere"], "claims-test.tsv: cannot be read (no such file"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(options: list[str], message: str, tmp_path: Path) -> None:
    data = text_files(tmp_path / "data")
    refuses(lambda: command.main([str(data) if option == "DATA" else option for option in options]), message)


@needs_collection
def test_sets_of_the_collection() -> None:
    assert COLLECTION
    found = {(one.name, one.dimension): one for one in sets.collection_sets(COLLECTION)}
    assert found["2021", "relevance"].seen
    assert not found["argq", "quality"].seen
    assert len(found["argq", "relevance"].topics) == 10
    assert len(sets.gist_set(COLLECTION).topics) == 36
