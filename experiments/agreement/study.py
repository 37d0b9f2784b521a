"""Tables of agreement: couples of graders, all graders at once, systems, and the units that are furthest apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.agreement.coefficients import (
    TopicSums,
    alphas,
    draw_topics,
    estimate,
    estimates,
    figures,
    match_levels,
    rank_correlations,
    topic_sums,
)
from experiments.agreement.grades import FloatArray, GradeTable, Scale, levels_of
from ltr.data.qrels import Qrels
from ltr.data.runs import RunRow
from ltr.errors import InputError
from ltr.evaluation.evaluator import QRELS, check_match, evaluate
from ltr.evaluation.output import aligned

MANY = 4
"""With more graders than this, the others are compared with the first alone, unless all couples are asked for."""

RUN_MEASURES = ("nDCG@5", "judged@5", "condensed_nDCG@5")
INTERVAL = "[95% interval over topics]"
_ACROSS = 5  # figures beside each other: more would not fit a screen

Row = dict[str, Any]
"""Column -> a word, a count, a figure, an Estimate, or None where there is nothing."""


class Table(NamedTuple):
    """Rows with the same columns under a caption; ``key`` is their name in JSON."""

    key: str
    caption: str
    rows: list[Row]

    def text(self) -> str:
        """Aligned columns, those of figures in groups that fit a screen."""
        first, *columns = self.rows[0]
        groups = [columns[start : start + _ACROSS] for start in range(0, len(columns), _ACROSS)]
        blocks = [
            aligned([[first, *group], *([str(row[first]), *(_cell(row[name]) for name in group)] for row in self.rows)])
            for group in groups
        ]
        return "\n".join([self.caption, *(line for block in blocks for line in [*block, ""])])


@dataclass(frozen=True)
class Settings:
    """What is computed. ``by``: grades, such as those of quality, by whose levels couples are split."""

    draws: int = 1000
    seed: int = 0
    all_pairs: bool = False
    match_levels: bool = False
    by: Qrels = field(default_factory=Qrels)


class Couple:
    """Two graders of a table, by their numbers, on the units that both graded."""

    def __init__(self, table: GradeTable, first: int, second: int, settings: Settings) -> None:
        self.names = table.graders[first], table.graders[second]
        units = np.flatnonzero(~np.isnan(table.values[[first, second]]).any(axis=0))
        self.first, self.second = table.values[first, units], table.values[second, units]
        numbers, self.topics = np.unique(table.topic_numbers[units], return_inverse=True)
        self.topic_names = [table.topics[number] for number in numbers]
        known = levels_of(np.concatenate([self.first, self.second])) if len(units) else np.zeros(1, dtype=np.int64)
        self.levels = np.arange(known.min(), known.max() + 1)
        self.by = table.aligned_grades(settings.by)[units]
        self.draws = draw_topics(len(numbers), settings.draws, settings.seed)

    def sums(self, second: FloatArray, kept: NDArray[np.bool_] | slice = slice(None)) -> TopicSums:
        """Sums per topic over the ``kept`` units, with ``second`` for the grades of the second grader."""
        return topic_sums(self.first[kept], second[kept], self.topics[kept], len(self.topic_names), self.levels)

    def rows(self, match: bool) -> list[Row]:
        """The figures with intervals, and again after each correction of the second grader that the options ask for."""
        name = " / ".join(self.names)
        seconds = {name: self.second}
        if match and len(self.topic_names) > 1:
            seconds[f"{name}, levels matched"] = match_levels(self.first, self.second, self.topics)
        if not np.isnan(self.by).all():
            seconds[f"{name}, 0 where --by is 0"] = np.where(self.by == 0, 0.0, self.second)
        if match and len(seconds) == 3:
            matched = self.second.copy()
            for level in np.unique(self.by):
                kept = np.isnan(self.by) if np.isnan(level) else self.by == level
                within = match_levels(self.first[kept], self.second[kept], self.topics[kept])
                matched[kept] = np.where(np.isnan(within), matched[kept], within)
            seconds[f"{name}, matched by level of --by"] = matched
        return [
            {"graders": title, "units": len(self.topics), "topics": len(self.topic_names)}
            | estimates(figures(self.sums(second), self.draws))
            for title, second in seconds.items()
        ]

    def confusion(self) -> list[Row]:
        """Units by level of the first grader (rows) and of the second (columns)."""
        counts = self.sums(self.second).confusion.sum(axis=0).astype(int)
        columns = list(map(str, self.levels))
        return [
            {"": level, **dict(zip(columns, row, strict=True))}
            for level, row in zip(columns, counts.tolist(), strict=True)
        ]

    def by_topic(self) -> list[Row]:
        """The figures of each topic, without intervals."""
        sums = self.sums(self.second)
        values = figures(sums, np.eye(len(self.topic_names)))
        return [
            {"topic": name, "units": int(sums.confusion[number].sum())}
            | {figure: estimate(found[[number]]).value for figure, found in values.items()}
            for number, name in enumerate(self.topic_names)
        ]

    def by_level(self) -> list[Row]:
        """The figures of units with each level of the other grades ``by``."""
        return [
            {"level": f"{level:g}", "units": int((self.by == level).sum())}
            | estimates(figures(self.sums(self.second, self.by == level), self.draws))
            for level in np.unique(self.by[~np.isnan(self.by)])
        ]


def agreement(
    table: GradeTable, settings: Settings, runs: Mapping[str, Sequence[RunRow]], *, per_topic: bool = False
) -> list[Table]:
    """Every table about one set of graders. Raises InputError for a run that these grades cannot measure."""
    units, number = f"{table.level}s", len(table.graders)
    every = settings.all_pairs or number <= MANY
    numbers = combinations(range(number), 2) if every else ((0, other) for other in range(1, number))
    couples = [Couple(table, *pair, settings) for pair in numbers]
    rows = [row for couple in couples for row in couple.rows(settings.match_levels)]
    found = [
        Table("graders", f"graders of {units}", grader_rows(table)),
        Table("agreement", f"agreement {INTERVAL}", rows),
    ]
    draws = draw_topics(len(table.topics), settings.draws, settings.seed)
    if alpha := alphas(table.values, table.topic_numbers, draws):
        found.append(Table("alpha", f"Krippendorff's alpha {INTERVAL}", [{"graders": str(number)} | alpha]))
    for couple in couples:
        name = " / ".join(couple.names)
        found.append(Table(f"levels: {name}", f"{units} by level of {couple.names[0]} (rows) and {couple.names[1]}",
                           couple.confusion()))  # fmt: skip
        if levels := couple.by_level():
            found.append(Table(f"by: {name}", f"{name} by the other grades {INTERVAL}", levels))
        if per_topic and couple.topic_names:
            found.append(Table(f"topics: {name}", f"{name} by topic", couple.by_topic()))
    return found + (run_tables(table, runs, settings) if runs else [])


def grader_rows(table: GradeTable) -> list[Row]:
    """What each grader graded, and on which scale."""
    rows = []
    for name, grades in zip(table.graders, table.values, strict=True):
        known = ~np.isnan(grades)
        topics = len(np.unique(table.topic_numbers[known]))
        low, mean, high = grades[known].min(), grades[known].mean(), grades[known].max()
        rows.append({"grader": name, "units": int(known.sum()), "topics": topics}
                    | {"lowest": float(low), "mean": float(mean), "highest": float(high)})  # fmt: skip
    return rows


def run_tables(table: GradeTable, runs: Mapping[str, Sequence[RunRow]], settings: Settings) -> list[Table]:
    """Runs by each grader over the topics that all graded, and how alike the orders are. Raises InputError."""
    qrels = [Qrels(level=table.level) for _ in table.graders]
    for (topic, id_), grades in zip(table.units, table.values.T.tolist(), strict=True):
        for of, grade in zip(qrels, grades, strict=True):
            if not np.isnan(grade):
                of.setdefault(topic, {})[id_] = grade
    topics = [topic for topic in table.topics if all(topic in of for of in qrels)]
    if not topics:
        what = "have no topic that all of them graded"
        raise InputError(" and ".join(table.graders), what, "leave out --run, or a grader")
    shared = [Qrels({topic: of[topic] for topic in topics}, table.level) for of in qrels]
    rows: list[Row] = []
    values: dict[tuple[str, str], list[list[float]]] = {}
    for run, lines in runs.items():
        for grader, of in zip(table.graders, shared, strict=True):
            check_match(run, lines, {QRELS: of})
            found = evaluate(lines, of, RUN_MEASURES)
            rows.append({"run": run, "grader": grader, **found.means})
            for name in RUN_MEASURES:
                values.setdefault((grader, name), []).append([found.values[name][topic] for topic in topics])
    draws = draw_topics(len(topics), settings.draws, settings.seed)
    orders = [
        {"graders": f"{one} / {other}", "measure": name}
        | rank_correlations(np.array(values[one, name]), np.array(values[other, name]), draws)
        for one, other in combinations(table.graders, 2)
        for name in RUN_MEASURES[::2]
    ]
    return [
        Table("runs", f"runs by each grader over {len(topics)} topics", rows),
        Table("orders", f"order of the {len(runs)} runs {INTERVAL}", orders),
    ]


def worst(table: GradeTable, count: int) -> list[Row]:
    """The units whose grades are furthest apart, furthest first; those at one distance from topics in turn."""
    distances = np.full(len(table.units), -1.0)
    several = np.count_nonzero(~np.isnan(table.values), axis=0) > 1
    distances[several] = np.nanmax(table.values[:, several], axis=0) - np.nanmin(table.values[:, several], axis=0)
    met: Counter[tuple[float, str]] = Counter()
    order = []
    for unit in np.flatnonzero(distances > 0).tolist():
        met[distances[unit], table.units[unit][0]] += 1
        order.append((-distances[unit], met[distances[unit], table.units[unit][0]], unit))
    rows = []
    for _, _, unit in nsmallest(count, order):
        topic, id_ = table.units[unit]
        grades = (None if np.isnan(grade) else grade for grade in table.values[:, unit].tolist())
        rows.append({"topic": topic, "id": id_, "grades": dict(zip(table.graders, grades, strict=True))})
    return rows


def notes(table: GradeTable, scale: Scale, *, alpha: bool) -> Iterable[str]:
    """What a reader must know beside the tables, a line each."""
    yield "difference: mean of second minus first grade. order: share of couples of a topic with different first grades"
    yield "that the second puts in the same order, ties a half; mean over topics."
    if scale.negative != "keep":
        yield f"Grades below 0 {'count as 0' if scale.negative == 'zero' else 'are left out'} (--negative)."
    known = {name: grades[~np.isnan(grades)] for name, grades in zip(table.graders, table.values, strict=True)}
    for name, grades in known.items():
        if fractions := np.count_nonzero(grades % 1):
            yield f"Equal shares and kappas round {fractions} fractional grades of {name} half up."
    if len({grades.max() for grades in known.values()}) > 1:
        scales = ", ".join(f"{name} {grades.max():g}" for name, grades in known.items())
        yield f"The highest grades differ ({scales}): see --match-levels and --cuts."
    if not alpha:
        yield "Krippendorff's alpha is left out: pip install 'riposte-ltr[agreement]'"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return "-" if value is None else str(value)
