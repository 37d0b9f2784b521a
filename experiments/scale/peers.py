"""The engines that ``experiments.scale`` compares our index with: what others would take for sentences or passages."""

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


@dataclass(frozen=True)
class Setting:
    """What engines get to work on."""

    corpus: Path
    """The folder."""
    table: Path
    """Its file."""
    texts: Path
    """Its sentences, or passages, as `tasks.write_texts` writes them."""
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
    missing: Callable[[Setting], str] = lambda setting: ""
    """Why it cannot run here, with the hint; "" when it can."""


def java(setting: Setting, *arguments: object) -> list[str]:
    """The command line of the Java program."""
    path = setting.lucene / "*" if setting.lucene and setting.lucene.is_dir() else setting.lucene
    return ["java", "-Xmx1500m", "-cp", str(path), str(JAVA), *map(str, arguments)]


def _no_lucene(setting: Setting) -> str:
    if shutil.which("java") is None:
        return "not installed: install a JDK (apt-get install default-jdk-headless)"
    hint = "name a jar with Lucene 8 or 9, or a folder of its jars, by --lucene"
    return "" if setting.lucene else f"not installed: {hint}"


def _no_csv(setting: Setting) -> str:
    return "" if setting.table.suffix == ".csv" else "the corpus is none"


def _no_bm25s(_: Setting) -> str:
    return "" if find_spec("bm25s") else "not installed: pip install 'riposte-ltr[peers]'"


PEERS = {
    "csv": Peer("reading the CSV", lambda s: command("csv", s.table), missing=_no_csv),
    "decoding": Peer("reading and decoding", lambda s: command("decoding", s.corpus)),
    "lucene": Peer(
        "Lucene",
        lambda s: java(s, "index", s.texts, s.place, s.jobs),
        lambda s: java(s, "search", s.place, s.queries, WARM),
        _no_lucene,
    ),
    "bm25s": Peer(
        "bm25s",
        lambda s: command("bm25s", s.texts, s.place),
        lambda s: command("query-bm25s", s.place, s.queries),
        _no_bm25s,
    ),
    "fts5": Peer(
        "SQLite FTS5",
        lambda s: command("fts5", s.texts, s.place),
        lambda s: command("query-fts5", s.place, s.queries),
    ),
}
