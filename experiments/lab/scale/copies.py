"""A larger corpus for measuring: a corpus of any task several times over, with other ids and other long words."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

from ltr.corpora.base import FileCorpus
from ltr.corpora.source import open_corpus
from ltr.errors import InputError
from ltr.files import atomic_text

_LONG_WORD = re.compile(r"\b[a-z]{5,}\b(?![\"']:)")  # but keys of JSON and of Python literals


def copy_corpus(source: str, folder: Path, times: int) -> None:
    """Write ``times`` copies of a corpus into one file of its format.

    In each copy but the first, ids and words of five letters and more end in letters of the copy's own: copies are not
    duplicates of each other, and the vocabulary grows with the corpus. Short words stay, so that queries find
    something in each copy, and so do ids of the first copy, so that judgments stay valid.

    Raises InputError for a corpus that is not a CSV or JSON lines file.
    """
    corpus = open_corpus(source)
    if not isinstance(corpus, FileCorpus) or corpus.path.suffix not in (".csv", ".jsonl"):
        raise InputError(source, "the corpus is not a .csv or .jsonl file", "unpack it, or name another one")
    csv.field_size_limit(sys.maxsize)
    with atomic_text(folder / corpus.path.name) as out:
        for number in range(times):
            mark = "".join("abcdefghij"[int(digit)] for digit in str(number)) if number else ""
            with corpus.path.open(encoding="utf-8-sig", newline="") as file:
                if corpus.path.suffix == ".jsonl":
                    out.writelines(mark_words(line, json.loads(line)["id"], mark) for line in file if line.strip())
                    continue
                rows = csv.DictReader(file)
                table = csv.DictWriter(out, rows.fieldnames or (), quoting=csv.QUOTE_ALL, lineterminator="\n")
                if not number:
                    table.writeheader()
                for row in rows:
                    table.writerow({column: mark_words(cell, row["id"], mark) for column, cell in row.items()})


def mark_words(text: str, name: str, mark: str) -> str:
    """The text with ``mark`` behind each long word and behind the id ``name``."""
    return _LONG_WORD.sub(rf"\g<0>{mark}", text.replace(name, name + mark.upper())) if mark else text
