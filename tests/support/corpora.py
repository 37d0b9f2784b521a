"""Small corpora as the task's CSV, and indexes of them."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ltr.corpora.args_csv import COLUMNS
from ltr.corpora.source import open_corpus
from ltr.index.cache import open_index
from ltr.index.reader import Index
from ltr.parallel import Workers
from ltr.progress import Progress

QUIET = Progress(quiet=True)
Row = tuple[str, str, str, list[str]]
"""Argument id, conclusion, stance, premises."""
SMALL: list[Row] = [
    ("S2-A9", "Ban cars", "PRO", ["Cars pollute the city.", "Cities breathe without cars, cars and cars."]),
    ("S1-A1", "Cars", "CON", ["A car takes me to work.", "Ban nothing!", "Cars pollute the city."]),
    ("S1-A2", "", "", ["?!", "Zoos keep animals and animals suffer in zoos."]),
    ("S3-A1", "Ban cars!", "PRO", ["cars   POLLUTE the city", "The city: pollute cars."]),
    ("S3-A2", "Zoos should close", "CON", []),
]


def write_corpus(folder: Path, rows: Sequence[Row], contexts: Mapping[str, dict[str, object]] | None = None) -> Path:
    """``contexts``, by argument id, take the place of one that is the same for all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "args_processed.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(COLUMNS)
        for name, conclusion, stance, premises in rows:
            sentences = [{"sent_id": f"{name}__PREMISE__{n}", "sent_text": t} for n, t in enumerate(premises, 1)]
            if len(conclusion.split()) > 1:
                sentences.append({"sent_id": f"{name}__CONC__1", "sent_text": conclusion})
            whole = [{"text": " ".join(premises), "stance": stance, "annotations": []}]
            writer.writerow(
                [name, conclusion, repr(whole), repr((contexts or {}).get(name, {"sourceTitle": "T"})), repr(sentences)]
            )
    return folder


def save_lines(folder: Path, *rows: Any, name: str = "arguments.jsonl") -> Path:
    """A file of JSON lines; texts among the rows are written as they are."""
    text = "".join(row if isinstance(row, str) else json.dumps(row) + "\n" for row in rows)
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def build(folder: Path, place: Path | None = None) -> Index:
    return open_index(open_corpus(str(folder)), place, QUIET, Workers(1))


def contents(folder: Path) -> dict[str, bytes]:
    """What the folder holds, without the names that tantivy draws at random."""
    files = (path for path in sorted(folder.iterdir()) if path.is_file() and path.name != "manifest.json")
    return {path.name: path.read_bytes() for path in files}
