"""Points from plain values: what results say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ltr.answers.points import KEY, NEAR, PointMaker, Saying, group, nearness, restates

CRUEL = "Zoos are cruel to animals"
SAYINGS = {
    "lions": Saying(2, 0, "Close all zoos", ("Lions pace in narrow cages.", "Elephants die young in zoos."), own=CRUEL),
    "root": Saying(0, 0, "Close all zoos", ("Close all zoos", CRUEL), premises=(CRUEL,)),
    "keepers": Saying(3, 0, "Close all zoos", ("Keepers care for every animal.", "Cages became large parks.")),
    "children": Saying(4, 4, "", ("School classes visit zoos.",), own="Zoos can teach children"),
}
SAYINGS = {name: replace(one, premises=one.premises or one.sentences) for name, one in SAYINGS.items()}
MAKER = PointMaker(SAYINGS.__getitem__, lambda text: frozenset(text.lower().rstrip("?").split()))
SHOWN = {"PRO": ["lions", "root", "children"], "CON": ["keepers"], "": []}
SIDE = {item: side for side, items in SHOWN.items() for item in items}


def test_points_are_those_of_the_debate() -> None:
    points, number = MAKER.find(SHOWN, list(SIDE), SIDE.__getitem__, set())
    assert number == {"lions": 0, "root": 0, "children": 1, "keepers": 2}
    assert [(point.number, point.side, point.arguments, point.key) for point in points] == [
        (0, "PRO", 2, True),  # the one of the other side says something else
        (1, "PRO", 1, True),
        (2, "CON", 1, True),
    ]
    assert (points[0].heading, points[0].debate) == (CRUEL, "Close all zoos")
    points, _ = MAKER.find(SHOWN, list(SIDE), SIDE.__getitem__, {"children", "keepers"})
    assert [point.key for point in points] == [True, False, True], "a doubtful one only where a side has no other"


def test_arguments_that_are_not_shown_count_for_their_point() -> None:
    points, _ = MAKER.find({"PRO": ["lions"]}, ["lions", "root", "keepers", "children"], SIDE.__getitem__, set())
    assert [point.arguments for point in points] == [2], "of the same debate and side"


def test_headings_are_claims_that_the_result_supports() -> None:
    lions, root = SAYINGS["lions"], SAYINGS["root"]
    assert next(MAKER.claims([lions])) == CRUEL
    assert next(MAKER.claims([SAYINGS["keepers"]])) == "Cages became large parks", "the shortest claim of its premises"
    assert next(MAKER.claims([root, lions])) == CRUEL
    kept = Saying(1, 1, "", (), ("Zoos teach children.", "But they are cruel.", "Zoos harm elephants and lions."))
    assert next(MAKER.claims([kept])) == "Zoos harm elephants and lions", "not what the next sentence takes back"
    asked = replace(MAKER, question="Are zoos cruel to animals?")
    assert next(asked.claims([lions])) == "Elephants die young in zoos", "a point says more than the question"
    bare = Saying(1, 1, "", ("Yes!",), ("Yes!",), ("Trams cost money.", "Zoos can teach children."))
    assert next(replace(MAKER, question="Are zoos good?").claims([bare])) == "Zoos can teach children"


def test_a_place_joins_the_nearest_group_or_one_of_its_root() -> None:
    near = np.array([[1, 0.5, 0.6, 0.1], [0.5, 1, 0.2, 0.9], [0.6, 0.2, 1, 0.3], [0.1, 0.9, 0.3, 1]])
    assert group([0, 1, 2, 3], [7, 8, 9, 7], near) == {0: [0, 1, 2, 3]}, "3 has the root of 0"
    assert group([0, 1, 2, 3], [6, 7, 8, 9], near) == {0: [0, 1, 2], 3: [3]}, "only first places are compared"
    assert group([], [], near) == {}


def test_nearness_is_beyond_what_all_share() -> None:
    texts = ["Zoos are cruel to lions", "Zoos torment lions", "Zoos cost money", "Zoos are expensive", ""]
    near = nearness(texts)
    assert near[0, 1] > NEAR > near[0, 2]
    assert not near[4].any()
    assert nearness([]).shape == (0, 0)
    assert KEY == 3


def test_headings_of_mostly_the_same_words_restate_each_other() -> None:
    words = frozenset(["ban", "car", "shift", "traffic", "remov"])
    assert restates(words, words - {"shift"} | {"move"}), "4 of 6"
    assert not restates(words, frozenset(["ban", "car", "cost", "money"])), "2 of 7"


def test_a_key_point_says_its_side_by_itself() -> None:
    parks = "Cages became large parks"
    maker = replace(MAKER, says_side=lambda side, claims: [side == "PRO" or claim != parks for claim in claims])
    first = maker.find({"PRO": ["keepers"], "CON": []}, [], lambda _: "PRO", set())[0][0]
    other = maker.find({"PRO": [], "CON": ["keepers"]}, [], lambda _: "CON", set())[0][0]
    assert (first.heading, first.key) == (parks, True)
    assert (other.heading == parks) == (not other.key), "another claim of it is the point, or it is no key point"
