"""Results from plain values: rows of a list, and what is known of their items."""

from __future__ import annotations

from dataclasses import replace

from ltr.answers.select import Listed, Selection, same_words, select
from ltr.data.runs import RunRow

SIDES = ("PRO", "CON")


def rows_of(*pairs: str) -> list[RunRow]:
    """``PRO a b``: a pair of arguments a and b of that stance, in order of rank."""
    found = []
    for rank, (stance, one, other) in enumerate(map(str.split, pairs), 1):
        found.append(RunRow("1", stance, f"{one}__PREMISE__{rank},{other}__PREMISE__{rank}0", rank, -float(rank), "t"))
    return found


def ranks(rows: list[RunRow]) -> list[int]:
    return [row.rank for row in rows]


def listed(rows: list[RunRow], low: str = "", weak: str = "", talk: str = "", unrelated: str = "") -> Listed:
    """The list, with first arguments of items that are low, weak or unrelated, or announce arguments."""
    low_, weak_, talk_, unrelated_ = (
        {r.pair for r in rows if r.pair[0] in some} for some in (low, weak, talk, unrelated)
    )
    stance = {row.pair: row.stance for row in rows}
    return Listed(rows, low_, weak_, unrelated_, stance.__getitem__, talk_.__contains__)


def shown(rows: list[RunRow], count: int, unrelated: str = "", **how: bool) -> list[int]:
    return ranks(select(listed(rows, unrelated=unrelated), Selection(count, **how), SIDES).rows)


def test_an_argument_is_shown_once() -> None:
    rows = rows_of("PRO a a", "PRO a b", "CON c d", "PRO a a", "CON d d", "PRO b b", "PRO e e", "CON f f")
    assert shown(rows, 2) == [1, 3, 6, 8]
    assert shown(rows, 9) == [1, 3, 6, 7, 8]
    assert shown(rows, 3, every=True) == [1, 2, 3, 4, 5, 8]
    assert shown(rows, 9, "acd") == [6, 7, 8]


def test_pairs_without_a_stance_must_be_among_the_best() -> None:
    rows = rows_of("PRO a a", "Q0 b b", "PRO c c", "Q0 d d", "CON e e", "Q0 f f", "CON g g")
    assert shown(rows[2:], 1) == [3, 4, 5]
    assert shown(rows_of("PRO a a", "CON b b", "Q0 c c"), 1) == [1, 2]
    # n = 1: the best 2 are ranks 1 and 2. n = 2: the best 4 are ranks 1 to 4, and both Q0 among them fit.
    assert shown(rows, 1) == [1, 2, 5]
    assert shown(rows, 2) == [1, 2, 3, 4, 5, 7]


def test_a_side_of_the_question_takes_the_place_of_the_stance() -> None:
    rows = rows_of("PRO a a", "PRO b b", "CON c c", "CON d d", "PRO e e", "PRO f f")
    sides = {"a": "CON", "b": "Q0", "c": "PRO", "d": "PRO", "e": "CON"}  # nobody asks for f: both sides are full
    chosen = select(replace(listed(rows), side_of=lambda pair: sides[pair[0]]), Selection(2), SIDES).rows
    assert [(row.rank, row.stance) for row in chosen] == [(1, "CON"), (2, "Q0"), (3, "PRO"), (4, "PRO"), (5, "CON")]


def test_what_is_worth_showing_by_itself_comes_first() -> None:
    rows = rows_of("PRO a a", "PRO b b", "PRO c c", "PRO d d", "PRO e e")
    found = select(listed(rows, low="ad", weak="d", talk="b"), Selection(9), SIDES)
    assert ranks(found.rows) == [3, 5, 1, 2, 4]
    assert found.folded == {rows[1].pair, rows[3].pair}
    assert [row.rank for row in found.strong] == [3, 5, 1]
    assert found.worth == [row.pair for row in found.strong], "an announcement is not counted"
    assert ranks(select(listed(rows, low="ad", weak="d", talk="b"), Selection(2), SIDES).rows) == [3, 5]


def test_an_argument_is_counted_by_its_first_item_that_argues() -> None:
    rows = rows_of("PRO a c", "PRO c c", "CON b b")
    assert select(listed(rows, talk="a"), Selection(9), SIDES).worth == [rows[1].pair, rows[2].pair]


def test_copies_stand_behind_the_first_one() -> None:
    rows = rows_of("PRO a a", "PRO b b", "PRO c c")
    words = {row.pair: {f"{n}{row.rank > 2}" for n in range(15)} for row in rows}
    found = select(replace(listed(rows), terms=words.__getitem__), Selection(9), SIDES)
    assert ranks(found.rows) == [1, 3]
    assert found.alike == {rows[0].pair: [rows[1].pair]}


def test_weak_results_are_looked_for_among_25_arguments() -> None:
    rows = rows_of(*(f"PRO {n} {n}" for n in range(40)))
    assert len(select(listed(rows, weak="1234567890"), Selection(99), SIDES).rows) == 25


def test_near_duplicates_have_the_same_words_cut_elsewhere() -> None:
    words = [f"w{number}" for number in range(40)]
    kept = {*words[:30]}
    assert same_words(kept, {*words[:20]}), "all of its terms are in the first one"
    assert same_words(kept, {*words[10:30], *words[32:35]}), "20 of 23: .87"
    assert not same_words(kept, {*words[13:30], *words[32:36]}), "17 of 21: .81"
    assert not same_words(kept, {*words[:14]}), "short texts of a debate share its conclusion"
