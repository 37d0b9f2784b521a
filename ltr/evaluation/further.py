"""Further figures of a run, beside the measures of its grades: the composition of its first pairs.

Tasks and plug-ins add theirs to `FURTHER`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from features.core.registry import Registry
from ltr.data.ids import argument_of, is_conclusion, page_of, parts_of
from ltr.data.runs import RunRow
from ltr.errors import InputError
from ltr.evaluation.rankings import rankings
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


def further_tables(further: Mapping[str, Mapping[str, Mapping[str, Any]]], k: int) -> list[Table]:
    """Tables of the figures, by run and name, where there are any."""
    names = dict.fromkeys(name for of_run in further.values() for name in of_run)
    found = {name: {run: of_run[name] for run, of_run in further.items() if of_run[name]} for name in names}
    return [FURTHER[name].table(by_run, k) for name, by_run in found.items() if by_run]


COMPOSITION = {
    "across_arguments": "pairs across arguments",
    "across_debates": "pairs across debates",
    "conclusion_premise": "conclusion + premise",
    "arguments": "arguments shown",
    "repeated_sentences": "repeated sentences",
}
"""The figures of :func:`composition`, with their titles."""


def composition(rows: Iterable[RunRow], k: int = 5, topics: Container[str] | None = None) -> dict[str, float]:
    """Means over ``topics`` (or all of the run) of the first ``k`` pairs; empty where the run ranks no pairs.

    Shares of the pairs that join two arguments, two debates, and a conclusion with a premise; the number of different
    arguments; and the share of the sentences shown that stand further up already.
    """
    ranked = {topic: [parts_of(pair) for pair in ids[:k]] for topic, ids in rankings(rows).items()}
    tops = [pairs for topic, pairs in ranked.items() if topics is None or topic in topics]
    if not tops or any(len(pair) != 2 for pairs in tops for pair in pairs):
        return {}
    shown = [[sentence for pair in pairs for sentence in pair] for pairs in tops]

    def share(kind: Callable[[str], object]) -> float:
        return fmean(fmean(kind(one) != kind(other) for one, other in pairs) for pairs in tops)

    return {
        "across_arguments": share(argument_of),
        "across_debates": share(page_of),
        "conclusion_premise": share(is_conclusion),
        "arguments": fmean(len(set(map(argument_of, sentences))) for sentences in shown),
        "repeated_sentences": fmean(1 - len(set(sentences)) / len(sentences) for sentences in shown),
    }


def _table(by_run: Mapping[str, Mapping[str, float]], k: int) -> Table:
    rows = [[run, *(f"{value:.2f}" for value in parts.values())] for run, parts in by_run.items()]
    return Table("what the runs show", [[f"first {k} of a topic", *COMPOSITION.values()], *rows])


FURTHER.add("composition", FurtherFigures(lambda rows, topics, k: composition(rows, k, topics), _table))
