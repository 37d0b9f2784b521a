"""Means of votes: plain, or weighted by how reliable the sources are and how far they copy each other."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ltr.supervision.label_models.base import FEW, Ballot, Combined, Values, label_model, row_means

PRIOR_UNITS = 30
"""Trusted grades that the agreement of a source with the others counts for, as evidence of its reliability."""

DISCOUNT = 0.6
"""Share of its agreement with the others that counts as a source's reliability: sources share errors, too."""

ALONE = 0.5
"""Agreement that is assumed of a source where no other votes on its units."""

FEW_SHARED = 10
"""Correlations between sources are shrunk as if there were so many more shared units without any."""

COPIES = 4
"""Power of a correlation that counts as copying: sources that correlate by .9 are two thirds a copy, by .5 a 16th."""

MOST = 0.95
"""Largest reliability that is believed."""


@label_model("mean", "mean of the centred votes, weighted by reliability and independence")
def mean(ballot: Ballot) -> Combined:
    """The default: needs no trusted grades, and uses those that there are."""
    believed = reliability(ballot)
    weights = believed / (1 - believed**2) * independence(ballot)
    if not weights.any():  # sources that contradict each other: none is better than another
        weights = np.where(ballot.constant, 0.0, 1.0)
    return Combined(row_means(ballot.centred, weights) + level(ballot, weights), shares(weights))


@label_model("plain", "mean of the votes as they are: every source counts the same")
def plain(ballot: Ballot) -> Combined:
    """The baseline."""
    return Combined(row_means(ballot.votes), shares(np.ones(ballot.votes.shape[1])))


def agreement_with_others(ballot: Ballot) -> Values:
    """(n_sources,) correlation of each source with the mean of the others, shrunk; `ALONE` where there are none."""
    scores, weights = ballot.centred, np.where(ballot.constant, 0.0, independence(ballot))
    number = len(weights)
    others = [row_means(np.delete(scores, k, axis=1), np.delete(weights, k)) for k in range(number)]
    found, shared = ballot.correlations(np.column_stack(others))
    return np.where(shared < FEW, ALONE, np.clip(found, 0, 1) * shared / (shared + FEW_SHARED))


def reliability(ballot: Ballot) -> Values:
    """(n_sources,) in [0, MOST]: correlation of each source with the trusted grades, shrunk toward a share of its
    agreement with the others by `PRIOR_UNITS`. Sources that are constant, or worse than chance, have 0."""
    found, shared = ballot.correlations(ballot.trusted)
    prior = DISCOUNT * agreement_with_others(ballot)
    shrunk = (shared * found + PRIOR_UNITS * prior) / (shared + PRIOR_UNITS)
    # Rounded: sums differ in their last digits with the order of units, and a source has a weight or none.
    return np.where(ballot.constant, 0.0, np.clip(np.round(shrunk, 9), 0, MOST))


def independence(ballot: Ballot) -> Values:
    """(n_sources,) in (0, 1]: 1 for a source unlike any other, 1/n for each of n copies."""
    frame, voted = pd.DataFrame(ballot.votes), ~np.isnan(ballot.votes)
    shared = voted.T.astype(np.int64) @ voted.astype(np.int64)
    alike = np.nan_to_num(frame.corr(min_periods=FEW).to_numpy()).clip(0, 1) * shared / (shared + FEW_SHARED)
    np.fill_diagonal(alike, 1.0)
    return 1 / (alike**COPIES).sum(axis=1)


def level(ballot: Ballot, weights: Values) -> float:
    """What was subtracted from the votes when they were centred, as weighted mean over the sources."""
    means = np.nan_to_num(pd.DataFrame(ballot.votes - ballot.centred).mean().to_numpy(np.float64))
    return float(means @ weights / max(float(weights.sum()), 1e-12))


def shares(weights: Values) -> Values:
    """Weights as shares of 1."""
    return np.asarray(weights / max(float(weights.sum()), 1e-12))
