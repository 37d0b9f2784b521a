"""What is measured on a corpus of several sizes: Riposte's steps, those of other engines, and the table of both."""

from __future__ import annotations

import platform
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import psutil

from experiments.figures import text_table
from experiments.scale.copies import copy_corpus
from experiments.scale.measure import Failed, measure
from features.core.text import Analyzer
from ltr.data.topics import read_topics

JAVA = Path(__file__).with_name("LuceneIndex.java")
WARM = 3
"""Rounds of queries before the one that counts: Java compiles while it runs."""

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
    training: tuple[Path, Path]
    """Topics and judgments."""
    jobs: int
    lucene: Path | None
    """A jar, or a folder of jars."""
    rounds: int = 1
    """How often each step is measured."""

    @property
    def unit(self) -> str:
        """What is searched, and what other engines index."""
        return "sentence" if self.task == "pairs" else "argument"

    @property
    def table(self) -> Path | None:
        """The corpus, if it is a CSV: Lucene reads it as we do. Of another corpus it gets texts decoded before."""
        return next((self.folder / "corpus").glob("*.csv"), None)


class Step(NamedTuple):
    """A process to measure, the folder that it writes, why it cannot run here, and our step of the same work."""

    name: str
    command: list[str]
    written: Path | None = None
    missing: str = ""
    beside: str = ""


def own_steps(at: Setting) -> list[Step]:
    """Riposte's index alone, its first stage alone, and its commands with an index that is there."""
    corpus, index, (topics, qrels) = at.folder / "corpus", at.folder / "index", at.training
    shared = ["--task", at.task, "-i", corpus, "--index", index, "--quiet", "--jobs", at.jobs]
    train = python("ltr.train", *shared, "--topics", topics, "--qrels", qrels, "-m", at.folder / "model")
    missing = ", ".join(f"there is no {path}" for path in at.training if not path.exists())
    return [
        Step("index", step_command("index", at.task, corpus, index, at.jobs), index),
        Step("query", step_command("query", index, at.folder / "queries.txt", at.unit)),
        Step("predict", python("ltr.predict", *shared, "--topics", at.topics, "-o", at.folder / "run")),
        Step("train", train, missing=missing),
    ]


def bm25s_steps(at: Setting) -> list[Step]:
    """The package bm25s."""
    missing, folder = "" if find_spec("bm25s") else "pip install 'riposte-ltr[peers]'", at.folder / "bm25s"
    return [
        Step("bm25s, index", step_command("bm25s-index", at.folder / "texts.tsv", folder), folder, missing, "index"),
        Step("bm25s, query", step_command("bm25s-query", folder, at.folder / "queries.txt"), None, missing, "query"),
    ]


def lucene_steps(at: Setting) -> list[Step]:
    """Lucene, by the Java program beside this file."""
    missing = "" if at.lucene else "name a jar with Lucene 8 or 9 with --lucene"
    if shutil.which("java") is None:
        missing = "java is not installed: apt-get install default-jdk-headless"
    jars, folder = at.lucene / "*" if at.lucene and at.lucene.is_dir() else at.lucene, at.folder / "lucene"
    java = ["java", "-Xmx1500m", "-cp", str(jars), str(JAVA)]
    source = ["index", str(at.table)] if at.table else ["texts", str(at.folder / "texts.tsv")]
    index = [*java, *source, str(folder), str(at.jobs)]
    engine = folder / at.unit if at.table else folder
    query = [*java, "search", str(engine), str(at.folder / "queries.txt"), str(WARM)]
    return [
        Step("Lucene, index", index, folder, missing, "index"),
        Step("Lucene, query", query, None, missing, "query"),
    ]


PEERS = {"bm25s": bm25s_steps, "lucene": lucene_steps}


def python(module: str, *arguments: object) -> list[str]:
    """The command line of a module."""
    return [sys.executable, "-m", module, *map(str, arguments)]


def step_command(name: str, *arguments: object) -> list[str]:
    """The command line of one of `experiments.scale.steps`."""
    return python("experiments.scale.steps", name, *arguments)


def measure_size(
    source: str, times: int, at: Setting, chosen: tuple[Sequence[str], Sequence[str]], say: Callable[[str], None]
) -> list[Record]:
    """Measure the ``chosen`` steps of ours, and of peers, on ``times`` copies of the corpus, in rounds.

    A step that cannot run or fails says why.
    """
    if at.folder.exists():
        shutil.rmtree(at.folder)
    (at.folder / "corpus").mkdir(parents=True)
    say(f"writing {times} x {source}")
    copy_corpus(source, at.folder / "corpus", times)
    titles = [topic.title for topic in read_topics(at.topics)]
    (at.folder / "queries.txt").write_text("".join(f"{query}\n" for query in queries(titles)), "utf-8")
    own, peers = chosen
    steps = own_steps(at) + [step for name in peers for step in PEERS[name](at)]
    steps = [step for step in steps if (step.beside or step.name) in own]
    if any(str(at.folder / "texts.tsv") in step.command and not step.missing for step in steps):
        measure(step_command("texts", at.folder / "corpus", at.folder / "texts.tsv", at.unit), "texts")
    rounds: dict[str, list[Record]] = {step.name: [] for step in steps}
    for number in range(at.rounds):
        for step in steps:  # all steps before the next round: what else the machine does meanwhile meets all alike
            say(f"{times} x: {step.name}, round {number + 1}")
            rounds[step.name].append(measure_step(step))
    records = {name: {"step": name, "times": times} | medians(measured) for name, measured in rounds.items()}
    for step in steps:
        if step.beside and "missing" not in records[step.name] | records[step.beside]:
            records[step.name]["ratios"] = ratios(records[step.beside], records[step.name])
    return list(records.values())


def measure_step(step: Step) -> Record:
    """What a step takes, and the bytes that it writes; or why it is missing."""
    if step.missing:
        return {"missing": step.missing}
    if step.written and step.written.exists():
        shutil.rmtree(step.written)
    try:
        record = measure(step.command, step.name)
    except Failed as error:
        return {"missing": f"failed, {error}"}
    if step.written:
        record["disk"] = sum(path.stat().st_size for path in step.written.rglob("*") if path.is_file())
    return record


def medians(rounds: Sequence[Record]) -> Record:
    """The median of each figure, and the rounds; the reason where a round is missing."""
    missing = [one for one in rounds if "missing" in one]
    if missing:
        return missing[0]
    whole = {key: median([one[key] for one in rounds]) if key in CELLS else value for key, value in rounds[0].items()}
    return whole | ({"rounds": list(rounds)} if len(rounds) > 1 else {})


def ratios(ours: Record, theirs: Record) -> dict[str, float]:
    """Our figures divided by those of another engine."""
    return {key: ours[key] / theirs[key] for key in CELLS if theirs.get(key) and key in ours}


def queries(titles: Sequence[str]) -> list[str]:
    """The queries for all engines: the words of each title without stop words."""
    plain = Analyzer(stem=False)
    return [query for title in titles if (query := " ".join(plain.distinct(title)))]


def machine() -> Record:
    """Where it was measured."""
    memory, cores = psutil.virtual_memory().total, psutil.cpu_count()
    system = {"system": platform.platform(), "python": platform.python_version()}
    return system | {"processor": processor(), "cores": cores, "memory": memory}


def processor(path: Path = Path("/proc/cpuinfo")) -> str:
    """The name of the first processor: as Linux knows it, else as Python does."""
    names = re.findall(r"^model name\s*: (.*)$", path.read_text("utf-8"), re.MULTILINE) if path.exists() else []
    return names[0] if names else platform.processor() or platform.machine()


def table(records: Sequence[Record]) -> str:
    """A row per step and size, one of our figures divided by those of each other engine, and a line per step that could
    not be measured.
    """
    rows, missing = [], []
    for record in records:
        name = f"{record['step']}, {record['times']} x"
        if "missing" in record:
            missing.append(f"{name}: {record['missing']}")
            continue
        cells = {head: f"{record[key] / unit:.{n}f}" for key, (head, unit, n) in CELLS.items() if key in record}
        rows.append({"": name} | cells)
        if "ratios" in record:
            rows.append(
                {"": "  ours / it"} | {CELLS[key][0]: f"{ratio:.2f}" for key, ratio in record["ratios"].items()}
            )
    return "\n".join([*([text_table(rows)] if rows else []), *missing])
