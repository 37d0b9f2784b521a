"""``python -m experiments.lab.scale -o DIR``: measure time, memory and disk as a corpus grows.

The corpus is written several times over, with other ids and other long words in each copy. Figures of a step are those
of a process with its children: wall-clock and processor seconds, and peak memory of all together.
"""

from __future__ import annotations

import csv
import platform
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import psutil

from experiments.lab.program import Program
from ltr.cli.process import run_command
from ltr.corpora.base import FileCorpus
from ltr.corpora.source import open_corpus
from ltr.data.topics import read_topics
from ltr.errors import InputError
from ltr.escapes import say
from ltr.files import atomic_text, json_text, writable_folder, write_all
from ltr.index.reader import Index
from ltr.parallel import Workers
from ltr.ranking.corpus import IndexedCorpus
from ltr.ranking.source import Resources
from ltr.ranking.task import find_task
from ltr.sample import SAMPLE
from ltr.settings import setting, shared
from ltr.settings.kinds import File, Number

COLUMNS = {"wall": "wall s", "cpu": "cpu s", "query_ms": "query ms", "memory": "peak GB", "disk": "disk GB"}
"""Quantity -> its name in tables."""
PAUSE, SHARE = 0.1, 1 / 50
"""Seconds between two readings of memory, and the largest share of a core that they take: they slow down large
processes."""

Record = dict[str, Any]

_LONG_WORD = re.compile(r"\b[a-z]{5,}\b(?![\"']:)")  # but keys of Python literals


def measure_all(options: Any) -> None:
    """Measure and report. Raises InputError."""
    corpus, topics = open_corpus(options.input), options.topics or Path(options.input) / "topics.xml"
    if not isinstance(corpus, FileCorpus) or corpus.path.suffix != ".csv":
        raise InputError(options.input, "the corpus is not a .csv file", "unpack it, or name another one")
    titles = [topic.title for topic in read_topics(topics)]
    folder = writable_folder(options.output, "output directory").resolve()
    records: list[Record] = []
    for times in sorted(set(options.times)):
        place = folder / f"x{times}"
        shutil.rmtree(place, ignore_errors=True)
        (place / "corpus").mkdir(parents=True)
        copy_corpus(corpus.path, place / "corpus" / corpus.path.name, times)
        for number in range(options.rounds):
            print(f"{times} x, round {number + 1}", file=sys.stderr)
            records += [{"times": times} | record for record in measure_round(place, topics, titles, options.jobs)]
    write_all({folder / "scale.json": json_text({"system": platform.platform(), "measures": records})})
    say(*table(records), f"{platform.platform()}, {options.jobs} processes, medians of {options.rounds}")


def measure_round(place: Path, topics: Path, titles: list[str], jobs: int) -> Iterator[Record]:
    """The index alone, its first stage alone, and predictions with an existing index: a record each."""
    corpus, folder = str(place / "corpus"), place / "index"
    shutil.rmtree(folder, ignore_errors=True)
    code = "import sys; from experiments.lab.scale import build_index; build_index(*sys.argv[1:])"
    record = {"step": "index"} | measure(["-c", code, corpus, str(folder), str(jobs)])
    yield record | {"disk": sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())}
    yield {"step": "query", "query_ms": query_ms(folder, titles)}
    words = ("-i", corpus, "--index", folder, "--topics", topics.resolve(), "-o", place / "run", "--jobs", jobs)
    yield {"step": "predict"} | measure(["-m", "ltr.predict", "--quiet", *map(str, words)])


def build_index(corpus: str, folder: str, jobs: str) -> None:
    """Build Riposte's index, and do nothing else."""
    IndexedCorpus.open(find_task("pairs"), corpus, folder).open_index(Resources(Workers(int(jobs))))


def query_ms(folder: Path, titles: list[str]) -> float:
    """Mean milliseconds per query of the first stage for sentences, after a round to warm up."""
    index = Index(folder)
    for _ in range(2):
        start = time.perf_counter()
        for title in titles:
            index.search("sentence", index.analyzer.distinct(title), 1_000)
    return (time.perf_counter() - start) * 1000 / len(titles)


def measure(words: list[str]) -> Record:
    """Run Python: ``wall`` and ``cpu`` seconds, and peak ``memory`` in bytes. Raises InputError where it fails.

    Processor seconds include all children that the process waited for.
    """
    before, start, peak, pause = cpu_seconds(), time.perf_counter(), 0, PAUSE
    child = psutil.Popen([sys.executable, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while child.poll() is None:
        with suppress(psutil.TimeoutExpired):
            child.wait(pause)
        reading = time.perf_counter()
        peak = max(peak, memory_of(child))
        pause = max(PAUSE, (time.perf_counter() - reading) / SHARE)
    if child.returncode:
        raise InputError(" ".join(words[:2]), f"exit {child.returncode}", "see its message above")
    return {"wall": time.perf_counter() - start, "cpu": cpu_seconds() - before, "memory": peak}


def cpu_seconds() -> float:
    """Processor seconds of the children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def memory_of(process: psutil.Process) -> int:
    """Bytes of a process and its descendants: PSS, in which a shared page counts once; RSS where there is no PSS."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        for member in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):  # it may end meanwhile
                memory = member.memory_full_info()
                total += getattr(memory, "pss", memory.rss)
    return total


def table(records: list[Record]) -> list[str]:
    """A row per step and size: medians of rounds."""
    frame = pd.DataFrame(records).groupby(["step", "times"], sort=False).median()
    frame[["memory", "disk"]] /= 1e9
    return frame.rename(columns=COLUMNS)[[*COLUMNS.values()]].to_string(na_rep="", float_format="%.3g").splitlines()


def copy_corpus(source: Path, target: Path, times: int) -> None:
    """Write ``times`` copies of a CSV into one file.

    In each copy but the first, ids and words of five letters and more end in letters of the copy's own: copies are not
    duplicates of each other, and the vocabulary grows with the corpus. Short words stay, so that queries find
    something in each copy, and so do ids of the first copy, so that judgments stay valid.
    """
    csv.field_size_limit(sys.maxsize)
    with atomic_text(target) as out:
        for number in range(times):
            mark = "".join("abcdefghij"[int(digit)] for digit in str(number)) if number else ""
            with source.open(encoding="utf-8-sig", newline="") as file:
                rows = csv.DictReader(file)
                written = csv.DictWriter(out, rows.fieldnames or (), quoting=csv.QUOTE_ALL, lineterminator="\n")
                if not number:
                    written.writeheader()
                for row in rows:
                    written.writerow({column: mark_words(cell, row["id"], mark) for column, cell in row.items()})


def mark_words(text: str, name: str, mark: str) -> str:
    """The text with ``mark`` behind each long word and behind the id ``name``."""
    return _LONG_WORD.sub(rf"\g<0>{mark}", text.replace(name, name + mark.upper())) if mark else text


main = Program(
    __file__,
    measure_all,
    "Measure time, memory and disk on several copies of a corpus.",
    output=replace(shared.OUTPUT, help="folder for scale.json, corpora and indexes"),
    input=replace(shared.SAMPLE, default=str(SAMPLE)),
    topics=setting(File(), "topics to answer (default: topics.xml of the corpus)"),
    jobs=replace(shared.JOBS, help="processes", default=1),
    times=setting(Number(1), "copies (default: 1 10)", default=(1, 10), several=True, words="+"),
    rounds=setting(Number(1), "measure each step so often; medians are shown", default=1),
)

if __name__ == "__main__":
    run_command(main)
