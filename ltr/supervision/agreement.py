"""How sources of votes agree with each other and with grades: labelling functions, and vote files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd

from ltr.data.qrels import Qrels
from ltr.ranking.matrix import Matrix
from ltr.supervision.functions import Evidence, Values, labelling_functions
from ltr.supervision.judgments import Judgments
from ltr.supervision.label_model import Ballot, correlation, row_means
from ltr.supervision.labels import Sources, collect_votes, combine_files, graded_labels, mean_vote
from models.base import TOP_GRADE

WORST = 10
"""Disagreements that are shown per source."""
TEXT = 220
"""Characters of a unit's text beside a disagreement."""


@dataclass(frozen=True)
class Disagreement:
    """A vote that is far from the grade of its unit."""

    topic: str
    unit: str
    vote: float
    """In [0, TOP_GRADE], like the grade."""
    grade: float
    trusted: bool
    """Whether the grade is trusted; otherwise it is the mean of the other votes."""


@dataclass(frozen=True)
class Agreement:
    """Agreement of one source of votes with the others, and with graded units."""

    name: str
    coverage: float
    """Share of the units that it votes on."""
    overlaps: float
    """Share of the units that it and another vote on."""
    conflicts: float
    """Share of the units that it and the mean of the others put on different halves of the scale."""
    with_others: float
    """Correlation of its votes with the mean vote of the others; NaN where one of the two is constant."""
    with_grades: float
    """Correlation of its votes with the grades of graded units; NaN without any."""
    weight: float
    """Its share of the weights in this dimension: of vote files, or of labelling functions."""
    worst: Sequence[Disagreement]
    """At most `WORST`, the largest first."""


def agreement(matrix: Matrix, judgments: Judgments, dimension: str) -> list[Agreement]:
    """How every vote file and every labelling function of a dimension votes."""
    functions = list(labelling_functions(dimension, matrix.unit).values())
    votes = collect_votes(Evidence(matrix, judgments.distant.get(dimension, Qrels())), functions)
    grades = graded_labels(matrix, judgments.graded.get(dimension, {}))
    weights = np.array([function.weight for function in functions])
    rows, files = [], judgments.votes_in(dimension)
    if files:
        found = combine_files(matrix, judgments, dimension, Sources())
        trusted = TOP_GRADE * found.ballot.trusted
        columns = found.ballot.votes
        of_functions = mean_vote(votes, functions)
        for position, given in enumerate(files):
            other = np.delete(columns, position, axis=1)
            others = row_means(Ballot(other, trusted).centred) if other.size else of_functions
            level = row_means(other) if other.size else of_functions
            weight = float(found.combined.weights[position])
            rows.append(_compared(matrix, given.name, columns[:, position], (others, level, trusted), weight))
    for position, function in enumerate(functions):
        rest = [f for f in functions if f is not function]
        others = mean_vote(np.delete(votes, position, axis=1), rest)
        weight = function.weight / weights.sum()
        rows.append(_compared(matrix, function.name, votes[:, position], (others, others, grades), weight))
    return rows


def _compared(
    matrix: Matrix, name: str, votes: Values, compared: tuple[Values, Values, Values], weight: float
) -> Agreement:
    """``compared`` are (n_rows,) each: what to correlate with, its level in [0, 1], and grades in [0, TOP_GRADE]."""
    others, level, grades = compared
    worst = _worst(matrix, TOP_GRADE * votes, grades, TOP_GRADE * level)
    voted, opposed = ~np.isnan(votes), (votes - 0.5) * (level - 0.5) < 0
    found = voted, voted & ~np.isnan(level), opposed
    cover, overlaps, conflicts = (float(rows.sum()) / max(len(votes), 1) for rows in found)
    agree = correlation(votes, others), correlation(votes, grades)
    return Agreement(name, cover, overlaps, conflicts, *agree, weight, worst)


def _worst(matrix: Matrix, votes: Values, grades: Values, others: Values) -> list[Disagreement]:
    """The votes that differ most from trusted grades, or from the other votes where no voted unit has a grade."""
    trusted = bool((~np.isnan(votes) & ~np.isnan(grades)).any())
    reference = grades if trusted else others
    apart = np.round(np.abs(votes - reference), 6)
    rows = np.flatnonzero(apart > 0)  # NaN is not
    first = rows[np.lexsort((rows, -apart[rows]))][:WORST]
    topics: Any = matrix.features.index
    return [
        Disagreement(str(topics[row]), str(matrix.ids[row]), float(votes[row]), float(reference[row]), trusted)
        for row in first
    ]


def agreement_frame(by_dimension: Mapping[str, Sequence[Agreement]]) -> pd.DataFrame:
    """A row a dimension and voter: see `Agreement`; its worst disagreements are left out."""
    names = [field.name for field in fields(Agreement) if field.name not in ("name", "worst")]
    rows = {(d, row.name): [getattr(row, name) for name in names] for d, found in by_dimension.items() for row in found}
    index = pd.MultiIndex.from_tuples(rows, names=["dimension", "name"])
    return pd.DataFrame(list(rows.values()), index, names)


def agreement_table(dimension: str, rows: list[Agreement]) -> str:
    """How every vote file and labelling function of a dimension votes."""
    name = max([24, *(len(row.name) + 2 for row in rows)])
    heads = ("coverage", "overlaps", "conflicts", "with the others", "with trusted grades", "weight")
    cells: list[tuple[str, ...]] = [("", *heads)]
    for row in rows:
        shares = (f"{share:.1%}" for share in (row.coverage, row.overlaps, row.conflicts))
        cells.append((row.name, *shares, number(row.with_others), number(row.with_grades), f"{row.weight:.0%}"))
    lines = [
        f"  {first:<{name}}" + "".join(f"{cell:>{len(head) + 2}}" for cell, head in zip(rest, heads, strict=True))
        for first, *rest in cells
    ]
    return "\n".join([f"votes on {dimension}", *lines])


def disagreements(dimension: str, rows: list[Agreement], texts: Mapping[str, str]) -> str:
    """The worst disagreements of every source in a dimension, with the texts of the units."""
    lines = []
    for row in rows:
        if not row.worst:
            lines += [f"{row.name}, {dimension}: no vote differs from a grade or from the other votes"]
            continue
        against = "trusted grades" if row.worst[0].trusted else "the mean of the other votes"
        what = f"the {len(row.worst)} votes furthest from {against}, from 0 to {TOP_GRADE:g}"
        lines += [f"{row.name}, {dimension}: {what}"]
        for bad in row.worst:
            text = " ".join(texts.get(bad.unit, "").split())
            shown = text if len(text) <= TEXT else f"{text[: TEXT - 3]}..."
            other = f"{'grade' if bad.trusted else 'others'} {bad.grade:.1f}"
            lines += [f"  vote {bad.vote:.1f}, {other}, topic {bad.topic}, {bad.unit}", f"    {shown}"]
    return "\n".join(lines)


def number(value: float) -> str:
    """A correlation with its sign, or a dash."""
    return "-" if math.isnan(value) else f"{value:+.2f}"
