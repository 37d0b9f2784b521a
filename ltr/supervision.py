"""Argument judgments to weak pair labels (distant supervision).

A labelling function votes on every pair: a label in [0, 1] and a weight, or it abstains. A strategy is an
ordered list of them; the first that does not abstain decides. To add one, decorate it; nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ltr.errors import InputError
from ltr.formats import Qrels, argument_of
from ltr.matrix import Matrix
from models.choice import SIGNS, representativeness

Values = npt.NDArray[np.float64]
DEFAULT = ("representative_grade",)
"""Chosen by cross-validation: with a lexical prior, unjudged negatives only teach the bias of the pool."""


class Votes(NamedTuple):
    """What a labelling function says of every pair."""

    label: Values
    """(n_rows,) in [0, 1], NaN where it abstains."""
    weight: Values
    """(n_rows,) above 0 where it votes."""


@dataclass(frozen=True)
class Evidence:
    """What labelling functions see: the described pairs and the judgments of their arguments."""

    matrix: Matrix
    qrels: Qrels
    seed: int = 0

    @cached_property
    def arguments(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """(n_rows,) argument ids of the first and of the second sentence."""
        return tuple(np.array([argument_of(s) for s in ids], object) for ids in (self.matrix.first, self.matrix.second))  # type: ignore[return-value]

    @cached_property
    def grades(self) -> tuple[Values, Values]:
        """(n_rows,) grade of either argument, NaN where it is unjudged."""
        topics = [self.qrels.get(topic, {}) for topic in self.matrix.topics]
        first, second = self.arguments
        owner = self.matrix.topic_of_row
        return tuple(  # type: ignore[return-value]
            np.array([topics[t].get(a, np.nan) for t, a in zip(owner, ids, strict=True)], np.float64)
            for ids in (first, second)
        )

    @cached_property
    def top_grade(self) -> float:
        """The best grade of the judgments, at least 1."""
        return max([1.0, *(grade for judged in self.qrels.values() for grade in judged.values())])

    @cached_property
    def share(self) -> Values:
        """(n_rows,) one over the number of rows of the same unit: a long argument does not count more."""
        return np.asarray(1 / np.bincount(self.matrix.units)[self.matrix.units])


@dataclass(frozen=True)
class LabellingFunction:
    """A labelling function with what there is to know about it."""

    name: str
    description: str
    overlaps: tuple[str, ...]
    """Features that the label is made from: to be named, and to be ablated."""
    vote: Callable[[Evidence], Votes]


_FUNCTIONS: dict[str, LabellingFunction] = {}


def labelling_function(
    description: str, overlaps: Sequence[str] = ()
) -> Callable[[Callable[[Evidence], Votes]], Callable[[Evidence], Votes]]:
    """Register the decorated function under its own name."""

    def register(function: Callable[[Evidence], Votes]) -> Callable[[Evidence], Votes]:
        name = function.__name__
        if name in _FUNCTIONS:
            raise ValueError(f"labelling function {name!r} is registered twice")
        _FUNCTIONS[name] = LabellingFunction(name, description, tuple(overlaps), function)
        return function

    return register


def labelling_functions() -> dict[str, LabellingFunction]:
    """Every labelling function by name."""
    return dict(_FUNCTIONS)


@labelling_function("the lower grade of the two arguments, both judged; -2 is 0, irrelevant is .1, the top grade 1")
def minimum_grade(evidence: Evidence) -> Votes:
    """A pair is as good as the weaker of its arguments."""
    lower = np.minimum(*evidence.grades)
    label = np.where(lower < 0, 0, 0.1 + 0.9 * lower / evidence.top_grade)
    return Votes(np.where(np.isnan(lower), np.nan, label), evidence.share)


@labelling_function(
    "minimum_grade, halved for the least representative pair of its arguments: centrality, overlap with the "
    "conclusion, substance, early position, no debris",
    overlaps=tuple(SIGNS),
)
def representative_grade(evidence: Evidence) -> Votes:
    """Inside an argument, the pair that says most of it is the one to show."""
    label, weight = minimum_grade(evidence)
    return Votes(label * (0.5 + 0.5 * representativeness(evidence.matrix.features, evidence.matrix.units)), weight)


@labelling_function("a sample of pairs whose arguments are both unjudged, as light negatives")
def unjudged_negative(evidence: Evidence) -> Votes:
    """Unjudged is not irrelevant: a fifth of these pairs is taken, at a tenth of the weight."""
    both = np.isnan(evidence.grades[0]) & np.isnan(evidence.grades[1])
    taken = np.random.default_rng(evidence.seed).random(len(both)) < 0.2
    return Votes(np.where(both & taken, 0.0, np.nan), np.full(len(both), 0.01))


@dataclass(frozen=True)
class WeakLabels:
    """Labels for training, with an account of the judgments."""

    label: Values
    """(n_rows,) NaN where no function voted."""
    weight: Values
    decided_by: dict[str, int]
    """Pairs by the function that decided."""
    account: dict[str, int]
    """What became of the judgments."""

    @property
    def used(self) -> npt.NDArray[np.bool_]:
        """(n_rows,) rows that train."""
        return ~np.isnan(self.label)


def weak_labels(
    matrix: Matrix, qrels: Qrels, known: frozenset[str], strategy: Sequence[str] = DEFAULT, *, seed: int = 0
) -> WeakLabels:
    """Label every pair by the first function of ``strategy`` that votes.

    ``known`` holds the judged arguments that the corpus has: the others are counted, never negatives.
    Topics in which no judged pair was found train nothing, and are counted too.
    """
    evidence = Evidence(matrix, qrels, seed)
    judged = ~np.isnan(evidence.grades[0]) & ~np.isnan(evidence.grades[1])
    per_topic = np.bincount(matrix.topic_of_row, judged, minlength=len(matrix.topics))
    silent = per_topic[matrix.topic_of_row] == 0 if len(matrix) else np.zeros(0, bool)
    label = np.full(len(matrix), np.nan)
    weight = np.ones(len(matrix))
    decided_by = {}
    for name in strategy:
        if name not in _FUNCTIONS:
            raise InputError("--labels", f"no labelling function {name!r}", f"known: {', '.join(_FUNCTIONS)}")
        votes = _FUNCTIONS[name].vote(evidence)
        takes = np.isnan(label) & ~np.isnan(votes.label) & ~silent
        label[takes], weight[takes] = votes.label[takes], votes.weight[takes]
        decided_by[name] = int(takes.sum())
    reached = {
        (matrix.topics[t], a) for ids in evidence.arguments for t, a in zip(matrix.topic_of_row, ids, strict=True)
    }
    pairs = [(topic, argument) for topic, grades in qrels.items() for argument in grades]
    here = [pair for pair in pairs if pair[1] in known]
    found = [pair for pair in here if pair in reached]
    account = {
        "judgments": len(pairs),
        "absent from the corpus": len(pairs) - len(here),
        "in the corpus but not among the candidates": len(here) - len(found),
        "used": len(found),
        "topics": len(matrix.topics),
        "topics without a judged candidate": int((per_topic == 0).sum()),
        "pairs labelled": int((~np.isnan(label)).sum()),
        "pairs left out": int(np.isnan(label).sum()),
    }
    return WeakLabels(label, weight, decided_by, account)
