"""The work that ``experiments.scale`` measures beside our own commands: each task is a process of its own.

``python -m experiments.scale.peers TASK ...`` does one task and ends with a line of JSON. A peer is what others would
take for a first stage over the same sentences; the texts and ids of sentences are kept, as our index keeps them.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.errors import InputError, run_command

if TYPE_CHECKING:
    import Stemmer

JAVA = Path(__file__).with_name("LuceneIndex.java")
HEAP = "-Xmx1500m"
BEST = 1_000
"""Sentences that a query asks for."""
WARM = 1
"""Rounds over the queries before the one that counts."""
WARM_JAVA = 3
"""Java compiles while it runs, and earns a longer run-up."""
GB = 1e9
BM25S_BYTES = 1_000
"""Memory that bm25s needs for a sentence, measured; texts, tokens and matrix are all held at once."""
Result = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """What a peer gets to work on."""

    corpus: Path
    """The folder."""
    table: Path
    """Its CSV."""
    place: Path
    """Where the peer's index goes; absent before."""
    queries: Path
    """A query a line: the words of a title that are no stop words."""
    sentences: int
    jobs: int
    jar: Path | None = None


@dataclass(frozen=True)
class Peer:
    """One row of the comparison."""

    name: str
    family: str
    """What ``--peers`` calls it."""
    build: Callable[[Setting], list[str]]
    query: Callable[[Setting], list[str]] | None = None
    missing: Callable[[Setting], str] = field(default=lambda setting: "")
    """Why it cannot run here, with the mend; "" when it can."""


def task(name: str, *arguments: object) -> list[str]:
    """The command of a task of this file."""
    return [sys.executable, "-m", "experiments.scale.peers", name, *map(str, arguments)]


def java(setting: Setting, *arguments: object) -> list[str]:
    """The command of the Java program."""
    return ["java", HEAP, "-cp", str(setting.jar), str(JAVA), *map(str, arguments)]


def _no_lucene(setting: Setting) -> str:
    if shutil.which("java") is None:
        return "not installed: install a JDK (apt-get install default-jdk-headless)"
    if setting.jar is None:
        return "not installed: name a jar with Lucene 9 by --lucene JAR, such as Anserini's inside pyserini's wheel"
    return ""


def _no_bm25s(setting: Setting) -> str:
    if find_spec("bm25s") is None:
        return "not installed: pip install 'riposte[peers]'"
    needed, free = BM25S_BYTES * setting.sentences, free_memory()
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


PEERS = (
    Peer("reading the CSV", "reading", lambda s: task("reading", s.table)),
    Peer("reading and decoding", "reading", lambda s: task("decoding", s.corpus)),
    Peer(
        "Lucene",
        "lucene",
        lambda s: java(s, "index", s.table, s.place, s.jobs),
        lambda s: java(s, "search", s.place, s.queries, WARM_JAVA),
        _no_lucene,
    ),
    Peer(
        "Lucene, sentences only",
        "lucene",
        lambda s: java(s, "sentences", s.table, s.place, s.jobs),
        lambda s: java(s, "search", s.place, s.queries, WARM_JAVA),
        _no_lucene,
    ),
    Peer(
        "bm25s",
        "bm25s",
        lambda s: task("bm25s", s.corpus, s.place),
        lambda s: task("query-bm25s", s.place, s.queries),
        _no_bm25s,
    ),
    Peer(
        "SQLite FTS5",
        "fts5",
        lambda s: task("fts5", s.corpus, s.place),
        lambda s: task("query-fts5", s.place, s.queries),
    ),
)
FAMILIES = tuple(dict.fromkeys(peer.family for peer in PEERS))


def index_only(corpus: str, place: str, jobs: str) -> Result:
    """Build our index, and do nothing else."""
    from ltr.corpora.base import open_corpus
    from ltr.index.reader import open_index
    from ltr.parallel.processes import Processes
    from ltr.progress import Progress

    index = open_index(open_corpus(corpus), Path(place), Progress(quiet=True), Processes(int(jobs)))
    return {"arguments": index.arguments, "sentences": index.sentences}


def query_index(place: str, queries: str) -> Result:
    """Our first stage for sentences."""
    from ltr.index.reader import Index

    index = Index(Path(place))
    return timed(queries, lambda line: len(index.search("sentence", index.analyzer.distinct(line), BEST)[0]))


def timed(queries: str, search: Callable[[str], int]) -> Result:
    """Mean milliseconds of a query; ``search`` answers one and returns the number of hits."""
    lines = Path(queries).read_text("utf-8").splitlines()
    for line in lines * WARM:
        search(line)
    start = time.perf_counter()
    hits = sum(map(search, lines))
    return {"query_ms": (time.perf_counter() - start) * 1000 / len(lines), "hits": hits}


def read_table(table: str) -> Result:
    """Only read the rows of the CSV."""
    import csv

    csv.field_size_limit(sys.maxsize)
    with Path(table).open(encoding="utf-8", newline="") as file:
        rows = sum(1 for _ in csv.reader(file, strict=True)) - 1  # the header
    return {"arguments": rows}


def decode(corpus: str) -> Result:
    """Read the rows and decode their sentences."""
    from ltr.corpora.base import open_corpus

    sizes = [len(argument.sentences) for argument in open_corpus(corpus)]
    return {"arguments": len(sizes), "sentences": sum(sizes)}


def sentences_of(corpus: str) -> Iterator[tuple[str, str]]:
    """(id, text) of every sentence."""
    from ltr.corpora.base import open_corpus

    return ((sentence.id, sentence.text) for argument in open_corpus(corpus) for sentence in argument.sentences)


def build_bm25s(corpus: str, place: str) -> Result:
    """Bm25s with its own tokeniser and our stemmer; texts are saved beside the matrix."""
    bm25s = import_module("bm25s")
    kept = [{"id": name, "text": text} for name, text in sentences_of(corpus)]
    tokens = bm25s.tokenize(
        [sentence["text"] for sentence in kept], stopwords="en", stemmer=_stemmer(), show_progress=False
    )
    engine = bm25s.BM25(k1=1.2, b=0.75)
    engine.index(tokens, show_progress=False)
    engine.save(place, corpus=kept)
    return {"sentences": len(kept)}


def query_bm25s(place: str, queries: str) -> Result:
    """Bm25s with its matrix mapped into memory."""
    bm25s = import_module("bm25s")
    engine, stemmer = bm25s.BM25.load(place, mmap=True), _stemmer()
    best = min(BEST, engine.scores["num_docs"])

    def search(line: str) -> int:
        tokens = bm25s.tokenize([line], stopwords="en", stemmer=stemmer, show_progress=False)
        _, scores = engine.retrieve(tokens, k=best, show_progress=False)
        return int((scores > 0).sum())

    return timed(queries, search)


def _stemmer() -> Stemmer.Stemmer:
    import Stemmer

    return Stemmer.Stemmer("english")


def build_fts5(corpus: str, place: str) -> Result:
    """A table of SQLite's full-text search, in one transaction that need not survive a crash."""
    import sqlite3

    Path(place).mkdir()
    base = sqlite3.connect(Path(place) / "sentences.db", isolation_level=None)
    base.execute("PRAGMA journal_mode = OFF")
    base.execute("PRAGMA synchronous = OFF")
    base.execute("CREATE VIRTUAL TABLE sentence USING fts5(id UNINDEXED, text, tokenize = 'porter unicode61')")
    base.execute("BEGIN")
    base.executemany("INSERT INTO sentence VALUES (?, ?)", sentences_of(corpus))
    base.execute("COMMIT")
    (count,) = base.execute("SELECT count(*) FROM sentence").fetchone()
    base.close()
    return {"sentences": count}


def query_fts5(place: str, queries: str) -> Result:
    """Any of the words, by FTS5's own bm25."""
    import sqlite3

    base = sqlite3.connect(Path(place) / "sentences.db")

    def search(line: str) -> int:
        wanted = " OR ".join(f'"{word}"' for word in line.split())
        found = base.execute(
            "SELECT rowid, rank FROM sentence WHERE sentence MATCH ? ORDER BY rank LIMIT ?", (wanted, BEST)
        )
        return len(found.fetchall())

    return timed(queries, search)


def queries_of(titles: Iterable[str], most: int) -> list[str]:
    """The queries that all get: the words of each title that are no stop words."""
    from features.core.text import Analyzer

    plain = Analyzer(stem=False)
    found = (" ".join(plain.distinct(title)) for title in titles)
    return list(islice(filter(None, found), most))


TASKS: dict[str, Callable[..., Result]] = {
    "index": index_only,
    "query": query_index,
    "reading": read_table,
    "decoding": decode,
    "bm25s": build_bm25s,
    "query-bm25s": query_bm25s,
    "fts5": build_fts5,
    "query-fts5": query_fts5,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Do a task; its result is a line of JSON. Raises InputError."""
    name, *arguments = sys.argv[1:] if argv is None else argv or [""]
    if name not in TASKS:
        raise InputError("usage", f"{name!r} is no task", f"name one of {', '.join(TASKS)}")
    print(json.dumps(TASKS[name](*arguments)))
    return 0


if __name__ == "__main__":
    run_command(main)
