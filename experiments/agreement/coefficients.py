"""Coefficients of agreement with bootstrap intervals over topics.

A draw is a weight for each topic, so each figure is computed from sums per topic and never from the units again. The
first draw has every topic once: its figure is the estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy.stats import kendalltau, somersd, spearmanr

from experiments.agreement.grades import FloatArray, IntArray, levels_of

try:
    import krippendorff
except ImportError:  # the extra "agreement" is not installed
    krippendorff = None  # type: ignore[assignment,unused-ignore]

Distance = Literal["nominal", "ordinal", "interval"]
ALPHAS: tuple[Distance, ...] = ("nominal", "ordinal", "interval")
"""Distances between grades for Krippendorff's alpha."""

Draws = FloatArray
"""(n_draws, n_topics) times that each topic was drawn; the first row is every topic once."""

CORRELATIONS: dict[str, Callable[..., tuple[float, float]]] = {"Kendall tau-b": kendalltau, "Spearman rho": spearmanr}

_COSTLY = 5e8  # cells that the draws of an alpha may fill: some twenty seconds


class Estimate(NamedTuple):
    """A figure with its 95% percentile interval over topics; None where it is not defined."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        interval = "" if self.low is None else f" [{self.low:.3f}, {self.high:.3f}]"
        return "-" if self.value is None else f"{self.value:.3f}{interval}"


def draw_topics(topics: int, draws: int, seed: int = 0) -> Draws:
    """Bootstrap samples of topics, see `Draws`. One topic alone has none."""
    if topics < 2:
        return np.ones((1, topics))
    drawn = np.random.default_rng(seed).multinomial(topics, np.full(topics, 1 / topics), size=draws)
    return np.vstack([np.ones(topics), drawn])


def estimates(values: Mapping[str, FloatArray]) -> dict[str, Estimate]:
    """Each figure of `figures` with its interval."""
    return {name: estimate(drawn) for name, drawn in values.items()}


def estimate(values: FloatArray) -> Estimate:
    """The first value, and an interval from the others where at least half of them are defined."""
    drawn = values[1:][~np.isnan(values[1:])]
    if np.isnan(values[0]):
        return Estimate(None)
    if not len(drawn) or 2 * len(drawn) < len(values) - 1:
        return Estimate(float(values[0]))
    return Estimate(float(values[0]), *np.quantile(drawn, (0.025, 0.975)).tolist())


@dataclass(frozen=True)
class TopicSums:
    """What the figures of two graders are computed from, per topic.

    ``confusion`` (n_topics, n_levels, n_levels): units by level of the first and of the second grader.
    ``difference`` (n_topics,): sum of second minus first grade.
    ``order`` (n_topics,): share of differently graded units in order, see `same_order`; NaN without any.
    """

    confusion: FloatArray
    difference: FloatArray
    order: FloatArray


def topic_sums(first: FloatArray, second: FloatArray, topics: IntArray, n_topics: int, levels: IntArray) -> TopicSums:
    """Sums per topic of units that both graded, (n_units,) each; ``levels`` are all whole levels in order."""
    confusion = np.zeros((n_topics, len(levels), len(levels)))
    np.add.at(confusion, (topics, levels_of(first) - levels[0], levels_of(second) - levels[0]), 1)
    order = [same_order(first[topics == topic], second[topics == topic]) for topic in range(n_topics)]
    differences = np.bincount(topics, second - first, n_topics).astype(np.float64)
    return TopicSums(confusion, differences, np.array(order))


def same_order(first: FloatArray, second: FloatArray) -> float:
    """Share of couples with different first grades that the second puts in the same order; its ties count a half.

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


def kappa(confusion: FloatArray, weights: str | None = None) -> FloatArray:
    """Cohen's kappa of confusion matrices (..., n_levels, n_levels); ``weights``: None, linear or quadratic.

    Cohen 1960 and 1968, as scikit-learn's ``cohen_kappa_score``; NaN where both graders gave one level alone.
    """
    gap = np.abs(np.subtract.outer(np.arange(confusion.shape[-1]), np.arange(confusion.shape[-1]))).astype(np.float64)
    penalty = {None: (gap > 0).astype(np.float64), "linear": gap, "quadratic": gap**2}[weights]
    rows, columns = confusion.sum(axis=-1), confusion.sum(axis=-2)
    units = rows.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.einsum("...i,ij,...j->...", rows, penalty, columns) / units
        return np.where(expected > 0, 1 - (confusion * penalty).sum(axis=(-2, -1)) / expected, np.nan)


def figures(sums: TopicSums, draws: Draws) -> dict[str, FloatArray]:
    """Each figure per draw, (n_draws,): of units, but ``order`` as the mean over topics that have one."""
    confusion = np.tensordot(draws, sums.confusion, axes=1)
    known = ~np.isnan(sums.order)
    with np.errstate(divide="ignore", invalid="ignore"):
        units = confusion.sum(axis=(-2, -1))
        return {
            "equal": np.trace(confusion, axis1=-2, axis2=-1) / units,
            "kappa": kappa(confusion),
            "linear kappa": kappa(confusion, "linear"),
            "quadratic kappa": kappa(confusion, "quadratic"),
            "difference": draws @ sums.difference / units,
            "order": draws[:, known] @ sums.order[known] / draws[:, known].sum(axis=1),
        }


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

    def alpha(drawn: FloatArray, distance: Distance) -> float:
        units = np.repeat(counts, drawn[topics].astype(np.int64), axis=0)
        if np.count_nonzero(units.any(axis=0)) < 2:  # one grade alone, or no topic of these units
            return float("nan")
        return float(krippendorff.alpha(value_counts=units, value_domain=domain, level_of_measurement=distance))

    return estimates({name: np.array([alpha(drawn, name) for drawn in draws]) for name in ALPHAS})


def rank_correlations(first: FloatArray, second: FloatArray, draws: Draws) -> dict[str, Estimate]:
    """How alike two graders order systems, from values (n_systems, n_topics) of each, by `CORRELATIONS`."""
    means = [(draws @ values.T / draws.sum(axis=1, keepdims=True)).round(12) for values in (first, second)]

    def correlation(function: Callable[..., tuple[float, float]], one: FloatArray, other: FloatArray) -> float:
        return float("nan") if np.ptp(one) == 0 or np.ptp(other) == 0 else float(function(one, other)[0])

    couples = list(zip(*means, strict=True))
    values = {name: [correlation(function, *both) for both in couples] for name, function in CORRELATIONS.items()}
    return estimates({name: np.array(found) for name, found in values.items()})


def match_levels(first: FloatArray, second: FloatArray, topics: IntArray) -> FloatArray:
    """The second grader's grades as levels of the first, (n_units,), NaN where there is one topic alone.

    A grade becomes the level at the same quantile: the least level of the first grader that at least as many units
    reach downwards as lie below the grade, half of those with the same grade included. Both distributions are those of
    the other topics, so a topic's own grades decide nothing.
    """
    matched = np.full(len(second), np.nan)
    levels = levels_of(first)
    for topic in np.unique(topics):
        own, others = topics == topic, topics != topic
        if not others.any():
            continue
        target, source = np.sort(levels[others]), np.sort(second[others])
        lower, upper = (np.searchsorted(source, second[own], side) for side in ("left", "right"))
        quantiles = (lower + upper) / 2 / len(source)
        places = np.ceil(quantiles * len(target)).astype(np.int64) - 1
        matched[own] = target[places.clip(0, len(target) - 1)]
    return matched
