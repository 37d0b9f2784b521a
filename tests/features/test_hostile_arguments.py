"""Arguments that are made to take long: features of all tasks take a time that grows with them, not with its square."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.corpora import Row, build, write_corpus

from ltr.data.topics import Topic
from ltr.index.reader import Index
from ltr.ranking.describe import FirstStage, describe_topic
from ltr.ranking.task import Task
from ltr.tasks import find_task

TOPIC = Topic("1", "Which is better in a city, a car or a train?")
WORDS = ["a car is better than a train", "the city because of it", "trains, however, cost 3 times as much", "ban cars"]

HOSTILE: dict[str, Callable[[int], list[Row]]] = {
    "sentences of one argument": lambda size: [
        ("S1-A1", "Ban cars", "PRO", [f"{WORDS[n % 4]} {n}." for n in range(size)])
    ],
    "copies in one argument": lambda size: [("S1-A1", "Ban cars", "PRO", [WORDS[0]] * size)],
    "words of a sentence": lambda size: [("S1-A1", "Ban cars", "CON", [WORDS[n] * size for n in range(4)])],
    "distinct words": lambda size: [
        ("S1-A1", "Ban cars", "PRO", ["a car " + " ".join(f"w{n}x{one}" for n in range(4 * size)) for one in range(3)])
    ],
    "words of a conclusion": lambda size: [("S1-A1", "Ban cars " * 4 * size, "PRO", WORDS)],
    "arguments of one debate": lambda size: [(f"S1-A{n}", "Ban cars", "PRO", WORDS[n % 2 :]) for n in range(size)],
}


@pytest.mark.slow
@pytest.mark.parametrize("what", HOSTILE)
def test_four_times_as_much_takes_no_sixteen_times_as_long(what: str, tmp_path: Path):
    def seconds(size: int) -> dict[str, float]:
        index = build(write_corpus(tmp_path / str(size), HOSTILE[what](size)), tmp_path / f"index-{size}")
        return {name: seconds_of(find_task(name), index) for name in ("pairs", "arguments", "comparative")}

    def seconds_of(task: Task, index: Index) -> float:
        start = time.process_time()
        describe_topic(FirstStage(task, index, task.config), TOPIC)
        return time.process_time() - start

    seconds(2)
    short, long = seconds(150), seconds(600)
    for name, least in short.items():
        assert long[name] < 8 * max(least, 0.05), name
