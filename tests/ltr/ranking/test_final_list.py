from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.tables import Pair, plain_block, plain_table

from ltr.data.ids import pair_key
from ltr.data.runs import RunRow, validate_run
from ltr.ranking.candidates import Candidates
from ltr.ranking.final_list import DIVERSIFY, TOP, ListOptions, make_run, ranked_rows
from ltr.ranking.task import find_task


def names(arguments: int, each: int = 2) -> list[str]:
    return [f"S{a:03d}-A{a:03d}__PREMISE__{n}" for a in range(arguments) for n in range(1, each + 1)]


def ranked(table: Candidates, scores: list[float], *, depth: int = 1000, diversify: float = 0.0) -> list[RunRow]:
    rows = make_run(find_task("pairs"), table, np.array(scores), ListOptions(depth, diversify, tag="t")).rows()
    return [row for row in rows if row.topic == "1"]


def pairs_of(rows: list[RunRow]) -> list[Pair]:
    return [(first, second) for first, second in (row.pair.split(",") for row in rows)]


A, B, C, D, E, F = names(6, 1)
# Arguments of many premises, none of which is in two of these pairs.
APART = [(f"S1-A{n}__PREMISE__1", f"S1-A{n}__PREMISE__2") for n in "abcdef"]


def test_a_run_holds_every_topic_by_the_rules_of_its_task():
    # The task of pairs: a topic's copies, too, where it has fewer than a hundred items, and the sides of pairs.
    table = Candidates.concat([plain_block("1", APART[:2]), plain_block("2", [(A, B), (A, C)], clusters={B: 1, C: 1})])
    scores = np.array([1.0, 2.0, 4.0, 3.0])
    found = make_run(find_task("pairs"), table, scores, ListOptions(5, tag="t")).rows()
    assert [row.topic for row in found] == ["1", "1", "2", "2"]
    assert pairs_of(found) == [APART[1], APART[0], (A, B), (A, C)]
    assert {(row.stance, row.tag) for row in found} == {("PRO", "t")}
    assert make_run(find_task("pairs"), table, scores, ListOptions(1, tag="t")).rows() == [found[0], found[2]]


def test_a_run_says_sides_where_the_task_has_some_and_penalises_as_it_is_told():
    # Inside one argument; the second pair of it pays .1, which puts the other argument before it.
    pairs = [premises("a", 1, 2), premises("a", 3, 4), premises("b", 1, 2)]
    table, scores, task = plain_table({"1": pairs}), np.array([2.0, 1.95, 1.9]), find_task("pairs")
    assert pairs_of(make_run(task, table, scores, ListOptions(tag="t")).rows()) == [pairs[0], pairs[2], pairs[1]]
    assert pairs_of(make_run(task, table, scores, ListOptions(diversify=0, tag="t")).rows()) == pairs
    assert [row.stance for row in make_run(find_task("arguments"), table, scores, ListOptions(tag="t")).rows()] == [
        "Q0"
    ] * 3


def test_a_run_has_a_thousand_units_a_topic_at_most():
    table = plain_table({"1": [premises(f"{n:04}", 1, 2) for n in range(1001)]})
    assert len(make_run(find_task("pairs"), table, np.zeros(1001), ListOptions(diversify=0)).rows()) == 1000


def test_ties_are_decided_by_ids_and_written_apart():
    pairs = [(B, A), (C, E), (C, D), (F, A)]
    table = plain_table({"1": pairs})
    rows = ranked(table, [1.0] * 4)
    # (C, E) and (F, A) wait, for C and A are shown.
    assert pairs_of(rows) == [(B, A), (C, D), (C, E), (F, A)]
    # 1, 1 - 1e-6, 1 - 2e-6 ...; what differs only where nothing is written is a tie as well.
    assert [row.score for row in rows] == [1.0, 0.999999, 0.999998, 0.999997]
    assert ranked(table, [1.0, 1 + 1e-12, 1.0, 1 - 1e-12]) == rows
    assert ranked(table, [1.0, 1 + 4e-7, 1.0, 1 - 4e-7]) == rows


@pytest.mark.parametrize("diversify", [0.0, 0.3])
def test_the_last_bits_of_scores_do_not_show(diversify: float):
    pairs = list(combinations(names(12), 2))
    rng = np.random.default_rng(5)
    scores = np.round(rng.normal(size=len(pairs)), 2)  # many ties
    table = plain_table({"1": pairs})
    noise = rng.uniform(-1e-13, 1e-13, len(pairs))
    assert ranked(table, list(scores + noise), diversify=diversify) == ranked(table, list(scores), diversify=diversify)


# ---- duplicates -----------------------------------------------------------------------------------


def clustered(pairs: list[Pair], clusters: dict[str, int]) -> Candidates:
    return Candidates.concat([plain_block("1", pairs, clusters=clusters)])


def test_the_best_of_near_duplicate_pairs_stays_in_either_order():
    # B and C are copies. (A, C) beats (A, B) and (B, A); enough other pairs make up the hundred.
    fill = list(combinations(names(30, 1)[6:], 2))
    table = clustered([(A, B), (A, C), (B, A), (A, D), *fill], {B: 1, C: 1})
    scores = {(A, B): 8.0, (A, C): 9.0, (B, A): 7.0, (A, D): 6.0}
    rows = ranked(table, [scores.get(pair, 0.0) for pair in map(tuple, table.parts.tolist())])
    assert pairs_of(rows)[0] == (A, C)
    assert {(A, B), (B, A)}.isdisjoint(pairs_of(rows))
    assert len(rows) == len(table) - 2 > 100


def test_copies_come_back_last_where_there_are_fewer_than_a_hundred():
    # All 120 pairs across two halves of copies: (a, b) with a in cluster 1, b in cluster 2: one stays, 99 return.
    left, right = names(22, 1)[:10], names(22, 1)[10:]
    table = clustered([(a, b) for a in left for b in right], dict.fromkeys(left, 1) | dict.fromkeys(right, 2))
    scores = list(np.linspace(0, 1, 120))
    rows = ranked(table, scores)
    assert len(rows) == 100
    assert pairs_of(rows) == [tuple(table.parts[i]) for i in range(119, 19, -1)]
    assert len(ranked(table, scores, depth=30)) == 30


def test_a_unit_of_copies_comes_only_where_a_number_of_units_is_asked_for():
    table = clustered([(A, B)], {A: 1, B: 1})
    assert ranked_rows(table, table.spans["1"], np.ones(1), depth=5) == []
    assert make_run(None, table, np.ones(1), ListOptions(5)).rows() == []
    assert pairs_of(ranked(table, [1.0])) == [(A, B)]


# ---- the top --------------------------------------------------------------------------------------


def premises(letter: str, *numbers: int) -> Pair:
    """A pair inside one argument."""
    one, other = (f"S1-A{letter}__PREMISE__{number}" for number in numbers)
    return one, other


def test_an_argument_that_was_shown_pays_by_hand():
    # Pairs inside a: 5.0, 4.95, 4.94; of b 4.9, of c 4.83. After the first, the second of a is worth 4.85, so b comes;
    # then it comes before c (4.83). The third pays twice: 4.74.
    a, b, c = [premises("a", 1, 2), premises("a", 3, 4), premises("a", 5, 6)], premises("b", 1, 2), premises("c", 1, 2)
    table, scores = plain_table({"1": [*a, b, c]}), [5.0, 4.95, 4.94, 4.9, 4.83]
    assert pairs_of(ranked(table, scores)) == [*a, b, c]
    rows = ranked(table, scores, diversify=0.1)
    assert pairs_of(rows) == [a[0], b, a[1], c, a[2]]
    # Own scores as far as they fall: 4.95 stands below 4.9, and 4.94 below 4.83.
    assert [row.score for row in rows] == [5.0, 4.9, 4.899999, 4.83, 4.829999]
    # A good second pair of one argument beats a poor one of another.
    assert pairs_of(ranked(table, scores, diversify=0.06))[1] == b
    assert pairs_of(ranked(table, scores, diversify=0.04))[:3] == [a[0], a[1], b]


def test_below_the_top_nobody_pays():
    pairs = [premises("a", 2 * n + 1, 2 * n + 2) for n in range(TOP + 5)] + [premises("b", 1, 2)]
    table = plain_table({"1": pairs})
    by_pair = dict(zip(pairs, np.linspace(2, 1, len(pairs)).tolist(), strict=True))
    scores = [by_pair[pair] for pair in map(tuple, table.parts.tolist())]
    found = pairs_of(ranked(table, scores, diversify=DIVERSIFY))
    assert pairs[-1] in found[:TOP]
    assert found[TOP:] == pairs[TOP - 1 : -1]


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
    table = clustered(pairs, clusters)
    numbers = st.one_of(st.sampled_from([0.0, -0.0, 1.0, -1.5]), st.floats(-1e6, 1e6))
    scores = [data.draw(numbers) for _ in pairs]
    rows = ranked(table, scores, depth=depth, diversify=diversify)
    validate_run(rows, depth=depth)
    assert len(rows) >= min(depth, len(pairs))
    assert all(above.score > below.score for above, below in pairwise(rows))
    assert len({pair_key(row.pair) for row in rows}) == len(rows)
    assert rows == ranked(table, scores, depth=depth, diversify=diversify)
    # What is not a copy comes first; of that, no sentence comes twice in the top while there are others.
    own = dict(zip(map(tuple, table.parts.tolist()), np.round(scores, 6).tolist(), strict=True))
    keys = [tuple(sorted(clusters[name] for name in pair)) for pair in pairs_of(rows)]
    fresh = [key not in keys[:place] and key[0] != key[1] for place, key in enumerate(keys)]
    kept = sum(fresh)
    assert all(fresh[:kept])
    shown: set[int] = set()
    top = 0
    while top < min(TOP, kept) and shown.isdisjoint(keys[top]):
        shown |= set(keys[top])
        top += 1
    assert top == min(TOP, kept) or all(not shown.isdisjoint(key) for key in keys[top:kept])
    for part in (pairs_of(rows)[top:kept], pairs_of(rows)[kept:]):
        assert part == sorted(part, key=lambda pair: (-own[pair], pair))
    if not diversify:
        assert pairs_of(rows)[:top] == sorted(pairs_of(rows)[:top], key=lambda pair: (-own[pair], pair))
