"""The sample that ships keeps its promises: the exact input format, and every kind of trouble in it."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from features.core.text import normalise
from ltr.corpora.argument import Argument
from ltr.corpora.source import open_corpus
from ltr.data.qrels import read_pair_qrels
from ltr.data.topics import read_topics
from ltr.sample import SAMPLE
from models.base import DIMENSIONS


@pytest.fixture(scope="module")
def arguments() -> dict[str, Argument]:
    return {argument.id: argument for argument in open_corpus(str(SAMPLE))}


def body(argument: Argument) -> list[str]:
    return [s.text for s in argument.sentences if "__PREMISE__" in s.id]


def test_eight_topics_train_and_four_test() -> None:
    train, test = read_topics(SAMPLE / "topics-train.xml"), read_topics(SAMPLE / "topics.xml")
    assert (len(train), len(test)) == (8, 4)
    assert not {t.number for t in train} & {t.number for t in test}


def test_the_troubles_of_real_portals_are_there(arguments: dict[str, Argument]) -> None:
    texts = [" ".join(body(a)) for a in arguments.values()]
    assert sum("forfeit" in text for text in texts) >= 5
    assert sum("https://" in text for text in texts) >= 12
    assert sum("\n" in text for text in texts) >= 12
    assert sum(bool(re.search(r"[^\x00-\x7f]", text)) for text in texts) >= 12
    assert any("日本" in text for text in texts)
    assert sum('"' in text and "'" in text for text in texts) >= 12
    assert max(Counter(map(normalise, texts)).values()) >= 2
    assert sum(len(a.conclusion.split()) == 1 for a in arguments.values()) >= 12
    assert all(
        a.sentences[-1].id == f"{a.id}__CONC__1" for a in arguments.values() if len(a.conclusion.split()) == 1
    ), "short conclusions are restored"


@pytest.mark.parametrize(("part", "topics", "pairs"), [("train", 8, 332), ("test", 4, 215)])
def test_graded_pairs_are_of_the_sample(arguments: dict[str, Argument], part: str, topics: int, pairs: int) -> None:
    found = read_pair_qrels((name, SAMPLE / f"qrels-{part}-pairs-{name}.qrels") for name in DIMENSIONS)
    graded = [{(topic, pair) for topic, grades in found[name].items() for pair in grades} for name in DIMENSIONS]
    assert graded[0] == graded[1] == graded[2]
    assert len(graded[0]) == pairs
    known = {topic.number for topic in read_topics(SAMPLE / f"topics{'-train' if part == 'train' else ''}.xml")}
    assert {topic for topic, _ in graded[0]} == known
    assert len(known) == topics
    sentences = {sentence.id for argument in arguments.values() for sentence in argument.sentences}
    assert {id_ for _, pair in graded[0] for id_ in pair.split(",")} <= sentences
    for name in DIMENSIONS:
        assert {grade for grades in found[name].values() for grade in grades.values()} <= {0, 0.5, 1, 1.5, 2}
        for grades in found[name].values():
            assert {0, 1, 2} <= set(grades.values()), "every topic tells good pairs from bad ones"
