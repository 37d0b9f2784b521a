"""The sample that ships keeps its promises: the exact input format, and every kind of trouble in it."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from features.core.text import normalise
from ltr.corpora.argument import Argument
from ltr.corpora.source import open_corpus
from ltr.data.qrels import read_pair_qrels, read_qrels
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
    assert all(t.description and t.narrative for t in train + test)


def test_every_topic_has_fifteen_arguments_of_three_to_eight_sentences(arguments: dict[str, Argument]) -> None:
    for part in ("train", "test"):
        relevance = read_qrels(SAMPLE / f"qrels-{part}-relevance.qrels")
        quality = read_qrels(SAMPLE / f"qrels-{part}-quality.qrels")
        assert {t.number for t in read_topics(SAMPLE / f"topics{'' if part == 'test' else '-train'}.xml")} == set(
            relevance
        )
        for topic, grades in relevance.items():
            assert len(grades) >= 15
            assert set(grades) == set(quality[topic])
            assert set(grades.values()) == {-2, 0, 1, 2, 3}
            assert set(quality[topic].values()) <= {0, 1, 2, 3}
            assert all(3 <= len(body(arguments[a])) <= 8 for a in grades)
            assert {arguments[a].stance for a in grades} == {"PRO", "CON"}


def test_all_arguments_are_judged(arguments: dict[str, Argument]) -> None:
    judged = [
        a
        for part in ("train", "test")
        for g in read_qrels(SAMPLE / f"qrels-{part}-relevance.qrels").values()
        for a in g
    ]
    assert sorted(judged) == sorted(arguments)


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


def test_a_graded_pair_of_the_sample_reads_as_it_is_graded(arguments: dict[str, Argument]) -> None:
    found = read_pair_qrels((name, SAMPLE / f"qrels-train-pairs-{name}.qrels") for name in DIMENSIONS)
    texts = {sentence.id: sentence.text for argument in arguments.values() for sentence in argument.sentences}
    crest = next(id_ for id_, text in texts.items() if text.startswith("A full set with the school crest"))
    grades = [grade for pair, grade in found["relevance"]["10"].items() if crest in pair.split(",")]
    assert set(grades) == {0}, "school uniforms say nothing about boxing"
    nurse = next(id_ for id_, text in texts.items() if text.startswith("A nurse cannot take"))
    best = [pair for pair in found["relevance"]["3"] if nurse in pair.split(",")]
    assert [[found[name]["3"][pair] for name in DIMENSIONS] for pair in best] == [[2, 2, 2]] * 2
