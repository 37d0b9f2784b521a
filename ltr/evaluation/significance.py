"""Statistics over topics: means with intervals, paired tests with their correction, effect sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from ltr.errors import InputError
from ltr.evaluation.tables import interval_text

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]

ALPHA = 0.05
EFFECT_LIMIT = 100.0  # limit of d_z, which is infinite where all topics differ by the same
CORRELATION = "rank correlation"
"""A measure of studies. Its values begin at -1, those of others at 0."""
CROSS_VALIDATED = 1.5
"""Factor of the variance of a mean `CORRELATION`, see docs/ablation.md: any two topics train each other's ranker, so
that what they share by chance is in the values of both."""
NO_EVIDENCE = "no evidence of a difference"
_STEPS = 1 << 18  # of all differences together, into which the largest possible sum is divided
_LEAST_STEPS = 1 << 11  # of the largest difference


class MeanCI(NamedTuple):
    """A mean over topics with its 95% t interval."""

    mean: float
    low: float
    high: float
    topics: int

    def text(self, decimals: int = 3) -> str:
        """``.5 [.4, .6]``."""
        return interval_text(self.mean, self.low, self.high, decimals=decimals)

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True, slots=True)
class Difference:
    """How far one run is above another, in the unit of the measure, over the same topics.

    ``low`` to ``high`` is a 95% t interval, ``effect_low`` to ``effect_high`` one from the variance of d_z.
    ``p`` is of the two-sided randomisation test, or in a `CORRELATION` of a t test, not adjusted for other
    comparisons; see :func:`holm`.
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


def paired_difference(a: FloatArray, b: FloatArray, variance: float = 1.0) -> Difference:
    """``a`` - ``b``, the values of two runs, (n_topics,) float64 each, topics in the same order.

    ``variance``: factor of the mean's variance, see `variance_of`.
    Raises ValueError when the shapes differ or there is no topic.
    """
    if a.shape != b.shape or a.ndim != 1 or not len(a):
        raise ValueError(f"values of the same topics are needed, not of shapes {a.shape} and {b.shape}")
    differences = np.round(a - b, 12) + 0.0  # the order in which gains are added makes no difference
    limit = max(1, float(np.abs(differences).max()))  # some measures count
    effect, signs = effect_size(differences), np.sign(differences)
    return Difference(
        float(differences.mean()),
        *mean_interval(differences, (-limit, limit), variance),
        max(randomisation_p(differences), t_p(differences, variance) if variance > 1 else 0.0),
        effect,
        *_effect_interval(effect, len(differences), variance),
        len(differences),
        *(int(np.count_nonzero(signs == sign)) for sign in (1, -1, 0)),
    )


def verdict(difference: Difference, adjusted_p: float) -> str:
    """The result of a test in words: "better", "worse" or "no evidence of a difference"."""
    if adjusted_p > ALPHA or difference.mean == 0:
        return NO_EVIDENCE
    return "better" if difference.mean > 0 else "worse"


def variance_of(measure: str) -> float:
    """The factor of the variance of a mean over topics, 1 where topics are independent."""
    return CROSS_VALIDATED if measure == CORRELATION else 1.0


def mean_interval(
    values: FloatArray, bounds: tuple[float, float] = (-1, 1), variance: float = 1.0
) -> tuple[float, float]:
    """95% t interval of the mean of ``values``, (n_topics,) float64, cut to the ``bounds`` of the measure.

    Of few topics it holds the true mean more often than bootstrap intervals; see docs/evaluate.md. Topics that all
    agree show no spread: both ends are that value. One topic says nothing of others: the interval is ``bounds``.
    ``variance`` as in `paired_difference`. Raises ValueError without values.
    """
    if len(values) == 1:
        return bounds
    if np.ptp(values) == 0:
        return float(values[0]), float(values[0])
    mean = float(values.mean())
    half = float(stdtrit(len(values) - 1, 0.975) * values.std(ddof=1)) * math.sqrt(variance) / math.sqrt(len(values))
    return max(mean - half, bounds[0]), min(mean + half, bounds[1])


def t_p(differences: FloatArray, variance: float) -> float:
    """Two-sided p of a t test of the mean of ``differences``, (n_topics,) float64; ``variance``: factor of its own.

    0 where all topics differ by the same, 1 for a single topic. The corrected test of Nadeau & Bengio 2003 has the same
    form; its factor for five folds is 2.25.
    """
    if len(differences) < 2 or not differences.any():
        return 1.0
    error = float(differences.std(ddof=1)) * math.sqrt(variance / len(differences))
    mean = abs(float(differences.mean()))
    return 2 * float(stdtr(len(differences) - 1, -mean / error)) if error else 0.0


def percentile_interval(drawn: FloatArray) -> tuple[float, float]:
    """95% interval of a figure from its values in bootstrap samples, (n_draws,); NaN draws do not count."""
    low, high = np.nanquantile(drawn, (0.025, 0.975)).tolist()
    return low, high


def randomisation_p(differences: FloatArray) -> float:
    """Two-sided p of the mean of ``differences``, (n_topics,) float64, by flipping signs.

    If the runs were equal, each difference could as well have had the other sign: p is the share of all 2**n sign
    patterns whose mean is as far from 0 (Smucker, Allan & Carterette 2007). None is drawn: the sums of whole numbers
    of steps, into which differences are rounded, are counted one difference after the other (the shift algorithm,
    Streitberg & Roehmel 1986). Sums that rounding could have parted count as equal, so p is never too small.
    Raises ValueError for a difference that is not finite.
    """
    if not np.isfinite(differences).all():
        raise ValueError("differences must be finite")
    moved = differences[differences != 0]  # a sign more or less on 0 changes nothing
    if not len(moved):
        return 1.0
    steps = np.rint(moved / np.abs(moved).max() * max(_STEPS // len(moved), _LEAST_STEPS)).astype(np.int64)
    share = np.zeros(np.abs(steps).sum() + 1)  # of sign patterns, by the sum of the positive ones
    share[0] = 1.0
    for step in np.abs(steps[steps != 0]):
        share[step:] += share[:-step].copy()
        share /= 2
    sums = np.abs(2 * np.arange(len(share)) - (len(share) - 1))
    return min(1.0, float(share[sums >= abs(steps.sum()) - len(moved)].sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm-Bonferroni adjusted p-values in the order given: Holm 1979. As long as ``p_values``, each at most 1."""
    p = np.array(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    p[order] = np.maximum.accumulate(np.minimum(1.0, np.arange(len(p), 0, -1) * p[order]))
    return p.tolist()


def adjusted_ps(family: Sequence[Difference]) -> list[float]:
    """The adjusted p of each difference of a family: those that one question asks, as runs against one baseline.

    Equal differences count once, as those of full and condensed figures where all is judged; one without any does not,
    for it could not come out any other way (Tarone 1990).
    """
    moved = dict.fromkeys(one for one in family if one.equal < one.topics)
    adjusted = dict(zip(moved, holm([one.p for one in moved]), strict=True))
    return [adjusted.get(one, 1.0) for one in family]


def least_p(family: Sequence[Difference]) -> float:
    """The least adjusted p that a difference of the family could have, however large: all topics better, or worse."""
    moved = dict.fromkeys(one for one in family if one.equal < one.topics)
    topics = max((one.topics for one in moved), default=1)
    return min(1.0, len(moved) * 2.0 ** (1 - topics))


def p_text(p: float, decimals: int = 3) -> str:
    """A p-value with so many decimals, and as ``<.001`` below the least."""
    return f"{p:.{decimals}f}" if p >= 10**-decimals else f"<.{1:0{decimals}}"


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


def comparison(test: PairedTest) -> dict[str, Any]:
    """A test as plain data, with the figures of its difference beside its other facts."""
    row = asdict(test)
    difference: dict[str, Any] = row.pop("difference")
    return difference | row


def paired_tests(values: pd.DataFrame, pairs: Sequence[tuple[str, str]], measures: Sequence[str]) -> list[PairedTest]:
    """The tests of each (run, baseline) in every set of judgments and measure, one family for the correction.

    ``values`` have a row a (set of judgments, topic) and a column a (run, measure), NaN where a topic has no value. A
    test is over the topics that have a value in both runs; InputError is raised where there is none.
    """
    keys, family = [], []
    for name, of_set in values.groupby(level=0, sort=False):
        for pair in pairs:
            for measure in measures:
                both = of_set[[(run, measure) for run in pair]].dropna().to_numpy(np.float64)
                if not len(both):
                    what = f"{' and '.join(pair)} have a value for no topic in common"
                    raise InputError(f"{measure} by {name}", what, "test another measure")
                keys.append((str(name), measure, *pair))
                family.append(paired_difference(both[:, 0].copy(), both[:, 1].copy(), variance_of(measure)))
    return [
        PairedTest(*key, difference, p, verdict(difference, p))
        for key, difference, p in zip(keys, family, adjusted_ps(family), strict=True)
    ]


def tested_rows(family: Sequence[PairedTest], *, several: bool, against: bool) -> list[list[str]]:
    """A table of tests for people; ``several`` sets of judgments are named, and baselines where ``against``."""
    rows = []
    for test in family:
        d = test.difference
        row = {
            "run": test.run,
            **({"against": test.baseline} if against else {}),
            **({"judgments": test.judgments} if several else {}),
            "measure": test.measure,
            "difference [95%]": interval_text(d.mean, d.low, d.high, "+"),
            "d_z [95%]": interval_text(d.effect, d.effect_low, d.effect_high, "+", 2),
            "wins/ties/losses": f"{d.better}/{d.equal}/{d.worse}",
            "p": p_text(d.p, 4),
            "Holm p": p_text(test.adjusted_p, 4),
            "verdict": test.verdict,
        }
        rows.append(row)
    return [list(rows[0]), *(list(row.values()) for row in rows)]


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


def _effect_interval(effect: float, topics: int, variance: float) -> tuple[float, float]:
    """95% interval of d_z from its large-sample variance: Hedges & Olkin 1985, ch. 5, for paired samples.

    Simulated, it held the true d_z in 94% to 99% of the samples of 4, 10 and 50 topics.
    """
    if topics < 2:
        return -EFFECT_LIMIT, EFFECT_LIMIT
    half = 1.96 * math.sqrt(variance * (1 / topics + effect**2 / (2 * (topics - 1))))
    return max(effect - half, -EFFECT_LIMIT), min(effect + half, EFFECT_LIMIT)
