"""The work that ``experiments.scale`` measures beside our commands; each task is a process of its own.

``python -m experiments.scale.tasks TASK ...`` does one task and ends with a line of JSON.
"""

from __future__ import annotations

import csv
import json
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

from ltr.cli.process import run_command
from ltr.errors import InputError

DEPTH = 1_000
"""Sentences, or passages, that a query asks for."""
Result = dict[str, Any]


def command(task: str, *arguments: object) -> list[str]:
    """The command line of a task."""
    return [sys.executable, "-m", "experiments.scale.tasks", task, *map(str, arguments)]


def index_only(corpus: str, place: str, jobs: str) -> Result:
    """Build our index, and do nothing else."""
    from ltr.corpora.source import open_corpus
    from ltr.index.cache import open_index
    from ltr.parallel import Workers
    from ltr.progress import Progress

    index = open_index(open_corpus(corpus), Path(place), Progress(quiet=True), Workers(int(jobs)))
    return {"arguments": index.arguments, "sentences": index.sentences}


def query_index(place: str, queries: str, unit: str) -> Result:
    """Our first stage for sentences, or for whole arguments and passages."""
    from ltr.index.reader import Index

    index = Index(Path(place))
    return timed(queries, lambda line: len(index.search(unit, index.analyzer.distinct(line), DEPTH)[0]))


def timed(queries: str, search: Callable[[str], int]) -> Result:
    """Mean milliseconds of a query after a round to warm up; ``search`` answers one with the number of hits."""
    lines = Path(queries).read_text("utf-8").splitlines()
    for line in lines:
        search(line)
    start = time.perf_counter()
    hits = sum(map(search, lines))
    return {"query_ms": (time.perf_counter() - start) * 1000 / len(lines), "hits": hits}


def read_csv(table: str) -> Result:
    """Only read the rows of the CSV."""
    csv.field_size_limit(sys.maxsize)
    with Path(table).open(encoding="utf-8", newline="") as file:
        return {"arguments": sum(1 for _ in csv.reader(file, strict=True)) - 1}  # the header


def decode(corpus: str) -> Result:
    """Read the rows and decode their sentences."""
    from ltr.corpora.source import open_corpus

    sizes = [len(argument.sentences) for argument in open_corpus(corpus)]
    return {"arguments": len(sizes), "sentences": sum(sizes)}


def write_texts(corpus: str, file: str, unit: str) -> Result:
    """Every sentence, or argument, as a line, id TAB text: what other engines get, so that they need not decode it."""
    from ltr.corpora.source import open_corpus

    count = 0
    with Path(file).open("w", encoding="utf-8", newline="\n") as out:
        for argument in open_corpus(corpus):
            whole = [(argument.id, " ".join(one.text for one in argument.sentences))]
            texts = whole if unit == "argument" else [(one.id, one.text) for one in argument.sentences]
            count += len(texts)
            out.writelines(f"{name}\t{' '.join(text.split())}\n" for name, text in texts)
    return {"texts": count}


def texts_of(file: str) -> Iterator[list[str]]:
    """[id, text] of each."""
    with Path(file).open(encoding="utf-8", newline="\n") as lines:
        yield from (line.rstrip("\n").split("\t", 1) for line in lines)


def build_bm25s(file: str, place: str) -> Result:
    """Bm25s with its own tokeniser and our stemmer; texts are saved beside the matrix."""
    bm25s = import_module("bm25s")
    kept = [{"id": name, "text": text} for name, text in texts_of(file)]
    engine = bm25s.BM25(k1=1.2, b=0.75)
    engine.index(_tokens(bm25s, [one["text"] for one in kept]), show_progress=False)
    engine.save(place, corpus=kept)
    return {"texts": len(kept)}


def query_bm25s(place: str, queries: str) -> Result:
    """Bm25s with its matrix mapped into memory."""
    bm25s = import_module("bm25s")
    engine = bm25s.BM25.load(place, mmap=True)
    depth = min(DEPTH, engine.scores["num_docs"])

    def search(line: str) -> int:
        _, scores = engine.retrieve(_tokens(bm25s, [line]), k=depth, show_progress=False)
        return int((scores > 0).sum())

    return timed(queries, search)


def _tokens(bm25s: Any, texts: Sequence[str]) -> Any:
    import Stemmer

    return bm25s.tokenize(texts, stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False)


def build_fts5(file: str, place: str) -> Result:
    """A table of SQLite's full-text search, in one transaction that need not survive a crash."""
    Path(place).mkdir()
    with closing(sqlite3.connect(Path(place) / "sentences.db", isolation_level=None)) as base:
        base.execute("PRAGMA journal_mode = OFF")
        base.execute("PRAGMA synchronous = OFF")
        base.execute("CREATE VIRTUAL TABLE sentence USING fts5(id UNINDEXED, text, tokenize = 'porter unicode61')")
        base.execute("BEGIN")
        base.executemany("INSERT INTO sentence VALUES (?, ?)", texts_of(file))
        base.execute("COMMIT")
        (count,) = base.execute("SELECT count(*) FROM sentence").fetchone()
    return {"texts": count}


def query_fts5(place: str, queries: str) -> Result:
    """Any of the words, by FTS5's own bm25."""
    base = sqlite3.connect(Path(place) / "sentences.db")
    asked = "SELECT rowid, rank FROM sentence WHERE sentence MATCH ? ORDER BY rank LIMIT ?"

    def search(line: str) -> int:
        return len(base.execute(asked, (" OR ".join(f'"{word}"' for word in line.split()), DEPTH)).fetchall())

    return timed(queries, search)


TASKS: dict[str, Callable[..., Result]] = {
    "index": index_only,
    "query": query_index,
    "csv": read_csv,
    "decoding": decode,
    "texts": write_texts,
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
