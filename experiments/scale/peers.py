"""The engines that ``experiments.scale`` compares our index with: what others would take for sentences."""

from __future__ import annotations

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
    """What a peer gets to work on."""

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
    size: int
    """Number of sentences."""
    jobs: int
    lucene: Path | None = None
    """A jar, or a folder of jars."""


@dataclass(frozen=True)
class Peer:
    """One row of the comparison."""

    title: str
    build: Callable[[Setting], list[str]]
    query: Callable[[Setting], list[str]] | None = None
    missing: Callable[[Setting], str] = lambda setting: ""
    """Why it cannot run here, with the mend; "" when it can."""


def java(setting: Setting, *arguments: object) -> list[str]:
    """The command line of the Java program."""
    path = setting.lucene / "*" if setting.lucene and setting.lucene.is_dir() else setting.lucene
    return ["java", "-Xmx1500m", "-cp", str(path), str(JAVA), *map(str, arguments)]


def _no_lucene(setting: Setting) -> str:
    if shutil.which("java") is None:
        return "not installed: install a JDK (apt-get install default-jdk-headless)"
    return (
        "" if setting.lucene else "not installed: name a jar with Lucene 8 or 9, or a folder of its jars, by --lucene"
    )


def _no_bm25s(setting: Setting) -> str:
    if find_spec("bm25s") is None:
        return "not installed: pip install 'riposte[peers]'"
    needed, free = BM25S_BYTES * setting.size, free_memory()
    if free is not None and needed > free:
        return f"skipped: it needs about {needed / GB:.1f} GB of memory, {free / GB:.1f} GB are free"
    return ""


def free_memory() -> int | None:
    """Bytes that programs may still take; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return None
    sizes = dict(line.split(":", 1) for line in lines)
    return int(sizes["MemAvailable"].split()[0]) * 1024 if "MemAvailable" in sizes else None


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
