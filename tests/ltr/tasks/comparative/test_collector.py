"""Several ways to ask, and their lists as one."""

from __future__ import annotations

from ltr.tasks.comparative.collect.collector import Hit, make_queries, merge


def hits(keys: str) -> list[Hit]:
    return [Hit(key, "", f"text of {key}") for key in keys]


def order(found: list[Hit]) -> str:
    return "".join(hit.key for hit in found)


def test_lists_are_fused_by_their_ranks() -> None:
    # c: 1/61 + 1/62 = .03252; a: 1/63 + 1/61 = .03227; b: 1/62 = .01613; d: 1/63
    assert order(merge([hits("cba"), hits("acd")], 10)) == "cabd"
    assert order(merge([hits("cab")], 10)) == "cab", "one list keeps its order"
    assert order(merge([hits("cab")], 2)) == "ca"
    assert merge([], 10) == []
    assert order(merge([hits("ab"), hits("cd")], 10)) == "acbd", "ties go to the earlier list"
    first, second = Hit("a", "", "of the title"), Hit("a", "", "of other words")
    assert merge([[first], [second]], 10) == [first]


def test_copies_leave() -> None:
    original = Hit("a", "Tea or coffee? A guide", "Tea is hot.")
    same_words = Hit("b", "Another page altogether", "tea  is HOT!")
    same_title = Hit("c", "TEA OR COFFEE: a guide", "Coffee is hotter.")
    copy_of_a_copy = Hit("d", "x", "coffee is hotter")
    other = Hit("e", "Tea", "Milk first.")
    short_title = Hit("f", "tea", "Milk last.")
    assert order(merge([[original, same_words, same_title, copy_of_a_copy, other, short_title]], 10)) == "aef"


def test_four_ways_to_ask() -> None:
    title = "Which is better for commuting, a bike or a train?"
    queries = make_queries(title, ("bike", "train"))
    assert queries[:3] == [title, "better commuting bike train", "bike train commuting"]
    assert queries[3].startswith("bike train commuting bicycle"), "the nearest word of another stem"
    assert len(queries) == 4


def test_ways_that_are_the_same_are_asked_once() -> None:
    assert make_queries("zyzzyva vs. qwrtk") == ["zyzzyva vs. qwrtk", "zyzzyva qwrtk"]
    assert make_queries("zyzzyva", ("Zyzzyva",)) == ["zyzzyva"]
    assert make_queries("???") == []
