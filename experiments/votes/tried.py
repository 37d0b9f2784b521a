"""Ways to combine votes that were tried beside the label models."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from experiments.votes.graders import Values
from ltr.supervision.label_models.base import LABEL_MODELS, Ballot, row_means
from ltr.supervision.label_models.mean import independence, reliability


def _weighted(weights: Callable[[Ballot], Values]) -> Callable[[Ballot], Values]:
    return lambda ballot: row_means(ballot.centred, np.where(ballot.constant, 0.0, weights(ballot)))


def standardised(ballot: Ballot) -> Values:
    """(n_units, n_graders) centred votes with deviation 1, 0 where a grader abstains."""
    spread = np.where(ballot.constant, 1.0, np.nanstd(ballot.centred, axis=0))
    return np.nan_to_num(ballot.centred / spread)


def standardised_mean(ballot: Ballot) -> Values:
    """The mean of standardised votes."""
    return row_means(np.where(np.isnan(ballot.centred), np.nan, standardised(ballot)))


def first_component(ballot: Ballot) -> Values:
    """Scores on the first principal component of the standardised votes."""
    filled = standardised(ballot)
    weights = np.linalg.svd(filled, full_matrices=False)[2][0]
    return np.asarray(filled @ weights * np.sign(weights.sum()))


def plain_ridge(ballot: Ballot) -> Values:
    """Ridge regression of trusted grades on the votes, penalty 10, toward 0."""
    inputs = standardised(ballot)
    known = ~np.isnan(ballot.trusted)
    rows, grades = inputs[known], ballot.trusted[known]
    middle = rows.mean(axis=0)
    learned = np.linalg.solve(
        (rows - middle).T @ (rows - middle) + 10 * np.eye(inputs.shape[1]), (rows - middle).T @ grades
    )
    return np.asarray((inputs - middle) @ learned)


def isotonic_graders(ballot: Ballot) -> Values:
    """Each grader's votes as the grades that they stand for by isotonic regression, averaged by independence."""
    from sklearn.isotonic import IsotonicRegression  # noqa: PLC0415 takes a second

    votes = np.full(ballot.votes.shape, np.nan)
    for source, mine in enumerate(ballot.votes.T):
        voted, known = ~np.isnan(mine), ~np.isnan(mine) & ~np.isnan(ballot.trusted)
        if known.any():
            line = IsotonicRegression(out_of_bounds="clip").fit(mine[known], ballot.trusted[known])
            votes[voted, source] = line.predict(mine[voted])
    return row_means(votes, independence(ballot))


def stacked(ballot: Ballot) -> Values:
    """The model ``ridge``, then isotonic regression; ties in the order of ``ridge``."""
    from sklearn.isotonic import IsotonicRegression  # noqa: PLC0415 takes a second

    vote = LABEL_MODELS["ridge"].combine(ballot).vote
    known = ~np.isnan(vote) & ~np.isnan(ballot.trusted)
    line = IsotonicRegression(out_of_bounds="clip").fit(vote[known], ballot.trusted[known])
    return np.where(np.isnan(vote), np.nan, line.predict(np.nan_to_num(vote)) + 1e-6 * vote)


TRIED: Mapping[str, tuple[bool, Callable[[Ballot], Values]]] = {
    "centred": (False, _weighted(lambda ballot: np.ones(ballot.votes.shape[1]))),
    "standardised": (False, standardised_mean),
    "independence alone": (False, _weighted(independence)),
    "reliability alone": (False, _weighted(lambda ballot: reliability(ballot) / (1 - reliability(ballot) ** 2))),
    "first component": (False, first_component),
    "ridge toward 0": (True, plain_ridge),
    "isotonic graders": (True, isotonic_graders),
    "stacked, isotonic": (True, stacked),
}
"""Name -> whether it needs trusted grades, and (n_units,) votes on any scale."""


def least_squares(vote: Values, trusted: Values) -> Values:
    """Votes as grades by the line of least squares."""
    known = ~np.isnan(vote) & ~np.isnan(trusted)
    return np.asarray(np.polyval(np.polyfit(vote[known], trusted[known], 1), vote))


def same_distribution(vote: Values, trusted: Values) -> Values:
    """Votes as grades, so that the grades of all units have the distribution of the trusted ones."""
    known = trusted[~np.isnan(trusted)]
    rank = (np.argsort(np.argsort(np.nan_to_num(vote), kind="stable"), kind="stable") + 0.5) / len(vote)
    return np.asarray(np.quantile(known, rank, method="inverted_cdf") + 1e-6 * vote)  # no ties
