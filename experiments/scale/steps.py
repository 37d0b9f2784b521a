"""The work inside a measured process: ``python -m experiments.scale.steps STEP ...`` ends with a line of JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ltr.cli.process import run_command
from ltr.corpora.source import open_corpus
from ltr.index.reader import Index
from ltr.parallel import Workers
from ltr.ranking.corpus import IndexedCorpus
from ltr.ranking.describe import Resources
from ltr.tasks import find_task

DEPTH = 1_000
"""Hits per query."""
Result = dict[str, Any]


def build_index(task: str, corpus: str, folder: str, jobs: str) -> Result:
    """Build Riposte's index, and do nothing else."""
    index = IndexedCorpus.open(find_task(task), corpus, folder).open_index(Resources(Workers(int(jobs))))
    return {"arguments": index.arguments, "sentences": index.sentences}


def query_index(folder: str, queries: str, unit: str) -> Result:
    """Riposte's first stage for sentences, or for whole arguments and passages."""
    index = Index(Path(folder))
    return timed(queries, lambda line: len(index.search(unit, index.analyzer.distinct(line), DEPTH)[0]))


def timed(queries: str, search: Callable[[str], int]) -> Result:
    """Mean milliseconds per query after a round to warm up; ``search`` returns the number of hits."""
    lines = Path(queries).read_text("utf-8").splitlines()
    for line in lines:
        search(line)
    start = time.perf_counter()
    hits = sum(map(search, lines))
    return {"query_ms": (time.perf_counter() - start) * 1000 / len(lines), "hits": hits}


def write_texts(corpus: str, file: str, unit: str) -> Result:
    """Write every sentence or argument as a line, id TAB text: the input of other engines, already decoded."""
    count = 0
    with Path(file).open("w", encoding="utf-8", newline="\n") as out:
        for argument in open_corpus(corpus):
            whole = [(argument.id, " ".join(sentence.text for sentence in argument.sentences))]
            texts = whole if unit == "argument" else [(sentence.id, sentence.text) for sentence in argument.sentences]
            count += len(texts)
            out.writelines(f"{name}\t{' '.join(text.split())}\n" for name, text in texts)
    return {"texts": count}


def build_bm25s(file: str, folder: str) -> Result:
    """Bm25s with its own tokeniser and Riposte's stemmer; texts are saved beside the matrix."""
    bm25s = import_module("bm25s")
    with Path(file).open(encoding="utf-8", newline="\n") as lines:
        kept = [dict(zip(("id", "text"), line.rstrip("\n").split("\t", 1), strict=True)) for line in lines]
    engine = bm25s.BM25(k1=1.2, b=0.75)
    engine.index(_tokens(bm25s, [text["text"] for text in kept]), show_progress=False)
    engine.save(folder, corpus=kept)
    return {"texts": len(kept)}


def query_bm25s(folder: str, queries: str) -> Result:
    """Bm25s with its matrix mapped into memory."""
    bm25s = import_module("bm25s")
    engine = bm25s.BM25.load(folder, mmap=True)
    depth = min(DEPTH, engine.scores["num_docs"])

    def search(line: str) -> int:
        _, scores = engine.retrieve(_tokens(bm25s, [line]), k=depth, show_progress=False)
        return int((scores > 0).sum())

    return timed(queries, search)


def _tokens(bm25s: Any, texts: Sequence[str]) -> Any:
    stemmer = import_module("Stemmer").Stemmer("english")
    return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)


STEPS: dict[str, Callable[..., Result]] = {
    "index": build_index,
    "query": query_index,
    "texts": write_texts,
    "bm25s-index": build_bm25s,
    "bm25s-query": query_bm25s,
}


def do_step(steps: Mapping[str, Callable[..., Result]], argv: Sequence[str]) -> int:
    """Do the step of that name with the arguments behind it; its result is a line of JSON."""
    name, *arguments = argv
    print(json.dumps(steps[name](*arguments)))
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Do one of `STEPS`."""
    return do_step(STEPS, sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    run_command(main)
