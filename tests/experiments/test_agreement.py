"""Agreement of graders: coefficients, scales, tables, and figures that were measured elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.collection import COLLECTION, needs_collection
from support.refusals import refuses

from experiments.pool import agreement
from experiments.pool.agreement import draw_topics, figures, quadratic_kappa, read_grades, read_table
from experiments.pool.command import main
from ltr.learning.agreement import share_in_order

PEOPLE = "1 0 a 0\n1 0 b 1\n1 0 c 2\n1 0 d 2\n2 0 e 0\n2 0 f 2\n2 0 alone 1\n"
MODEL = "1 0 a 0\n1 0 b 2\n1 0 c 2\n1 0 d 1\n2 0 e 1\n2 0 f 1\n3 0 other 2\n"
GRADES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40)


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement.agreement, "__defaults__", (50,))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two graders of arguments, ``people.qrels`` and ``model.qrels``, with six items in common."""
    monkeypatch.chdir(tmp_path)
    Path("people.qrels").write_text(PEOPLE)
    Path("model.qrels").write_text(MODEL)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    assert main(["--agreement", *map(str, argv)]) == 0
    return capsys.readouterr().out


def figures_of(*argv: object) -> dict:
    """The JSON."""
    assert main(["--agreement", *map(str, argv), "--json", "out.json"]) == 0
    return json.loads(Path("out.json").read_text())


def first_values(row: dict) -> dict[str, float]:
    return {name: round(value[0], 3) for name, value in row.items() if isinstance(value, list)}


# ---- coefficients ----


def test_by_hand(files):
    # Confusion, people in rows: 0 -> 1, 1, 0; 1 -> 0, 0, 1; 2 -> 0, 2, 1. Equal: 2 of 6.
    # Squared distance: 4, by chance 46 / 6.
    # Order: of topic 1 ab, ac and ad are right, bc tied, bd wrong: 3.5 of 5; ef of topic 2 is tied. Mean of .7 and .5.
    found = figures_of("people.qrels", "model.qrels")
    (row,) = found["agreement"]
    assert (row["graders"], row["items"], row["topics"]) == ("people / model", 6, 2)
    assert first_values(row) == {
        "equal": 0.333, "quadratic kappa": 0.478, "difference": 0.0, "order": 0.6
    }  # fmt: skip
    assert all(low <= value <= high for value, low, high in (row["equal"], row["quadratic kappa"], row["order"]))
    assert [list(level.values())[1:] for level in found["levels: people / model"]] == [[1, 1, 0], [0, 0, 1], [0, 2, 1]]


@pytest.mark.filterwarnings("error")
def test_kappa():
    first, second = np.array([0, 1, 2, 2, 1, 0, 2]), np.array([0, 2, 2, 1, 1, 1, 2])
    # By hand: squared differences 0 1 0 1 0 1 0, so 3/7 observed. Expected: counts 2 2 3 and 1 3 3 of 7;
    # (2*3*1 + 2*3*4 + 2*1*1 + 2*3*1 + 3*1*4 + 3*3*1) / 49 = 59/49. kappa = 1 - (3/7) / (59/49) = 1 - 21/59.
    assert quadratic_kappa(first, second, np.ones(7)) == pytest.approx(1 - 21 / 59)
    assert quadratic_kappa(np.array([1]), np.array([2]), np.ones(1)) == 0
    assert quadratic_kappa(np.array([1, 1, 1]), np.array([2, 0, 1]), np.ones(3)) == 0, "a grader of one grade"
    assert np.isnan(quadratic_kappa(np.array([1, 1]), np.array([1, 1]), np.ones(2)))


@given(grades=GRADES)
def test_order_is_that_of_counting_couples(grades):
    first, second, _ = np.array(grades).T.astype(float)
    couples = [(i, j) for i in range(len(first)) for j in range(len(first)) if first[i] < first[j]]
    right = sum((second[i] < second[j]) + (second[i] == second[j]) / 2 for i, j in couples)
    assert np.isclose(share_in_order(first, second), right / len(couples) if couples else np.nan, equal_nan=True)


def test_intervals_cover_the_true_figure():
    generator, inside = np.random.default_rng(5), 0
    for _ in range(30):  # a grader who copies seven of ten grades and guesses the others: 0.7 + 0.3 / 3 are equal
        first, topics = generator.integers(0, 3, 400).astype(float), np.repeat(np.arange(40), 10)
        second = np.where(generator.random(400) < 0.7, first, generator.integers(0, 3, 400))
        _, low, high = figures(first, second, topics, draw_topics(40, 60))["equal"]
        inside += low <= 0.8 <= high
    assert 25 <= inside <= 30


# ---- the command ----


def test_a_pair_is_the_same_in_either_order(files):
    a, b = "x__PREMISE__1", "y__PREMISE__1"
    Path("one.qrels").write_text(f"1 0 {a},{b} 2\n2 0 {b},{a} 1\n")
    Path("two.qrels").write_text(f"1 0 {b},{a} 2\n2 0 {b},{a} 1\n")
    table = read_table({"one": Path("one.qrels"), "two": Path("two.qrels")})
    assert table.values.to_numpy().tolist() == [[2, 2], [1, 1]]


def test_grades_of_votes_are_means_on_their_own_scale(files):
    lines = [{"topic": 1, "id": "b,a", "grade": grade} for grade in (4, 1, None)]
    Path("votes.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert read_grades(Path("votes.jsonl")) == {"1": {"b,a": 2.5}}


def test_every_two_graders_and_grades_below_zero(files, capsys):
    Path("c.qrels").write_text("1 0 a -2\n1 0 b 1.5\n")
    Path("votes.jsonl").write_text('{"topic": "1", "id": "a", "grade": 1, "by": "x"}\n')
    shown = run(capsys, "people.qrels", "model.qrels", "other=c.qrels", "votes.jsonl")
    for couple in ("people / model", "people / other", "model / other", "other / votes"):
        assert couple in shown
    assert "round 1 fractional grades of other half up" in shown
    assert "The highest grades differ (people 2, model 2, other 1.5, votes 1)." in shown
    (row,) = figures_of("people.qrels", "c.qrels")["agreement"]
    assert first_values(row)["difference"] == 0.25  # a: 0 and 0; b: 1 and 1.5
    assert row["difference"][1:] == [None, None]  # one topic has no interval


BAD = {
    "one grader": (["people.qrels"], "agreement needs at least two graders"),
    "nothing": ([], "argument --agreement: expected at least one argument"),
    "twice": (["people.qrels", "other=people.qrels"], "people.qrels: is named twice"),
    "alike": (["people.qrels", "sub/people.qrels"], "two graders have the same name; name them: NAME=FILE"),
    "no item": (["people.qrels", "else.qrels"], "people and else: grade no argument in common"),
    "two kinds": (["people.qrels", "pairs.qrels"], "pairs.qrels: has grades of pairs, and people of arguments"),
    "mixed": (["people.qrels", "mixed.qrels"], "mixed.qrels line 2: 'a' is one id, not a pair"),
    "orders": (["pairs.qrels", "orders.qrels"], "orders.qrels line 3: topic 1, id x,y: grade 2 here, 1 earlier"),
    "nan": (["people.qrels", "nan.qrels"], "nan.qrels line 1: grade 'nan' is not a finite number"),
    "levels": (["people.qrels", "far.qrels"], "have more than 50 levels, up to 1000; write grades of one small scale"),
    "absent": (["people.qrels", "absent.qrels"], "absent.qrels: cannot be read"),
    "corpus": (["people.qrels", "model.qrels", "-i", "corpus"], "--input does not go with --agreement"),
    "topics": (["people.qrels", "model.qrels", "--topics", "t.xml"], "--topics does not go with --agreement"),
    "json": (["people.qrels", "model.qrels", "--json", "model.qrels"], "would replace one of the files"),
    "name": (["=people.qrels", "model.qrels"], "'=people.qrels' is not [NAME=]FILE, with a name"),
}
FURTHER = {
    "else": "9 0 z 1\n",
    "pairs": "1 0 x,y 1\n",
    "mixed": "1 0 x,y 1\n1 0 a 1\n",
    "orders": "1 0 x,y 1\n1 0 y,x 2\n1 0 x,y 2\n",
    "nan": "1 0 a nan\n",
    "far": "1 0 a 1000\n",
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line(files, capsys, case):
    Path("sub").mkdir()
    Path("sub/people.qrels").write_text(PEOPLE)
    for name, text in FURTHER.items():
        Path(f"{name}.qrels").write_text(text)
    argv, message = BAD[case]
    refuses(lambda: main(["--agreement", *argv]), message)
    assert capsys.readouterr().out == ""
    assert Path("model.qrels").read_text() == MODEL


# ---- figures measured elsewhere ----


@needs_collection
def test_graded_arguments_beside_official_judgments(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert COLLECTION
    official, ours = (COLLECTION / f"qrels-2021-{name}.qrels" for name in ("relevance", "arguments-relevance"))
    found = figures_of(f"official={official}", f"ours={ours}")
    _, one, two = found["levels: official / ours"]
    assert found["agreement"][0]["items"] == 169
    assert (two["2"], sum(list(two.values())[1:])) == (71, 78)
    assert (one["2"], sum(list(one.values())[1:])) == (29, 37)
