"""How far sources of grades agree: graders, vote files and labelling functions.

The grades of several sources are a table: a row an item, indexed by ``topic`` and ``id``, a column a source, and NaN
where a source has no grade.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from textwrap import shorten
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ltr.data.qrels import Qrels
from ltr.escapes import clean
from ltr.learning.functions import Evidence, Values, labelling_functions
from ltr.learning.judgments import Judgments
from ltr.learning.label_model import Ballot, correlation, row_means
from ltr.learning.labels import Sources, collect_votes, combine_files, graded_labels, mean_vote
from ltr.ranking.candidates import Candidates
from models.base import TOP_GRADE

WORST = 10
"""Number of disagreements that are shown per source."""
TRUSTED = "trusted grade"
OTHERS = "other votes"


# ---- two sources -----------------------------------------------------------------------------------


def share_in_order(grades: Values, scores: Values) -> float:
    """The share of item pairs with different grades that scores put in order; equal scores count a half.

    Somers' D of the scores, (n,), on the grades, (n,), brought to 0 to 1; NaN where all grades are equal.

    >>> share_in_order(np.array([0, 1, 1, 2]), np.array([1, 1, 2, 3]))  # of five pairs one is tied
    0.9
    """
    in_order, pairs = 0.0, 0
    for grade in np.unique(grades):
        own, lower = scores[grades == grade], np.sort(scores[grades < grade])
        in_order += sum(np.searchsorted(lower, own, side).sum() / 2 for side in ("left", "right"))
        pairs += len(own) * len(lower)
    return float(in_order / pairs) if pairs else math.nan


class Disagreement(NamedTuple):
    """An item with grades that differ."""

    topic: str
    id: str
    grades: dict[str, float]
    """By source."""


def furthest(table: pd.DataFrame) -> list[Disagreement]:
    """The `WORST` items whose grades differ most, the largest difference first; topics take turns at a difference."""
    distances = (table.max(axis="columns") - table.min(axis="columns")).round(6).rename("distance")
    apart = distances[distances > 0].reset_index()
    apart["turn"] = apart.groupby(["distance", "topic"]).cumcount()
    first = apart.sort_values(["distance", "turn"], ascending=[False, True], kind="stable").head(WORST)
    return [
        Disagreement(topic, id_, table.loc[(topic, id_)].dropna().to_dict())
        for topic, id_ in zip(first["topic"], first["id"], strict=True)
    ]


# ---- the sources of labels -------------------------------------------------------------------------


def agreement(table: Candidates, judgments: Judgments, dimension: str) -> pd.DataFrame:
    """How every vote file and every labelling function of a dimension votes: a row a source, indexed by its name.

    Shares of the items: ``coverage``, that it votes on; ``overlaps``, that others vote on too; ``conflicts``, that it
    and the mean of the others put on different halves of the scale. Correlations, NaN where they are not defined:
    ``with_others``, with the mean vote of the others; ``with_grades``. ``reliability``: what the label model makes of
    both, NaN for labelling functions. ``weight``: its share of the weights of vote files, or of labelling functions.
    ``worst``: its `WORST` votes furthest from trusted grades, or from the other votes if it has no vote on a graded
    item.
    """
    functions = list(labelling_functions(dimension, table.kind).values())
    votes = collect_votes(Evidence(table, judgments.distant.get(dimension, Qrels())), functions)
    grades = graded_labels(table, judgments.graded.get(dimension, {}))
    weights = np.array([function.weight for function in functions])
    rows, files = {}, judgments.votes_in(dimension)
    if files:
        found = combine_files(table, judgments, dimension, Sources())
        trusted = TOP_GRADE * found.ballot.trusted
        columns = found.ballot.votes
        of_functions = mean_vote(votes, functions)
        for position, given in enumerate(files):
            other = np.delete(columns, position, axis=1)
            others = row_means(Ballot(other, trusted).centred) if other.size else of_functions
            level = row_means(other) if other.size else of_functions
            compared = _compared(table, columns[:, position], others, level, trusted)
            believed = {"reliability": float(found.combined.reliability[position])}
            rows[given.name] = {**compared, **believed, "weight": float(found.combined.weights[position])}
    for position, function in enumerate(functions):
        rest = [f for f in functions if f is not function]
        others = mean_vote(np.delete(votes, position, axis=1), rest)
        compared = _compared(table, votes[:, position], others, others, grades)
        rows[function.name] = {**compared, "reliability": math.nan, "weight": function.weight / weights.sum()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("name")


def _compared(table: Candidates, votes: Values, others: Values, level: Values, grades: Values) -> dict[str, Any]:
    """A row of `agreement`, of (n_rows,) each: ``others`` to correlate with, their ``level`` in [0, 1], and grades."""
    voted, opposed = ~np.isnan(votes), (votes - 0.5) * (level - 0.5) < 0
    index = pd.MultiIndex.from_arrays([table["qid"].to_numpy(), table.ids], names=["topic", "id"])
    graded = bool((voted & ~np.isnan(grades)).any())
    reference = {TRUSTED: grades} if graded else {OTHERS: TOP_GRADE * level}
    apart = pd.DataFrame({"vote": TOP_GRADE * votes, **reference}, index).dropna()
    found = {"coverage": voted, "overlaps": voted & ~np.isnan(level), "conflicts": opposed}
    return {
        **{name: float(rows.sum()) / max(len(votes), 1) for name, rows in found.items()},
        "with_others": correlation(votes, others),
        "with_grades": correlation(votes, grades),
        "worst": furthest(apart),
    }


def agreement_table(dimension: str, rows: pd.DataFrame) -> str:
    """The `agreement` of a dimension as text."""
    name = max([24, *(len(source) + 2 for source in rows.index)])
    heads = ("coverage", "overlaps", "conflicts", "with the others", "with trusted grades", "reliability", "weight")
    cells: list[tuple[str, ...]] = [("", *heads)]
    row: Any
    for row in rows.itertuples():
        shares = (f"{share:.1%}" for share in (row.coverage, row.overlaps, row.conflicts))
        figures = map(number, (row.with_others, row.with_grades, row.reliability))
        cells.append((str(row.Index), *shares, *figures, f"{row.weight:.0%}"))
    lines = [
        f"  {first:<{name}}" + "".join(f"{cell:>{len(head) + 2}}" for cell, head in zip(rest, heads, strict=True))
        for first, *rest in cells
    ]
    return "\n".join([f"votes on {dimension}", *lines])


def disagreements(dimension: str, rows: pd.DataFrame, texts: Mapping[str, str]) -> str:
    """The worst disagreements of every source in a dimension, with the items' texts."""
    lines = []
    for name, worst in rows["worst"].items():
        if not worst:
            lines += [f"{name}, {dimension}: no vote differs from a grade or from the other votes"]
            continue
        against = "trusted grades" if TRUSTED in worst[0].grades else "the mean of the other votes"
        lines += [f"{name}, {dimension}: the {len(worst)} votes furthest from {against}, from 0 to {TOP_GRADE:g}"]
        for bad in worst:
            grades = ", ".join(f"{source} {grade:.3g}" for source, grade in bad.grades.items())
            lines.append(f"  {clean(f'topic {bad.topic}, {bad.id}: {grades}')}")
            lines.append(f"    {shorten(clean(texts.get(bad.id, '')), 400, placeholder=' ...')}")
    return "\n".join(lines)


def warn_of_votes(table: Candidates, judgments: Judgments, warn: Callable[[str], None]) -> None:
    """Warn in one line of vote files that contradict each other, or grades: they count all the same."""
    doubtful = []
    for name in sorted({votes.dimension for votes in judgments.votes}):
        files = [votes.name for votes in judgments.votes_in(name)]
        rows = agreement(table, judgments, name).loc[files]
        if (len(rows) > 1 and rows["with_others"].sum() <= 0) or (rows["with_grades"] <= 0).any():
            found = (f"{row.Index} {number(row.with_others)}/{number(row.with_grades)}" for row in rows.itertuples())
            doubtful.append(f"{name} ({', '.join(found)})")
    if doubtful:
        what = "the votes contradict each other or trusted grades (correlation with the others/with grades)"
        warn(f"{what}: {'; '.join(doubtful)}; explain the labels to see where")


def number(value: Any) -> str:
    """A correlation with its sign, or a dash."""
    return "-" if math.isnan(value) else f"{value:+.2f}"
