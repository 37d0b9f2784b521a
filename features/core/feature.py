"""Decorate a function with `feature`, and it is a feature.

A feature describes one of four things, its *scope*:

``text``       the bare sentences, whatever the topic: ``f(texts) -> (n_texts,)``; computed once a distinct text
``sentence``   the candidate sentences of a topic:     ``f(context) -> (n_sentences,)``
``argument``   their arguments:                        ``f(context) -> (n_arguments,)``
``pair``       the pairs themselves:                   ``f(context) -> (n_pairs,)``

They are lifted to the *unit* that a task ranks. To a pair: ``first``/``second`` keep the order of its sentences,
``min``/``max``/``mean`` forget it; the lifted columns are named ``<feature>_<lift>``. An argument has the values of
argument features alone; what its sentences say about it are separate features (`features.content.aggregates`), since
maxima and means of all others made no ranker better. A document is described like an argument without a conclusion.

Features are computed for every candidate. One that costs much is marked ``head=True`` and computed for the best
candidates of a topic alone, by a ranker of the others' columns: those that read the vectors of an encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, replace
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from features.core.registry import Registry

Scope = Literal["text", "sentence", "argument", "pair"]
Unit = Literal["pair", "argument", "document"]
"""What is ranked."""
UNITS: tuple[Unit, ...] = ("pair", "argument", "document")
OF_ARGUMENTS: tuple[Unit, ...] = ("pair", "argument")
"""What has conclusions, sides and a debate."""
Lift = Literal["first", "second", "min", "max", "mean"]
SCOPES: tuple[Scope, ...] = ("text", "sentence", "argument", "pair")
LIFTS: tuple[Lift, ...] = ("first", "second", "min", "max", "mean")
INFINITE = (-np.inf, np.inf)


def _undecorated(*_: Any) -> Any:
    raise TypeError("this feature decorates no function yet")


@dataclass(frozen=True, eq=False)
class Feature:
    """A feature and the facts about it; as a decorator it registers the function under its own name, or ``name``."""

    scope: Scope
    _: KW_ONLY
    group: str
    measured_in: str
    """What values are measured in: "count", "share", "cosine"."""
    range: tuple[float, float]
    description: str = ""
    """One line; when left out, the first paragraph of the function's docstring."""
    source: str = "this project"
    """Paper or project that the formula comes from."""
    lift: tuple[Lift, ...] = ("min", "max")
    """How values become those of pairs; a pair feature has none."""
    units: tuple[Unit, ...] = UNITS
    """What it describes."""
    head: bool = False
    """Whether it describes the best candidates alone, with an encoder's vectors at hand."""
    brought: bool = False
    """Whether it reads what topics have where a user brings it: described then, or where its columns are named."""
    name: str = ""
    version: int = 1
    """Raise it when values change: models that were trained with another version are refused."""
    compute: Callable[[Any], Any] = _undecorated

    def __call__(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Register ``function``. Raises ValueError for facts that do not fit together."""
        name = self.name or function.__name__
        if self.scope not in SCOPES:
            raise ValueError(f"feature {name!r}: unknown scope {self.scope!r}; known: {', '.join(SCOPES)}")
        if self.scope != "pair" and (not self.lift or set(self.lift) - set(LIFTS)):
            raise ValueError(f"feature {name!r}: lift is one or more of {', '.join(LIFTS)}")
        description = self.description or _first_paragraph(function.__doc__ or "")
        if not description or not self.range[0] < self.range[1] or self.version < 1:
            raise ValueError(f"feature {name!r} needs a description, a range (low, high) and a version from 1")
        lift = self.lift if self.scope != "pair" else ()
        FEATURES.add(name, replace(self, name=name, description=description, lift=lift, compute=function))
        return function

    def columns(self, unit: Unit = "pair") -> tuple[str, ...]:
        """The columns that it fills in the feature matrix of such units."""
        if unit not in self.units or (unit != "pair" and self.scope != "argument"):
            return ()
        return tuple(f"{self.name}_{lift}" for lift in self.lift if unit == "pair") or (self.name,)


def _first_paragraph(docstring: str) -> str:
    """In one line, without the full stop and, unless a name begins it, the capital."""
    text = " ".join(docstring.partition("\n\n")[0].split()).removesuffix(".")
    return text[:1].lower() + text[1:] if text[1:2] == " " or text.split(" ")[0][1:].islower() else text


FEATURES: Registry[Feature] = Registry("feature", "features")
feature = Feature
"""The decorator."""


def all_features() -> list[Feature]:
    """Every feature, file by file in alphabetical order, whichever was imported first."""
    return sorted(FEATURES.search().values(), key=lambda feature: feature.compute.__module__)


def find(name: str) -> Feature:
    """The feature of that name. Raises KeyError with the known names."""
    return FEATURES.find(name)


def columns(unit: Unit = "pair", *, head: bool = False, brought: bool = False) -> list[str]:
    """Names of the columns of all candidates, or of those that describe the ``head`` alone, in order.

    With ``brought`` those too that read what a user brings.
    """
    known = column_features(unit).items()
    return [name for name, feature in known if feature.head == head and (brought or not feature.brought)]


def column_features(unit: Unit = "pair") -> dict[str, Feature]:
    """The feature behind each matrix column, in order. It knows columns of given scores, too, without listing them."""
    return _Columns(_columns_of(unit, *all_features()))  # the caller's own


@lru_cache(maxsize=16)
def _columns_of(unit: Unit, *known: Feature) -> dict[str, Feature]:
    return _Columns({column: feature for feature in known for column in feature.columns(unit)})


def all_columns() -> dict[str, Feature]:
    """The feature behind each column of any unit: a name means the same for all. Given scores as `column_features`."""
    return _Columns({name: found for unit in reversed(UNITS) for name, found in column_features(unit).items()})


GIVEN = "scores_"
"""Beginning of the names of columns that no feature computes: somebody else's scores of items, from a file."""


def is_given(column: str) -> bool:
    """Whether a column holds somebody else's scores."""
    return column.startswith(GIVEN)


class _Columns(dict[str, Feature]):
    def __missing__(self, column: str) -> Feature:
        if not is_given(column):
            raise KeyError(column)
        what = f"the scores {column.removeprefix(GIVEN)!r}, from a file"
        return Feature("pair", group="scores", measured_in="score", range=INFINITE, description=what, name=column)


def of_columns(columns: Iterable[str], unit: Unit = "pair") -> list[Feature]:
    """The features behind some matrix columns, each once, in the order of the registry. Raises KeyError."""
    wanted, known = set(columns), column_features(unit)
    if unknown := sorted(wanted - known.keys()):
        raise KeyError(f"no feature fills the column {unknown[0]!r}; known: {', '.join(known)}")
    return list({feature.name: feature for column, feature in known.items() if column in wanted}.values())
