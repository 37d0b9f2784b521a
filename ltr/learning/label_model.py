"""The label model: one vote per item from the votes of several sources, calibrated by trusted grades."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

Values = npt.NDArray[np.float64]

ENOUGH_TRUSTED = 20
"""Items with a trusted grade, from which votes are calibrated by them."""
KNOT = 0.1
"""Votes below this are squeezed between 0 and this if some are below 0; likewise at the upper end."""
FEW = 3
"""Shared items, below which a correlation counts as unknown."""
PRIOR_UNITS = 30
"""Trusted grades that a source's agreement with the others counts for, as evidence of reliability."""
ALONE = 0.5
"""Agreement that is assumed of a source where no other votes on its items."""
FEW_SHARED = 10
"""Correlations between sources are shrunk as if so many more shared items were without any."""


@dataclass(frozen=True)
class Ballot:
    """Votes of several sources on the same items, and trusted grades of some of these."""

    votes: Values
    """(n_items, n_sources) in [0, 1], NaN where a source abstains."""
    trusted: Values
    """(n_items,) in [0, 1], NaN where there is none."""

    @cached_property
    def constant(self) -> npt.NDArray[np.bool_]:
        """(n_sources,) sources that abstain or always vote the same: they say nothing about any item."""
        filled = pd.DataFrame(self.votes)
        return np.asarray((filled.max() - filled.min()).fillna(0) < 1e-9)

    @cached_property
    def centred(self) -> Values:
        """(n_items, n_sources) votes minus the mean of their source, NaN for abstentions; 0 for constant sources.

        The mean of a source is then moved to that of the other sources on the same items, five times in turn: a source
        that votes only on good items is not taken for a kind one. Dividing by deviations did worse.
        """
        votes = np.where(self.constant & ~np.isnan(self.votes), 0.0, self.votes)
        scores = votes - np.nansum(votes, axis=0) / np.maximum((~np.isnan(votes)).sum(axis=0), 1)
        for source in np.tile(np.flatnonzero(~self.constant), 5):
            others = row_means(np.delete(scores, source, axis=1))
            shared = ~np.isnan(scores[:, source]) & ~np.isnan(others)
            if shared.any():
                scores[:, source] += others[shared].mean() - scores[shared, source].mean()
        return scores

    def correlations(self, others: Values) -> tuple[Values, npt.NDArray[np.int64]]:
        """(n_sources,) correlation of each source's votes with other values of the items, 0 where it is unknown, and
        the number of items that both have. ``others`` is (n_items,), or (n_items, n_sources) with one column each."""
        columns = others if others.ndim == 2 else np.tile(others[:, None], self.votes.shape[1])
        shared = (~np.isnan(self.votes) & ~np.isnan(columns)).sum(axis=0)
        found = list(map(correlation, self.votes.T, columns.T))
        return np.nan_to_num(np.array(found)), shared


class Combined(NamedTuple):
    """One vote per item, made of the votes of several sources."""

    vote: Values
    """(n_items,) in [0, 1], NaN where no source with a weight votes."""
    weights: Values
    """(n_sources,) weight of each source as shares of 1."""
    reliability: Values
    """(n_sources,) see `reliability`."""


def combine(ballot: Ballot) -> Combined:
    """Mean of the centred votes, weighted by reliability and independence, and `calibrated`."""
    believed = reliability(ballot)
    weights = believed / (1 - believed**2) * independence(ballot)
    if not weights.any():  # sources that contradict each other: none is better than another
        weights = np.where(ballot.constant, 0.0, 1.0)
    centres = np.nan_to_num(pd.DataFrame(ballot.votes - ballot.centred).mean().to_numpy(np.float64))
    total = max(float(weights.sum()), 1e-12)
    level = float(centres @ weights / total)  # which centring subtracted
    return Combined(calibrated(row_means(ballot.centred, weights) + level, ballot.trusted), weights / total, believed)


def reliability(ballot: Ballot) -> Values:
    """(n_sources,) in [0, 0.95]: correlation of each source with the trusted grades, shrunk toward a share of its
    agreement with the others by `PRIOR_UNITS`. Sources that are constant, or worse than chance, have 0.

    Agreement is the correlation with the mean of the others, shrunk; `ALONE` where there are none.
    """
    scores, weights = ballot.centred, np.where(ballot.constant, 0.0, independence(ballot))
    others = [row_means(np.delete(scores, k, axis=1), np.delete(weights, k)) for k in range(len(weights))]
    found, shared = ballot.correlations(np.column_stack(others))
    agreement = np.where(shared < FEW, ALONE, np.clip(found, 0, 1) * shared / (shared + FEW_SHARED))
    prior = 0.6 * agreement  # sources share errors, too
    found, shared = ballot.correlations(ballot.trusted)
    shrunk = (shared * found + PRIOR_UNITS * prior) / (shared + PRIOR_UNITS)
    # Rounded: sums differ in their last digits with the order of items, and a source has a weight or none.
    return np.where(ballot.constant, 0.0, np.clip(np.round(shrunk, 9), 0, 0.95))


def independence(ballot: Ballot) -> Values:
    """(n_sources,) in (0, 1]: 1 for a source unlike any other, 1/n for each of n copies.

    Sources that correlate by .9 are two thirds a copy, by .5 a 16th.
    """
    frame, voted = pd.DataFrame(ballot.votes), ~np.isnan(ballot.votes)
    shared = voted.T.astype(np.int64) @ voted.astype(np.int64)
    alike = np.nan_to_num(frame.corr(min_periods=FEW).to_numpy()).clip(0, 1) * shared / (shared + FEW_SHARED)
    np.fill_diagonal(alike, 1.0)
    return 1 / (alike**4).sum(axis=1)


def calibrated(vote: Values, trusted: Values) -> Values:
    """(n_items,) votes in [0, 1]; with `ENOUGH_TRUSTED` trusted grades on a line to their mean and deviation.

    The line of least squares would draw all items to the mean: levels agree better with people's by this one
    (docs/laboratory.md). Votes outside [0, 1] are not cut off, which would lose their order: see `KNOT`.
    """
    known = ~np.isnan(vote) & ~np.isnan(trusted)
    if known.sum() >= ENOUGH_TRUSTED and np.ptp(vote[known]) > 0:
        grades, votes = trusted[known], vote[known]
        vote = grades.mean() + grades.std() / votes.std() * (vote - votes.mean())
    found = np.array(vote, np.float64)
    for _ in range(2):  # the lower end, and upside down the upper one
        lowest = np.nanmin(found, initial=0.0)
        if lowest < 0:
            low = found < KNOT
            found[low] = KNOT * (found[low] - lowest) / (KNOT - lowest)
        found = 1 - found
    return np.round(found, 9)


def correlation(votes: Values, others: Values) -> float:
    """Correlation over the items that have both; NaN where these are fewer than `FEW`, or one is constant."""
    return float(pd.Series(votes).corr(pd.Series(others), min_periods=FEW))


def row_means(votes: Values, weights: Values | None = None) -> Values:
    """(n_rows,) weighted means of the columns without NaN; NaN where all columns with a weight are NaN."""
    weights = np.ones(votes.shape[1]) if weights is None else weights
    voted = ~np.isnan(votes)
    mass, sums = voted @ weights, np.where(voted, votes, 0.0) @ weights
    return np.divide(sums, mass, out=np.full(len(votes), np.nan), where=mass > 0)
