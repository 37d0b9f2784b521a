"""The votes on some units, the registry of label models, and the calibration that all of them share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.checks import checked_numbers
from features.core.registry import Registry
from ltr.errors import InputError

Values = npt.NDArray[np.float64]

ENOUGH_TRUSTED = 20
"""Number of units with a trusted grade from which votes are calibrated by them."""

KNOT = 0.1
"""Where votes reach below 0, those below this are squeezed between 0 and this; and so at the upper end."""

ROUNDS = 5
"""Number of times that the mean of every source is moved to that of the others."""

FEW = 3
"""Number of shared units below which a correlation counts as unknown."""


@dataclass(frozen=True)
class Ballot:
    """Votes of several sources on the same units, and trusted grades of some of these."""

    votes: Values
    """(n_units, n_sources) in [0, 1], NaN where a source abstains."""
    trusted: Values
    """(n_units,) in [0, 1], NaN where there is none."""

    @cached_property
    def constant(self) -> npt.NDArray[np.bool_]:
        """(n_sources,) sources that abstain or always vote the same: they say nothing about any unit."""
        filled = pd.DataFrame(self.votes)
        return np.asarray((filled.max() - filled.min()).fillna(0) < 1e-9)

    @cached_property
    def centred(self) -> Values:
        """(n_units, n_sources) votes minus the mean of their source, NaN for abstentions; 0 for constant sources.

        The mean of a source is then moved to that of the other sources on the same units, in turn: a source that votes
        only on good units is not taken for a kind one. Deviations stay: dividing by them did worse (docs/votes.md).
        """
        votes = np.where(self.constant & ~np.isnan(self.votes), 0.0, self.votes)
        scores = votes - np.nansum(votes, axis=0) / np.maximum((~np.isnan(votes)).sum(axis=0), 1)
        for source in np.tile(np.flatnonzero(~self.constant), ROUNDS):
            others = row_means(np.delete(scores, source, axis=1))
            shared = ~np.isnan(scores[:, source]) & ~np.isnan(others)
            if shared.any():
                scores[:, source] += others[shared].mean() - scores[shared, source].mean()
        return scores

    def correlations(self, others: Values) -> tuple[Values, npt.NDArray[np.int64]]:
        """(n_sources,) correlation of each source's votes with other values of the units, 0 where it is unknown, and
        the number of units that both have. ``others`` is (n_units,), or (n_units, n_sources) with one column each."""
        columns = others if others.ndim == 2 else np.tile(others[:, None], self.votes.shape[1])
        shared = (~np.isnan(self.votes) & ~np.isnan(columns)).sum(axis=0)
        pairs = zip(self.votes.T, columns.T, strict=True)
        found = [float(pd.Series(mine).corr(pd.Series(other), min_periods=FEW)) for mine, other in pairs]
        return np.nan_to_num(np.array(found)), shared


class Combined(NamedTuple):
    """What a label model makes of a ballot."""

    vote: Values
    """(n_units,) NaN where no source with a weight votes; may leave [0, 1]."""
    weights: Values
    """(n_sources,) weight of each source as shares of 1; NaN where the model has no single weight per source."""


LabelModel = Callable[[Ballot], Combined]


@dataclass(frozen=True)
class RegisteredModel:
    """A label model and the facts about it."""

    description: str
    combine: LabelModel


LABEL_MODELS: Registry[RegisteredModel] = Registry(
    "label model", "ltr.supervision.label_models", lambda one: one.combine
)


def label_model(name: str, description: str) -> Callable[[LabelModel], LabelModel]:
    """Register the decorated function under a name for ``--label-model``."""

    def register(function: LabelModel) -> LabelModel:
        LABEL_MODELS.add(name, RegisteredModel(description, function))
        return function

    return register


def label_models() -> list[str]:
    """The names of all label models."""
    return sorted(LABEL_MODELS.search())


def combine(ballot: Ballot, name: str) -> Combined:
    """The votes of a ballot as one vote a unit, in [0, 1].

    Raises InputError for an unknown model, and ComponentError where a model does not return what it has to.
    """
    if name not in LABEL_MODELS.search():
        raise InputError("--label-model", f"no label model {name[:80]!r}", f"known: {', '.join(label_models())}")
    where, (units, sources) = f"label model {name!r}", ballot.votes.shape
    vote, weights = LABEL_MODELS[name].combine(ballot)
    vote = checked_numbers(where, vote, units, "return a number for each unit, NaN where nobody votes", abstains=True)
    weights = checked_numbers(where, weights, sources, "return a weight for each source, or NaN", abstains=True)
    return Combined(calibrated(vote, ballot.trusted), weights)


def calibrated(vote: Values, trusted: Values) -> Values:
    """(n_units,) votes in [0, 1]; with `ENOUGH_TRUSTED` trusted grades on a line to their mean and deviation.

    The line of least squares would draw all units to the mean: levels agree better with people's by this one
    (docs/votes.md). Votes outside [0, 1] are not cut off, which would lose their order: see `KNOT`.
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


def row_means(votes: Values, weights: Values | None = None) -> Values:
    """(n_rows,) weighted means of the columns without NaN; NaN where all columns with a weight are NaN."""
    weights = np.ones(votes.shape[1]) if weights is None else weights
    voted = ~np.isnan(votes)
    mass, sums = voted @ weights, np.where(voted, votes, 0.0) @ weights
    return np.divide(sums, mass, out=np.full(len(votes), np.nan), where=mass > 0)
