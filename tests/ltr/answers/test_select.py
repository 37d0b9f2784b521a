"""Results from plain values: rows of a list, and what is known of their items."""

from __future__ import annotations

from ltr.answers.duplicates import Copies
from ltr.answers.select import Listed, Selection, best, select
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


def listed(rows: list[RunRow], low: set[int] = set(), weak: set[int] = set(), talk: set[int] = set()) -> Listed:  # noqa: B006
    """The list, with ranks of items that are low or weak or announce arguments."""
    ids = {row.rank: row.pair for row in rows}
    stance = {row.pair: row.stance for row in rows}
    announcing = {ids[rank] for rank in talk}
    return Listed(
        rows,
        {ids[rank] for rank in low},
        {ids[rank] for rank in weak},
        stance.__getitem__,
        announces=announcing.__contains__,
    )


def test_an_argument_is_shown_once() -> None:
    rows = rows_of("PRO a a", "PRO a b", "CON c d", "PRO a a", "CON d d", "PRO b b", "PRO e e", "CON f f")
    assert ranks(best(rows, Selection(2), lambda _: True)) == [1, 3, 6, 8]
    assert ranks(best(rows, Selection(9), lambda _: True)) == [1, 3, 6, 7, 8]
    assert ranks(best(rows, Selection(3, every=True), lambda _: True)) == [1, 2, 3, 4, 5, 8]
    assert ranks(best(rows, Selection(9), lambda argument: argument not in "ad")) == [6, 7, 8]


def test_pairs_without_a_stance_must_be_among_the_best() -> None:
    rows = rows_of("PRO a a", "Q0 b b", "PRO c c", "Q0 d d", "CON e e", "Q0 f f", "CON g g")
    assert ranks(best(rows[2:], Selection(1), lambda _: True)) == [3, 4, 5]
    assert ranks(best(rows_of("PRO a a", "CON b b", "Q0 c c"), Selection(1), lambda _: True)) == [1, 2]
    # n = 1: the best 2 are ranks 1 and 2. n = 2: the best 4 are ranks 1 to 4, and both Q0 among them fit.
    assert ranks(best(rows, Selection(1), lambda _: True)) == [1, 2, 5]
    assert ranks(best(rows, Selection(2), lambda _: True)) == [1, 2, 3, 4, 5, 7]


def test_a_side_of_the_question_takes_the_place_of_the_stance() -> None:
    rows = rows_of("PRO a a", "PRO b b", "CON c c", "CON d d", "PRO e e", "PRO f f")
    sides = {"a": "CON", "b": "Q0", "c": "PRO", "d": "PRO", "e": "CON"}  # nobody asks for f: both sides are full
    chosen = best(rows, Selection(2), lambda _: True, side_of=lambda pair: sides[pair[0]])
    assert [(row.rank, row.stance) for row in chosen] == [(1, "CON"), (2, "Q0"), (3, "PRO"), (4, "PRO"), (5, "CON")]


def test_what_is_worth_showing_by_itself_comes_first() -> None:
    rows = rows_of("PRO a a", "PRO b b", "PRO c c", "PRO d d", "PRO e e")
    found = select(listed(rows, low={1, 4}, weak={4}, talk={2}), Selection(9), SIDES)
    assert ranks(found.rows) == [3, 5, 1, 2, 4]
    assert found.folded == {rows[1].pair, rows[3].pair}
    assert found.not_folded == [rows[at].pair for at in (2, 4, 0)]
    assert found.worth == found.not_folded, "an announcement is not counted"
    assert ranks(select(listed(rows, low={1, 4}, weak={4}, talk={2}), Selection(2), SIDES).rows) == [3, 5]


def test_an_argument_is_counted_by_its_first_item_that_argues() -> None:
    rows = rows_of("PRO a a", "PRO a a", "CON b b")
    assert select(listed(rows, talk={1}), Selection(9), SIDES).worth == [rows[1].pair, rows[2].pair]


def test_copies_stand_behind_the_first_one() -> None:
    rows = rows_of("PRO a a", "PRO b b", "PRO c c")
    terms = {row.pair: "zoo " * (row.rank < 3) or "car" for row in rows}
    copies = Copies(lambda id_: [f"{term}{n}" for term in terms[id_].split() for n in range(15)])
    found = select(listed(rows), Selection(9), SIDES, copies)
    assert ranks(found.rows) == [1, 3]
    assert found.alike == {rows[0].pair: [rows[1].pair]}


def test_weak_results_are_looked_for_among_25_arguments() -> None:
    rows = rows_of(*(f"PRO {n} {n}" for n in range(40)))
    assert len(select(listed(rows, weak=set(range(1, 41))), Selection(99), SIDES).rows) == 25
