"""Measure Riposte's steps and Lucene's on a corpus of several sizes, and print one table."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from experiments.lab.scale.copies import copy_corpus
from experiments.lab.scale.measure import measure
from features.core.text import Analyzer
from ltr.data.topics import read_topics
from ltr.errors import InputError
from ltr.evaluation.tables import aligned

CELLS = {"wall": ("wall s", 1.0, 1), "cpu": ("cpu s", 1.0, 1), "query_ms": ("query ms", 1.0, 2)}
CELLS |= {"memory": ("peak GB", 1e9, 2), "disk": ("disk GB", 1e9, 3)}
"""Quantity -> its name in tables, its unit there, and decimals."""
Record = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """Options that all steps share, and the folder of what they read and write."""

    folder: Path
    task: str
    topics: Path
    jobs: int
    lucene: Path | None
    """A jar, or a folder of jars."""
    rounds: int = 1
    """How often each step is measured."""

    @property
    def unit(self) -> str:
        """The items that are searched."""
        return "sentence" if self.task == "pairs" else "argument"


class Step(NamedTuple):
    """A process to measure, and the folder that it writes."""

    name: str
    command: list[str]
    written: Path | None = None


def own_steps(at: Setting) -> list[Step]:
    """Riposte's index alone, its first stage alone, and its predictions with an existing index."""
    corpus, index, queries = at.folder / "corpus", at.folder / "index", at.folder / "queries.txt"
    shared = ("--task", at.task, "-i", corpus, "--index", index, "--quiet", "--jobs", at.jobs)
    steps = "experiments.lab.scale.steps"
    return [
        Step("index", python(steps, "index", at.task, corpus, index, at.jobs), index),
        Step("query", python(steps, "query", index, queries, at.unit)),
        Step("predict", python("ltr.predict", *shared, "--topics", at.topics, "-o", at.folder / "run")),
    ]


def lucene_steps(at: Setting, jar: Path) -> list[Step]:
    """Lucene, by the Java program beside this file, which reads a CSV as Riposte does. Raises InputError."""
    table, folder = next((at.folder / "corpus").glob("*.csv"), None), at.folder / "lucene"
    if table is None or shutil.which("java") is None:
        raise InputError("--lucene", "needs java and a corpus in CSV", "apt-get install default-jdk-headless")
    program = Path(__file__).with_name("LuceneIndex.java")
    java = ["java", "-Xmx1500m", "-cp", str(jar / "*" if jar.is_dir() else jar), str(program)]
    # Three rounds of queries before the one that counts: Java compiles while it runs.
    query = [*java, "search", str(folder / at.unit), str(at.folder / "queries.txt"), "3"]
    return [
        Step("Lucene, index", [*java, "index", str(table), str(folder), str(at.jobs)], folder),
        Step("Lucene, query", query),
    ]


def python(module: str, *arguments: object) -> list[str]:
    """The command line of a module."""
    return [sys.executable, "-m", module, *map(str, arguments)]


def measure_size(
    source: str, times: int, at: Setting, chosen: Sequence[str], say: Callable[[str], None]
) -> list[Record]:
    """Measure the ``chosen`` steps on ``times`` copies of the corpus, in rounds. Raises InputError where one fails."""
    shutil.rmtree(at.folder, ignore_errors=True)
    (at.folder / "corpus").mkdir(parents=True)
    say(f"writing {times} x {source}")
    copy_corpus(source, at.folder / "corpus", times)
    titles = [topic.title for topic in read_topics(at.topics)]
    (at.folder / "queries.txt").write_text("".join(f"{query}\n" for query in queries(titles)), "utf-8")
    steps = own_steps(at) + (lucene_steps(at, at.lucene) if at.lucene else [])
    steps = [step for step in steps if step.name.removeprefix("Lucene, ") in chosen]
    rounds: dict[str, list[Record]] = {step.name: [] for step in steps}
    for number in range(at.rounds):
        for step in steps:  # all steps before the next round: what else the machine does meanwhile meets all alike
            say(f"{times} x: {step.name}, round {number + 1}")
            if step.written:
                shutil.rmtree(step.written, ignore_errors=True)
            record = measure(step.command, step.name)
            if step.written:
                record["disk"] = sum(path.stat().st_size for path in step.written.rglob("*") if path.is_file())
            rounds[step.name].append(record)
    return [{"step": name, "times": times} | medians(measured) for name, measured in rounds.items()]


def medians(rounds: Sequence[Record]) -> Record:
    """The median of each figure, and the rounds."""
    whole = {key: median([one[key] for one in rounds]) if key in CELLS else value for key, value in rounds[0].items()}
    return whole | {"rounds": list(rounds)}


def queries(titles: Sequence[str]) -> list[str]:
    """The queries for all engines: the words of each title without stop words."""
    plain = Analyzer(stem=False)
    return [query for title in titles if (query := " ".join(plain.distinct(title)))]


def table(records: Sequence[Record]) -> str:
    """A row per step and size."""
    heads = [head for key, (head, *_) in CELLS.items() if any(key in record for record in records)]
    rows = [["", *heads]]
    for record in records:
        cells = {head: f"{record[key] / unit:.{n}f}" for key, (head, unit, n) in CELLS.items() if key in record}
        rows.append([f"{record['step']}, {record['times']} x", *(cells.get(head, "") for head in heads)])
    return "\n".join(aligned(rows))
