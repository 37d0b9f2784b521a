"""Results from plain values: rows of a list, and what is known of their items."""

from __future__ import annotations

import pandas as pd

from ltr.answers.answer import Answer, Snippet
from ltr.answers.judge import Argument, Verdict
from ltr.answers.search import Items, present
from ltr.answers.select import Selection, same_words, select

SIDES = ("PRO", "CON")


def list_of(*pairs: str, low: str = "", weak: str = "", unrelated: str = "") -> pd.DataFrame:
    """``PRO a b``: a pair of arguments a and b of that stance; ``low`` and so on name first arguments."""
    rows = [pair.split() for pair in pairs]
    ids = [f"{one}__PREMISE__{rank},{other}__PREMISE__{rank}0" for rank, (_, one, other) in enumerate(rows, 1)]
    named = {"low": low, "weak": weak, "related": unrelated}
    flags = {name: [(one[0] in some) != (name == "related") for _, one, _ in rows] for name, some in named.items()}
    columns = {
        "rank": range(1, len(rows) + 1),
        "stance": [row[0] for row in rows],
        "arguments": [row[1:] for row in rows],
    }
    return pd.DataFrame({**columns, **flags}, ids)


def chosen(
    listed: pd.DataFrame, count: int, talk: str = "", every: bool = False, words: dict[str, set[str]] | None = None
) -> tuple[pd.DataFrame, list[int]]:
    """The results, and the ranks of what is worth showing; ``talk``: arguments that announce."""
    side, terms = listed["stance"].__getitem__, (words or dict.fromkeys(listed.index, frozenset())).__getitem__
    results, worth = select(listed, Selection(count, every), SIDES, side, lambda item: item[0] in talk, terms)
    return results, listed["rank"][worth].tolist()


def shown(listed: pd.DataFrame, count: int, every: bool = False) -> list[int]:
    return chosen(listed, count, every=every)[0]["rank"].tolist()


def test_an_argument_is_shown_once() -> None:
    pairs = ("PRO a a", "PRO a b", "CON c d", "PRO a a", "CON d d", "PRO b b", "PRO e e", "CON f f")
    assert shown(list_of(*pairs), 2) == [1, 3, 6, 8]
    assert shown(list_of(*pairs), 9) == [1, 3, 6, 7, 8]
    assert shown(list_of(*pairs), 3, every=True) == [1, 2, 3, 4, 5, 8]
    assert shown(list_of(*pairs, unrelated="acd"), 9) == [6, 7, 8]


def test_pairs_without_a_stance_must_be_among_the_best() -> None:
    listed = list_of("PRO a a", "Q0 b b", "PRO c c", "Q0 d d", "CON e e", "Q0 f f", "CON g g")
    assert shown(listed[2:], 1) == [3, 4, 5]
    assert shown(list_of("PRO a a", "CON b b", "Q0 c c"), 1) == [1, 2]
    # n = 1: the best 2 are ranks 1 and 2. n = 2: the best 4 are ranks 1 to 4, and both Q0 among them fit.
    assert shown(listed, 1) == [1, 2, 5]
    assert shown(listed, 2) == [1, 2, 3, 4, 5, 7]


def test_a_side_of_the_question_takes_the_place_of_the_stance() -> None:
    listed = list_of("PRO a a", "PRO b b", "CON c c", "CON d d", "PRO e e", "PRO f f")
    sides = {"a": "CON", "b": "Q0", "c": "PRO", "d": "PRO", "e": "CON"}  # nobody asks for f: both sides are full
    results, _ = select(
        listed, Selection(2), SIDES, lambda pair: sides[pair[0]], lambda _: False, lambda _: frozenset()
    )
    assert [*zip(results["rank"], results["stance"], strict=True)] == [
        (1, "CON"), (2, "Q0"), (3, "PRO"), (4, "PRO"), (5, "CON")
    ]  # fmt: skip


def test_what_is_worth_showing_by_itself_comes_first() -> None:
    listed = list_of("PRO a a", "PRO b b", "PRO c c", "PRO d d", "PRO e e", low="ad", weak="d")
    results, worth = chosen(listed, 9, talk="b")
    assert results["rank"].tolist() == [3, 5, 1, 2, 4]
    assert results["weak"].tolist() == [False, False, False, True, True]
    assert worth == [3, 5, 1], "an announcement is not counted"
    assert chosen(listed, 2, talk="b")[0]["rank"].tolist() == [3, 5]


def test_an_argument_is_counted_by_its_first_item_that_argues() -> None:
    assert chosen(list_of("PRO a c", "PRO c c", "CON b b"), 9, talk="a")[1] == [2, 3]


def test_copies_stand_behind_the_first_one() -> None:
    listed = list_of("PRO a a", "PRO b b", "PRO c c")
    results, _ = chosen(listed, 9, words={one: {f"{n}{one[0] == 'c'}" for n in range(15)} for one in listed.index})
    assert results["rank"].tolist() == [1, 3]
    assert results["alike"].tolist() == [[listed.index[1]], []]


def test_weak_results_are_looked_for_among_25_arguments() -> None:
    assert len(shown(list_of(*(f"PRO {n} {n}" for n in range(40)), weak="1234567890"), 99)) == 25


def test_near_duplicates_have_the_same_words_cut_elsewhere() -> None:
    words = [f"w{number}" for number in range(40)]
    kept = {*words[:30]}
    assert same_words(kept, {*words[:20]}), "all of its terms are in the first one"
    assert same_words(kept, {*words[10:30], *words[32:35]}), "20 of 23: .87"
    assert not same_words(kept, {*words[13:30], *words[32:36]}), "17 of 21: .81"
    assert not same_words(kept, {*words[:14]}), "short texts of a debate share its conclusion"


GROUPS = [("PRO", "For"), ("CON", "Against"), ("", "Unclear")]
ARGUMENT = Argument("Close zoos", conclusion="Close zoos", stance=1, toward=1)
VERDICTS = {
    "a": [Verdict(ARGUMENT, "PRO", by_debate=True, sure=True)],
    "b": [Verdict(ARGUMENT, "CON", by_debate=True)],
    "c": [Verdict(ARGUMENT, "Q0")],
}


class Known(Items):
    """What is known of "a" to "d"."""

    def __init__(self) -> None:
        pass

    def id(self, item: int) -> str:
        return "abcd"[item]

    def verdicts(self, item: int) -> list[Verdict]:
        return VERDICTS[self.id(item)]

    def snippets(self, item: int) -> tuple[Snippet, ...]:
        name = self.id(item)
        return (Snippet(f"{name}__PREMISE__1", name, name, "", "premise", 1, 1, name, "Close zoos", "PRO", "Zoos"),)


def test_results_by_rank_with_their_facts() -> None:
    columns = {"rank": [3, 1, 2], "stance": ["Q0", "PRO", "CON"], "score": [0.3, 1.0, 0.5], "relevance": 1.5}
    columns |= {"weak": [True, False, False], "alike": [[], [3], []]}
    results = present(pd.DataFrame(columns, [2, 0, 1]), Known(), {0: 0}, ["relevance", "quality"])
    assert [(one.id[0], one.rank, one.stance, one.weak, one.likely, one.alike) for one in results] == [
        ("a", 1, "PRO", False, False, ("d",)),
        ("b", 2, "CON", False, True, ()),
        ("c", 3, "Q0", True, False, ()),
    ]
    assert [one.why for one in results] == ['For: argues for "Close zoos"', 'Against: argues for "Close zoos"', ""]
    assert [one.point for one in results] == [0, None, None]
    answer = Answer("Close zoos?", results, 1.5, 9, GROUPS, {"PRO": (1, 0), "CON": (1, 1)}, toward="question")
    assert answer.sides_known == "1 for, 1 against (likely only)."
    document = answer.document("corpus", "model")
    assert document["sides"] == "question"
    assert document["results"][0]["scores"] == {"relevance": 1.5}
    assert {heading: len(own) for heading, own in answer.sides.items()} == {"For": 1, "Against": 1, "Unclear": 1}
