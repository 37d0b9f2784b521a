"""Models of annotators from crowd-kit: grades are classes, and each source has a rate of errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from ltr.errors import InputError
from ltr.supervision.label_models.base import Ballot, Combined, label_model
from models.base import TOP_GRADE

LEVELS = 2 * int(TOP_GRADE)
"""Votes are rounded to halves of a grade: whole grades, and means of two."""

_MODELS = {
    "dawid-skene": ("DawidSkene", "Dawid and Skene 1979: a matrix of confusions for each source", {"n_iter": 100}),
    "one-coin": ("OneCoinDawidSkene", "one probability of a right grade for each source", {"n_iter": 100}),
}


def _register(name: str, kind: str, description: str, options: dict[str, Any]) -> Callable[[Ballot], Combined]:
    @label_model(name, f"{description} (needs the extra crowd)")
    def combine(ballot: Ballot) -> Combined:
        try:
            from crowdkit import aggregation  # noqa: PLC0415 optional, and takes seconds
        except ImportError:
            what = "needs crowd-kit, which is not installed"
            raise InputError(f"--label-model {name}", what, "pip install 'riposte-ltr[crowd]'") from None
        units, sources = np.nonzero(~np.isnan(ballot.votes))
        levels = np.rint(ballot.votes[units, sources] * LEVELS).astype(int)
        table = pd.DataFrame({"task": units, "worker": sources, "label": levels})
        probabilities = getattr(aggregation, kind)(**options).fit_predict_proba(table)
        classes = probabilities.columns.to_numpy(np.float64) / LEVELS
        vote = np.full(len(ballot.votes), np.nan)
        vote[probabilities.index.to_numpy(np.int64)] = np.round(probabilities.to_numpy(np.float64) @ classes, 9)
        return Combined(vote, np.full(ballot.votes.shape[1], np.nan))

    return combine


for _name, (_kind, _description, _options) in _MODELS.items():
    _register(_name, _kind, _description, _options)
