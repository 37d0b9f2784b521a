"""A linear ranker: ridge regression of grades on standardised inputs, within topics.

Where grades are few and noisy, a heavily shrunk sum of many features orders a topic more reliably than trees (Hoerl &
Kennard 1970): see docs/laboratory.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from models.base import DECIMALS, LARGEST, Parameters, Scores, TrainingSet, grade_line, learned_ranker
from models.learned import LearnedRanker, by_column

PENALTY = 2_000.0
"""On squared weights, in rows. From 1,000 to 10,000 held-out figures are alike."""


@learned_ranker("linear", "ridge regression of grades on standardised features")
class LinearRanker(LearnedRanker):
    """One dimension's ranker: a weight an input of `models.learned`."""

    def __init__(self, inputs: Sequence[str], parameters: Parameters | None = None, *, threads: int = 1) -> None:
        super().__init__(inputs, parameters or Parameters(objective="linear"), threads=threads)
        self.weights = np.zeros(len(self.inputs))
        self.intercept = 0.0
        self._deviation = np.ones(len(self.inputs))

    def fit(self, data: TrainingSet) -> None:
        """Learn what sets the rows of a topic apart; a line then brings the scores to the scale of grades."""
        from sklearn.linear_model import Ridge  # noqa: PLC0415 takes a second

        values = data.values.astype(np.float64)
        deviation = values.std(axis=0)
        scale = np.where(deviation > 1e-9, deviation, np.inf)  # a constant input weighs nothing
        topic = np.repeat(np.arange(len(data.groups)), data.groups)
        mass = np.bincount(topic, data.weights)

        def centred(column: Scores) -> Scores:
            return np.asarray(column - (np.bincount(topic, data.weights * column) / mass)[topic])

        inside = np.column_stack([centred(column) for column in (values / scale).T])
        model = Ridge(alpha=PENALTY, fit_intercept=False).fit(inside, centred(data.labels), data.weights)
        weights = np.asarray(model.coef_ / scale)
        slope, self.intercept = grade_line(values @ weights, data)
        self.weights, self._deviation = (slope * weights).round(9), deviation

    def gains(self) -> dict[str, float]:
        """Feature column -> share of the weight on standardised inputs."""
        sizes = np.abs(self.weights * self._deviation)
        shares = by_column(self.inputs, sizes[None] / max(sizes.sum(), 1e-12))[0]
        return dict(zip(self.columns, shares.tolist(), strict=True))

    def score_values(self, values: npt.NDArray[np.float32]) -> Scores:
        """(n_rows,) expected grades of (n_rows, n_inputs) values."""
        return np.asarray((values.astype(np.float64) @ self.weights + self.intercept).round(DECIMALS))

    def terms(self, values: npt.NDArray[np.float32]) -> Scores:
        """(n_rows, n_columns) what each column adds to the score; a row's sum differs from it by a constant."""
        return by_column(self.inputs, values * self.weights)

    def settings(self) -> dict[str, Any]:
        """For the manifest; it holds all of the model."""
        how = {"parameters": asdict(self.parameters), "inputs": self.inputs}
        return {"ranker": "linear", **how, "weights": self.weights.tolist(), "intercept": self.intercept}

    @classmethod
    def load(cls, settings: dict[str, Any], files: dict[str, str], *, threads: int = 1) -> LinearRanker:
        """Read back what `settings` gave. Raises ValueError when it is not whole."""
        model = cls(settings["inputs"], Parameters(**settings["parameters"]))
        model.weights, model.intercept = np.array(settings["weights"], np.float64), float(settings["intercept"])
        if (
            files
            or model.weights.shape != (len(model.inputs),)
            or not (np.abs([*model.weights, model.intercept]) <= LARGEST).all()
        ):
            raise ValueError("the weights do not fit the inputs")
        return model
