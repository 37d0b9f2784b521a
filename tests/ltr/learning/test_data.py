"""Topics and judgments that belong together."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.corpora import SMALL, build, write_corpus
from support.judged import judgments_of
from support.refusals import refuses
from support.topics import write_topics

from features.core.text import Analyzer
from ltr.corpora.source import open_corpus
from ltr.data.qrels import write_qrels
from ltr.data.topics import Topic, read_topics
from ltr.errors import InputError
from ltr.learning.data import (
    TEST_SETS,
    TrainingFiles,
    alike,
    check_coverage,
    judged_in_corpus,
    merge_topics,
    read_judgments,
    warn_of_test_topics,
)
from ltr.learning.judgments import JudgedSet, Judgments
from ltr.ranking.task import find_task

PAIRS = find_task("pairs")
QUALITY = JudgedSet("pairs", "quality")
TOPICS = [Topic("1", "Ban cars?"), Topic("2", "Close zoos?")]


def test_topics_of_several_files_are_one_list(tmp_path: Path):
    write_topics(tmp_path / "a.xml", TOPICS)
    write_topics(tmp_path / "b.xml", [Topic("3", "Smoke?"), Topic("1", "Ban cars?", ("cars",))])
    found = merge_topics([tmp_path / "a.xml", tmp_path / "b.xml"])
    assert [(topic.number, topic.objects) for topic in found] == [("1", ()), ("2", ()), ("3", ())]
    write_topics(tmp_path / "b.xml", [Topic("1", "Ban zoos?")])
    with pytest.raises(InputError, match=r"b\.xml: topic 1 has another title in an earlier file; renumber"):
        merge_topics([tmp_path / "a.xml", tmp_path / "b.xml"])


def test_grades_of_arguments_by_several_assessors_are_means_on_one_scale(tmp_path: Path):
    ours, official, wide = (tmp_path / name for name in ("ours", "official", "wide"))
    write_qrels(ours, {"1": {"S1-A1": 2.0, "S1-A2": 1.0}})
    write_qrels(official, {"1": {"S1-A1": 1.0, "S1-A2": -2.0, "S1-A3": 2.0}})
    write_qrels(wide, {"1": {"S1-A3": 3.0}, "2": {"S1-A1": 1.5}})  # 0 to 3
    arguments = find_task("arguments")
    found = read_judgments(arguments, TrainingFiles((), {"relevance": [ours, official, wide], "quality": []}), TOPICS)
    assert found.graded == {"relevance": {"1": {"S1-A1": 1.5, "S1-A2": 0.5, "S1-A3": 2.0}, "2": {"S1-A1": 1.0}}}
    assert not found.distant


def test_judgments_by_dimension(tmp_path: Path):
    one, other, pairs = (tmp_path / name for name in ("one", "other", "pairs"))
    write_qrels(one, {"1": {"S1-A1": 2.0}})
    write_qrels(other, {"1": {"S1-A2": 0.0}, "2": {"S1-A1": 1.0}})
    write_qrels(pairs, {"2": {"a__CONC__1,b__CONC__1": 0.5, "a__CONC__1,c__CONC__1": 2}})
    files = TrainingFiles((), {"relevance": [one, other], "quality": []}, [("coherence", pairs)])
    found = read_judgments(PAIRS, files, TOPICS)
    assert found.distant == {"relevance": {"1": {"S1-A1": 1, "S1-A2": 0}, "2": {"S1-A1": 0.5}}}
    assert found.graded == {"coherence": {"2": {"a__CONC__1,b__CONC__1": 0.5, "a__CONC__1,c__CONC__1": 2}}}
    with pytest.raises(InputError, match=r"pairs: these judge pairs, not arguments; name them as grades of pairs"):
        read_judgments(PAIRS, TrainingFiles((), {"relevance": [pairs]}), TOPICS)
    for arguments, graded, name in (({"quality": [other]}, [], "other"), ({}, [("quality", pairs)], "pairs")):
        with pytest.raises(InputError, match=rf"{name}: judgments for 1 topics that are in no topics file \(2\)"):
            read_judgments(PAIRS, TrainingFiles((), arguments, graded), TOPICS[:1])


def test_judgments_of_what_the_corpus_has_are_counted(tmp_path: Path):
    index = build(write_corpus(tmp_path, SMALL))
    pairs = {"S2-A9__PREMISE__1,S2-A9__PREMISE__2": 1.0, "S2-A9__PREMISE__1,S2-A9__PREMISE__7": 1.0}
    pairs["S0-A0__PREMISE__1,S2-A9__PREMISE__1"] = 0.0
    judgments = judgments_of(
        {"coherence": {"1": pairs, "2": {"S1-A1__CONC__1,S1-A1__PREMISE__1": 2.0}}},
        {"relevance": {"1": {"S2-A9": 1.0, "S0-A0": 1.0}, "2": {"S2-A9": 0.0}}, "quality": {"1": {"S0-A0": 1.0}}},
    )
    counts = judged_in_corpus(index, judgments)
    assert {str(judged): both for judged, both in counts.items()} == {
        "arguments, relevance": (3, 2),
        "arguments, quality": (1, 0),
        "pairs, coherence": (4, 2),
    }
    files = {name: [Path("a"), Path("b")] for name in counts}
    with pytest.raises(InputError, match=r"^a b: no judged argument is in this corpus; use judgments that belong"):
        check_coverage(counts, files)
    refuses(lambda: check_coverage({QUALITY: (1, 0)}, {QUALITY: [Path("a")]}), "", "no judged pair is in this corpus")
    check_coverage({QUALITY: (1, 1)}, {})


@pytest.mark.parametrize(
    ("judged", "text"),
    [
        (QUALITY, "pairs, quality"),
        (JudgedSet("documents", "relevance", "votes"), "documents (votes), relevance"),
        (JudgedSet("", "relevance", "gpt-4.1"), "votes of gpt-4.1, relevance"),
    ],
)
def test_a_set_of_judgments_has_a_name_in_manifests(judged: JudgedSet, text: str) -> None:
    assert str(judged) == text


def test_topics_that_share_half_of_their_words_are_alike():
    titles = {
        "1": "Should cars be banned?",
        "2": "Ban all cars!",  # ban and car: the same
        "3": "Are electric cars good?",  # electric car good: one of four
        "4": "Are electric cars bad?",  # two of four with 3: half
        "5": "Should we?",  # nothing but stop words
        "6": "Or not?",
    }
    topics = [Topic(*title) for title in titles.items()]
    assert alike(topics, Analyzer()) == [("1", "2"), ("3", "4")]
    assert alike(topics[:1], Analyzer()) == []


def test_training_on_questions_of_a_test_set_is_warned_of(tmp_path: Path):
    folder = write_corpus(tmp_path, SMALL)
    corpus, said = open_corpus(str(folder)), list[str]()
    unseen = read_topics(TEST_SETS[0])
    warn_of_test_topics(corpus, TOPICS, said.append)
    assert said == []
    warn_of_test_topics(corpus, [Topic("7", unseen[0].title.upper()), *unseen[1:3], *TOPICS], said.append)
    assert said == [
        "training on 3 topics that are questions of the test sets that ship (topic 7, there 601, 602, 603): "
        "figures on them do not test the model"
    ]
    write_topics(folder / "topics.xml", [Topic("1", "ban cars?"), Topic("5", "Close zoos?")])
    warn_of_test_topics(corpus, TOPICS, said.append)
    assert said[1:] == [
        f"training on 2 topics that also come with {corpus.name} (topic 1, 2, there 5): "
        "a run for them is not a fair test"
    ]


@pytest.mark.parametrize("level", ["pairs", "arguments", "votes"])
def test_grades_of_any_scale_are_shares_of_the_highest(tmp_path: Path, level: str) -> None:
    item = "S1-A1__PREMISE__1,S1-A1__PREMISE__2" if level != "arguments" else "S1-A1"
    other = item.replace("A1", "A2")
    number = TOPICS[0].number

    def read(high: float, highest: float | None = None) -> Judgments:
        path = tmp_path / f"{high}.qrels"
        path.write_text(f"{number} 0 {item} {high}\n{number} 0 {other} 0\n")
        arguments = {"relevance": [path] if level == "arguments" else []}
        pairs = [("relevance", path)] if level == "pairs" else []
        votes = [("gpt", "relevance", path)] if level == "votes" else []
        return read_judgments(PAIRS, TrainingFiles((), arguments, pairs, votes, highest), TOPICS)

    assert read(1) == read(2) == read(3) == read(2, 2) != read(1, 2)
    assert read(1, 2) == read(2, 4)
    refuses(lambda: read(3, 2), "", "3.qrels: grade 3 is above 2, the highest that was declared")
