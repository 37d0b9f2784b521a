"""The engines that ``experiments.scale`` compares our index with: what others would take for sentences."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from experiments.scale.tasks import command

JAVA = Path(__file__).with_name("LuceneIndex.java")
WARM = 3
"""Rounds of queries before the one that counts: Java compiles while it runs."""
GB = 1e9
BM25S_BYTES = 1_000
"""Memory that bm25s needs for a sentence, measured; texts, tokens and matrix are all held at once."""


@dataclass(frozen=True)
class Setting:
    """What engines get to work on."""

    corpus: Path
    """The folder."""
    table: Path
    """Its CSV."""
    sentences: Path
    """Its sentences as `tasks.write_sentences` writes them."""
    place: Path
    """Where the peer's index goes; absent before."""
    queries: Path
    """A query a line: the words of a title that are no stop words."""
    jobs: int
    lucene: Path | None = None
    """A jar, or a folder of jars."""


@dataclass(frozen=True)
class Peer:
    """One row of the comparison."""

    title: str
    build: Callable[[Setting], list[str]]
    query: Callable[[Setting], list[str]] | None = None
    missing: Callable[[Setting, int], str] = lambda setting, sentences: ""
    """Why it cannot index so many sentences here, with the hint; "" when it can."""


def java(setting: Setting, *arguments: object) -> list[str]:
    """The command line of the Java program."""
    path = setting.lucene / "*" if setting.lucene and setting.lucene.is_dir() else setting.lucene
    return ["java", "-Xmx1500m", "-cp", str(path), str(JAVA), *map(str, arguments)]


def _no_lucene(setting: Setting, _: int) -> str:
    if shutil.which("java") is None:
        return "not installed: install a JDK (apt-get install default-jdk-headless)"
    hint = "name a jar with Lucene 8 or 9, or a folder of its jars, by --lucene"
    return "" if setting.lucene else f"not installed: {hint}"


def _no_bm25s(_: Setting, sentences: int) -> str:
    if find_spec("bm25s") is None:
        return "not installed: pip install 'riposte[peers]'"
    needed, free = BM25S_BYTES * sentences, free_memory()
    missing = f"skipped: it needs about {needed / GB:.1f} GB of memory, {free / GB:.1f} GB are free"
    return missing if needed > free else ""


def free_memory() -> float:
    """Bytes that programs may still take; infinite where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        lines = []
    free = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return 1024.0 * int(free[0]) if free else math.inf


PEERS = {
    "csv": Peer("reading the CSV", lambda s: command("csv", s.table)),
    "decoding": Peer("reading and decoding", lambda s: command("decoding", s.corpus)),
    "lucene": Peer(
        "Lucene",
        lambda s: java(s, "index", s.sentences, s.place, s.jobs),
        lambda s: java(s, "search", s.place, s.queries, WARM),
        _no_lucene,
    ),
    "bm25s": Peer(
        "bm25s",
        lambda s: command("bm25s", s.sentences, s.place),
        lambda s: command("query-bm25s", s.place, s.queries),
        _no_bm25s,
    ),
    "fts5": Peer(
        "SQLite FTS5",
        lambda s: command("fts5", s.sentences, s.place),
        lambda s: command("query-fts5", s.place, s.queries),
    ),
}
