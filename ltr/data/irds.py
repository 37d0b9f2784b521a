"""Topics and judgments of ir_datasets, an optional extra of the package, where commands take files: ``irds:ID``.

MacAvaney et al. 2021, "Simplified Data Wrangling with ir_datasets", https://ir-datasets.com/argsme.html
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from ltr.errors import InputError

IRDS: Final = "irds:"
EXAMPLE: Final = "name one such as argsme/2020-04-01/processed/touche-2022-task-1"


def is_dataset(path: Path) -> bool:
    """Whether this names a dataset and not a file."""
    return str(path).startswith(IRDS)


def load_dataset(name: str) -> Any:
    """The dataset ``irds:ID``. Raises InputError."""
    dataset = name.removeprefix(IRDS)
    try:
        import ir_datasets  # noqa: PLC0415 an extra
    except ImportError:
        raise InputError(name, "ir_datasets is not installed", 'pip install "riposte-ltr[irds]"') from None
    try:
        return ir_datasets.load(dataset)
    except KeyError:
        close = get_close_matches(dataset, list(ir_datasets.registry), n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else EXAMPLE
        raise InputError(name, "ir_datasets knows no such dataset", hint) from None


def guarded(name: str, what: str, items: Iterator[Any]) -> Iterator[Any]:
    """Turn whatever ends ir_datasets' own iteration early into an InputError."""
    try:
        yield from items
    except Exception as error:  # downloads, checksums, parsers: ir_datasets raises anything
        reason = f"{type(error).__name__}: {error}"[:300]
        hint = "check the network and the disk, or read the corpus from a directory"
        raise InputError(name, f"ir_datasets could not give the {what} ({reason})", hint) from None


def queries_of(name: str) -> Iterator[dict[str, str]]:
    """Number and title of each query. Raises InputError."""
    dataset = load_dataset(name)
    if not dataset.has_queries():
        raise InputError(name, "has no topics", EXAMPLE)
    for query in guarded(name, "topics", dataset.queries_iter()):
        title = getattr(query, "title", None) or query.default_text()
        yield {"number": query.query_id, "title": title}


def judgments_of(path: Path, dimension: str) -> Iterator[tuple[str, str, str, str]]:
    """Place, topic, id and grade of each judgment in a dimension: ``irds:ID:quality`` names another one.

    Raises InputError, also for a dimension that was not judged there.
    """
    name, _, named = str(path).removeprefix(IRDS).partition(":")
    dimension, name = named or dimension, f"{IRDS}{name}"
    dataset = load_dataset(name)
    if not dataset.has_qrels():
        raise InputError(name, "has no judgments", EXAMPLE)
    for place, row in enumerate(guarded(name, "judgments", dataset.qrels_iter()), 1):
        grade = getattr(row, dimension, None)
        if grade is None:
            known = ", ".join(field for field in row._fields if field in ("relevance", "quality", "coherence"))
            raise InputError(name, f"was not judged in {dimension}", f"name one of: {known}")
        yield f"{name} judgment {place}", row.query_id, row.doc_id, str(grade)
