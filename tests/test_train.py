"""What training refuses, counts and warns of."""

from __future__ import annotations

from pathlib import Path

import pytest

from ltr import train
from ltr.errors import InputError
from ltr.formats import Qrels, read_qrels, read_topics, write_qrels, write_topics
from ltr.train import SAMPLE

RELEVANCE = read_qrels(SAMPLE / "qrels-train-relevance.qrels")
TOPICS = read_topics(SAMPLE / "topics-train.xml")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("train") / "index"


def run(place: Path, index: Path, qrels: Qrels, *options: str) -> None:
    write_qrels(place / "q.qrels", qrels)
    write_topics(place / "t.xml", [topic for topic in TOPICS if topic.number in qrels])
    files = ["--topics", str(place / "t.xml"), "--qrels", str(place / "q.qrels")]
    common = [
        "--index",
        str(index),
        "-m",
        str(place / "model"),
        "--quiet",
        "--jobs",
        "1",
        "--trees",
        "5",
        "--seeds",
        "1",
    ]
    train.main(["-i", str(SAMPLE), *files, *common, *options])


def one_topic(number: str = "1") -> Qrels:
    return {number: RELEVANCE[number]}


REFUSED = {
    "one topic cannot be held out": (one_topic(), "too few, or too alike, to hold some out"),
    "nothing is relevant": (
        {number: dict.fromkeys(RELEVANCE[number], 0.0) for number in ("1", "3")},
        "no topic has a relevant argument",
    ),
    "pairs are judged": ({"1": {"S1-A1__PREMISE__1,S1-A1__CONC__1": 1.0}}, "these judge pairs"),
    "another corpus": ({"1": {"Sff-Aff": 1.0}}, "no judged argument is in this corpus"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_judgments_that_teach_nothing_are_refused(case: str, tmp_path: Path, index: Path) -> None:
    qrels, said = REFUSED[case]
    with pytest.raises(InputError, match=said):
        run(tmp_path, index, qrels)
    assert not (tmp_path / "model").exists()


def test_labels_that_are_all_the_same_are_refused(tmp_path: Path, index: Path) -> None:
    with pytest.raises(InputError, match="the same label"):
        run(tmp_path, index, {n: RELEVANCE[n] for n in ("1", "3")}, "--labels", "unjudged_negative")


def test_topics_that_the_run_will_be_asked_are_warned_of(
    tmp_path: Path, index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = read_topics(SAMPLE / "topics.xml")
    qrels = read_qrels(SAMPLE / "qrels-test-relevance.qrels")
    write_topics(tmp_path / "t.xml", asked)
    write_qrels(tmp_path / "q.qrels", qrels)
    options = ["--topics", str(tmp_path / "t.xml"), "--qrels", str(tmp_path / "q.qrels"), "--index", str(index)]
    train.main(["-i", str(SAMPLE), *options, "-m", str(tmp_path / "m"), "--quiet", "--trees", "5", "--seeds", "1"])
    assert "not a fair test" in capsys.readouterr().err
