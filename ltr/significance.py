"""Is one run better than another, or were its topics just lucky? Paired tests and effect sizes over topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ltr.metrics import RESAMPLES, bootstrap_interval

FloatArray = NDArray[np.float64]

FLIPS = 100_000
ALPHA = 0.05
EFFECT_LIMIT = 100.0  # what d_z is cut to; it would be infinite where all topics differ by the same
NO_EVIDENCE = "no evidence of a difference"
_DECIMALS = 12  # what is smaller is rounding: another grade or rank makes more
_BATCH = 1 << 20  # signs or drawn topics held in memory at a time


@dataclass(frozen=True, slots=True)
class Difference:
    """How far one run is above another, in the unit of the measure, over the same topics.

    ``low`` to ``high`` and ``effect_low`` to ``effect_high`` are 95% percentile bootstrap intervals.
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
    low, high = bootstrap_interval(differences, seed=seed)
    effect_low, effect_high = _effect_interval(differences, seed)
    return Difference(
        mean=float(differences.mean()),
        low=low,
        high=high,
        p=randomisation_p(differences, seed=seed),
        effect=float(effect_size(differences)),
        effect_low=effect_low,
        effect_high=effect_high,
        topics=len(differences),
        better=int(np.count_nonzero(differences > 0)),
        worse=int(np.count_nonzero(differences < 0)),
        equal=int(np.count_nonzero(differences == 0)),
    )


def verdict(difference: Difference, adjusted_p: float, alpha: float = ALPHA) -> str:
    """What the test comes to in words: "better", "worse" or "no evidence of a difference"."""
    if adjusted_p > alpha or difference.mean == 0:
        return NO_EVIDENCE
    return "better" if difference.mean > 0 else "worse"


# ---- p-values -------------------------------------------------------------------------------------


def randomisation_p(differences: FloatArray, *, seed: int = 0, resamples: int = FLIPS) -> float:
    """Two-sided p of the mean of ``differences``, (n_topics,) float64, by flipping signs.

    If the runs were equal, each difference could as well have had the other sign: p is the share of
    sign patterns whose mean is as far from 0. All 2**n patterns are tried where they are at most
    ``resamples``; else that many are drawn, and the observed one is counted among them, so that p is
    never 0. Smucker, Allan & Carterette 2007. Raises ValueError for a difference that is not finite.
    """
    if not np.isfinite(differences).all():
        raise ValueError("differences must be finite")
    moved = np.abs(differences[differences != 0])  # a sign more or less on 0 changes nothing
    if not len(moved):
        return 1.0
    scale = moved.max()
    observed = abs(float((differences / scale).sum()))
    moved /= scale
    total = moved.sum()
    # Equal sums must count as equal although they were added in different orders.
    threshold = observed - 10**-_DECIMALS * total
    exact = 2 ** len(moved) <= resamples
    patterns = _all_patterns(len(moved)) if exact else _drawn_patterns(len(moved), resamples, seed)
    extreme = sum(int(np.count_nonzero(np.abs(total - 2 * (flips @ moved)) >= threshold)) for flips in patterns)
    return extreme / 2 ** len(moved) if exact else (extreme + 1) / (resamples + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm-Bonferroni adjusted p-values in the order given: Holm 1979. As long as ``p_values``, each at most 1."""
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def _all_patterns(n: int) -> Iterator[NDArray[np.bool_]]:
    rows = max(1, _BATCH // n)
    for start in range(0, 2**n, rows):
        numbers = np.arange(start, min(start + rows, 2**n))
        yield (numbers[:, None] >> np.arange(n) & 1).astype(bool)


def _drawn_patterns(n: int, count: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    rng = np.random.default_rng(seed)
    rows = max(1, _BATCH // n)
    for start in range(0, count, rows):
        wanted = min(rows, count - start)
        drawn = np.frombuffer(rng.bytes(wanted * -(-n // 8)), np.uint8).reshape(wanted, -1)
        yield np.unpackbits(drawn, axis=1, count=n).view(bool)


# ---- effect size ----------------------------------------------------------------------------------


def effect_size(differences: FloatArray) -> FloatArray:
    """Cohen's d_z along the last axis: the mean over the standard deviation (n - 1), within `EFFECT_LIMIT`.

    0 where all differences are 0, and for a single topic, which has no spread to measure by.
    Cohen 1988, section 2.3.5; Sakai 2014 for its use beside p-values.
    """
    if differences.shape[-1] < 2:
        return np.zeros(differences.shape[:-1])
    means, spreads = differences.mean(axis=-1), differences.std(axis=-1, ddof=1)
    # Where a mean is at the limit the spread is next to nothing, so the limit is all that is left to say.
    spreads = np.maximum(spreads, np.abs(means) / EFFECT_LIMIT)
    return np.divide(means, spreads, out=np.zeros_like(means), where=spreads > 0)


def _effect_interval(differences: FloatArray, seed: int) -> tuple[float, float]:
    """95% percentile bootstrap interval over the topics, as `bootstrap_interval` draws them."""
    if np.ptp(differences) == 0:
        only = float(effect_size(differences))
        return only, only
    rng = np.random.default_rng(seed)
    effects = np.empty(RESAMPLES)
    step = max(1, _BATCH // len(differences))
    for start in range(0, RESAMPLES, step):
        part = effects[start : start + step]
        part[:] = effect_size(differences[rng.integers(len(differences), size=(len(part), len(differences)))])
    low, high = np.quantile(effects, [0.025, 0.975])
    return float(low), float(high)
