"""Measure Riposte's steps and Lucene's on a corpus of several sizes, and print one table."""

from __future__ import annotations

import shutil
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from experiments.output import text_table
from experiments.scale.copies import copy_corpus
from experiments.scale.measure import measure
from features.core.text import Analyzer
from ltr.data.topics import read_topics
from ltr.errors import InputError

CELLS = {"wall": ("wall s", 1.0, 1), "cpu": ("cpu s", 1.0, 1), "query_ms": ("query ms", 1.0, 2)}
CELLS |= {"memory": ("peak GB", 1e9, 2), "disk": ("disk GB", 1e9, 3)}
"""Quantity -> its name in tables, its unit there, and decimals."""
Record = dict[str, Any]


class Step(NamedTuple):
    """A process to measure, and the folder that it writes."""

    name: str
    command: list[str]
    written: Path | None = None


def own_steps(options: Namespace, folder: Path) -> list[Step]:
    """Riposte's index alone, its first stage alone, and its predictions with an existing index."""
    corpus, index, queries = folder / "corpus", folder / "index", folder / "queries.txt"
    shared = ("--task", options.task, "-i", corpus, "--index", index, "--quiet", "--jobs", options.jobs)
    steps = "experiments.scale.steps"
    return [
        Step("index", python(steps, "index", options.task, corpus, index, options.jobs), index),
        Step("query", python(steps, "query", index, queries, searched_unit(options.task))),
        Step("predict", python("ltr.predict", *shared, "--topics", options.topics, "-o", folder / "run")),
    ]


def lucene_steps(options: Namespace, folder: Path) -> list[Step]:
    """Lucene, by the Java program beside this file, which reads a CSV as Riposte does. Raises InputError."""
    table, index, jar = next((folder / "corpus").glob("*.csv"), None), folder / "lucene", options.lucene
    if table is None or shutil.which("java") is None:
        raise InputError("--lucene", "needs java and a corpus in CSV", "apt-get install default-jdk-headless")
    program = Path(__file__).with_name("LuceneIndex.java")
    java = ["java", "-Xmx1500m", "-cp", str(jar / "*" if jar.is_dir() else jar), str(program)]
    # Three rounds of queries before the one that counts: Java compiles while it runs.
    query = [*java, "search", str(index / searched_unit(options.task)), str(folder / "queries.txt"), "3"]
    return [
        Step("Lucene, index", [*java, "index", str(table), str(index), str(options.jobs)], index),
        Step("Lucene, query", query),
    ]


def searched_unit(task: str) -> str:
    """The items that are searched."""
    return "sentence" if task == "pairs" else "argument"


def python(module: str, *arguments: object) -> list[str]:
    """The command line of a module."""
    return [sys.executable, "-m", module, *map(str, arguments)]


def measure_size(options: Namespace, times: int, folder: Path, say: Callable[[str], None]) -> list[Record]:
    """Measure the chosen steps on ``times`` copies of the corpus, in rounds. Raises InputError where one fails.

    The ``folder`` is for everything that they read and write; what lies there is lost.
    """
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "corpus").mkdir(parents=True)
    say(f"writing {times} x {options.input}")
    copy_corpus(str(options.input), folder / "corpus", times)
    titles = [topic.title for topic in read_topics(options.topics)]
    (folder / "queries.txt").write_text("".join(f"{query}\n" for query in queries(titles)), "utf-8")
    steps = own_steps(options, folder) + (lucene_steps(options, folder) if options.lucene else [])
    steps = [step for step in steps if step.name.removeprefix("Lucene, ") in options.steps]
    rounds: dict[str, list[Record]] = {step.name: [] for step in steps}
    for number in range(options.rounds):
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
    rows = []
    for record in records:
        cells = {head: f"{record[key] / unit:.{n}f}" for key, (head, unit, n) in CELLS.items() if key in record}
        rows.append({"": f"{record['step']}, {record['times']} x"} | cells)
    return text_table(rows)
