from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.corpora import Row, write_corpus

from ltr.answers.points import KEY, NEAR, Candidates, find_points, group, heading_of, nearness, restates
from ltr.searcher import Searcher

ROWS: list[Row] = [
    # The resolution has two points; the first one has an argument for it and one against it.
    ("S1-A1", "Close all zoos", "PRO", ["Zoos are cruel to animals"]),
    ("S1-A2", "Close all zoos", "PRO", ["Zoos waste public money"]),
    ("S1-A3", "Zoos are cruel to animals", "PRO", ["Lions pace in narrow cages.", "Elephants die young in zoos."]),
    ("S1-A4", "Zoos are cruel to animals", "CON", ["Keepers care for every animal.", "Cages became large parks."]),
    ("S2-A1", "Zoos can teach children", "PRO", ["School classes visit zoos.", "Children see real animals there."]),
]


@pytest.fixture(scope="module")
def candidates(tmp_path_factory: pytest.TempPathFactory) -> Candidates:
    place = tmp_path_factory.mktemp("points")
    zoos = Searcher(write_corpus(place / "corpus", ROWS), model="bm25", index=place / "index", jobs=1)
    return Candidates(zoos.index)


def pair(argument: str) -> str:
    return f"{argument}__PREMISE__1,{argument}__PREMISE__2"


ROOT = "S1-A1__CONC__1,S1-A1__PREMISE__1"


def test_points_are_those_of_the_debate(candidates: Candidates) -> None:
    shown = {"PRO": [pair("S1-A3"), ROOT, pair("S2-A1")], "CON": [pair("S1-A4")], "": []}
    sides = {item: side for side, items in shown.items() for item in items}
    points, number = find_points(candidates, shown, list(sides), sides.__getitem__)
    assert number == {pair("S1-A3"): 0, ROOT: 0, pair("S2-A1"): 1, pair("S1-A4"): 2}
    assert [(point.number, point.side, point.arguments, point.key) for point in points] == [
        (0, "PRO", 2, True),  # the one of the other side says something else
        (1, "PRO", 1, True),
        (2, "CON", 1, True),
    ]
    assert points[0].heading == "Zoos are cruel to animals"
    points, _ = find_points(candidates, shown, list(sides), sides.__getitem__, {pair("S2-A1"), pair("S1-A4")})
    assert [point.key for point in points] == [True, False, True], "a doubtful one only where a side has no other"


def test_headings_are_claims_that_the_result_supports(candidates: Candidates) -> None:
    assert heading_of(candidates, [pair("S1-A3")]) == "Zoos are cruel to animals"
    assert heading_of(candidates, [pair("S1-A4")]) == "Cages became large parks", "it is against its conclusion"
    assert heading_of(candidates, [ROOT]) == "Zoos are cruel to animals", "the resolution is no point"
    assert heading_of(candidates, [ROOT, pair("S1-A3")]) == "Zoos are cruel to animals"
    asked = replace(candidates, question="Are zoos cruel to animals?")
    assert heading_of(asked, [pair("S1-A3")]) == "Elephants die young in zoos", "a point says more than the question"


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
