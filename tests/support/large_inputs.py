"""Input that grows with a number, and the command that reads it: what `support.large` measures is registered here."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

Make = Callable[[Path, int], list[str]]
"""Writes what is read into a folder, so many of it, and gives the arguments of the command that reads it."""

TOPICS = "<topics><topic><number>1</number><title>Ban cars in cities?</title></topic></topics>"
HEADER = "id,conclusion,premises,context,sentences\n"


class Case(NamedTuple):
    """What is measured, and at which sizes."""

    make: Make
    sizes: tuple[int, ...]


CASES: dict[str, Case] = {}


def case(*sizes: int) -> Callable[[Make], Make]:
    def register(make: Make) -> Make:
        CASES[make.__name__] = Case(make, sizes)
        return make

    return register


def predict(folder: Path, corpus: Path, *more: str, model: str = "bm25") -> list[str]:
    """Index a corpus and answer one topic, with the features of a model."""
    topics = folder / "topics.xml"
    if not topics.exists():
        topics.write_text(TOPICS)
    options = ["-i", str(corpus), "-o", str(folder / "out"), "--topics", str(topics), "--index", str(folder / "index")]
    return ["-m", "ltr.predict", *options, *(["-m", model] if model else []), "--jobs", "1", "--quiet", *more]


def row(
    name: str, sentences: Iterable[str], *, conclusion: str = "Ban cars", title: str = "Cars", text: str = ""
) -> str:
    """A row of the task's CSV."""
    cells = ({"sent_id": f"{name}__PREMISE__{n}", "sent_text": one} for n, one in enumerate(sentences, 1))
    held = "[" + ", ".join(map(repr, cells)) + "]"
    context = repr({"sourceTitle": title, "sourceText": text})
    out = io.StringIO()
    csv.writer(out).writerow([name, conclusion, "[{'text': '', 'stance': 'PRO', 'annotations': []}]", context, held])
    return out.getvalue()


def table(folder: Path, rows: Iterable[str]) -> Path:
    path = folder / "args_processed.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write(HEADER)
        out.writelines(rows)
    return path
