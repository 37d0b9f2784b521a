"""Weights of sources, learned from trusted grades by ridge regression."""

from __future__ import annotations

import numpy as np

from ltr.supervision.label_models.base import ENOUGH_TRUSTED, Ballot, Combined, label_model
from ltr.supervision.label_models.mean import mean, shares

PENALTY = 100.0
"""Penalty on weights beside those of the mean, for votes with deviation 1; the best of 30 to 1,000 in simulations."""


@label_model("ridge", "weights learned from trusted grades by ridge regression toward the weights of the mean")
def ridge(ballot: Ballot) -> Combined:
    """Without `ENOUGH_TRUSTED` units that have both votes and a trusted grade it is the mean.

    The regression is of trusted grades on the mean, which has no penalty, and on every source's votes.
    """
    combined = mean(ballot)
    known = ~np.isnan(combined.vote) & ~np.isnan(ballot.trusted)
    if known.sum() < ENOUGH_TRUSTED:
        return combined
    voted = ~np.isnan(combined.vote)
    spread = max(float(np.nanstd(ballot.centred)), 1e-9)
    base = (combined.vote - np.nanmean(combined.vote))[:, None] / spread
    # A source that abstains is taken to vote like the mean.
    inputs = np.where(np.isnan(ballot.centred), base, ballot.centred / spread)
    columns = np.hstack([np.ones((len(base), 1)), base, inputs])
    penalty = np.diag([0.0, 1e-6] + [PENALTY] * inputs.shape[1])
    rows = columns[known]
    learned = np.linalg.solve(rows.T @ rows + penalty, rows.T @ ballot.trusted[known])
    weights = learned[1] * combined.weights + learned[2:]
    return Combined(np.where(voted, np.round(columns @ learned, 9), np.nan), shares(weights))
