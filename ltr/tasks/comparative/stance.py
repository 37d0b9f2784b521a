"""How often a run names the side that its documents take: macro-averaged F1 over judged documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from ltr.data.columns import read_columns
from ltr.data.runs import RunRow
from ltr.errors import InputError
from ltr.evaluation.further import FURTHER, FurtherFigures
from ltr.evaluation.tables import Table

Stances = dict[str, dict[str, str]]
"""Topic number -> id of a document -> FIRST, SECOND, NEUTRAL or NO."""


@dataclass(frozen=True)
class StanceFigures:
    """How a run's sides agree with the judged sides of documents."""

    macro_f1: float
    """Mean over the judged sides. Documents of the run without a judged side do not count."""
    documents: int
    """Number of documents in the run that are judged."""
    confusion: dict[str, dict[str, int]]
    """Judged side -> side in the run -> number of documents."""


def read_stances(path: Path) -> Stances:
    """Judgments in four columns ``topic 0 id side``. Raises InputError, also for two sides of one document."""
    stances: Stances = {}
    for where, (topic, _, document, side) in read_columns(path, "topic 0 id side"):
        if stances.setdefault(topic, {}).setdefault(document, side) != side:
            raise InputError(where, f"topic {topic}, id {document} has another side earlier", "keep one of the two")
    return stances


def stance_figures(rows: Iterable[RunRow], judged: Mapping[str, Mapping[str, str]]) -> StanceFigures:
    """Compare the second column of a run with the judged sides, at all ranks."""
    sides = sorted({side for topic in judged.values() for side in topic.values()})
    pairs = Counter((judged[row.topic][row.pair], row.stance) for row in rows if row.pair in judged.get(row.topic, ()))
    truth, said = Counter[str](), Counter[str]()
    for (side, named), number in pairs.items():
        truth[side] += number
        said[named] += number
    # 2 tp / (2 tp + fp + fn); 0 for a side that is neither judged there nor named.
    scores = [2 * pairs[side, side] / max(truth[side] + said[side], 1) for side in sides]
    confusion = {side: {named: pairs[side, named] for named in sorted(said)} for side in sides}
    return StanceFigures(fmean(scores) if scores else 0.0, sum(truth.values()), confusion)


def _table(by_run: Mapping[str, Mapping[str, Any]], _: int) -> Table:
    rows = [["side", "macro-F1", "judged", "judged side: documents by the side that the run names"]]
    for run, figures in by_run.items():
        named = (
            f"{side}: " + " ".join(f"{number} {name}" for name, number in names.items() if number)
            for side, names in figures["confusion"].items()
        )
        rows.append([run, f"{figures['macro_f1']:.3f}", f"{figures['documents']:,}", "; ".join(named)])
    return Table("sides that the runs name", rows)


FURTHER.add(
    "stance", FurtherFigures(lambda rows, judged, _: asdict(stance_figures(rows, judged)), _table, read_stances)
)
