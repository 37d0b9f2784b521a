"""Vote files: what is read, how grades become votes, and how they become labels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.judged import judgments_of
from support.refusals import refuses
from support.tables import plain_table

from ltr.data.qrels import Qrels
from ltr.errors import InputError
from ltr.learning.agreement import OTHERS, TRUSTED, agreement, agreement_table
from ltr.learning.functions import labelling_functions
from ltr.learning.label_model import reliability
from ltr.learning.labels import ENOUGH_GRADED, Sources, combine_files, file_votes, make_labels, vote_qrels
from ltr.learning.votes import Votes, read_votes, scaled_votes
from ltr.model_folder.store import VOTED

A, B, C = "S1-A1", "S2-A2", "S3-A3"
A1, A2, B1, C1 = f"{A}__PREMISE__1", f"{A}__PREMISE__2", f"{B}__PREMISE__1", f"{C}__PREMISE__1"
NAN = float("nan")
FILES = Sources(distant=False, weak=False)


def table() -> Any:
    return plain_table({"1": [(A1, A2), (A1, B1), (A1, C1)], "2": [(A1, A2)]}, flat(4))


def flat(rows: int) -> dict[str, list[float]]:
    """The columns that labelling functions read, all alike."""
    functions = [*labelling_functions("relevance", "pair").values(), *labelling_functions("coherence", "pair").values()]
    return {column: [0.5] * rows for function in functions for column in function.columns}


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n", "utf-8")
    return path


def read(path: Path, *, pairs: bool = True) -> Votes:
    return read_votes([("gpt", "relevance", path)], pairs=pairs)[0]


# ---- files ----------------------------------------------------------------------------------------


def test_json_lines_and_qrels_hold_the_same_votes(tmp_path: Path) -> None:
    rows = [
        {"topic": 1, "id": f"{A2},{A1}", "grade": 3, "by": "gpt", "why": "near", "temperature": 0.2},
        {"topic": "1", "id": B, "grade": 1.5},
        {"topic": "2", "id": f"{A1},{A2}", "grade": None},
        {"topic": "2", "id": C, "grade": -2},
    ]
    found = read(lines(tmp_path / "a.jsonl", *rows))
    # 3 is the highest of all grades; -2 counts as 0; null abstains. Either order of two sentences is the same pair.
    assert found.items == {"1": {f"{A1},{A2}": 1.0}}
    assert found.arguments == {"1": {B: 0.5}, "2": {C: 0.0}}
    qrels = lines(tmp_path / "a.qrels", f"1 0 {A2},{A1} 3", f"1 0 {B} 1.5", f"2 0 {C} -2")
    assert read(qrels) == found
    assert found.topics == {"1", "2"}
    assert found.only(["2"]) == Votes("gpt", "relevance", Qrels({}, "pair"), Qrels({"2": {C: 0.0}}, "argument"))


def test_repeated_readings_and_files_of_a_name_are_averaged(tmp_path: Path) -> None:
    first = lines(tmp_path / "a", {"topic": "1", "id": B, "grade": 2}, {"topic": "1", "id": B, "grade": 0})
    second = lines(tmp_path / "b", f"1 0 {B} 1", f"1 0 {C} 2", f"1 0 {A} 0")
    (found,) = read_votes([("x", "quality", first), ("x", "quality", second)], pairs=True)
    assert found.arguments == {"1": {B: 0.5, C: 1.0, A: 0.0}}
    several = read_votes([("x", "quality", first), ("x", "relevance", second), ("y", "quality", first)], pairs=True)
    assert [(votes.name, votes.dimension) for votes in several] == [
        ("x", "quality"),
        ("x", "relevance"),
        ("y", "quality"),
    ]


SCALES: dict[str, tuple[list[float], list[float], tuple[float, float] | None]] = {
    "0 to 3": ([0, 1, 3], [0, 1 / 3, 1], None),
    "1 to 5": ([1, 3, 5], [0.2, 0.6, 1], None),
    "negative ones": ([-2, 0, 2], [0, 0, 1], None),
    "yes and no": ([0, 1], [0, 1], None),
    "shares stay": ([0.25, 0.75], [0.25, 0.75], None),
    "one grade alone": ([4, 4], [1, 1], None),
    "none": ([], [], None),
    "never 2": ([0, 1, 1], [0, 0.5, 0.5], (0, 2)),
    "never 0": ([1, 2], [0.5, 1], (0, 2)),
    "always 1": ([1, 1], [0.5, 0.5], (0, 2)),
}
"""Grades, votes, and the scale that lines have."""


@pytest.mark.parametrize("case", SCALES)
def test_grades_of_any_scale_are_votes(case: str) -> None:
    grades, votes, scale = SCALES[case]
    found = scaled_votes({("1", str(n)): float(grade) for n, grade in enumerate(grades)}, scale)
    assert list(found.values()) == pytest.approx(votes)


def test_all_lines_of_a_name_have_one_scale(tmp_path: Path) -> None:
    with_scale = lines(tmp_path / "a", {"topic": "1", "id": A, "grade": 1, "scale": [1, 5]})
    assert read(with_scale).arguments == {"1": {A: 0.0}}
    without = lines(tmp_path / "b", f"1 0 {B} 1")
    with pytest.raises(InputError, match=r"b: not all votes of gpt have the same 'scale'; use another name"):
        read_votes([("gpt", "relevance", with_scale), ("gpt", "relevance", without)], pairs=True)


@pytest.mark.parametrize("scale", [2, [2], [0, "2"], [2, 0], [0, True], None, [0, 1e9], [0, 0.5]], ids=str)
def test_what_is_no_scale_is_refused(tmp_path: Path, scale: object) -> None:
    path = lines(tmp_path / "a", {"topic": "1", "id": A, "grade": 1, "scale": scale})
    with pytest.raises(InputError, match=r"a line 1: ('scale' is not a lowest|grade 1 is not on its)"):
        read(path)


@given(st.lists(st.floats(-1e6, 1e6), max_size=8))
def test_votes_are_between_0_and_1_and_in_the_order_of_the_grades(grades: list[float]) -> None:
    votes = list(scaled_votes({("1", str(n)): grade for n, grade in enumerate(grades)}).values())
    assert all(0 <= vote <= 1 for vote in votes)
    assert all(votes[i] <= votes[j] for i in range(len(votes)) for j in range(len(votes)) if grades[i] <= grades[j])


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('{"topic": "1", "id": "x"', "line 2: is not JSON"),
        ("[1]", "line 2: is not a JSON object"),
        ({"id": "x", "grade": 1}, "line 2: 'topic' is missing"),
        ({"topic": True, "id": "x", "grade": 1}, "line 2: 'topic' is not one word"),
        ({"topic": "1", "id": "x y", "grade": 1}, "line 2: 'id' holds white space"),
        ({"topic": "1", "id": "x"}, "line 2: has no 'grade'"),
        ({"topic": "1", "id": "x,y,z", "grade": 1}, "line 2: 'x,y,z' is not a pair"),
        ({"topic": "1", "id": "x,x", "grade": 1}, "line 2: 'x,x' is not a pair"),
        ({"topic": "1", "id": "x", "grade": "2"}, "line 2: grade '2' is not a number within 1e+06"),
        ({"topic": "1", "id": "x", "grade": True}, "line 2: grade 'True' is not a number"),
        ('{"topic": "1", "id": "x", "grade": Infinity}', "line 2: grade 'inf' is not a number"),
        ({"topic": "1", "id": "x", "grade": 1e7}, "line 2: grade '10000000.0' is not a number"),
    ],
    ids=str,
)
def test_what_is_no_vote_is_refused_in_one_line(row: Any, said: str, tmp_path: Path) -> None:
    refuses(lambda: read(lines(tmp_path / "a.jsonl", {"topic": "1", "id": "y", "grade": 1}, row)), "a.jsonl", said)


def test_a_file_without_a_grade_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="votes gpt:relevance: there is no grade in this file"):
        read(lines(tmp_path / "a.jsonl", {"topic": "1", "id": "y", "grade": None}))


# ---- labels ---------------------------------------------------------------------------------------


def votes_of(name: str, arguments: Any = None, **items: Any) -> Votes:
    return Votes(name, "relevance", Qrels(items.get("items", {}), "pair"), Qrels(arguments or {}, "argument"))


def test_a_vote_on_an_argument_speaks_for_its_pairs() -> None:
    given = votes_of("gpt", {"1": {A: 1.0, B: 0.25}}, items={"1": {f"{A1},{B1}": 0.75}})
    direct, inherited = file_votes(table(), given)
    # Inside A both parts have 1; with B the weaker has .25; C is not voted on, nor topic 2.
    np.testing.assert_array_equal(direct, [NAN, 0.75, NAN, NAN])
    np.testing.assert_array_equal(inherited, [1, 0.25, NAN, NAN])


def test_votes_alone_are_labels() -> None:
    given = votes_of("gpt", items={"1": {f"{A1},{A2}": 1.0, f"{A1},{B1}": 0.25}})
    judgments = judgments_of(votes=[given])
    found = make_labels(table(), judgments, "relevance", FILES)
    np.testing.assert_allclose(found.label, [2, 0.5, NAN, NAN])
    assert found.weight[found.used].tolist() == [1, 1]
    assert found.counts == {"graded": 0, VOTED: 2, "weakly labelled": 0, "of them of judged arguments": 0}
    assert not make_labels(table(), judgments, "quality", FILES).used.any()
    assert not make_labels(table(), judgments, "relevance", Sources(False, False, votes=False)).used.any()
    assert judgments.topics() == {"1"}
    assert judgments.graded_ids() == {"1": [f"{A1},{A2}", f"{A1},{B1}"]}
    assert not judgments.without(["1"]).votes


def test_votes_on_arguments_are_measured_by_judgments_of_arguments() -> None:
    built, _ = many(30)
    names = [f"S1-A{n:04x}" for n in range(30)]
    judged = {"relevance": {"1": {name: n % 4 / 4 for n, name in enumerate(names[:20])}}}
    given = votes_of("gpt", {"1": {name: n % 4 / 3 for n, name in enumerate(names)}})
    judgments = judgments_of({}, judged, votes=[given])
    found = combine_files(built, judgments, "relevance", Sources())
    # They correlate by 1 on 20 items, and .5 counts as much: (20 + 10) / 40, squared. The level is that of judgments.
    assert found.weight == pytest.approx(0.75**2)
    np.testing.assert_allclose(found.combined.vote, [n % 4 / 4 for n in range(30)], atol=1e-9)
    labels = make_labels(built, judgments, "relevance", Sources(weak=False))
    np.testing.assert_allclose(labels.label, [n % 4 / 2 for n in range(30)], atol=1e-6)
    assert (labels.counts[VOTED], labels.counts["of them of judged arguments"]) == (10, 20)


def many(number: int) -> tuple[Any, list[str]]:
    names = [f"S1-A{n:04x}" for n in range(number)]
    built = plain_table({"1": [(f"{name}__PREMISE__1", f"{name}__PREMISE__2") for name in names]}, flat(number))
    return built, [f"{name}__PREMISE__1,{name}__PREMISE__2" for name in names]


def test_trusted_grades_are_the_labels_and_set_level_and_weight_of_votes() -> None:
    built, ids = many(60)
    # Votes 0, .25, .5, .75 in turn on all; of 40 items, trusted grades are 0, .5, 1, 1.5: twice the votes.
    given = votes_of("gpt", items={"1": {id_: n % 4 / 4 for n, id_ in enumerate(ids)}})
    graded = {"relevance": {"1": {id_: n % 4 / 2 for n, id_ in enumerate(ids[:40])}}}
    found = make_labels(built, judgments_of(graded, votes=[given]), "relevance", FILES)
    np.testing.assert_allclose(found.label, [n % 4 / 2 for n in range(60)], atol=1e-6)
    # The correlation is 1, of 40 items, and .5 counts as much as 20 items: (40 + 10) / 60, squared.
    assert found.weight.tolist() == [1] * 40 + [pytest.approx((50 / 60) ** 2, abs=1e-6)] * 20
    turned = votes_of("gpt", items={"1": {id_: 1 - n % 4 / 4 for n, id_ in enumerate(ids)}})
    worse = make_labels(built, judgments_of(graded, votes=[turned]), "relevance", FILES)
    assert worse.counts[VOTED] == 0, "votes that are worse than chance do not train"


def test_grades_alone_leave_votes_of_files_in() -> None:
    built, ids = many(ENOUGH_GRADED + 20)
    given = votes_of("gpt", items={"1": {id_: n % 3 / 2 for n, id_ in enumerate(ids)}})
    graded = {"relevance": {"1": {id_: float(n % 3) for n, id_ in enumerate(ids[:ENOUGH_GRADED])}}}
    sources = Sources(grades_alone=("relevance",))
    found = make_labels(built, judgments_of(graded, votes=[given]), "relevance", sources)
    assert (found.counts["graded"], found.counts[VOTED], found.counts["weakly labelled"]) == (ENOUGH_GRADED, 20, 0)


def test_what_measures_where_nobody_judged() -> None:
    given = votes_of("gpt", items={"1": {f"{A1},{A2}": 1.0, f"{A1},{B1}": 0.25}})
    measured = vote_qrels(table(), judgments_of(votes=[given]), "relevance", Sources())
    assert measured == {"1": {f"{A1},{A2}": 2.0, f"{A1},{B1}": 0.5}}
    graded = judgments_of({"relevance": {"1": {f"{A1},{A2}": 1.0}}}, votes=[given])
    assert vote_qrels(table(), graded, "relevance", Sources()) is None
    assert vote_qrels(table(), judgments_of(votes=[given]), "quality", Sources()) is None, "votes measure relevance"
    functions = vote_qrels(table(), judgments_of(), "coherence", Sources(functions=("stands_together",)))
    assert functions is not None
    assert sum(map(len, functions.values())) == 4


# ---- agreement ------------------------------------------------------------------------------------


def test_agreement_and_the_worst_disagreements_by_hand() -> None:
    built, ids = many(30)
    grades = {id_: float(n % 3) for n, id_ in enumerate(ids)}
    right = {id_: grade / 2 for id_, grade in grades.items()}
    wrong = right | {ids[0]: 1.0, ids[4]: 0.0}  # grades 0 and 1
    graded = {"relevance": {"1": dict(list(grades.items())[:20])}}
    judgments = judgments_of(
        graded, votes=[votes_of("right", items={"1": right}), votes_of("wrong", items={"1": wrong})]
    )
    rows = {row.Index: row for row in agreement(built, judgments, "relevance").itertuples()}
    assert list(rows)[:2] == ["right", "wrong"]
    assert rows["right"].coverage == 1
    assert rows["right"].with_grades == pytest.approx(1)
    assert rows["right"].worst == []
    assert [(bad.id, bad.grades) for bad in rows["wrong"].worst] == [
        (ids[0], {"vote": 2, TRUSTED: 0}),
        (ids[4], {"vote": 0, TRUSTED: 1}),
    ]
    assert rows["right"].weight > rows["wrong"].weight > 0
    found = reliability(combine_files(built, judgments, "relevance", Sources()).ballot)
    assert [rows[name].reliability for name in ("right", "wrong")] == pytest.approx(found.tolist())
    assert "  reliability  " in agreement_table("relevance", agreement(built, judgments, "relevance"))
    assert rows["right"].weight + rows["wrong"].weight == pytest.approx(1)
    untrusted = agreement(built, judgments_of(votes=judgments.votes), "relevance").loc["right"]
    assert [(bad.id, bad.grades[OTHERS]) for bad in untrusted["worst"]] == [(ids[0], 2), (ids[4], 0)]
    assert np.isnan(untrusted["with_grades"])
