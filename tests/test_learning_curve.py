"""The learning curve: what is held out, what is drawn, and what is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_learning import planted

from experiments import learning_curve, variants
from experiments.learning_curve import figure, held_out, main, sizes, table
from experiments.report_studies import check_curve, read_study
from ltr.errors import InputError
from ltr.formats import read_qrels, read_topics, write_qrels, write_topics
from ltr.learning import Judge, split_topics
from ltr.train import SAMPLE
from models.lambdamart import Parameters

FEW = Parameters(trees=3, seeds=1)
NONE: frozenset[str] = frozenset()


@pytest.mark.parametrize(("text", "found"), [("2,5,10,all", (2, 5, 10)), ("5, 2,5", (2, 5)), ("all", ())])
def test_sizes(text: str, found: tuple[int, ...]) -> None:
    assert sizes(text) == found


def test_draws_are_nested_and_never_meet_what_is_held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix, qrels = planted(7, arguments=6)
    split = split_topics(matrix, qrels, 3, 0)
    drawn: list[set[str]] = []

    class Silent:
        def score_units(self, units: Any) -> Any:
            return np.zeros(len(units.values))

    monkeypatch.setattr(learning_curve, "trained_on", lambda topics, *_: drawn.append(topics) or Silent())
    found = held_out(matrix, qrels, NONE, [split], (1, 3, 6), "relevance", FEW, 1)
    # 7 topics in folds of 3, 2 and 2 leave 4, 5 and 5: 14/3 on average, and no fold can give 6.
    assert sorted(found) == [0, 1, 3, pytest.approx(14 / 3)]
    for fold, (one, three, every) in zip(split, zip(*[iter(drawn)] * 3, strict=True), strict=True):
        held = {matrix.topics[topic] for topic in fold}
        assert (len(one), len(three)) == (1, 3)
        assert one < three < every
        assert every == set(matrix.topics) - held


def test_judgments_of_held_out_topics_say_nothing() -> None:
    matrix, qrels = planted(6, arguments=8, seed=1)
    split = split_topics(matrix, qrels, 3, 0)
    turned = {matrix.topics[topic] for topic in split[0]}
    other = {t: {a: 3 - g for a, g in of.items()} if t in turned else of for t, of in qrels.items()}
    one, two = (held_out(matrix, judged, NONE, [split], (2,), "relevance", FEW, 1) for judged in (qrels, other))
    held = np.isin(matrix.topic_of_row, split[0])
    for size in one:
        assert np.array_equal(one[size][0][held], two[size][0][held])
    every = max(one)
    assert not np.array_equal(one[every][0][~held], two[every][0][~held]), "the others did learn from them"


def test_with_all_topics_it_is_cross_validation() -> None:
    # experiments.variants trains on the whole matrix with the held-out topics masked; here they are cut out.
    matrix, qrels = planted(6, arguments=8, seed=2)
    split = split_topics(matrix, qrels, 3, 0)
    found = held_out(matrix, qrels, NONE, [split], (), "relevance", FEW, 1)
    usual = variants.Variant("default", parameters={"trees": 3, "seeds": 1})
    (expected,) = variants.held_out(matrix, qrels, NONE, [split], usual, 1)
    assert found[max(found)][0] == pytest.approx(expected, abs=1e-9)


def test_what_is_learned_shows() -> None:
    # DirichletLM, where relevance starts, is one of many columns that show the planted worth badly.
    matrix, qrels = planted(12, arguments=16, noise=4.0, seed=3)
    found = held_out(matrix, qrels, NONE, [split_topics(matrix, qrels, 3, 0)], (), "relevance", FEW, 1)
    judge = Judge(matrix, qrels)
    start, learned = (figure(judge, found[size])["mean"] for size in sorted(found))
    assert learned > start + 0.1


def test_the_table_names_every_row() -> None:
    row = {"mean": 0.5, "low": 0.25, "high": 0.75}
    found = {
        "study": {"dimension": "quality", "topics": 9, "draws": 2, "folds": 3},
        "points": [{"topics": 0, **row}, {"topics": 2, **row}, {"topics": 6.5, **row}],
        "baselines": [{"name": "bm25", **row}],
    }
    lines = table(found).splitlines()
    assert lines[0] == "argument level, condensed nDCG@5 of quality over 9 held-out topics,"
    assert [line[:30].strip() for line in lines[2:]] == [
        "before any judgment",
        "2 topics",
        "all others, 6.5 topics",
        "bm25",
    ]
    assert all(line.endswith("0.500 [0.250, 0.750]") for line in lines[2:])


# ---- the command ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four judged topics of the sample, and an index."""
    place = tmp_path_factory.mktemp("curve")
    topics = read_topics(SAMPLE / "topics-train.xml")[:4]
    qrels = read_qrels(SAMPLE / "qrels-train-relevance.qrels")
    write_topics(place / "topics.xml", topics)
    write_qrels(place / "some.qrels", {topic.number: qrels[topic.number] for topic in topics})
    write_qrels(place / "one.qrels", {topics[0].number: qrels[topics[0].number]})
    write_qrels(place / "pairs.qrels", {topics[0].number: {"S1-A1__PREMISE__1,S1-A1__CONC__1": 1.0}})
    return place


def options(place: Path, *more: str, qrels: str = "some.qrels") -> list[str]:
    given = ["-i", str(SAMPLE), "--topics", str(place / "topics.xml"), "--qrels", str(place / qrels)]
    few = ["--seeds", "1", "--folds", "2", "--trees", "2", "--sizes", "1", "--jobs", "1", "--quiet"]
    return [*given, *few, "--index", str(place / "index"), *more]


def test_the_command_writes_what_it_prints(small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "curve.json"
    assert main(options(small, "--json", str(path))) == 0
    found = json.loads(path.read_text())
    assert capsys.readouterr().out == table(found) + "\n"
    numbers = [row["topics"] for row in found["points"]]
    assert numbers == sorted(set(numbers))
    assert (numbers[0], found["study"]["folds"]) == (0, 2)
    assert 1 <= numbers[-1] <= 3
    assert [row["name"] for row in found["baselines"]] == ["bm25", "bm25-tuned", "dirichlet", "length"]
    assert all(0 <= row["low"] <= row["mean"] <= row["high"] <= 1 for row in found["points"] + found["baselines"])
    # A ranker of relevance starts as DirichletLM over whole arguments.
    dirichlet = next(row for row in found["baselines"] if row["name"] == "dirichlet")
    assert found["points"][0]["mean"] == pytest.approx(dirichlet["mean"], abs=1e-9)
    assert read_study(path, check_curve) == found, "the report reads it"


@pytest.mark.parametrize(
    ("more", "qrels", "said"),
    [
        (["--sizes", "2,x"], "some.qrels", "'2,x' is not numbers of topics"),
        (["--sizes", "0"], "some.qrels", "'0' is not numbers of topics"),
        (["--seeds", "0"], "some.qrels", "not a whole number from 1"),
        (["--dimension", "coherence"], "some.qrels", "invalid choice"),
        ([], "one.qrels", "too few topics with a relevant argument"),
        ([], "pairs.qrels", "these judge pairs"),
        ([], "absent.qrels", "cannot be read"),
    ],
)
def test_mistakes_are_one_line(small: Path, tmp_path: Path, more: list[str], qrels: str, said: str) -> None:
    path = tmp_path / "curve.json"
    with pytest.raises(InputError, match=said) as caught:
        main(options(small, "--json", str(path), *more, qrels=qrels))
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["topics.xml", "some.qrels"])
def test_no_input_is_overwritten(small: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "link").symlink_to(small / name)
    before = (small / name).read_bytes()
    for path in (small / name, tmp_path / "link"):
        with pytest.raises(InputError, match="would replace one of the files"):
            main(options(small, "--json", str(path)))
    assert (small / name).read_bytes() == before


def test_a_directory_is_no_place_for_figures(small: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a directory"):
        main(options(small, "--json", str(tmp_path)))
