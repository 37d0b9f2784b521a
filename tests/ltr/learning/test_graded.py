"""The graded pairs that ship: how many, which, and what grades."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

import ltr
import models
from features.core.text import Analyzer
from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels, read_pair_qrels, read_qrels
from ltr.data.topics import read_topics
from ltr.learning.data import TEST_SETS, alike
from ltr.sample import SAMPLE
from models.base import DIMENSIONS

FOLDER = Path(ltr.__file__).parent / "learning" / "graded"
OURS = ("debates", "unseen", "narrow", "narrow-test")
"""Sets with questions of our own."""
READ = ("relevance", "quality")
"""Dimensions of graded arguments and documents."""


@dataclass(frozen=True)
class Known:
    """What is known of a set of graded pairs."""

    topics: range
    sizes: tuple[int, int]
    """Fewest and most pairs a topic."""
    sums: tuple[float, float, float]
    """Of the grades in each dimension."""
    pairs: int


SETS = {
    "2021": Known(range(51, 101), (52, 87), (3592.5, 4754.5, 4889), 3489),
    "debates": Known(range(1001, 1061), (22, 38), (2498, 2440.5, 2676), 1692),
    "unseen": Known(range(601, 665), (14, 32), (2096.5, 1990.5, 2555.5), 1659),
    "narrow": Known(range(2001, 2128), (18, 56), (3565, 4592.5, 5796), 3828),
    "narrow-test": Known(range(3001, 3064), (16, 39), (1570.5, 2050.5, 2685), 1767),
    "2021-later": Known(range(51, 101), (1, 26), (431, 598.5, 655.5), 404),
}


def qrels_of(name: str) -> dict[str, Qrels]:
    return read_pair_qrels((dimension, FOLDER / f"pairs-{name}-{dimension}.qrels") for dimension in DIMENSIONS)


@pytest.mark.parametrize("name", SETS)
def test_every_pair_has_three_grades_and_no_topic_is_an_official_test_topic(name: str) -> None:
    found, known = qrels_of(name), SETS[name]
    pairs = {(topic, pair_key(pair)) for topic, grades in found["relevance"].items() for pair in grades}
    for qrels, expected in zip(found.values(), known.sums, strict=True):
        grades = [grade for judged in qrels.values() for grade in judged.values()]
        assert set(grades) <= {0, 0.5, 1, 1.5, 2}
        assert (len(grades), sum(grades)) == (known.pairs, expected)
        assert {(topic, pair_key(pair)) for topic, judged in qrels.items() for pair in judged} == pairs
    sizes = {topic: len(grades) for topic, grades in found["relevance"].items()}
    assert sizes.keys() == set(map(str, known.topics))
    assert (min(sizes.values()), max(sizes.values())) == known.sizes


def test_our_questions_are_asked_by_nobody_else() -> None:
    sample = [*read_topics(SAMPLE / "topics.xml"), *read_topics(SAMPLE / "topics-train.xml")]
    titles = [topic.title.lower() for topic in sample]
    for name in OURS:
        topics = read_topics(FOLDER / f"topics-{name}.xml")
        assert [int(topic.number) for topic in topics] == list(SETS[name].topics)
        titles += [topic.title.lower() for topic in topics]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize(("name", "narrow", "broad"), [("narrow", 88, 39), ("narrow-test", 44, 19)])
def test_kinds_of_questions(name: str, narrow: int, broad: int) -> None:
    kinds = re.findall("<kind>(.*)</kind>", (FOLDER / f"topics-{name}.xml").read_text("utf-8"))
    assert (kinds.count("narrow"), kinds.count("broad"), len(kinds)) == (narrow, broad, narrow + broad)


@pytest.mark.parametrize("path", TEST_SETS, ids=lambda path: path.stem)
def test_questions_of_the_test_sets_are_not_like_those_that_train(path: Path) -> None:
    ours = (FOLDER / "topics-debates.xml", FOLDER / "topics-narrow.xml", SAMPLE / "topics-train.xml")
    trained = [topic for file in ours for topic in read_topics(file)]
    tested = {topic.number for topic in read_topics(path)}
    pairs = alike([*trained, *read_topics(path)], Analyzer())
    assert not [pair for pair in pairs if tested & set(pair)]


def test_no_model_that_ships_was_trained_on_the_test_set() -> None:
    for manifest in (Path(models.__file__).parent / "pretrained").glob("*/manifest.json"):
        assert not re.search("unseen|narrow-test", manifest.read_text("utf-8")), manifest


@pytest.mark.parametrize("dimension", READ)
def test_graded_arguments_are_of_training_topics_and_documents_have_digests_as_ids(dimension: str) -> None:
    arguments, documents = (
        read_qrels(FOLDER / f"{kind}-{dimension}.qrels") for kind in ("arguments-2021", "documents-2020")
    )
    assert arguments.keys() <= set(map(str, SETS["2021"].topics))
    assert (sum(map(len, arguments.values())), len(documents), sum(map(len, documents.values()))) == (359, 50, 1_355)
    assert all(re.fullmatch("[0-9a-f]{16}", id_) for grades in documents.values() for id_ in grades)
    for qrels in (arguments, documents):
        assert {grade for grades in qrels.values() for grade in grades.values()} == {0, 1, 2}


def test_the_folder_holds_ids_grades_and_our_own_questions_alone() -> None:
    wanted = {f"pairs-{name}-{dimension}.qrels" for name in SETS for dimension in DIMENSIONS}
    wanted |= {f"{kind}-{dimension}.qrels" for kind in ("arguments-2021", "documents-2020") for dimension in READ}
    assert {path.name for path in FOLDER.iterdir()} == wanted | {f"topics-{name}.xml" for name in OURS}
