"""Further figures of a run, beside the measures of its grades. Tasks and plug-ins add theirs to `FURTHER`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from features.core.registry import Registry
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


FURTHER: Registry[FurtherFigures] = Registry("figure of runs", "ltr.evaluation", lambda one: one.measure)
"""By their keys in the JSON of a run. Those of tasks and plug-ins are looked for where a command names them."""


def read_further(files: Mapping[str, Path], topics: set[str]) -> dict[str, Any]:
    """Name -> what the figures are measured by: judgments from ``files``, else the judged topics. Raises InputError."""
    for name in files:
        if name not in FURTHER and name not in FURTHER.search():
            raise InputError("usage", f"nothing measures {name}", f"use one of {', '.join(FURTHER)}")
    own = {name: figures.read(files[name]) for name, figures in FURTHER.items() if figures.read and name in files}
    return {name: topics for name, figures in FURTHER.items() if not figures.read} | own


def measure_further(rows: Sequence[RunRow], judged: Mapping[str, Any], k: int) -> dict[str, Mapping[str, Any]]:
    """Name -> figures of a run."""
    return {name: FURTHER[name].measure(rows, by, k) for name, by in judged.items()}


def further_tables(further: Mapping[str, Mapping[str, Mapping[str, Any]]], k: int) -> list[Table]:
    """Tables of the figures, by run and name, where there are any."""
    names = dict.fromkeys(name for of_run in further.values() for name in of_run)
    found = {name: {run: of_run[name] for run, of_run in further.items() if of_run[name]} for name in names}
    return [FURTHER[name].table(by_run, k) for name, by_run in found.items() if by_run]
