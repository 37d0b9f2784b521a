"""The nearest of other topics: their order, their texts, and mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.topics import write_topics

from experiments import nearest
from experiments.nearest import main
from ltr.data.topics import Topic
from ltr.encoders import FunctionEncoder
from ltr.errors import InputError

TOPICS = [Topic("1", "Should trees vote?"), Topic("2", "Ban cars"), Topic("3", "Do cats dream of cars?")]
OTHERS = [Topic("7", "Should cars be banned?"), Topic("8", "Do cats dream?")]
VECTORS = {"1": (1, 0), "2": (0.6, 0.8), "3": (0, 1), "7": (0.8, 0.6), "8": (0, 1)}


@pytest.fixture(autouse=True)
def encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = {topic.title: VECTORS[topic.number] for topic in (*TOPICS, *OTHERS)}
    known = FunctionEncoder(lambda texts: [vectors.get(text, (1, 0)) for text in texts], "known")
    monkeypatch.setattr(nearest, "open_encoder", lambda: known)


def test_the_nearest_come_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, topics in {"t": TOPICS, "a": OTHERS[:1], "b": OTHERS[1:]}.items():
        write_topics(tmp_path / name, topics)
    assert main([str(tmp_path / name) for name in ("t", "a", "b")]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["cosine", "stems", "topic,", "and", "the", "nearest", "other", "topic"]
    assert lines == [
        " 1.000   0.67  3 Do cats dream of cars?",
        "               8 Do cats dream?",
        # .6 * .8 + .8 * .6; both stems, ban and car
        " 0.960   1.00  2 Ban cars",
        "               7 Should cars be banned?",
        " 0.800   0.00  1 Should trees vote?",
        "               7 Should cars be banned?",
    ]
    assert main([*(str(tmp_path / name) for name in ("t", "a")), "--first", "1"]) == 0
    assert [line.split()[2] for line in capsys.readouterr().out.splitlines()[1::2]] == ["2"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "the following arguments are required: OTHER"),
        (["absent.xml"], "absent.xml: cannot be read"),
        (["t", "--first", "0"], "'0' is not a whole number from 1"),
        (["t", "other.xml"], "other.xml: topic 1 has another title in an earlier file"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: list[str], said: str) -> None:
    monkeypatch.chdir(tmp_path)
    write_topics(Path("t"), TOPICS)
    write_topics(Path("other.xml"), [Topic("1", "Ban trees")])
    with pytest.raises(InputError) as caught:
        main(["t", *more])
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
