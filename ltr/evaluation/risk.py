"""Risk: what a run loses where a baseline is good, which its mean hides.

Against one baseline: URisk (Wang, Bennett & Collins-Thompson 2012) and TRisk (Dinçer, Macdonald & Ounis 2014). Of
several runs: GeoRisk (Dinçer, Macdonald & Ounis 2016), by what each topic and each run lets one expect.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from ltr.evaluation.evaluator import Figures
from ltr.evaluation.significance import FloatArray, effect_size

ALPHA = 1
"""A loss counts 1 + alpha times."""
LARGE = 0.1
"""A topic's difference above this is counted."""
POOLS = ((1, 5), (6, 15), (16, math.inf))
"""Topics are split by their number of relevant items: few leave a ranker little to find, and little to learn from."""


def u_risk(values: FloatArray, baseline: FloatArray, alpha: float = ALPHA) -> float:
    """Mean gain over a baseline, losses 1 + ``alpha`` times; (n_topics,) values of the same topics."""
    return float(_weighted(values - baseline, alpha).mean())


def t_risk(values: FloatArray, baseline: FloatArray, alpha: float = ALPHA) -> float:
    """:func:`u_risk` in standard errors: below -2 the losses are significant, above 2 the gains."""
    return effect_size(_weighted(values - baseline, alpha)) * math.sqrt(len(values))


def geo_risk(values: FloatArray, alpha: float = ALPHA) -> FloatArray:
    """(n_runs,) of (n_runs, n_topics): root of the mean times the normal probability of its risk.

    A run's risk sums the deviations of its topics from the values expected by the means of run and topic.
    """
    topics = values.shape[1]
    means = values.mean(axis=1)
    expected = np.outer(means, values.sum(axis=0)) / max(means.sum(), 1e-12)
    apart = np.divide(values - expected, np.sqrt(expected), out=np.zeros_like(values), where=expected > 0)
    return np.asarray(np.sqrt(means * ndtr(_weighted(apart, alpha).sum(axis=1) / topics)))


def _weighted(differences: FloatArray, alpha: float) -> FloatArray:
    return np.where(differences < 0, (1 + alpha) * differences, differences)


@dataclass(frozen=True)
class Risk:
    """The risk of ``run`` against ``baseline`` in one measure by one set of judgments."""

    judgments: str
    measure: str
    run: str
    baseline: str
    u_risk: float
    t_risk: float
    geo_risk: float
    """Of all runs that were measured together."""
    won: int
    """Topics that are better by more than `LARGE`."""
    lost: int
    items_won: int
    """Relevant items above the cut of the measure that the baseline does not have there, over all topics."""
    items_lost: int


def risks(figures: Figures, measures: Iterable[str], baseline: str, alpha: float = ALPHA) -> list[Risk]:
    """The risk of every other run, over the topics that all have a value for."""
    found = []
    for name in figures[baseline]:
        for measure in measures:
            by_run = {run: by_set[name].values[measure] for run, by_set in figures.items()}
            topics = [topic for topic in by_run[baseline] if all(topic in values for values in by_run.values())]
            if not topics:
                continue
            table = {run: np.array([values[topic] for topic in topics]) for run, values in by_run.items()}
            geo = dict(zip(table, geo_risk(np.array(list(table.values())), alpha).tolist(), strict=True))
            base, cut = table[baseline], measure.rpartition("@")[2]
            depth = int(cut) if cut.isdecimal() else sys.maxsize
            tops = {
                run: {item for item, rank in by_set[name].relevant.items() if rank <= depth}
                for run, by_set in figures.items()
            }
            for run, values in table.items():
                if run != baseline:
                    apart = np.round(values - base, 12)
                    theirs, shown = tops[run], tops[baseline]
                    risk = u_risk(values, base, alpha), t_risk(values, base, alpha), geo[run]
                    counts = int((apart > LARGE).sum()), int((apart < -LARGE).sum())
                    items = len(theirs - shown), len(shown - theirs)
                    found.append(Risk(name, measure, run, baseline, *risk, *counts, *items))
    return found


def risk_rows(found: Sequence[Risk], *, several: bool) -> list[list[str]]:
    """A table of risks for people; ``several`` sets of judgments are named."""
    head = ["run", *(["judgments"] if several else []), "measure", "URisk", "TRisk", "GeoRisk"]
    rows = [[*head, f"topics won/lost by > {LARGE:g}", "relevant items won/lost"]]
    for one in found:
        named = [one.run, *([one.judgments] if several else []), one.measure]
        figures = [f"{one.u_risk:+.3f}", f"{one.t_risk:+.2f}", f"{one.geo_risk:.3f}"]
        rows.append([*named, *figures, f"{one.won}/{one.lost}", f"{one.items_won}/{one.items_lost}"])
    return rows


def pool_rows(figures: Figures, judgments: str, measure: str) -> list[list[str]]:
    """Means of a measure, topics split by `POOLS`; no row where all topics are in one of them."""
    counts = Counter(topic for topic, _ in next(iter(figures.values()))[judgments].relevant)
    parts = {}
    for low, high in POOLS:
        name = f"{low} or more" if high == math.inf else f"{low} to {high}"
        if topics := [topic for topic, count in counts.items() if low <= count <= high]:
            parts[f"{name} ({len(topics)} topics)"] = topics
    if len(parts) < 2:
        return []
    rows = [[f"{measure} by relevant items", *parts]]
    for run, by_set in figures.items():
        values = by_set[judgments].values[measure]
        known = [[values[topic] for topic in topics if topic in values] for topics in parts.values()]
        rows.append([run, *(f"{math.fsum(of) / len(of):.3f}" if of else "-" for of in known)])
    return rows
