"""Graders with votes on units whose truth is known, and how near votes are to it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ltr.data.qrels import read_qrels
from ltr.errors import InputError
from ltr.supervision.label_models.base import Ballot, label_models
from ltr.supervision.votes import scaled_votes

TRUTH = "people"
"""Name of the file with the truth."""
SLOW = ("dawid-skene", "one-coin")
"""Models of crowd-kit: they take seconds and do not read trusted grades, so one run serves all draws."""
NEEDED = "crowdkit"
"""What `SLOW` models need, from the extra crowd: without it they are left out."""

Values = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Graders:
    """Units, their true grades and the votes on them."""

    names: list[str]
    topic: Rows
    """(n_units,) number of the unit's topic."""
    truth: Values
    """(n_units,) grades from 0 in whole or half steps."""
    votes: Values
    """(n_units, n_graders) in [0, 1]"""
    top: float
    """Highest grade of the truth."""

    def ballot(self, trusted: Rows) -> Ballot:
        """The votes, with the truth of the ``trusted`` units."""
        grades = np.full(len(self.truth), np.nan)
        grades[trusted] = self.truth[trusted] / self.top
        return Ballot(self.votes, grades)


def usable_models() -> list[str]:
    """The label models whose extras are installed."""
    return [name for name in label_models() if name not in SLOW or find_spec(NEEDED)]


def read_graders(folder: Path) -> Graders:
    """All graders of a folder. Raises InputError."""
    files = sorted(folder.glob("*.qrels")) if folder.is_dir() else []
    names = [path.stem for path in files if path.stem != TRUTH]
    if not names or len(names) == len(files):
        raise InputError(folder, f"has no {TRUTH}.qrels and a qrels file of a grader beside it", "name another folder")
    truth = read_qrels(folder / f"{TRUTH}.qrels")
    units = sorted((topic, id_) for topic, of in truth.items() for id_ in of)
    topics, topic = np.unique([topic for topic, _ in units], return_inverse=True)
    grades = np.array([max(truth[topic][id_], 0.0) for topic, id_ in units])
    if len(topics) < 2 or np.ptp(grades) == 0:
        raise InputError(folder / f"{TRUTH}.qrels", "needs two topics, and grades that differ", "name another folder")
    votes = []
    for name in names:
        qrels = read_qrels(folder / f"{name}.qrels")
        given = scaled_votes({(topic, id_): grade for topic, of in qrels.items() for id_, grade in of.items()})
        votes.append([given.get(unit, np.nan) for unit in units])
    return Graders(names, topic, grades, np.array(votes).T, float(grades.max()))


def in_order(topic: Rows, truth: Values, scores: Values) -> float:
    """Share of a topic's differently graded pairs of units that scores put in order, ties half; mean over topics."""
    shares = []
    for number in np.unique(topic):
        rows = topic == number
        better = truth[rows][:, None] > truth[rows][None]
        if better.any():
            apart = np.round(scores[rows][:, None] - scores[rows][None], 9)[better]
            shares.append(float((apart > 0).mean() + 0.5 * (apart == 0).mean()))
    return float(np.mean(shares)) if shares else float("nan")


def weighted_kappa(truth: Values, levels: Values) -> float:
    """Cohen's kappa with quadratic weights (Cohen 1968)."""
    apart = float(((truth - levels) ** 2).mean())
    by_luck = float(truth.var() + levels.var() + (truth.mean() - levels.mean()) ** 2)
    return 1.0 - apart / by_luck if by_luck else 0.0


def figures(graders: Graders, votes: Values, rows: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """The order and the kappa of votes in [0, 1] on some rows; units without a vote have the mean vote."""
    vote = np.nan_to_num(votes[rows], nan=float(np.nanmean(votes[rows])))
    levels = np.rint(vote * graders.top)
    truth = graders.truth[rows]
    return in_order(graders.topic[rows], truth, vote), weighted_kappa(truth, levels)
