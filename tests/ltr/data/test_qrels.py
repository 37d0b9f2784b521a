from __future__ import annotations

from copy import copy
from pathlib import Path

import pytest
from support.refusals import refuses

from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels, fold_grades, read_pair_qrels, read_qrels, write_qrels
from ltr.learning.votes import read_votes

A, B, C = "S1-Aa__PREMISE__1", "S1-Aa__CONC__1", "S2-Ab__PREMISE__2"


def test_qrels_of_many_makes(saved):
    path = saved("\ufeff51 0 b 2\r\n\r\n51\t0  a  -2\r\n7 Q0 a 0.5\r\n51 0 b 2.0\r\n")
    assert read_qrels(path) == {"51": {"b": 2.0, "a": -2.0}, "7": {"a": 0.5}}
    assert list(read_qrels(path)["51"]) == ["b", "a"]


def test_qrels_round_trip_and_their_text(tmp_path):
    qrels = {"2": {"b": 2.0, "a": -2.0}, "1": {f"{A},{B}": 1 / 3}}
    path = tmp_path / "qrels"
    write_qrels(path, qrels)
    assert read_qrels(path) == qrels
    assert path.read_text() == f"2 0 b 2\n2 0 a -2\n1 0 {A},{B} 0.3333333333333333\n"


def test_several_qrels_files_merge_or_contradict(tmp_path):
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    first.write_text("1 0 a 1\n")
    second.write_text("1 0 a 1\n1 0 b 2\n2 0 a 0\n")
    third.write_text("1 0 b 1\n")
    assert read_qrels(first, second) == {"1": {"a": 1.0, "b": 2.0}, "2": {"a": 0.0}}
    refuses(lambda: read_qrels(first, second, third), "third", "topic 1, id b: grade 1 here, 2 earlier")


@pytest.mark.parametrize(
    "qrels", [{"1 2": {"a": 1.0}}, {"1": {"": 1.0}}, {"1": {"a": float("nan")}}, {"1": {"\ud800": 1.0}}]
)
def test_qrels_that_could_not_be_read_back_are_not_written(tmp_path, qrels):
    (tmp_path / "qrels").write_text("earlier")
    refuses(lambda: write_qrels(tmp_path / "qrels", qrels), "qrels", "")
    assert (tmp_path / "qrels").read_text() == "earlier"
    assert len(list(tmp_path.iterdir())) == 1


def test_pair_qrels_by_dimension(tmp_path):
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    first.write_text(f"1 0 {B},{A} 1.5\n1 0 {A},{B} 1.5\n")  # both orders are one pair, under its first order
    second.write_text(f"1 0 {A},{B} 1.5\n2 0 {A},{C} 0\n")
    third.write_text(f"1 0 {A},{B} 2\n")
    found = read_pair_qrels([("coherence", first), ("relevance", third), ("coherence", second)])
    assert found == {"relevance": {"1": {f"{A},{B}": 2.0}}, "coherence": {"1": {f"{B},{A}": 1.5}, "2": {f"{A},{C}": 0}}}
    assert list(found) == ["relevance", "coherence"]
    assert read_pair_qrels([]) == {}
    refuses(lambda: read_pair_qrels([("beauty", first)]), "first", "unknown dimension 'beauty'")
    again = [("coherence", first), ("coherence", third)]
    refuses(lambda: read_pair_qrels(again), "third line 1", f"id {A},{B}: grade 2 here, 1.5 earlier")


def test_a_pair_judged_in_both_orders_has_the_mean_wherever_it_is_read(tmp_path: Path):
    (tmp_path / "q").write_text(f"1 0 {A},{B} 2\n1 0 {B},{A} 1\n")
    (votes,) = read_votes([("me", "quality", tmp_path / "q")], pairs=True, scale=(0, 2))
    assert fold_grades(read_qrels(tmp_path / "q"), pair_key) == {"1": {pair_key(f"{A},{B}"): 1.5}}
    assert read_pair_qrels([("quality", tmp_path / "q")]) == {"quality": {"1": {f"{A},{B}": 1.5}}}
    assert votes.items == {"1": {pair_key(f"{A},{B}"): 0.75}}


def test_qrels_know_whether_they_judge_pairs(tmp_path: Path):
    (tmp_path / "pairs").write_text(f"1 0 {A},{B} 2\n")
    (tmp_path / "items").write_text("1 0 x 2\n")
    assert (read_qrels(tmp_path / "pairs").level, read_qrels(tmp_path / "items").level) == ("pair", "argument")
    assert read_pair_qrels([("relevance", tmp_path / "pairs")])["relevance"].level == "pair"
    none_left = Qrels({}, read_qrels(tmp_path / "pairs").level)  # what is left of pairs are pairs
    assert (none_left.level, Qrels.of(none_left) is none_left, Qrels.of({"1": {"x": 1.0}}).level) == (
        "pair",
        True,
        "argument",
    )
    assert copy(none_left).level == "pair"
