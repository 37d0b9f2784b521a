"""Tables of agreement: pairs of graders, all graders at once, systems, and the units that are furthest apart.

Intervals are percentiles of bootstrap samples of topics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.stats import kendalltau, somersd, spearmanr

from experiments.agreement.grades import FloatArray, GradeTable, IntArray, Scale, levels_of
from ltr.data.qrels import Qrels
from ltr.data.runs import RunRow
from ltr.errors import InputError
from ltr.evaluation.evaluator import check_match, evaluate
from ltr.evaluation.inputs import QRELS
from ltr.evaluation.output import aligned
from ltr.evaluation.significance import percentile_interval, quadratic_kappa

try:
    import krippendorff
except ImportError:  # the extra "agreement" is not installed
    krippendorff = None  # type: ignore[assignment,unused-ignore]

MANY = 4
"""With more graders, the others are compared with the first alone, unless all pairs are asked for."""

RUN_MEASURES = ("nDCG@5", "judged@5", "condensed_nDCG@5")
INTERVAL = "[95% interval over topics]"
ALPHAS: tuple[Literal["nominal", "ordinal", "interval"], ...] = ("nominal", "ordinal", "interval")
"""Distances between grades for Krippendorff's alpha."""
CORRELATIONS = {"Kendall tau-b": kendalltau, "Spearman rho": spearmanr}
_COSTLY = 5e8  # cells that the draws of an alpha may fill: some twenty seconds

Draws = FloatArray
"""(n_draws, n_topics) times that each topic was drawn; the first row is every topic once."""
Row = dict[str, Any]
"""Column -> a word, a count, a figure, an Estimate, or None where there is nothing."""


class Estimate(NamedTuple):
    """A figure with its 95% percentile interval over topics; None where it is not defined."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        interval = "" if self.low is None else f" [{self.low:.3f}, {self.high:.3f}]"
        return "-" if self.value is None else f"{self.value:.3f}{interval}"


class Table(NamedTuple):
    """Rows with the same columns under a caption; ``key`` is their name in JSON."""

    key: str
    caption: str
    rows: list[Row]

    def text(self) -> str:
        """Aligned columns."""
        cells = [[_cell(value) for value in row.values()] for row in self.rows]
        return "\n".join([self.caption, *aligned([list(self.rows[0]), *cells]), ""])


@dataclass(frozen=True)
class Settings:
    """Bootstrap samples, their seed, and whether all pairs of many graders are compared."""

    draws: int = 1000
    seed: int = 0
    all_pairs: bool = False


# ---- figures ----------------------------------------------------------------------------------------


def draw_topics(topics: int, draws: int, seed: int = 0) -> Draws:
    """Bootstrap samples of topics, see `Draws`. One topic alone has none."""
    if topics < 2:
        return np.ones((1, topics))
    drawn = np.random.default_rng(seed).multinomial(topics, np.full(topics, 1 / topics), size=draws)
    return np.vstack([np.ones(topics), drawn])


def estimate(values: Sequence[float]) -> Estimate:
    """The first value, and an interval from the others where at least half of them are defined."""
    first, drawn = values[0], np.array(values[1:])
    if np.isnan(first):
        return Estimate(None)
    defined = int(np.count_nonzero(~np.isnan(drawn)))
    return Estimate(float(first), *(percentile_interval(drawn) if defined and 2 * defined >= len(drawn) else ()))


def same_order(first: FloatArray, second: FloatArray) -> float:
    """Share of unit pairs with different first grades that the second grader orders alike; its ties count a half.

    Somers' D of the second on the first grades, brought to 0 to 1; NaN where all first grades are equal.

    >>> round(same_order(np.array([0.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0])), 3)  # 0-1 tied, 0-2 and 1-2 in order
    0.833
    """
    if len(np.unique(first)) < 2:
        return float("nan")
    if len(np.unique(second)) < 2:  # all tied; scipy has no value here
        return 0.5
    with np.errstate(divide="ignore", invalid="ignore"):  # of its p-value, for two units
        return float((somersd(first, second).statistic + 1) / 2)


def figures(first: FloatArray, second: FloatArray, topics: IntArray, draws: Draws) -> dict[str, Estimate]:
    """Figures of units that both graded, (n_units,) each, with ``topics`` numbered from 0; ``order`` is over topics."""
    one, other = levels_of(first), levels_of(second)
    orders = np.array([same_order(first[topics == topic], second[topics == topic]) for topic in range(draws.shape[1])])
    found: dict[str, list[float]] = {name: [] for name in ("equal", "quadratic kappa", "difference", "order")}
    for drawn in draws:
        times = drawn[topics]
        found["equal"].append(_mean(one == other, times))
        found["quadratic kappa"].append(quadratic_kappa(one, other, times))
        found["difference"].append(_mean(second - first, times))
        found["order"].append(_mean(orders, drawn))
    return {name: estimate(values) for name, values in found.items()}


def _mean(values: np.ndarray[Any, Any], times: FloatArray) -> float:
    """The weighted mean of the values that are defined, NaN without any."""
    times = np.where(np.isnan(values), 0, times)
    return float(np.nansum(values * times) / times.sum()) if times.any() else float("nan")


def alphas(values: FloatArray, topics: IntArray, draws: Draws) -> dict[str, Estimate]:
    """Krippendorff's alpha of grades (n_graders, n_units), NaN where there is none, by `ALPHAS`.

    Empty without the package ``krippendorff``. Where the draws would take long only the estimates are computed.
    """
    if krippendorff is None:
        return {}
    several = np.count_nonzero(~np.isnan(values), axis=0) > 1
    values, topics = values[:, several], topics[several]
    domain = np.unique(values[~np.isnan(values)])
    counts = (values[:, :, None] == domain).sum(axis=0)
    if counts.size * len(domain) * len(draws) > _COSTLY:
        draws = draws[:1]

    def alpha(drawn: FloatArray, distance: Literal["nominal", "ordinal", "interval"]) -> float:
        units = np.repeat(counts, drawn[topics].astype(np.int64), axis=0)
        if np.count_nonzero(units.any(axis=0)) < 2:  # one grade alone, or no topic of these units
            return float("nan")
        return float(krippendorff.alpha(value_counts=units, value_domain=domain, level_of_measurement=distance))

    return {name: estimate([alpha(drawn, name) for drawn in draws]) for name in ALPHAS}


def rank_correlations(first: FloatArray, second: FloatArray, draws: Draws) -> dict[str, Estimate]:
    """How alike two graders order systems, from values (n_systems, n_topics) of each, by `CORRELATIONS`."""
    means = [(draws @ values.T / draws.sum(axis=1, keepdims=True)).round(12) for values in (first, second)]
    pairs = [
        None if np.ptp(one) == 0 or np.ptp(other) == 0 else (one, other) for one, other in zip(*means, strict=True)
    ]
    return {
        name: estimate([float(function(*pair)[0]) if pair else float("nan") for pair in pairs])
        for name, function in CORRELATIONS.items()
    }


# ---- tables -----------------------------------------------------------------------------------------


def agreement(table: GradeTable, settings: Settings, runs: Mapping[str, Sequence[RunRow]]) -> list[Table]:
    """Every table about one set of graders. Raises InputError for a run that these grades cannot measure."""
    units, number = f"{table.level}s", len(table.graders)
    every = settings.all_pairs or number <= MANY
    pairs = list(combinations(range(number), 2)) if every else [(0, other) for other in range(1, number)]
    rows, levels = [], []
    for one, other in pairs:
        both = np.flatnonzero(~np.isnan(table.values[[one, other]]).any(axis=0))
        first, second = table.values[one, both], table.values[other, both]
        known, topics = np.unique(table.topic_numbers[both], return_inverse=True)
        name = f"{table.graders[one]} / {table.graders[other]}"
        found = figures(first, second, topics, draw_topics(len(known), settings.draws, settings.seed))
        rows.append({"graders": name, "units": len(both), "topics": len(known)} | found)
        caption = f"{units} by level of {table.graders[one]} (rows) and {table.graders[other]}"
        levels.append(Table(f"levels: {name}", caption, confusion(first, second)))
    tables = [
        Table("graders", f"graders of {units}", grader_rows(table)),
        Table("agreement", f"agreement {INTERVAL}", rows),
    ]
    draws = draw_topics(len(table.topics), settings.draws, settings.seed)
    if alpha := alphas(table.values, table.topic_numbers, draws):
        tables.append(Table("alpha", f"Krippendorff's alpha {INTERVAL}", [{"graders": str(number)} | alpha]))
    return tables + levels + (run_tables(table, runs, settings) if runs else [])


def confusion(first: FloatArray, second: FloatArray) -> list[Row]:
    """Units by level of the first grader (rows) and of the second (columns)."""
    one, other = levels_of(first), levels_of(second)
    known = [*one.tolist(), *other.tolist()] or [0]
    levels = range(min(known), max(known) + 1)
    return [
        {"": str(row)} | {str(column): int(np.count_nonzero((one == row) & (other == column))) for column in levels}
        for row in levels
    ]


def grader_rows(table: GradeTable) -> list[Row]:
    """Number of units and topics, and the range of grades, by grader."""
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
    """Explanations below the tables, a line each."""
    yield "difference: mean of second minus first grade. order: share of unit pairs of a topic with different first"
    yield "grades that the second grader puts in the same order, ties a half; mean over topics."
    if scale.negative != "keep":
        yield f"Grades below 0 {'count as 0' if scale.negative == 'zero' else 'are left out'} (--negative)."
    known = {name: grades[~np.isnan(grades)] for name, grades in zip(table.graders, table.values, strict=True)}
    for name, grades in known.items():
        if fractions := np.count_nonzero(grades % 1):
            yield f"Equal shares and kappas round {fractions} fractional grades of {name} half up."
    if len({grades.max() for grades in known.values()}) > 1:
        scales = ", ".join(f"{name} {grades.max():g}" for name, grades in known.items())
        yield f"The highest grades differ ({scales}): see --cuts."
    if not alpha:
        yield "Krippendorff's alpha is left out: pip install 'riposte-ltr[agreement]'"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return "-" if value is None else str(value)
