"""LambdaMART (Burges 2010) by LightGBM over arguments, boosted from a signed ridge and averaged over seeds.

Argument judgments are few (a few hundred on the corpus at hand), so the trees do not start from nothing: they
correct a linear model whose weights must have the sign that theory gives them, and are bound to the same
signs themselves (monotone constraints).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from models.base import PairMatrix, Scores, TrainingSet, UnitTable, ranker, unit_table
from models.ridge import signed_ridge

LEVELS = 30
"""Labels in [0, 1] become whole grades 0..LEVELS, which LightGBM wants; gains are linear in the label."""


@dataclass(frozen=True)
class Parameters:
    """What can be set. How the defaults were chosen, and on which topics, is told in the README."""

    trees: int = 60
    leaves: int = 4
    learning_rate: float = 0.05
    rows_a_leaf: int = 20
    l2: float = 10.0
    feature_share: float = 0.4
    row_share: float = 0.7
    truncation: int = 10
    seeds: int = 5
    seed: int = 0
    topic_share: float = 1.0
    """Share of the topics that each seed sees; less bought nothing."""
    monotone: bool = True
    """Trees keep the signs; off, only the linear start does."""
    ridge: float = 30.0
    """How strongly the linear weights are drawn to ``start``."""
    start: dict[str, float] = field(default_factory=dict)
    """Column -> linear weight before any label is seen; 0 where it is not named."""


class TreeData(NamedTuple):
    """What trees are grown from; rows are arguments, or pairs of them."""

    values: Scores
    """(n_rows, n_columns)"""
    grades: np.ndarray[Any, Any]
    """(n_rows,) whole numbers from 0 to LEVELS"""
    groups: np.ndarray[Any, Any]
    """(n_topics,) rows of each topic, in order"""
    weight: Scores
    """(n_rows,)"""
    start: Scores
    """(n_rows,) scores that the trees correct"""
    columns: list[str]


Grow = Callable[[dict[str, Any], TreeData, int], Any]
"""Grows so many trees with LightGBM's parameters; returns its Booster."""


def grow_here(parameters: dict[str, Any], data: TreeData, trees: int) -> Any:
    """Grow trees in this process."""
    lightgbm = lightgbm_package()
    dataset = lightgbm.Dataset(
        data.values,
        data.grades,
        group=data.groups,
        weight=data.weight,
        init_score=data.start,
        feature_name=data.columns,
    )
    return lightgbm.train(parameters, dataset, num_boost_round=trees)


class LambdaMart:
    """A signed ridge over z-scored columns of arguments, and trees that correct it."""

    def __init__(
        self,
        columns: list[str],
        signs: Mapping[str, int],
        parameters: Parameters | None = None,
        *,
        threads: int = 1,
        grow: Grow = grow_here,
    ) -> None:
        self.columns = columns
        self.signs = {column: signs.get(column, 0) for column in columns}
        self.parameters = parameters or Parameters()
        self.threads = threads
        self.grow = grow
        self.linear = {column: self.parameters.start.get(column, 0.0) for column in columns}
        self._boosters: list[Any] = []

    def fit(self, data: TrainingSet) -> None:
        """Learn from weak labels: the ridge first, then trees from where it ends."""
        p = self.parameters
        self._boosters = []
        linear = np.zeros(len(self.columns))
        whole = self._ridge(data) if p.topic_share == 1 else None
        for number in range(p.seeds):
            part = _some_topics(data, p.topic_share, p.seed + number)
            weights = self._ridge(part) if whole is None else whole
            linear += weights / p.seeds
            if p.trees:
                self._boosters.append(self._trees(part, weights, p.seed + number))
        self.linear = dict(zip(self.columns, linear.tolist(), strict=True))

    def _ridge(self, data: TrainingSet) -> Scores:
        """(n_columns,) linear weights."""
        p = self.parameters
        found = signed_ridge(
            data.values,
            data.labels,
            data.weights,
            data.groups.tolist(),
            signs=list(self.signs.values()),
            l2=p.ridge,
            start=[p.start.get(column, 0.0) for column in self.columns],
        )
        return _scaled(found, data.values)

    def _trees(self, data: TrainingSet, weights: Scores, seed: int) -> Any:
        """Trees that correct the linear ``weights``."""
        grades = np.rint(np.clip(data.labels, 0, 1) * LEVELS).astype(np.int32)
        topic = np.repeat(np.arange(len(data.groups)), data.groups)
        # As in the ridge: a topic counts by the square root of what is judged in it.
        weight = data.weights / np.sqrt(np.bincount(topic, data.weights))[topic]
        rows = TreeData(data.values, grades, data.groups, weight / weight.mean(), data.values @ weights, self.columns)
        return self.grow(self._lightgbm_parameters(seed), rows, self.parameters.trees)

    def score(self, matrix: PairMatrix) -> Scores:
        """(n_rows,) the same for all pairs of two arguments."""
        table = unit_table(matrix, self.columns)
        return self.score_units(table)[table.unit_of_row]

    def score_units(self, table: UnitTable, iteration: int | None = None) -> Scores:
        """(n_units,) linear part and trees; ``iteration`` looks at the first so many trees only."""
        total = np.asarray(table.values @ np.array(list(self.linear.values())))
        if self._boosters and iteration != 0:
            trees = sum(
                booster.predict(table.values, num_iteration=iteration, num_threads=self.threads)
                for booster in self._boosters
            )
            total = total + trees / len(self._boosters)
        return np.asarray(total)

    def terms(self, table: UnitTable) -> Scores:
        """(n_units, n_columns) what each column adds to `score_units`; a row's sum differs from it by a constant."""
        found = table.values * np.array(list(self.linear.values()))
        for booster in self._boosters:
            shapley = booster.predict(table.values, pred_contrib=True, num_threads=self.threads)
            found = found + shapley[:, :-1] / len(self._boosters)  # the last one is the mean of the training data
        return np.asarray(found)

    def settings(self) -> dict[str, Any]:
        """For the manifest."""
        return {
            "ranker": "lambdamart",
            "parameters": asdict(self.parameters),
            "columns": self.columns,
            "signs": self.signs,
            "linear": self.linear,
        }

    def dump(self) -> dict[str, str]:
        """One LightGBM text file a seed, the same whatever made it: one thread or many, here or on a cluster."""
        return {
            f"trees-{i:02d}.txt": _MACHINE_LINE.sub(_elsewhere, booster.model_to_string())
            for i, booster in enumerate(self._boosters)
        }

    @classmethod
    def load(cls, settings: dict[str, Any], files: dict[str, str], *, threads: int = 1) -> LambdaMart:
        """Read back what `settings` and `dump` gave. Raises ValueError when the two do not fit."""
        columns = settings["columns"]
        model = cls(columns, settings["signs"], Parameters(**settings["parameters"]), threads=threads)
        if list(settings["signs"]) and settings["linear"].keys() != set(columns):
            raise ValueError("the linear part knows other features than the trees")
        model.linear = {column: float(settings["linear"][column]) for column in columns}
        if not all(map(_whole, files.values())):
            raise ValueError("the text of the trees is not whole")
        if files:
            lightgbm = lightgbm_package()
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
            "monotone_constraints": list(self.signs.values()) if p.monotone else None,
            "max_bin": 63,
            "seed": seed,
            "num_threads": self.threads,
            "deterministic": True,
            "force_row_wise": True,
            "verbosity": -1,
        }


@ranker("lambdamart", "LambdaMART by LightGBM, boosted from a signed ridge, averaged over seeds", teacher=False)
def make_lambdamart(columns: list[str], signs: Mapping[str, int], **options: Any) -> LambdaMart:
    """The learned ranker of one dimension."""
    return LambdaMart(columns, signs, **options)


# What a model's text says of the machine that made it, and what it would say of any other.
_MACHINE = {"num_threads": "1", "machines": "", "local_listen_port": "12400", "eval_at": ""}
_MACHINE_LINE = re.compile(rf"(?m)^\[({'|'.join(_MACHINE)}): .*\]$")


def _elsewhere(line: re.Match[str]) -> str:
    return f"[{line[1]}: {_MACHINE[line[1]]}]"


def _some_topics(data: TrainingSet, share: float, seed: int) -> TrainingSet:
    """A random ``share`` of the topics, at least one."""
    number = max(round(share * len(data.groups)), 1)
    chosen = np.random.default_rng(seed).permutation(len(data.groups))[:number]
    topic = np.repeat(np.arange(len(data.groups)), data.groups)
    rows = np.isin(topic, chosen)
    return TrainingSet(data.values[rows], data.labels[rows], data.weights[rows], data.groups[np.sort(chosen)])


def _scaled(weights: Scores, values: Scores) -> Scores:
    """Weights whose scores have deviation 1, so that one learning rate fits every label."""
    spread = float(np.std(values @ weights))
    return weights / spread if spread > 1e-9 else weights


def _whole(text: str) -> bool:
    """Whether the trees have the lengths that the text says: LightGBM reads past its end where they do not."""
    if "\nend of parameters\n" not in text:
        return False
    head, *trees = re.split(r"(?m)^(?=Tree=\d+$)", text.partition("\nend of trees\n")[0] + "\n")
    sizes = re.search(r"(?m)^tree_sizes=(.*)$", head)
    return sizes is not None and sizes[1].split() == [str(len(tree.encode("utf-8"))) for tree in trees]


def lightgbm_package() -> Any:
    """LightGBM, imported when it is first needed."""
    # Idle OpenMP threads must sleep, not spin: with one core busy elsewhere, spinning makes training
    # many times slower. It has to be said before the library starts its threads.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import lightgbm

    return lightgbm
