"""``python -m experiments.lab.scale -o DIR``: measure time, memory and disk as a corpus grows, beside Lucene.

The corpus is written several times over, with other ids and other long words in each copy. Every figure is that of a
process: wall-clock and processor seconds of it and its children, peak memory of all together, bytes written.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import psutil

from experiments.lab.program import Program
from experiments.lab.scale.copies import copy_corpus
from features.core.text import Analyzer
from ltr.cli.process import run_command
from ltr.data.topics import read_topics
from ltr.errors import InputError
from ltr.files import json_text, writable_folder, write_all
from ltr.sample import SAMPLE
from ltr.settings import setting, shared
from ltr.settings.kinds import Choice, File, Number

CELLS = {"wall": ("wall s", 1.0, 1), "cpu": ("cpu s", 1.0, 1), "query_ms": ("query ms", 1.0, 2)}
CELLS |= {"memory": ("peak GB", 1e9, 2), "disk": ("disk GB", 1e9, 3)}
"""Quantity -> its name in tables, its unit there, and decimals."""
STEPS = ("index", "query", "predict")
SHARE = 1 / 50
"""Largest share of a core that watching memory may take: it slows down large processes."""
ROOT = Path(__file__).resolve().parents[3]


class Step(NamedTuple):
    """A process to measure, and the folder that it writes."""

    name: str
    command: list[str]
    written: Path | None = None


def measure_all(options: Any) -> None:
    """Measure and report. Raises InputError."""
    topics = options.topics or Path(options.input) / "topics.xml"
    options = replace(options, topics=topics.resolve(), lucene=options.lucene and options.lucene.resolve())
    for path in filter(None, (options.topics, options.lucene)):
        if not path.exists():
            raise InputError(path, "there is no such file", "see --help")
    folder = writable_folder(options.output, "output directory").resolve()
    sizes = sorted(set(options.times))
    records = [record for times in sizes for record in measure_size(folder / f"x{times}", times, options)]
    write_all({folder / "scale.json": json_text({"system": platform.platform(), "measures": records})})
    print(table(records))
    print(f"{platform.platform()}, {options.jobs} processes, medians of {options.rounds}")


def measure_size(folder: Path, times: int, options: Any) -> Iterator[dict[str, Any]]:
    """Measure the steps on ``times`` copies of the corpus, in rounds: a record each. Raises InputError."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "corpus").mkdir(parents=True)
    copy_corpus(options.input, folder / "corpus", times)
    plain = Analyzer(stem=False)
    queries = (" ".join(plain.distinct(topic.title)) for topic in read_topics(options.topics))
    (folder / "queries.txt").write_text("".join(f"{query}\n" for query in queries if query), "utf-8")
    steps = [*own_steps(folder, options), *(lucene_steps(folder, options) if options.lucene else ())]
    steps = [step for step in steps if step.name.removeprefix("Lucene, ") in options.steps]
    for number in range(options.rounds):
        for step in steps:  # all steps before the next round: what else the machine does meanwhile meets all alike
            print(f"{times} x: {step.name}, round {number + 1}", file=sys.stderr)
            if step.written:
                shutil.rmtree(step.written, ignore_errors=True)
            record = {"step": step.name, "times": times} | measure(step.command, step.name)
            if step.written:
                record["disk"] = sum(path.stat().st_size for path in step.written.rglob("*") if path.is_file())
            yield record


def own_steps(folder: Path, options: Any) -> Iterator[Step]:
    """Riposte's index alone, its first stage alone, and its predictions with an existing index."""
    corpus, index, jobs = folder / "corpus", folder / "index", options.jobs
    yield Step("index", python("experiments.lab.scale.steps", "index", options.task, corpus, index, jobs), index)
    queries = folder / "queries.txt"
    yield Step("query", python("experiments.lab.scale.steps", "query", index, queries, searched(options)))
    shared = ("--task", options.task, "-i", corpus, "--index", index, "--quiet", "--jobs", jobs)
    yield Step("predict", python("ltr.predict", *shared, "--topics", options.topics, "-o", folder / "run"))


def lucene_steps(folder: Path, options: Any) -> Iterator[Step]:
    """Lucene, by the Java program beside this file, which reads a CSV as Riposte does. Raises InputError."""
    corpus, index, jar = next((folder / "corpus").glob("*.csv"), None), folder / "lucene", options.lucene
    if corpus is None or shutil.which("java") is None:
        raise InputError("--lucene", "needs java and a corpus in CSV", "apt-get install default-jdk-headless")
    program = Path(__file__).with_name("LuceneIndex.java")
    java = ["java", "-Xmx1500m", "-cp", str(jar / "*" if jar.is_dir() else jar), str(program)]
    yield Step("Lucene, index", [*java, "index", str(corpus), str(index), str(options.jobs)], index)
    # Three rounds of queries before the one that counts: Java compiles while it runs.
    query = [*java, "search", str(index / searched(options)), str(folder / "queries.txt"), "3"]
    yield Step("Lucene, query", query)


def searched(options: Any) -> str:
    """What the first stage of the task searches."""
    return "sentence" if options.task == "pairs" else "argument"


def python(module: str, *arguments: object) -> list[str]:
    """The command line of a module."""
    return [sys.executable, "-m", module, *map(str, arguments)]


def measure(command: Sequence[str], name: str) -> dict[str, Any]:
    """Run a command: ``wall`` and ``cpu`` seconds, peak ``memory`` in bytes, and the JSON of its last line.

    Processor seconds include all children that the process waited for. Raises InputError where the command fails.
    """
    with tempfile.TemporaryFile() as out, ThreadPoolExecutor(1) as watcher:
        start, done = time.perf_counter(), threading.Event()
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out)
        peak = watcher.submit(peak_memory, psutil.Process(child.pid), done)
        try:
            _, status, usage = os.wait4(child.pid, 0)
        finally:
            done.set()
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise InputError(name, f"exit {child.returncode}", "see its message above")
        out.seek(0)
        last = out.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
    result = json.loads(last) if last.startswith("{") else {}
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "memory": peak.result(), **result}


def peak_memory(process: psutil.Process, done: threading.Event) -> int:
    """The largest memory in bytes of a process and its descendants, all together, until the work is done."""
    peak, took, pause = 0, 0.0, 0.02  # short commands are watched more often
    while not done.wait(max(pause, took / SHARE)):
        start = time.perf_counter()
        peak = max(peak, memory_of(process))
        took, pause = time.perf_counter() - start, min(2 * pause, 0.2)
    return peak


def memory_of(process: psutil.Process) -> int:
    """Bytes of a process and its descendants: PSS, in which a shared page counts once; RSS where there is no PSS."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        for member in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):  # it may end meanwhile
                memory = member.memory_full_info()
                total += getattr(memory, "pss", memory.rss)
    return total


def table(records: Sequence[dict[str, Any]]) -> str:
    """A row per step and size: medians of rounds."""
    rows = pd.DataFrame(records, columns=["step", "times", *CELLS])
    middle = rows.groupby(rows["step"] + ", " + rows["times"].astype(str) + " x", sort=False)[[*CELLS]].median()
    for key, (_, unit, decimals) in CELLS.items():
        middle[key] = (middle[key] / unit).map(f"{{:.{decimals}f}}".format, na_action="ignore")
    named = middle.rename(columns={key: head for key, (head, *_) in CELLS.items()})
    return named.rename_axis(None).fillna("").to_string()


main = Program(
    __file__,
    measure_all,
    "Measure time, memory and disk of Riposte and Lucene on several copies of a corpus.",
    output=replace(shared.OUTPUT, help="folder for scale.json, corpora and indexes"),
    input=replace(shared.SAMPLE, default=str(SAMPLE)),
    topics=setting(File(), "topics to answer (default: topics.xml of the corpus)"),
    lucene=setting(File(), "measure Lucene too: a jar with Lucene 8 or 9, or a folder of jars"),
    task=shared.TASK,
    jobs=replace(shared.JOBS, help="processes", default=1),
    times=setting(Number(1), "copies (default: 1 10)", default=(1, 10), several=True, words="+"),
    steps=setting(Choice(STEPS), "what to measure (default: all)", default=STEPS, several=True, words="+"),
    rounds=setting(Number(1), "measure each step so often; medians are shown", default=1),
)

if __name__ == "__main__":
    run_command(main)
