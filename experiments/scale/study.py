"""The measures of a corpus of several sizes, and their table."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Callable, Sequence
from typing import Any

import psutil

from experiments.figures import text_table
from experiments.scale.copies import copy_corpus
from experiments.scale.engines import PEERS, Setting, Step, own_steps, step_command
from experiments.scale.measure import Failed, measure
from features.core.text import Analyzer
from ltr.data.topics import read_topics

CELLS = {"wall": ("wall s", 1.0, 1), "cpu": ("cpu s", 1.0, 1), "query_ms": ("query ms", 1.0, 2)}
CELLS |= {"memory": ("peak GB", 1e9, 2), "disk": ("disk GB", 1e9, 3)}
"""Quantity -> its name in tables, its unit there, and decimals."""
Record = dict[str, Any]


def measure_size(
    source: str, times: int, at: Setting, peers: Sequence[str], say: Callable[[str], None]
) -> list[Record]:
    """Measure all steps on ``times`` copies of the corpus; a step that cannot run or fails says why."""
    if at.folder.exists():
        shutil.rmtree(at.folder)
    (at.folder / "corpus").mkdir(parents=True)
    say(f"writing {times} x {source}")
    copy_corpus(source, at.folder / "corpus", times)
    titles = [topic.title for topic in read_topics(at.topics)]
    (at.folder / "queries.txt").write_text("".join(f"{query}\n" for query in queries(titles)), "utf-8")

    def measured(step: Step) -> Record:
        record: Record = {"step": step.name, "times": times}
        if step.missing:
            return record | {"missing": step.missing}
        say(f"{times} x: {step.name}")
        try:
            record |= measure(step.command, step.name)
        except Failed as error:
            return record | {"missing": f"failed, {error}"}
        if step.written:
            record["disk"] = sum(path.stat().st_size for path in step.written.rglob("*") if path.is_file())
        return record

    records = [measured(step) for step in own_steps(at)]
    if peers:
        measure(step_command("texts", at.folder / "corpus", at.folder / "texts.tsv", at.unit), "texts")
    return records + [measured(step) for name in peers for step in PEERS[name](at)]


def queries(titles: Sequence[str]) -> list[str]:
    """The queries that all engines get: the words of each title without stop words."""
    plain = Analyzer(stem=False)
    return [query for title in titles if (query := " ".join(plain.distinct(title)))]


def machine() -> Record:
    """Where it was measured."""
    memory, cores = psutil.virtual_memory().total, psutil.cpu_count()
    return {"system": platform.platform(), "python": platform.python_version(), "cores": cores, "memory": memory}


def table(records: Sequence[Record]) -> str:
    """A row per step and size, and a line per step that could not be measured."""
    rows = [
        {"": f"{one['step']}, {one['times']} x"}
        | {head: f"{one[name] / unit:.{digits}f}" for name, (head, unit, digits) in CELLS.items() if name in one}
        for one in records
        if "missing" not in one
    ]
    missing = [f"{one['step']}, {one['times']} x: {one['missing']}" for one in records if "missing" in one]
    return "\n".join([*([text_table(rows)] if rows else []), *missing])
