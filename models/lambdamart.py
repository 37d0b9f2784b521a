"""Boosted trees over pairs by LightGBM: LambdaMART, pointwise MART or both together, averaged over seeds.

Labels are in [0, TOP_GRADE], and scores are expected grades. Least squares (Friedman 2001) gives such scores by itself;
the scores of LambdaMART (Burges 2010), which order a topic and have no scale, are mapped to grades by a line.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from models import base
from models.base import DECIMALS, LARGEST, TOP_GRADE, Scores, TrainingSet, grade_line
from models.defaults import TREES
from models.learned import LearnedRanker, by_column
from models.trees import Trees

OBJECTIVES = {"both": ("lambdarank", "regression"), "lambdarank": ("lambdarank",), "regression": ("regression",)}
"""Objective of a user -> LightGBM's objectives, whose scores are averaged."""

LEVELS = 12
"""For LambdaMART labels become whole grades 0..LEVELS, which LightGBM wants; gains are linear in the label."""

_FIXED = {"bagging_freq": 1, "max_bin": 63, "deterministic": True, "force_row_wise": True, "verbosity": -1}
"""Settings of LightGBM that are the same for every model."""

_MACHINE = {"num_threads": "1", "machines": "", "local_listen_port": "12400", "eval_at": ""}
"""Settings that depend on the machine, with the values that every text gets."""

_MACHINE_LINE = re.compile(rf"(?m)^\[({'|'.join(_MACHINE)}): .*\]$")


@dataclass(kw_only=True)
class Parameters(base.Parameters):
    """Settings of the trees. docs/laboratory.md says how the defaults were chosen, and on which topics."""

    objective: str = "both"
    trees: int = TREES
    leaves: int = 6
    learning_rate: float = 0.03
    rows_a_leaf: int = 30
    l2: float = 5.0
    feature_share: float = 0.5
    row_share: float = 0.7
    truncation: int = 30
    seeds: int = 1
    """Number of models that are averaged, for each objective."""

    def for_selection(self) -> Parameters:
        """Quicker steps and one seed: a few trees show which columns matter."""
        return replace(self, trees=max(self.trees // 2, 1), learning_rate=0.06, seeds=1)

    def for_weak_labels(self) -> Parameters:
        """Weak labels are learned as grades: LambdaMART would learn the order of votes, noise included."""
        return replace(self, objective="regression") if self.objective == "both" else self


@base.learned_ranker(
    "lambdamart", "boosted trees by LightGBM, averaged over seeds", parameters=Parameters, objectives=[*OBJECTIVES]
)
class LambdaMart(LearnedRanker):
    """One dimension's ranker: trees over the inputs of `models.learned`."""

    def __init__(self, inputs: Sequence[str], parameters: Parameters | None = None, *, threads: int = 1) -> None:
        super().__init__(inputs, parameters or Parameters(), threads=threads)
        self.lines: list[tuple[float, float]] = []
        """Slope and intercept from the scores of each set of trees to grades."""
        self._sets: list[Trees] = []

    def fit(self, data: TrainingSet) -> None:
        """Learn from labelled pairs with their weights."""
        p = self.parameters
        self._sets, self.lines = [], []
        for objective in OBJECTIVES[p.objective]:
            for number in range(p.seeds):
                trees = Trees(booster_text(self._train_booster(data, objective, p.seed + number)), self.inputs)
                self._sets.append(trees)
                plain = objective == "regression"
                self.lines.append((1.0, 0.0) if plain else grade_line(trees.score(data.values), data))

    def gains(self) -> dict[str, float]:
        """Feature column -> share of what the trees gained by it, mean over the sets."""
        shares = np.zeros(len(self.inputs))
        for trees in self._sets:
            shares += trees.gains / (max(float(trees.gains.sum()), 1e-12) * len(self._sets))
        return dict(zip(self.columns, by_column(self.inputs, shares[None])[0].tolist(), strict=True))

    def score_values(self, values: npt.NDArray[np.float32]) -> Scores:
        """(n_rows,) expected grades of (n_rows, n_inputs) values."""
        total = np.zeros(len(values))
        for trees, (slope, intercept) in zip(self._sets, self.lines, strict=True):
            total += (slope * trees.score(values) + intercept) / len(self._sets)
        return np.asarray(total.round(DECIMALS))

    def terms(self, values: npt.NDArray[np.float32]) -> Scores:
        """See `LearnedRanker.terms`: Shapley values of the trees (Lundberg et al. 2018)."""
        total = np.zeros((len(values), len(self.inputs)))
        for trees, (slope, _) in zip(self._sets, self.lines, strict=True):
            booster = lightgbm_package().Booster(model_str=trees.text)
            shapley = booster.predict(values, pred_contrib=True, num_threads=self.threads)
            total += slope * shapley[:, :-1] / len(self._sets)  # the last one is the mean of the training data
        return by_column(self.inputs, total)

    def settings(self) -> dict[str, Any]:
        """For the manifest."""
        how = {"parameters": asdict(self.parameters), "inputs": self.inputs, "lines": self.lines}
        return {"ranker": "lambdamart"} | how

    def dump(self) -> dict[str, str]:
        """One LightGBM text file a set of trees."""
        return {f"trees-{i:03d}.txt": trees.text for i, trees in enumerate(self._sets)}

    @classmethod
    def load(cls, settings: dict[str, Any], files: dict[str, str], *, threads: int = 1) -> LambdaMart:
        """Read back what `settings` and `dump` gave. Raises ValueError when the two do not fit."""
        model = cls(settings["inputs"], Parameters(**settings["parameters"]), threads=threads)
        model.lines = [(float(slope), float(intercept)) for slope, intercept in settings["lines"]]
        if not files or not (np.abs(model.lines) <= LARGEST).all() or len(model.lines) != len(files):
            raise ValueError("the lines from scores to grades do not fit the trees")
        model._sets = [Trees(files[name], model.inputs) for name in sorted(files)]
        return model

    def _train_booster(self, data: TrainingSet, objective: str, seed: int) -> Any:
        p = self.parameters
        lightgbm = lightgbm_package()
        options = {
            "objective": objective,
            "num_leaves": p.leaves,
            "learning_rate": p.learning_rate,
            # From a handful of rows trees would not grow at all.
            "min_data_in_leaf": min(p.rows_a_leaf, max(len(data.labels) // 5, 1)),
            "lambda_l2": p.l2,
            "feature_fraction": p.feature_share,
            "bagging_fraction": p.row_share,
            "seed": seed,
            "num_threads": self.threads,
            **_FIXED,
        }
        labels, groups = data.labels, None
        if objective == "lambdarank":
            labels = np.rint(np.clip(data.labels / TOP_GRADE, 0, 1) * LEVELS)
            groups = data.groups
            options |= {"lambdarank_truncation_level": p.truncation, "label_gain": list(range(LEVELS + 1))}
        dataset = lightgbm.Dataset(
            data.values, labels, group=groups, weight=data.weights, feature_name=self.inputs, params=options
        )
        return lightgbm.train(options, dataset, num_boost_round=p.trees)


def lightgbm_package() -> Any:
    """LightGBM, imported when it is first needed."""
    # Idle OpenMP threads must sleep, not spin: with one core busy elsewhere, spinning makes training
    # many times slower. It has to be said before the library starts its threads.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if sys.flags.optimize > 1:  # it changes its docstrings, which python -OO leaves out
        sys.modules.setdefault("lightgbm.dask", None)  # type: ignore[arg-type]
    import lightgbm  # noqa: PLC0415 takes a second

    return lightgbm


def booster_text(booster: Any) -> str:
    """The text of a booster, whatever made it: one thread or many, here or on a cluster."""
    return _MACHINE_LINE.sub(lambda line: f"[{line[1]}: {_MACHINE[line[1]]}]", booster.model_to_string())
