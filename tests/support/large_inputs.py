"""Input that grows with a number, and the command that reads it: the cases of `support.large`."""

from __future__ import annotations

import csv
import gzip
import io
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

TOPICS = "<topics><topic><number>1</number><title>Ban cars in cities?</title></topic></topics>"
HEADER = "id,conclusion,premises,context,sentences\n"


class Case(NamedTuple):
    """What is measured, and at which sizes."""

    sizes: tuple[int, ...]
    make: Callable[[Path, int], list[str]]
    """Writes so much input into a folder, and returns the arguments of the command that reads it."""


# ---- corpora --------------------------------------------------------------------------------------


def predict(folder: Path, corpus: Path, *more: str, model: str = "bm25") -> list[str]:
    """Index a corpus and answer one topic, with the features of a model."""
    topics = folder / "topics.xml"
    if not topics.exists():
        topics.write_text(TOPICS)
    options = ["-i", str(corpus), "-o", str(folder / "out"), "--topics", str(topics), "--index", str(folder / "index")]
    return ["-m", "ltr.predict", *options, *(["-m", model] if model else []), "--jobs", "1", "--quiet", *more]


def row(name: str, sentences: Iterable[str]) -> str:
    """A row of the task's CSV."""
    cells = ({"sent_id": f"{name}__PREMISE__{n}", "sent_text": one} for n, one in enumerate(sentences, 1))
    held = "[" + ", ".join(map(repr, cells)) + "]"
    out = io.StringIO()
    premises = "[{'text': '', 'stance': 'PRO', 'annotations': []}]"
    csv.writer(out).writerow([name, "Ban cars", premises, "{'sourceTitle': 'Cars'}", held])
    return out.getvalue()


def table(folder: Path, rows: Iterable[str]) -> list[str]:
    """Read these rows with a baseline."""
    return predict(folder, _table(folder, rows))


def ranked(folder: Path, rows: Iterable[str]) -> list[str]:
    """Read these rows, and rank by the shipped model."""
    return predict(folder, _table(folder, rows), "--timings", model="")


def _table(folder: Path, rows: Iterable[str]) -> Path:
    path = folder / "args_processed.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write(HEADER)
        out.writelines(rows)
    return path


def packed_zeros(folder: Path, number: int) -> list[str]:
    path = folder / "args_processed.csv.gz"
    with gzip.open(path, "wb", 1) as out:
        out.write(HEADER.encode())
        for _ in range(number // 1_000_000):
            out.write(bytes(1_000_000))
    return predict(folder, path)


def head(name: str, size: int = 0, kind: bytes = tarfile.REGTYPE) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


def member(name: str, content: bytes, kind: bytes = tarfile.REGTYPE) -> bytes:
    return head(name, len(content), kind) + content + bytes(-len(content) % 512)


def argsme(folder: Path, premises: Iterable[str]) -> list[str]:
    path = folder / "args-me.json"
    with path.open("w", encoding="utf-8") as out:
        out.write('{"arguments": [{"id": "S1-A1", "conclusion": "Ban cars", "premises": [{"text": "')
        out.writelines(premises)
        out.write('", "stance": "PRO"}], "context": {}}]}')
    return predict(folder, path)


def passages(folder: Path, texts: Iterable[str]) -> list[str]:
    path = folder / "passages.jsonl"
    with path.open("w", encoding="utf-8") as out:
        for n, text in enumerate(texts):
            out.write(f'{{"id": "d{n}", "contents": "{text}"}}\n')
    (folder / "topics.xml").write_text(TOPICS.replace("Ban cars in cities?", "Which is better, a car or a train?"))
    return predict(folder, path, "--task", "comparative", "--timings", model="")


def sentences(number: int) -> list[str]:
    return [row("S1-A1", (f"Cars in cities smell of oil number {n}." for n in range(number)))]


# ---- judgments and runs -------------------------------------------------------------------


def measure(folder: Path, run: Iterable[str], qrels: Iterable[str]) -> list[str]:
    for name, lines in (("run.txt", run), ("a.qrels", qrels)):
        with (folder / name).open("w") as out:
            out.writelines(lines)
    return ["-m", "ltr.evaluate", "--run", str(folder / "run.txt"), "--qrels", str(folder / "a.qrels")]


MANY, MORE, MB = (10_000, 100_000, 1_000_000), (100_000, 1_000_000, 10_000_000), 1_000_000
CASES: dict[str, Case] = {
    "short_rows": Case(MORE, lambda f, n: table(f, (row(f"S{i:x}-A{i:x}", ["Cars smell."]) for i in range(n)))),
    "a_line_without_end": Case((10**7, 10**8, 10**9), lambda f, n: table(f, ["x" * MB] * (n // MB))),
    "arguments_of_one_debate": Case(
        MANY,
        lambda f, n: ranked(
            f, (row(f"S1-A{i:x}", [f"Cars smell of oil {i}.", "Ban cars in cities now."]) for i in range(n))
        ),
    ),
    "sentences_of_one_argument": Case(MANY, lambda f, n: ranked(f, sentences(n))),
    "a_word": Case(MORE, lambda f, n: ranked(f, [row("S1-A1", ["Ban cars " + "x" * n, "Ban cities " + "y" * n])])),
    "a_packed_table_of_nothing": Case((10**8, 10**9, 10**10), packed_zeros),
    "premises_of_one_word": Case(MORE, lambda f, n: argsme(f, ["x" * n])),
    "many_passages": Case(MANY, lambda f, n: passages(f, (f"A car is better than train {i}." for i in range(n)))),
    "judgments_of_one_topic": Case(
        MANY, lambda f, n: measure(f, ["1 Q0 d1 1 1 t\n"], (f"1 0 d{i} {i % 3}\n" for i in range(n)))
    ),
    "ranks_of_one_topic": Case(
        MANY, lambda f, n: measure(f, (f"1 Q0 d{i} {i} {-i} t\n" for i in range(n)), ["1 0 d1 1\n"])
    ),
}
