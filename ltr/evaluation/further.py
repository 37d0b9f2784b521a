"""Further figures of a run, beside the measures of its grades. A task adds one with :func:`further_figures`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ltr.data.runs import RunRow
from ltr.errors import InputError
from ltr.evaluation.tables import Table


@dataclass(frozen=True)
class FurtherFigures:
    """Figures of a run that are not measures of its grades."""

    measure: Callable[[Sequence[RunRow], Any, int], Mapping[str, Any]]
    """Plain data from a run, the judgments and the depth; empty where the figures do not apply."""
    table: Callable[[Mapping[str, Mapping[str, Any]], int], Table]
    """A table from that data by run, and the depth."""
    read: Callable[[Path], Any] | None = None
    """Reads judgments of their own; without it they are over the topics of the qrels."""


_KNOWN: dict[str, FurtherFigures] = {}


def further_figures(name: str, figures: FurtherFigures) -> None:
    """Register figures; ``name`` is their key in the JSON of a run. Raises ValueError for a known name."""
    if name in _KNOWN:
        raise ValueError(f"further figures {name} are registered twice")
    _KNOWN[name] = figures


def read_further(files: Mapping[str, Path], topics: set[str]) -> dict[str, Any]:
    """Name -> what the figures are measured by: judgments from ``files``, else the judged topics. Raises InputError."""
    for name in files:
        if name not in _KNOWN:
            raise InputError("usage", f"nothing measures {name}", f"use one of {', '.join(_KNOWN)}")
    own = {name: figures.read(files[name]) for name, figures in _KNOWN.items() if figures.read and name in files}
    return {name: topics for name, figures in _KNOWN.items() if not figures.read} | own


def measure_further(rows: Sequence[RunRow], judged: Mapping[str, Any], k: int) -> dict[str, Mapping[str, Any]]:
    """Name -> figures of a run."""
    return {name: _KNOWN[name].measure(rows, by, k) for name, by in judged.items()}


def further_tables(further: Mapping[str, Mapping[str, Mapping[str, Any]]], k: int) -> list[Table]:
    """Tables of the figures, by run and name, where there are any."""
    names = dict.fromkeys(name for of_run in further.values() for name in of_run)
    found = {name: {run: of_run[name] for run, of_run in further.items() if of_run[name]} for name in names}
    return [_KNOWN[name].table(by_run, k) for name, by_run in found.items() if by_run]
