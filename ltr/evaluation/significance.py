"""Statistics over topics: means with intervals, paired tests with their correction, effect sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from ltr.errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

FLIPS = 20_000
ALPHA = 0.05
EFFECT_LIMIT = 100.0  # limit of d_z, which is infinite where all topics differ by the same
NO_EVIDENCE = "no evidence of a difference"
_DECIMALS = 12  # smaller differences are rounding errors
_BATCH = 1 << 18  # differences held in memory at a time


ByMeasure = Mapping[str, Mapping[str, float]]
"""Measure -> topic -> value."""


@dataclass(frozen=True)
class MeanCI:
    """A mean over topics with its 95% t interval."""

    mean: float
    low: float
    high: float
    topics: int

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True, slots=True)
class Difference:
    """How far one run is above another, in the unit of the measure, over the same topics.

    ``low`` to ``high`` is a 95% t interval, ``effect_low`` to ``effect_high`` one from the variance of d_z.
    ``p`` is of the two-sided randomisation test, not adjusted for other comparisons; see :func:`holm`.
    """

    mean: float
    low: float
    high: float
    p: float
    effect: float  # Cohen's d_z, see effect_size
    effect_low: float
    effect_high: float
    topics: int
    better: int
    worse: int
    equal: int


def paired_difference(a: FloatArray, b: FloatArray, seed: int = 0) -> Difference:
    """``a`` - ``b``, the values of two runs, (n_topics,) float64 each, topics in the same order.

    Raises ValueError when the shapes differ or there is no topic.
    """
    if a.shape != b.shape or a.ndim != 1 or not len(a):
        raise ValueError(f"values of the same topics are needed, not of shapes {a.shape} and {b.shape}")
    differences = np.round(a - b, _DECIMALS) + 0.0  # the same gains added in another order are no difference
    limit = max(1, float(np.abs(differences).max()))  # some measures count
    low, high = mean_interval(differences, (-limit, limit))
    effect = effect_size(differences)
    effect_low, effect_high = _effect_interval(effect, len(differences))
    return Difference(
        mean=float(differences.mean()),
        low=low,
        high=high,
        p=randomisation_p(differences, seed=seed),
        effect=effect,
        effect_low=effect_low,
        effect_high=effect_high,
        topics=len(differences),
        better=int(np.count_nonzero(differences > 0)),
        worse=int(np.count_nonzero(differences < 0)),
        equal=int(np.count_nonzero(differences == 0)),
    )


def verdict(difference: Difference, adjusted_p: float, alpha: float = ALPHA) -> str:
    """The result of a test in words: "better", "worse" or "no evidence of a difference"."""
    if adjusted_p > alpha or difference.mean == 0:
        return NO_EVIDENCE
    return "better" if difference.mean > 0 else "worse"


# ---- intervals ----------------------------------------------------------------------------------


def mean_interval(
    values: FloatArray, bounds: tuple[float, float] = (-1, 1), *, level: float = 0.95
) -> tuple[float, float]:
    """t interval of the mean of ``values``, (n_topics,) float64, cut to the ``bounds`` of the measure.

    Of few topics it holds the true mean more often than bootstrap intervals; see docs/evaluate.md. Topics that all
    agree show no spread: both ends are that value. One topic says nothing of others: the interval is ``bounds``.
    Raises ValueError without values.
    """
    if len(values) == 1:
        return bounds
    if np.ptp(values) == 0:
        return float(values[0]), float(values[0])
    mean = float(values.mean())
    half = float(stdtrit(len(values) - 1, (1 + level) / 2) * values.std(ddof=1)) / math.sqrt(len(values))
    return max(mean - half, bounds[0]), min(mean + half, bounds[1])


def percentile_interval(drawn: FloatArray) -> tuple[float, float]:
    """95% interval of a figure from its values in bootstrap samples, (n_draws,); NaN draws do not count."""
    low, high = np.nanquantile(drawn, (0.025, 0.975)).tolist()
    return low, high


def mean_ci(values: FloatArray, bounds: tuple[float, float] = (0, 1)) -> MeanCI:
    """The mean of (n_topics,) values with its interval, see `mean_interval`; zeros where there is no topic."""
    if not len(values):
        return MeanCI(0.0, 0.0, 0.0, 0)
    return MeanCI(float(values.mean()), *mean_interval(values, bounds), len(values))


# ---- paired tests ----------------------------------------------------------------------------------


def randomisation_p(differences: FloatArray, *, seed: int = 0, resamples: int = FLIPS) -> float:
    """Two-sided p of the mean of ``differences``, (n_topics,) float64, by flipping signs.

    If the runs were equal, each difference could as well have had the other sign: p is the share of
    sign patterns whose mean is as far from 0. All 2**n patterns are tried where they are at most
    ``resamples``; else that many are drawn, and the observed one is counted among them, so that p is
    never 0. Smucker, Allan & Carterette 2007. Raises ValueError for a difference that is not finite.
    """
    from scipy.stats import permutation_test  # noqa: PLC0415 most of a second, which only tests of two runs need

    if not np.isfinite(differences).all():
        raise ValueError("differences must be finite")
    moved = differences[differences != 0]  # a sign more or less on 0 changes nothing, so more cases are exact
    if len(moved) < 2:  # both signs of one difference are as far from 0; scipy wants two
        return 1.0

    def total(signed: FloatArray, axis: int) -> FloatArray:
        # Equal sums must count as equal although they were added in different orders.
        return np.round(signed.sum(axis), _DECIMALS - 2)

    rng = np.random.default_rng(seed)
    how = {"permutation_type": "samples", "vectorized": True, "batch": max(1, _BATCH // len(moved))}
    return float(permutation_test((moved / np.abs(moved).max(),), total, n_resamples=resamples, rng=rng, **how).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm-Bonferroni adjusted p-values in the order given: Holm 1979. As long as ``p_values``, each at most 1."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, position in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = highest
    return adjusted


CORRECTIONS: Mapping[str, Callable[[Sequence[float]], list[float]]] = {"holm": holm, "none": list}
"""Adjustments of p-values for the number of comparisons, by name."""


@dataclass(frozen=True)
class PairedTest:
    """``run`` minus ``baseline`` in one measure; ``adjusted_p`` is corrected over all tests of the comparison."""

    judgments: str
    measure: str
    run: str
    baseline: str
    difference: Difference
    adjusted_p: float
    verdict: str


def paired_tests(
    values: Mapping[str, Mapping[str, ByMeasure]],
    pairs: Sequence[tuple[str, str]],
    measures: Sequence[str],
    seed: int = 0,
    correction: str = "holm",
) -> list[PairedTest]:
    """The tests of each (run, baseline) in every set of judgments and measure, one family for the correction.

    ``values`` are by run and set of judgments; a test is over the topics that have a value in both runs, and
    InputError is raised where there is none. Two tests of the same differences count once, as those of full and
    condensed figures where all is judged; one of no differences does not, for it could not come out any other way
    (Tarone 1990).
    """
    sets = list(next(iter(values.values())))
    keys = [(name, measure, *pair) for name in sets for pair in pairs for measure in measures]
    differences: dict[bytes, Difference] = {}
    same = []
    for name, measure, *runs in keys:
        by_run = [values[run][name][measure] for run in runs]
        topics = [topic for topic in by_run[0] if topic in by_run[1]]
        if not topics:
            what = f"{' and '.join(runs)} have a value for no topic in common"
            raise InputError(f"{measure} by {name}", what, "test another measure")
        a, b = (np.array([by_topic[topic] for topic in topics]) for by_topic in by_run)
        same.append((np.round(a - b, _DECIMALS) + 0.0).tobytes())
        if same[-1] not in differences:
            differences[same[-1]] = paired_difference(a, b, seed)
    family = {key: difference.p for key, difference in differences.items() if difference.equal < difference.topics}
    adjusted = dict(zip(family, CORRECTIONS[correction](list(family.values())), strict=True))
    return [
        PairedTest(*key, differences[data], p, verdict(differences[data], p))
        for key, data in zip(keys, same, strict=True)
        for p in [adjusted.get(data, 1.0)]
    ]


# ---- effect size ----------------------------------------------------------------------------------


def effect_size(differences: FloatArray) -> float:
    """Cohen's d_z: the mean over the standard deviation (n - 1), within `EFFECT_LIMIT`.

    0 where all differences are 0, and for a single topic, which has no spread to measure by.
    Cohen 1988, section 2.3.5; Sakai 2014 for its use beside p-values.
    """
    if len(differences) < 2:
        return 0.0
    mean = float(differences.mean())
    # Where a mean is at the limit the spread is next to nothing, so the limit is all that is left to say.
    spread = max(float(differences.std(ddof=1)), abs(mean) / EFFECT_LIMIT)
    return mean / spread if spread else 0.0


def _effect_interval(effect: float, topics: int) -> tuple[float, float]:
    """95% interval of d_z from its large-sample variance: Hedges & Olkin 1985, ch. 5, for paired samples.

    Simulated, it held the true d_z in 94% to 99% of the samples of 4, 10 and 50 topics.
    """
    if topics < 2:
        return -EFFECT_LIMIT, EFFECT_LIMIT
    half = 1.96 * math.sqrt(1 / topics + effect**2 / (2 * (topics - 1)))
    return max(effect - half, -EFFECT_LIMIT), min(effect + half, EFFECT_LIMIT)


# ---- agreement ----------------------------------------------------------------------------------


def quadratic_kappa(first: IntArray, second: IntArray, times: FloatArray | None = None) -> float:
    """Cohen's kappa with quadratic weights (Cohen 1968) of whole levels, (n_units,) each; NaN where all are equal.

    ``times``: how often each unit counts.
    """
    from sklearn.metrics import cohen_kappa_score  # noqa: PLC0415 a second, which only studies of graders need

    if times is not None:
        first, second, times = first[times > 0], second[times > 0], times[times > 0]
    levels = np.union1d(first, second)
    if len(levels) < 2:
        return math.nan
    labels = np.arange(levels[0], levels[-1] + 1)
    return float(cohen_kappa_score(first, second, labels=labels, weights="quadratic", sample_weight=times))
