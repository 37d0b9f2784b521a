"""Votes of labelling functions to one label: how far each can be believed is learned without any true label.

The model of Dawid & Skene (1979) by expectation maximisation, in its one-coin form: every function has one
accuracy; it may abstain, and abstaining says nothing. A vote may be graded: it is the probability with which
the function says yes, so a function of accuracy a that votes v speaks of a good row with a v + (1 - a)(1 - v).
Functions that err together are discounted: a vote counts by the effective number of voices behind it (Kish
1965), which the correlation of the errors tells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

ROUNDS = 60
BELIEVED = 0.99
"""No function is believed more than this, so that none can overrule all others alone."""


@dataclass(frozen=True)
class LabelModel:
    """What was learned of each function."""

    accuracy: Values
    """(n_functions,) probability that a vote agrees with the truth."""
    voices: Values
    """(n_functions,) 1 for a function that errs alone, 2 for one that always errs with another."""
    balance: float
    """Probability of a good row before any vote."""

    @property
    def strength(self) -> Values:
        """(n_functions,) log-odds that a whole vote adds; none where a function is no better than chance."""
        return np.asarray(np.maximum(np.log(self.accuracy / (1 - self.accuracy)), 0) / self.voices)

    def label(self, votes: Values) -> Values:
        """(n_rows,) probability that a row is good, from (n_rows, n_functions) votes in [0, 1], NaN to abstain."""
        believed = np.maximum(self.accuracy, 0.5)
        sided = np.where(np.isnan(votes), 0.5, votes)
        share = believed * sided + (1 - believed) * (1 - sided)
        odds = np.log(self.balance / (1 - self.balance)) + (np.log(share / (1 - share)) / self.voices).sum(axis=1)
        return np.asarray(0.5 * (1 + np.tanh(odds / 2)))

    def support(self, votes: Values) -> Values:
        """(n_rows,) share of all the strength that voted on a row."""
        strength = self.strength
        return np.asarray((~np.isnan(votes)) @ strength / max(float(strength.sum()), 1e-9))


def learn_label_model(
    votes: Values,
    weights: Values,
    expected: Values,
    *,
    balance: float = 0.5,
    anchors: npt.NDArray[np.bool_] | None = None,
    prior: float = 30.0,
) -> LabelModel:
    """Learn from (n_rows, n_functions) votes in [0, 1] with NaN where a function abstains.

    ``expected`` (n_functions,) is the accuracy that each is believed to have beforehand, worth ``prior`` votes;
    ``balance`` the share of good rows, which is given and not learned: with few functions it would wander.
    ``anchors`` (n_functions,) are believed as expected, whatever the others say: without one, many functions
    that look at the same texts agree on what they share, and that becomes the truth.
    """
    accuracy = np.clip(np.asarray(expected, np.float64), 1 - BELIEVED, BELIEVED)
    held = np.zeros(votes.shape[1], bool) if anchors is None else anchors
    model = LabelModel(accuracy, np.ones(votes.shape[1]), min(max(balance, 0.01), 0.99))
    voted = ~np.isnan(votes)
    # The weights are made to count votes: as many as rows in all, so that the prior keeps its meaning.
    mass = voted * (weights / max(float(weights.mean()), 1e-12))[:, None] if len(weights) else voted * 1.0
    sided = np.where(voted, votes, 0.5)
    for _ in range(ROUNDS):
        label = model.label(votes)[:, None]
        agree = (mass * (label * sided + (1 - label) * (1 - sided))).sum(axis=0)
        learned = (prior * accuracy + agree) / (prior + mass.sum(axis=0))
        learned = np.where(held, accuracy, np.clip(learned, 1 - BELIEVED, BELIEVED))
        settled = bool(np.max(np.abs(learned - model.accuracy), initial=0) < 1e-6)
        model = LabelModel(learned, _voices(votes, mass, model.label(votes)), model.balance)
        if settled:
            break
    return model


def _voices(votes: Values, mass: Values, label: Values) -> Values:
    """(n_functions,) 1 and the correlations of a function's errors with those of the others, where both vote."""
    error = _signed(votes) - (2 * label - 1)[:, None] * ~np.isnan(votes)
    number = votes.shape[1]
    voices = np.ones(number)
    for one in range(number):
        for other in range(number):
            both = mass[:, one] * (mass[:, other] > 0)
            if one == other or both.sum() < 10:
                continue
            x, y = error[:, one], error[:, other]
            x, y = x - np.average(x, weights=both), y - np.average(y, weights=both)
            spread = np.sqrt((both * x * x).sum() * (both * y * y).sum())
            if spread > 1e-12:
                # Only as far as the two meet: a rare companion makes no echo of a function.
                share = both.sum() / mass[:, one].sum()
                voices[one] += max(float((both * x * y).sum() / spread), 0) * share
    return voices


def _signed(votes: Values) -> Values:
    """Votes in [-1, 1], 0 where a function abstains."""
    return np.where(np.isnan(votes), 0, 2 * votes - 1)
