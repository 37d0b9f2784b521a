"""LambdaMART (Burges 2010) by LightGBM, boosted from a lexical prior and averaged over seeds.

Argument judgments are few (a few hundred on the corpus at hand), so the trees do not start from
nothing: they correct the DirichletLM order, which several LTR entries of the lab lost to.
"""

from __future__ import annotations

import os
import re
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from models.base import PairMatrix, Scores, TrainingSet, ranker, standardise
from models.choice import SIGNS, representativeness, sign_columns

LEVELS = 30
"""Labels in [0, 1] become whole grades 0..LEVELS, which LightGBM wants; gains are linear in the label."""


@dataclass(frozen=True)
class Parameters:
    """What can be set. How the defaults were chosen, and on which topics, is told in the README."""

    trees: int = 60
    leaves: int = 6
    learning_rate: float = 0.03
    rows_a_leaf: int = 200
    l2: float = 10.0
    feature_share: float = 0.5
    row_share: float = 0.8
    truncation: int = 30
    seeds: int = 5
    seed: int = 0
    prior: dict[str, float] = field(default_factory=lambda: {"dirichlet_2500_argument_min": 1.0})
    """Column -> weight: the sum of their topic-wise z-scores is where boosting starts."""
    signs: dict[str, float] = field(default_factory=lambda: dict(SIGNS))
    """What makes a pair stand for its arguments; see `models.choice`."""
    choice: float = 1.0
    """What the least representative pair of an argument pays, in the same z-scores."""


class LambdaMart:
    """Trees over named columns, on top of the prior."""

    def __init__(self, columns: list[str], parameters: Parameters | None = None, *, threads: int = 1) -> None:
        self.columns = columns
        self.parameters = parameters or Parameters()
        self.threads = threads
        self._boosters: list[Any] = []

    def fit(self, data: TrainingSet) -> None:
        """Learn from weak labels."""
        lightgbm = _lightgbm()
        p = self.parameters
        grades = np.rint(np.clip(data.labels, 0, 1) * LEVELS).astype(np.int32)
        table = data.features[self.columns]
        self._boosters = []
        for number in range(p.seeds):
            dataset = lightgbm.Dataset(
                table, grades, group=data.groups, weight=data.weights, init_score=data.prior, free_raw_data=False
            )
            self._boosters.append(
                lightgbm.train(self._lightgbm_parameters(p.seed + number), dataset, num_boost_round=p.trees)
            )

    def score(self, matrix: PairMatrix) -> Scores:
        """(n_rows,) prior plus what the trees say."""
        return self.prior(matrix) + self.trees(matrix)

    def trees(self, matrix: PairMatrix, iteration: int | None = None) -> Scores:
        """(n_rows,) what the trees add to the prior; ``iteration`` looks at the first so many of them only.

        It is the mean over the seeds and over the pairs of the same two arguments: argument judgments
        say nothing about which of these pairs to show, so what trees make of it is noise (on the marked
        gist sentences, letting them choose found .31 to .39 of them, the prior alone .47).
        """
        table = matrix.features[self.columns]
        total = np.zeros(len(table))
        for booster in self._boosters:
            total += booster.predict(table, num_iteration=iteration, num_threads=self.threads)
        sums = np.bincount(matrix.units, total)
        return (sums / np.bincount(matrix.units))[matrix.units] / max(len(self._boosters), 1)

    def prior(self, matrix: PairMatrix) -> Scores:
        """(n_rows,) where boosting starts: arguments by lexical scores, and in each its best pair first.

        The most representative pair of two arguments pays nothing, so choosing pairs does not change the
        order in which arguments first appear.
        """
        total = np.zeros(len(matrix.features))
        for column, weight in sorted(self.parameters.prior.items()):
            total += weight * standardise(matrix.features[column], matrix.groups)
        if self.parameters.choice > 0:
            fit = representativeness(matrix.features, matrix.units, self.parameters.signs)
            best = np.full(int(matrix.units.max(initial=-1)) + 1, -np.inf)
            np.maximum.at(best, matrix.units, fit)
            total -= self.parameters.choice * (best[matrix.units] - fit)
        return total

    def prior_columns(self) -> list[str]:
        """The columns that the prior looks at, whether the trees see them or not."""
        p = self.parameters
        signs = [column for name in p.signs for column in sign_columns(name)] if p.choice > 0 else []
        return [*p.prior, *signs]

    def importance(self) -> dict[str, float]:
        """Column -> mean gain over the seeds."""
        gains = np.mean([booster.feature_importance("gain") for booster in self._boosters], axis=0)
        return dict(zip(self.columns, gains.tolist(), strict=True))

    def settings(self) -> dict[str, Any]:
        """For the manifest."""
        return {"ranker": "lambdamart", "parameters": asdict(self.parameters)}

    def dump(self) -> dict[str, str]:
        """One LightGBM text file a seed, the same whatever the number of threads that made it."""
        return {
            f"trees-{i:02d}.txt": re.sub(r"(?m)^\[num_threads: \d+\]$", "[num_threads: 1]", booster.model_to_string())
            for i, booster in enumerate(self._boosters)
        }

    @classmethod
    def load(
        cls, columns: list[str], settings: dict[str, Any], files: dict[str, str], *, threads: int = 1
    ) -> LambdaMart:
        """Read back what `settings` and `dump` gave. Raises ValueError when the two do not fit."""
        lightgbm = _lightgbm()
        model = cls(columns, Parameters(**settings["parameters"]), threads=threads)
        try:
            model._boosters = [lightgbm.Booster(model_str=files[name]) for name in sorted(files)]
        except lightgbm.basic.LightGBMError as error:
            raise ValueError(str(error)) from None
        for booster in model._boosters:
            if booster.feature_name() != columns:
                raise ValueError("the trees know other features than the manifest")
        return model

    def _lightgbm_parameters(self, seed: int) -> dict[str, Any]:
        p = self.parameters
        return {
            "objective": "lambdarank",
            "num_leaves": p.leaves,
            "learning_rate": p.learning_rate,
            "min_data_in_leaf": p.rows_a_leaf,
            "lambda_l2": p.l2,
            "feature_fraction": p.feature_share,
            "bagging_fraction": p.row_share,
            "bagging_freq": 1,
            "lambdarank_truncation_level": p.truncation,
            "label_gain": list(range(LEVELS + 1)),
            "max_bin": 63,
            "seed": seed,
            "num_threads": self.threads,
            "deterministic": True,
            "force_row_wise": True,
            "verbosity": -1,
        }


@ranker("lambdamart", "LambdaMART by LightGBM, boosted from DirichletLM, averaged over seeds", trained=True)
def make_lambdamart(columns: list[str], **options: Any) -> LambdaMart:
    """The learned ranker."""
    return LambdaMart(columns, **options)


@ranker("prior", "where LambdaMART starts: DirichletLM over arguments, in each the most representative pair first")
def make_prior() -> LambdaMart:
    """The model without a single tree: what training is worth is the difference from it."""
    model = LambdaMart([])
    model.columns = model.prior_columns()
    return model


def _lightgbm() -> Any:
    # Idle OpenMP threads must sleep, not spin: with one core busy elsewhere, spinning makes training
    # many times slower. It has to be said before the library starts its threads.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import lightgbm

    return lightgbm
