"""The learning curve: what is drawn, what is held out, and what is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.refusals import refuses
from support.topics import write_topics

from experiments import learning_curve
from experiments.learning_curve import main, point_name
from experiments.study import Study
from ltr.data.qrels import read_qrels, write_qrels
from ltr.data.topics import read_topics
from models.base import baselines

SAMPLE = Path(learning_curve.__file__).parents[1] / "ltr" / "sample"


def test_points_in_words() -> None:
    assert [point_name(number, False) for number in (0, 1, 5)] == ["no graded topic", "1 topic", "5 topics"]
    assert point_name(6.5, True) == "all others, 6.5 topics"


# ---- the command ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five judged topics of the sample that share no text, four of which have graded pairs, and an index."""
    place = tmp_path_factory.mktemp("curve")
    topics = [t for t in read_topics(SAMPLE / "topics-train.xml") if t.number in {"3", "5", "8", "10", "12"}]
    write_topics(place / "topics.xml", topics)
    for name in ("relevance", "pairs-relevance", "pairs-coherence"):
        qrels = read_qrels(SAMPLE / f"qrels-train-{name}.qrels")
        kept = [topic.number for topic in topics if topic.number in qrels][: 4 if "pairs" in name else 5]
        write_qrels(place / f"{name}.qrels", {topic: qrels[topic] for topic in kept})
        write_qrels(place / f"one-{name}.qrels", {kept[0]: qrels[kept[0]]})
    return place


def options(place: Path, *more: str, pairs: str = "pairs-relevance.qrels") -> list[str]:
    given = ["-i", str(SAMPLE), "--topics", str(place / "topics.xml"), "--qrels", str(place / "relevance.qrels")]
    given += ["--pair-qrels", f"relevance={place / pairs}", "--columns", "0", "--seeds", "1"]
    few = ["--folds", "2", "--trees", "2", "--sizes", "9", "1", "--jobs", "1", "--quiet"]
    return [*given, *few, "--index", str(place / "index"), *more]


def test_the_command_writes_what_it_prints(small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "curve.json"
    page = path.with_suffix(".html")
    more = ["--pair-qrels", f"coherence={small / 'pairs-coherence.qrels'}", "--json", str(path), "--html", str(page)]
    assert main(options(small, *more)) == 0
    found = json.loads(path.read_text())
    printed = capsys.readouterr().out
    assert {"version", "plugins", "features", "sources", "labelling_functions"} <= found["study"].keys()
    sizes = [row["training topics"] for row in found["runs"] if "training topics" in row]
    # Each of four graded topics trains for one of two folds: on average 2, and no fold can give 9.
    assert sizes == sorted(set(sizes))
    assert (sizes[0], sizes[-1]) == (0, 2)
    assert [row["run"] for row in found["runs"][len(sizes) :]] == baselines("pair")
    for title in ("relevance", "coherence", "mean of the dimensions"):
        lines = printed[printed.index(f"{title}: means over topics") :].splitlines()
        for row, line in zip(found["runs"], lines[2:], strict=False):
            assert line.startswith(row["run"])
            for measure in ("nDCG@5", "condensed_nDCG@5"):
                one = row["dimensions"][title]["measures"][measure]
                assert 0 <= one["low"] <= one["mean"] <= one["high"] <= 1
                assert f"{one['mean']:.3f} [{one['low']:.3f}, {one['high']:.3f}]" in line
    # Charts of the mean and two dimensions, and of their topics.
    assert page.read_text().count("<svg") == 2 * 3


def test_without_other_supervision_the_curve_begins_at_one_topic(small: Path, tmp_path: Path) -> None:
    given = ["-i", str(SAMPLE), "--task", "arguments", "--topics", str(small / "topics.xml"), "--sizes", "9", "1"]
    given += ["--qrels", str(small / "relevance.qrels"), "--columns", "0", "--seeds", "1"]
    few = ["--folds", "2", "--trees", "2", "--jobs", "1", "--quiet", "--index", str(small / "index")]
    assert main([*given, *few, "--json", str(tmp_path / "curve.json")]) == 0
    found = json.loads((tmp_path / "curve.json").read_text())
    # Five graded topics in two folds: of three and two others, 2.5 on average.
    assert [row["training topics"] for row in found["runs"] if "training topics" in row] == [1, 2.5]
    assert "dph" in [row["run"] for row in found["runs"]]
    assert (found["study"]["task"], [*found["runs"][0]["dimensions"]]) == ("arguments", ["relevance"])


def test_no_held_out_topic_trains(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graded = {*read_qrels(small / "pairs-relevance.qrels")}
    seen: list[list[set[str]]] = []
    held_out_scores = Study.held_out_scores

    def look(study: Study, judgments: Any, *rest: Any) -> Any:
        splits = [{study.table.topics[topic] for topic in fold} for fold in study.splits[0]]
        seen.append([{*judgments.without(fold).graded["relevance"]} for fold in splits])
        assert all(drawn <= graded - fold for fold, drawn in zip(splits, seen[-1], strict=True))
        return held_out_scores(study, judgments, *rest)

    monkeypatch.setattr(Study, "held_out_scores", look)
    assert main([*options(small), "--json", str(tmp_path / "curve.json")]) == 0
    assert not any(seen[0])
    assert set().union(*seen[-1]) == graded


@pytest.mark.parametrize(
    ("more", "pairs", "said"),
    [
        (["--sizes", "2", "x"], "pairs-relevance.qrels", "'x' is not a whole number from 1"),
        (["--seeds", "0"], "pairs-relevance.qrels", "not a whole number from 1"),
        ([], "one-pairs-relevance.qrels", "too few topics have graded pairs to hold some out"),
        ([], "relevance.qrels", "is one id, not a pair"),
        ([], "absent.qrels", "cannot be read"),
    ],
)
def test_mistakes_are_one_line(small: Path, tmp_path: Path, more: list[str], pairs: str, said: str) -> None:
    path = tmp_path / "curve.json"
    refuses(lambda: main(options(small, "--json", str(path), *more, pairs=pairs)), said)
    assert not list(tmp_path.iterdir())
