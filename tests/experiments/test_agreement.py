"""Agreement of graders: coefficients, scales, tables, and figures that were measured elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.collection import COLLECTION, needs_collection

from experiments.agreement import study
from experiments.agreement.command import main
from experiments.agreement.grades import Scale, levels_of, read_table
from experiments.agreement.study import alphas, draw_topics, figures, same_order
from ltr.errors import InputError
from ltr.sample import SAMPLE

ROOT = Path(__file__).resolve().parents[2]
VOTES = ROOT.parent / "shared" / "votes"
PEOPLE = "1 0 a 0\n1 0 b 1\n1 0 c 2\n1 0 d 2\n2 0 e 0\n2 0 f 2\n2 0 alone 1\n"
MODEL = "1 0 a 0\n1 0 b 2\n1 0 c 2\n1 0 d 1\n2 0 e 1\n2 0 f 1\n3 0 other 2\n"
GRADES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two graders of arguments, ``people.qrels`` and ``model.qrels``, with six units in common."""
    monkeypatch.chdir(tmp_path)
    Path("people.qrels").write_text(PEOPLE)
    Path("model.qrels").write_text(MODEL)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    assert main(["--draws", "50", *map(str, argv)]) == 0
    return capsys.readouterr().out


def figures_of(*argv: object) -> dict:
    """The JSON of the only set."""
    assert main(["--draws", "50", *map(str, argv), "--json", "out.json"]) == 0
    (found,) = json.loads(Path("out.json").read_text())["sets"].values()
    return found


def first_values(row: dict) -> dict[str, float]:
    return {name: round(value[0], 3) for name, value in row.items() if isinstance(value, list)}


# ---- coefficients ----


def test_by_hand(files):
    # Confusion, people in rows: 0 -> 1, 1, 0; 1 -> 0, 0, 1; 2 -> 0, 2, 1. Equal: 2 of 6.
    # Squared distance: 4, by chance 46 / 6.
    # Order: of topic 1 ab, ac and ad are right, bc tied, bd wrong: 3.5 of 5; ef of topic 2 is tied. Mean of .7 and .5.
    found = figures_of("people.qrels", "model.qrels")
    (row,) = found["agreement"]
    assert (row["graders"], row["units"], row["topics"]) == ("people / model", 6, 2)
    assert first_values(row) == {
        "equal": 0.333, "quadratic kappa": 0.478, "difference": 0.0, "order": 0.6
    }  # fmt: skip
    assert all(low <= value <= high for value, low, high in (row["equal"], row["quadratic kappa"], row["order"]))
    assert [list(level.values())[1:] for level in found["levels: people / model"]] == [[1, 1, 0], [0, 0, 1], [0, 2, 1]]


@given(grades=GRADES)
def test_order_is_that_of_counting_couples(grades):
    first, second, _ = np.array(grades).T.astype(float)
    couples = [(i, j) for i in range(len(first)) for j in range(len(first)) if first[i] < first[j]]
    right = sum((second[i] < second[j]) + (second[i] == second[j]) / 2 for i, j in couples)
    assert np.isclose(same_order(first, second), right / len(couples) if couples else np.nan, equal_nan=True)


def test_alpha_is_the_published_one():
    pytest.importorskip("krippendorff", reason="the extra agreement is not installed")
    n = np.nan  # Wikipedia, "Krippendorff's alpha", section "A computational example"
    values = np.array([
        [n, n, n, n, n, 3, 4, 1, 2, 1, 1, 3, 3, n, 3],
        [1, n, 2, 1, 3, 3, 4, 3, n, n, n, n, n, n, n],
        [n, n, 2, 1, 3, 4, 4, n, 2, 1, 1, 3, 3, n, 4],
    ])  # fmt: skip
    found = alphas(values, np.arange(15) % 5, draw_topics(5, 200))
    assert round(found["nominal"].value, 3) == 0.691
    assert round(found["interval"].value, 3) == 0.811
    assert found["interval"].low < 0.811 < found["interval"].high


def test_intervals_cover_the_true_figure():
    generator, inside = np.random.default_rng(5), 0
    for _ in range(30):  # a grader who copies seven of ten grades and guesses the others: 0.7 + 0.3 / 3 are equal
        first, topics = generator.integers(0, 3, 400).astype(float), np.repeat(np.arange(40), 10)
        second = np.where(generator.random(400) < 0.7, first, generator.integers(0, 3, 400))
        _, low, high = figures(first, second, topics, draw_topics(40, 60))["equal"]
        inside += low <= 0.8 <= high
    assert 25 <= inside <= 30


# ---- scales ----


def test_scales():
    grades = np.array([-2.0, 0.5, 1.0, 2.5])
    assert Scale().apply(grades).tolist() == [0, 0.5, 1, 2.5]
    assert Scale("keep").apply(grades).tolist() == grades.tolist()
    assert np.isnan(Scale("drop", (1,)).apply(grades)).tolist() == [True, False, False, False]
    assert Scale(cuts=(2, 1)).apply(grades).tolist() == [0, 0, 1, 2]
    assert levels_of(grades).tolist() == [-2, 1, 1, 3]


# ---- the command ----


def test_a_pair_is_the_same_in_either_order(files):
    a, b = "x__PREMISE__1", "y__PREMISE__1"
    Path("one.qrels").write_text(f"1 0 {a},{b} 2\n2 0 {b},{a} 1\n")
    Path("two.qrels").write_text(f"1 0 {b},{a} 2\n2 0 {b},{a} 1\n")
    table = read_table({"one": [Path("one.qrels")], "two": [Path("two.qrels")]}, Scale())
    assert table.values.tolist() == [[2, 1], [2, 1]]
    assert table.units == (("1", f"{a},{b}"), ("2", f"{b},{a}"))


def test_files_of_one_name_merge(files):
    Path("more.qrels").write_text("2 0 alone 1\n")
    (row,) = figures_of("people.qrels", "m=model.qrels", "m=more.qrels")["agreement"]
    assert (row["graders"], row["units"]) == ("people / m", 7)


def test_sets_many_graders_and_missing_units(files, capsys):
    for name in "cdef":
        Path(f"{name}.qrels").write_text(MODEL if name != "f" else "3 0 other 1\n")
    shown = run(capsys, "--set", "relevance=people.qrels,model.qrels,c.qrels,d.qrels,e.qrels", "--set",
                "quality=first=people.qrels,model.qrels,f.qrels", "--negative", "keep")  # fmt: skip
    relevance, quality = shown.split("== quality")
    assert "people / e" in relevance
    assert "model / c" not in relevance
    assert [line.split()[3:6:2] for line in quality.splitlines() if line.startswith("first / f ")] == [["0", "-"]]
    assert "model / f" in quality
    assert "count as 0" not in shown
    every = run(capsys, "people.qrels", "model.qrels", "c.qrels", "d.qrels", "e.qrels", "--all-pairs")
    assert "model / c" in every
    assert run(capsys, "people.qrels", "model.qrels") == run(capsys, "people.qrels", "model.qrels")


def test_runs_and_their_order(files, capsys):
    for name, ids in {"good": "cbadfe", "bad": "abcdef"}.items():
        rows = (f"{1 + (id_ in 'ef')} Q0 {id_} {rank} {9 - rank} t\n" for rank, id_ in enumerate(ids, 1))
        Path(f"{name}.txt").write_text("".join(rows))
    found = figures_of("people.qrels", "model.qrels", "--run", "good.txt", "--run", "bad.txt")
    assert [(row["run"], row["grader"], row["judged@5"]) for row in found["runs"][:2]] == [
        ("good.txt", "people", 1), ("good.txt", "model", 1)
    ]  # fmt: skip
    assert [row["Kendall tau-b"][0] for row in found["orders"]] == [1, 1]
    assert "runs by each grader over 2 topics" in capsys.readouterr().out


def test_the_worst_disagreements_have_texts(tmp_path, capsys):
    qrels = [SAMPLE / f"qrels-test-pairs-{name}.qrels" for name in ("relevance", "quality")]
    given = ["r", "q"]
    argv = [f"{name}={path}" for name, path in zip(given, qrels, strict=True)]
    argv += ["--worst", "2", "-i", SAMPLE, "--topics", SAMPLE / "topics.xml", "--index", tmp_path / "i", "--draws", "9"]
    shown = run(capsys, *argv).split("furthest apart\n")[1].splitlines()
    assert shown[0].startswith("topic 2, ")
    assert shown[0].endswith(": r 0, q 2")
    assert shown[1] == "    Should cities ban cars from their centres?"
    assert min(map(len, shown[2:4])) > 30
    assert not shown[4].startswith("topic 2, ")  # topics take turns


def test_without_the_package_alpha_is_left_out(files, capsys, monkeypatch):
    monkeypatch.setattr(study, "krippendorff", None)
    shown = run(capsys, "people.qrels", "model.qrels")
    assert "Krippendorff's alpha is left out: pip install 'riposte-ltr[agreement]'" in shown
    assert "nominal" not in shown


BAD = {
    "one grader": (["people.qrels"], "people.qrels: is one grader only; name the grades of another one"),
    "nothing": ([], "usage: name graders, or sets of graders"),
    "both": (["people.qrels", "--set", "a=model.qrels"], "usage: name graders, or sets of graders"),
    "a set twice": (["--set", "a=people.qrels", "--set", "a=model.qrels"], "--set names a set twice"),
    "twice": (["people.qrels", "other=people.qrels"], "people.qrels: is named twice"),
    "alike": (["people.qrels", "sub/people.qrels"], "another grader is called people, too; name it: NAME=FILE"),
    "no unit": (["people.qrels", "else.qrels"], "people and else: grade no argument in common"),
    "two units": (["people.qrels", "pairs.qrels"], "pairs.qrels: has grades of pairs, and people of arguments"),
    "mixed": (["people.qrels", "mixed.qrels"], "mixed.qrels line 2: 'a' is one id, not a pair"),
    "orders": (["pairs.qrels", "orders.qrels"], "orders.qrels line 2: topic 1, id x,y: grade 2 here, 1 earlier"),
    "dropped": (["people.qrels", "below.qrels", "--negative", "drop"], "below: has no grade of 0 or more"),
    "nan": (["people.qrels", "nan.qrels"], "nan.qrels line 1: grade 'nan' is not a finite number"),
    "levels": (["people.qrels", "far.qrels"], "have more than 50 levels, from 0 to 1000; name thresholds with --cuts"),
    "absent": (["people.qrels", "absent.qrels"], "absent.qrels: cannot be read"),
    "cuts": (["people.qrels", "model.qrels", "--cuts", "1,x"], "'1,x' is not a list of numbers"),
    "cuts twice": (["people.qrels", "model.qrels", "--cuts", "1,1"], "'1,1' names a threshold twice"),
    "one run": (["people.qrels", "model.qrels", "--run", "r.txt"], "one --run has no order; name another run"),
    "run elsewhere": (
        ["people.qrels", "model.qrels", "--run", "one.txt", "--run", "else.txt"],
        "else.txt: has no topic in common with the qrels",
    ),
    "no worst": (["people.qrels", "model.qrels", "-i", "corpus"], "-i has the texts of --worst alone"),
    "json": (["people.qrels", "model.qrels", "--json", "model.qrels"], "--json: model.qrels is an input, too"),
    "name": (["=people.qrels", "model.qrels"], "'=people.qrels' is neither FILE nor NAME=FILE"),
}


FURTHER = {
    "else": "9 0 z 1\n",
    "pairs": "1 0 x,y 1\n",
    "mixed": "1 0 x,y 1\n1 0 a 1\n",
    "orders": "1 0 x,y 1\n1 0 y,x 2\n",
    "nan": "1 0 a nan\n",
    "below": "1 0 a -2\n",
    "far": "1 0 a 1000\n",
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_line(files, capsys, case):
    Path("sub").mkdir()
    Path("sub/people.qrels").write_text(PEOPLE)
    Path("one.txt").write_text("1 Q0 a 1 1 t\n")
    Path("else.txt").write_text("9 Q0 a 1 1 t\n")
    for name, text in FURTHER.items():
        Path(f"{name}.qrels").write_text(text)
    argv, message = BAD[case]
    with pytest.raises(InputError) as caught:
        main(argv)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capsys.readouterr().out == ""
    assert Path("model.qrels").read_text() == MODEL


def test_grades_far_above_zero_are_a_scale_too(files):
    Path("high.qrels").write_text("1 0 a 100001\n1 0 b 100002\n2 0 e 100001\n")
    Path("higher.qrels").write_text("1 0 a 100001\n1 0 b 100003\n2 0 e 100002\n")
    found = figures_of("high.qrels", "higher.qrels")
    assert [level[""] for level in found["levels: high / higher"]] == ["100001", "100002", "100003"]


def test_cuts_make_far_grades_levels(files):
    Path("far.qrels").write_text("1 0 a 0\n1 0 c 1000\n")
    (row,) = figures_of("people.qrels", "far.qrels", "--cuts", "1")["agreement"]
    assert first_values(row)["quadratic kappa"] == 1
    assert row["quadratic kappa"][1:] == [None, None]  # one topic has no interval


# ---- figures measured elsewhere ----


@pytest.mark.skipif(not VOTES.is_dir(), reason=f"no grades of language models and people in {VOTES}")
def test_language_models_beside_people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ("people", "four-criteria", "sum-of-criteria", "baseline-0123")
    rows = figures_of(*(VOTES / f"{name}.qrels" for name in names), "--draws", "50")["agreement"]
    found = {row["graders"]: first_values(row) for row in rows}
    for name, published in {  # equal, quadratic kappa, order
        "four-criteria": (0.43, 0.40, 0.73),
        "sum-of-criteria": (0.56, 0.41, 0.68),
        "baseline-0123": (0.22, 0.26, 0.69),
    }.items():
        row = found[f"people / {name}"]
        measured = (row["equal"], row["quadratic kappa"], row["order"])
        assert np.allclose(measured, published, atol=0.0051), name


@needs_collection
def test_graded_arguments_beside_official_judgments(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert COLLECTION
    official, ours = (COLLECTION / f"qrels-2021-{name}.qrels" for name in ("relevance", "arguments-relevance"))
    found = figures_of(f"official={official}", f"ours={ours}", "--draws", "50")
    _, one, two = found["levels: official / ours"]
    assert found["agreement"][0]["units"] == 169
    assert (two["2"], sum(list(two.values())[1:])) == (71, 78)
    assert (one["2"], sum(list(one.values())[1:])) == (29, 37)
