"""A corpus large enough to be cut into parts."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

from ltr.corpora.args_csv import COLUMNS
from ltr.index.folder import read_pointer

ARGUMENTS = 240
TITLES = "ABCDEFGHIJ"


def write(path: Path, count: int = ARGUMENTS, *, copy_of_first: int | None = None) -> Path:
    """As the task's CSV, or as JSON lines without conclusions."""
    draw = random.Random(4)
    words = [f"word{int(draw.paretovariate(0.4)) % 3000}" for _ in range(9000)]
    with path.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        if path.suffix == ".csv":
            rows.writerow(COLUMNS)
        for number in range(count):
            name = "S1-A0" if number == copy_of_first else f"S1-A{number:x}"
            texts = [" ".join(draw.sample(words, 6)) for _ in range(draw.randrange(1, 6))]
            if number % 5 == 0:
                texts += ["A sentence of all, said again.", 'Odd "marks", and\na line']
            title = TITLES[number % 10]
            if path.suffix == ".jsonl":
                url = f"https://example.org/{number:099}"
                passage = {"id": name, "contents": ". ".join(texts), "title": title, "chatNoirUrl": url}
                out.write(json.dumps(passage) + "\n")
                continue
            conclusion = f'Ban "{draw.choice(words)}",\nat once' if number % 3 else ""
            sentences = [{"sent_id": f"{name}__PREMISE__{n}", "sent_text": t} for n, t in enumerate(texts, 1)]
            if conclusion:
                sentences.append({"sent_id": f"{name}__CONC__1", "sent_text": conclusion})
            premises = [{"text": " ".join(texts), "stance": draw.choice(["PRO", "CON"]), "annotations": []}]
            rows.writerow([name, conclusion, repr(premises), repr({"sourceTitle": title}), repr(sentences)])
    return path


def files_of(place: Path) -> Path:
    """The folder with the files of the index in ``place``."""
    pointer = read_pointer(place)
    assert pointer is not None
    return pointer.folder


def columns(place: Path) -> dict[str, bytes]:
    """Every column and text of an index, but not how it was cut."""
    apart = {"manifest.json", "starts.npy"}
    files = [path for path in sorted(files_of(place).iterdir()) if path.is_file() and path.name not in apart]
    return {path.name: path.read_bytes() for path in files}
