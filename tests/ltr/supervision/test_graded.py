"""The graded pairs that ship: how many, which, and what grades."""

from __future__ import annotations

from pathlib import Path

import pytest

import ltr
from ltr.data.formats import pair_key, read_pair_qrels
from models.blend import DIMENSIONS

FOLDER = Path(ltr.__file__).parent / "supervision" / "graded"
FILES = {name: FOLDER / f"pairs-2021-{name}.qrels" for name in DIMENSIONS}
PAIRS = {
    1: ("51", "S8096d4a8-A7d8fff65__CONC__1,S8096d4a8-A7d8fff65__PREMISE__1"),
    10: ("51", "S8096d4a8-Aaf8cd21c__PREMISE__5,S8096d4a8-Aaf8cd21c__PREMISE__6"),
    3323: ("100", "Sacec9379-A9ff24f38__PREMISE__3,Sacec9379-A9ff24f38__PREMISE__4"),
}
GRADES = {"relevance": (2, 2, 0), "quality": (1, 2, 2), "coherence": (2, 2, 1)}
COUNTS = {
    "relevance": (1091, 46, 940, 85, 1161),
    "quality": (207, 72, 1527, 179, 1338),
    "coherence": (434, 78, 984, 145, 1682),
}


@pytest.mark.parametrize("name", DIMENSIONS)
def test_first_tenth_last_and_how_many_of_each_grade(name: str) -> None:
    qrels = read_pair_qrels([(name, FILES[name])])[name]
    rows = [(topic, pair, grade) for topic, grades in qrels.items() for pair, grade in grades.items()]
    assert len(rows) == sum(COUNTS[name]) == 3323
    for (number, (topic, pair)), grade in zip(PAIRS.items(), GRADES[name], strict=True):
        assert rows[number - 1] == (topic, pair, grade)
    assert tuple(sum(row[2] == grade for row in rows) for grade in (0, 0.5, 1, 1.5, 2)) == COUNTS[name]


def test_every_pair_has_three_grades_and_no_topic_is_an_official_test_topic() -> None:
    found = read_pair_qrels(FILES.items())
    pairs = [
        {(topic, pair_key(pair)) for topic, grades in found[name].items() for pair in grades} for name in DIMENSIONS
    ]
    assert pairs[0] == pairs[1] == pairs[2]
    assert {topic for topic, _ in pairs[0]} == set(map(str, range(51, 101)))
    sizes = [sum(topic == number for topic, _ in pairs[0]) for number in map(str, range(51, 101))]
    assert (min(sizes), max(sizes)) == (51, 78)


def test_the_folder_holds_ids_and_grades_alone() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(path.name for path in FILES.values())
