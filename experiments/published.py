"""Read the files in which data sets are published: tables, lines and JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ltr.data.columns import decode, read_bytes
from ltr.errors import InputError

_TABLES = [line.split("\t") for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()]
"""Name, columns and file; several files of one name are one set."""
AGAIN = "download the file again"
_TAG = re.compile(r"<br\s*/?>")
_QUOTED = re.compile(r'"(.*)"', re.DOTALL)


@contextmanager
def published(path: Path) -> Iterator[None]:
    """Read ``path``: whatever fails in the block is raised as InputError, since the file is not as published."""
    try:
        yield
    except InputError:
        raise
    except (csv.Error, LookupError, RecursionError, SyntaxError, TypeError, ValueError) as error:
        what = f"is not as published ({type(error).__name__}: {str(error)[:80]})"
        raise InputError(path, what, AGAIN) from error


def read_lines(path: Path) -> list[str]:
    """Lines of a file; unlike str.splitlines not split at rare separators inside sentences. Raises InputError."""
    return [line.rstrip("\r") for line in decode(path, read_bytes(path)).removesuffix("\n").split("\n")]


def read_json(path: Path) -> Any:
    """A JSON file. Raises InputError."""
    with published(path):
        return json.loads(decode(path, read_bytes(path)))


def read_iam(data: Path, name: str) -> list[tuple[Any, ...]]:
    """Rows of a file of IAM: whether the label is not O, topic or claim, sentence, article, and more in some files.

    Raises InputError.
    """
    path = data / f"iam/{name}.tsv"
    with published(path):
        rows = [line.split("\t") for line in read_lines(path) if line.strip()]
        return [({"C": True, "E": True, "O": False}[label], *cells) for label, *cells in rows]


def read_set(data: Path, name: str, row: Callable[..., Any] = lambda *cells: cells) -> list[Any]:
    """Rows of the files that published.txt names, made of its columns, see `read_table`. Raises InputError."""
    tables = [(data / file, columns) for known, columns, file in _TABLES if known == name]
    return [made for path, columns in tables for made in read_table(path, columns, row)]


def read_preferences(data: Path, name: str) -> list[tuple[str, list[str], bool]]:
    """Topic, two texts, and whether the first is the better one. Raises InputError."""
    labels = {"a1": True, "1": True, "a2": False, "2": False}
    return read_set(data, name, lambda topic, label, *texts: (topic, list(map(plain_text, texts)), labels[label]))


def read_table(path: Path, columns: str, row: Callable[..., Any] = lambda *cells: cells) -> list[Any]:
    """Rows of a table with a header: CSV, or .tsv, which has no quotes. Raises InputError.

    ``columns`` are names with blanks between; ``row`` makes a row from their cells, which it is by default.
    """
    file = io.StringIO(decode(path, read_bytes(path)), newline="")
    dialect: dict[str, Any] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if path.suffix == ".tsv" else {}
    with published(path):
        head, *rows = csv.reader(file, strict=not dialect, **dialect)
        names = [name.strip() for name in head]  # some have a blank after the name
        positions = [names.index(name) for name in columns.split()]
        return [row(*(cells[position] for position in positions)) for cells in rows if cells]


def plain_text(text: str) -> str:
    """The text without tags for new lines and without the quotation marks of its field."""
    if quoted := _QUOTED.fullmatch(text):
        text = quoted[1].replace('""', '"')
    return _TAG.sub(" ", text).strip()
