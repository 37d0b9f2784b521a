from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import Pair, plain_block, plain_matrix

from ltr.formats import RunRow, argument_of, pair_key, read_run, validate_run, write_run
from ltr.matrix import Matrix
from ltr.metrics import argument_ranking
from ltr.rerank import LEAST, final_list


def names(arguments: int, each: int = 2) -> list[str]:
    return [f"S{a:03d}-A{a:03d}__PREMISE__{n}" for a in range(arguments) for n in range(1, each + 1)]


def ranked(matrix: Matrix, scores: list[float], *, depth: int = 1000, diversify: float = 0.0) -> list[RunRow]:
    return final_list(matrix, "1", matrix.rows("1"), np.array(scores), depth=depth, tag="t", diversify=diversify)


def pairs_of(rows: list[RunRow]) -> list[Pair]:
    return [(first, second) for first, second in (row.pair.split(",") for row in rows)]


A, B, C, D, E, F = names(6, 1)


def test_order_is_by_score():
    matrix = plain_matrix({"1": [(A, B), (A, C), (A, D)]})
    rows = ranked(matrix, [0.5, 2.0, -1.0])
    assert pairs_of(rows) == [(A, C), (A, B), (A, D)]
    assert [row.score for row in rows] == [2.0, 0.5, -1.0]
    assert [row.rank for row in rows] == [1, 2, 3]
    assert {(row.topic, row.stance, row.tag) for row in rows} == {("1", "PRO", "t")}


def test_only_the_rows_of_the_topic_count():
    matrix = plain_matrix({"1": [(A, B), (A, C)], "2": [(D, E)]})
    assert pairs_of(ranked(matrix, [1.0, 2.0, 9.0])) == [(A, C), (A, B)]
    last = final_list(matrix, "2", matrix.rows("2"), np.array([1.0, 2.0, 9.0]), depth=5, tag="t")
    assert [(row.topic, row.pair, row.score) for row in last] == [("2", f"{D},{E}", 9.0)]


def test_ties_are_decided_by_ids_and_written_apart():
    matrix = plain_matrix({"1": [(B, A), (A, C), (A, B), (C, A)]})
    rows = ranked(matrix, [1.0] * 4)
    assert pairs_of(rows) == [(A, B), (A, C), (B, A), (C, A)]
    # 1, 1 - 1e-6, 1 - 2e-6 ...; what differs only where nothing is written is a tie as well.
    assert [row.score for row in rows] == [1.0, 0.999999, 0.999998, 0.999997]
    assert ranked(matrix, [1.0, 1 + 1e-12, 1.0, 1 - 1e-12]) == rows
    assert ranked(matrix, [1.0, 1 + 4e-7, 1.0, 1 - 4e-7]) == rows


@pytest.mark.parametrize("diversify", [0.0, 0.3])
def test_the_last_bits_of_scores_do_not_show(diversify: float):
    pairs = list(combinations(names(12), 2))
    rng = np.random.default_rng(5)
    scores = np.round(rng.normal(size=len(pairs)), 2)  # many ties
    matrix = plain_matrix({"1": pairs})
    noise = rng.uniform(-1e-13, 1e-13, len(pairs))
    assert ranked(matrix, list(scores + noise), diversify=diversify) == ranked(
        matrix, list(scores), diversify=diversify
    )


def test_no_score_is_minus_zero():
    matrix = plain_matrix({"1": [(A, B), (A, C)]})
    assert [str(row.score) for row in ranked(matrix, [1.0, -1e-9])] == ["1.0", "0.0"]


def test_ties_do_not_lean_on_the_order_of_rows():
    matrix = plain_matrix({"1": [(A, B), (A, C), (B, C)]})
    matrix.first, matrix.second = matrix.first[::-1].copy(), matrix.second[::-1].copy()
    assert pairs_of(ranked(matrix, [1.0] * 3)) == [(A, B), (A, C), (B, C)]


def test_stance_is_that_of_each_row():
    block = plain_block("1", [(A, B), (A, C), (A, D)])
    block.stance[:] = ["PRO", "CON", "Q0"]  # type: ignore[index]
    rows = ranked(Matrix([block]), [1.0, 3.0, 2.0])
    assert [row.stance for row in rows] == ["CON", "Q0", "PRO"]


def test_depth_cuts_the_tail():
    matrix = plain_matrix({"1": list(combinations(names(20, 1), 2))})
    scores = list(np.linspace(0, 1, len(matrix)))
    assert ranked(matrix, scores, depth=7) == ranked(matrix, scores)[:7]


# ---- duplicates -----------------------------------------------------------------------------------


def clustered(pairs: list[Pair], clusters: dict[str, int]) -> Matrix:
    return Matrix([plain_block("1", pairs, clusters=clusters)])


def test_the_best_of_near_duplicate_pairs_stays_in_either_order():
    # B and C are copies. (A, C) beats (A, B) and (B, A); enough other pairs make up the hundred.
    fill = list(combinations(names(30, 1)[6:], 2))
    matrix = clustered([(A, B), (A, C), (B, A), (A, D), *fill], {B: 1, C: 1})
    scores = {(A, B): 8.0, (A, C): 9.0, (B, A): 7.0, (A, D): 6.0}
    rows = ranked(matrix, [scores.get(pair, 0.0) for pair in zip(matrix.first, matrix.second, strict=True)])
    assert pairs_of(rows)[:2] == [(A, C), (A, D)]
    assert len(rows) == len(matrix) - 2 > LEAST


def test_copies_come_back_last_where_there_are_fewer_than_a_hundred():
    # All 120 pairs across two halves of copies: (a, b) with a in cluster 1, b in cluster 2: one stays, 99 return.
    left, right = names(22, 1)[:10], names(22, 1)[10:]
    matrix = clustered([(a, b) for a in left for b in right], dict.fromkeys(left, 1) | dict.fromkeys(right, 2))
    scores = list(np.linspace(0, 1, 120))
    rows = ranked(matrix, scores)
    assert len(rows) == LEAST == 100
    assert pairs_of(rows) == [(matrix.first[i], matrix.second[i]) for i in range(119, 19, -1)]
    assert len(ranked(matrix, scores, depth=30)) == 30


def test_copies_stay_behind_worse_pairs():
    matrix = clustered([(A, B), (A, C), (A, D)], {B: 1, C: 1})
    rows = ranked(matrix, [9.0, 8.0, 1.0])
    assert pairs_of(rows) == [(A, B), (A, D), (A, C)]
    assert [row.score for row in rows] == [9.0, 1.0, 0.999999]
    assert pairs_of(ranked(matrix, [9.0, 8.0, 1.0], depth=2)) == [(A, B), (A, D)]


def test_copies_stay_behind_worse_pairs_when_diversified():
    # (C, D) says what (A, B) says, in other arguments: without price, but last all the same.
    matrix = clustered([(A, B), (A, E), (C, D)], {A: 1, B: 2, C: 1, D: 2})
    assert pairs_of(ranked(matrix, [9.0, 1.0, 8.0], diversify=1.0)) == [(A, B), (A, E), (C, D)]


# ---- diversity ------------------------------------------------------------------------------------


def test_diversity_by_hand():
    # Spread 2, price .5 * 2 = 1. (A, C) brings C and is free; (B, C) brings nothing and pays once: 3.9 - 1 = 2.9.
    matrix = plain_matrix({"1": [(A, B), (A, C), (B, C), (D, E)]})
    scores = [5.0, 4.5, 3.9, 3.0]
    assert pairs_of(ranked(matrix, scores)) == [(A, B), (A, C), (B, C), (D, E)]
    rows = ranked(matrix, scores, diversify=0.5)
    assert pairs_of(rows) == [(A, B), (A, C), (D, E), (B, C)]
    # Scores keep falling: (B, C) may not be written with its own 3.9.
    assert [row.score for row in rows] == [5.0, 4.5, 3.0, 2.999999]


def test_one_argument_in_both_places_pays_for_both():
    one, two, three = (f"S9-A9__PREMISE__{n}" for n in (1, 2, 3))
    matrix = plain_matrix({"1": [(A, B), (one, two), (one, three)]})
    # Spread 2. The second pair of S9-A9 pays twice, for the pair above it and for bringing nothing: 2.9 - 4.
    assert pairs_of(ranked(matrix, [1.0, 3.0, 2.9], diversify=1.0)) == [(one, two), (A, B), (one, three)]


@pytest.mark.parametrize("share", [0.1, 0.3, 1.0])
def test_arguments_first_appear_in_the_same_order_however_diverse(share: float):
    matrix = plain_matrix({"1": list(combinations(names(8, 3), 2))})
    for seed in range(20):
        scores = list(np.random.default_rng(seed).random(len(matrix)))
        plain, diverse = (argument_ranking(r.pair for r in ranked(matrix, scores, diversify=d)) for d in (0.0, share))
        assert plain == diverse


def test_more_diversity_shows_no_fewer_arguments_at_the_top():
    matrix = plain_matrix({"1": list(combinations(names(6, 3), 2))})
    scores = list(np.random.default_rng(0).random(len(matrix)))
    shown = []
    for share in (0.0, 0.5, 1.0):
        top = pairs_of(ranked(matrix, scores, diversify=share))[:3]
        shown.append(len({argument_of(name) for pair in top for name in pair}))
    assert shown == sorted(shown)


# ---- any list -------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(list(combinations(names(8), 2))), min_size=1, max_size=120, unique=True),
    st.data(),
    st.sampled_from([1, 5, 99, 100, 1000]),
    st.sampled_from([0.0, 0.3, 1.0]),
)
def test_every_list_is_a_valid_run(pairs: list[Pair], data: st.DataObject, depth: int, diversify: float):
    clusters = {name: data.draw(st.integers(0, 9), label=name) for name in names(8)}
    matrix = clustered(pairs, clusters)
    numbers = st.one_of(st.sampled_from([0.0, -0.0, 1.0, -1.5]), st.floats(-1e6, 1e6))
    scores = [data.draw(numbers) for _ in pairs]
    rows = ranked(matrix, scores, depth=depth, diversify=diversify)
    validate_run(rows, depth=depth)
    assert len(rows) >= min(depth, LEAST, len(pairs))
    assert all(above.score > below.score for above, below in pairwise(rows))
    assert len({pair_key(row.pair) for row in rows}) == len(rows)
    assert rows == ranked(matrix, scores, depth=depth, diversify=diversify)
    if not diversify:
        # What is not a copy comes first, best first.
        own = dict(zip(zip(matrix.first, matrix.second, strict=True), np.round(scores, 9).tolist(), strict=True))
        keys = [tuple(sorted(clusters[name] for name in pair)) for pair in pairs_of(rows)]
        fresh = [key not in keys[:place] and key[0] != key[1] for place, key in enumerate(keys)]
        kept = sum(fresh)
        assert all(fresh[:kept])
        for part in (pairs_of(rows)[:kept], pairs_of(rows)[kept:]):
            assert part == sorted(part, key=lambda pair: (-own[pair], pair))


def test_written_and_read_back_the_order_is_the_same(tmp_path: Path):
    matrix = plain_matrix({"1": list(combinations(names(16, 1), 2))})
    rows = ranked(matrix, [1e-7 * n for n in range(len(matrix))])
    write_run(tmp_path / "run.txt", rows)
    assert read_run(tmp_path / "run.txt") == rows
    assert rows[0].score == pytest.approx(1e-7 * (len(matrix) - 1), abs=1e-6)
