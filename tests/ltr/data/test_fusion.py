from __future__ import annotations

from ltr.data.fusion import fuse
from ltr.data.runs import RunRow, validate_run

A, B, C = (f"S1-A{n}__PREMISE__1,S1-A{n}__PREMISE__2" for n in "abc")
TURNED = "S1-Aa__PREMISE__2,S1-Aa__PREMISE__1"


def run(topic: str, *rows: tuple[str, float], stance: str = "PRO") -> list[RunRow]:
    return [RunRow(topic, stance, pair, rank, score, "t") for rank, (pair, score) in enumerate(rows, 1)]


def test_the_formula_by_hand() -> None:
    # a: 1 / 61; b: 1 / 62 + 1 / 62 + 1 / 61; c: 1 / 63 + 1 / 61
    runs = [run("1", (A, 3), (B, 2), (C, 1)), run("1", (C, 2), (B, 1)), run("1", (B, 1))]
    assert [(row.pair, row.score) for row in fuse(runs, tag="t")] == [(B, 0.048652), (C, 0.032266), (A, 0.016393)]


def test_a_fused_run_is_a_valid_run() -> None:
    first = [*run("2", (A, 3), (B, 2), (C, 1)), *run("1", (B, 1))]
    second = [*run("3", (C, 5)), *run("2", (C, 90), (A, 80), (B, 10))]
    fused = fuse([first, second], tag="mine")
    validate_run(fused)
    assert [row.topic for row in fused] == ["2", "2", "2", "1", "3"]  # as they first appear
    assert fused[0].pair == A  # first and second; C is third and first
    assert {row.tag for row in fused} == {"mine"}
    assert fuse([first, second], tag="mine", depth=1) == [fused[0], fused[3], fused[4]]


def test_ties_go_by_id_whatever_the_order_of_the_runs() -> None:
    runs = [run("1", (B, 2), (A, 1)), run("1", (A, 2), (B, 1))]
    for given in (runs, runs[::-1]):
        found = fuse(given, tag="t")
        assert [row.pair for row in found] == [A, B]
        assert [row.score for row in found] == [0.032522, 0.032521]  # 1 / 61 + 1 / 62, then a step below


def test_the_two_orders_of_a_pair_are_one() -> None:
    found = fuse([run("1", (A, 2), (B, 1)), run("1", (TURNED, 2), (A, 1))], tag="t")
    assert [row.pair for row in found] == [A, B]
    assert found[0].score == 0.032787  # 2 / 61: its second place in a run counts no more


def test_the_side_is_that_of_the_first_run_that_knows_it() -> None:
    runs = [run("1", (A, 1), stance="Q0"), run("1", (A, 1), stance="CON"), run("1", (A, 1), stance="PRO")]
    assert [row.stance for row in fuse(runs, tag="t")] == ["CON"]


def test_runs_are_read_by_their_scores() -> None:
    turned = [row._replace(rank=9 - row.rank) for row in run("1", (B, 1), (A, 2))]
    assert [row.pair for row in fuse([turned, turned], tag="t")] == [A, B]


def test_scores_that_are_one_in_32_bits_tie_as_in_trec_eval() -> None:
    close = run("1", (A, 2 + 1e-12), (B, 2))
    assert [row.pair for row in fuse([close, close], tag="t")] == [B, A]


def test_a_topic_has_a_thousand_results_at_most() -> None:
    many = run("1", *((f"d{number}", -number) for number in range(1001)))
    assert [row.pair for row in fuse([many], tag="t")] == [row.pair for row in many[:1000]]
