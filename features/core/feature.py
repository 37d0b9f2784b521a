"""Decorate a function with `feature`, and it is a feature.

A feature describes one of four things, its *scope*:

``text``       the bare sentences, whatever the topic: ``f(texts) -> (n_texts,)``; computed once a distinct text
``sentence``   the candidate sentences of a topic:     ``f(context) -> (n_sentences,)``
``argument``   their arguments:                        ``f(context) -> (n_arguments,)``
``pair``       the pairs themselves:                   ``f(context) -> (n_pairs,)``

They are lifted to the *item* that a task ranks. To a pair: ``first``/``second`` keep the order of its sentences,
``min``/``max``/``mean`` forget it; the lifted columns are named ``<feature>_<lift>``. An argument has the values of
argument features alone; what its sentences say about it are separate features (`features.content.aggregates`), since
maxima and means of all others made no ranker better. A document is described like an argument without a conclusion.

Features are computed for every candidate. One that costs much is marked ``needs_encoder=True`` and computed for the
best candidates of a topic alone, by a ranker of the others' columns: those that read the vectors of an encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from features.core.docstring import first_paragraph
from features.core.registry import ComponentError, Registry

F = TypeVar("F", bound=Callable[..., Any])
Scope = Literal["text", "sentence", "argument", "pair"]
ItemKind = Literal["pair", "argument", "document"]
"""Names of the kinds of ranked items."""


@dataclass(frozen=True)
class KindFacts:
    """A kind of ranked items, which a task has, with all that depends on it."""

    name: ItemKind
    parts: int = 1
    """2: two sentences, each with a row of the index; 1: a whole text."""
    of_arguments: bool = True
    """Whether it is an argument or is made of arguments' sentences: these have conclusions, sides and a debate."""

    @property
    def level(self) -> Literal["pair", "argument"]:
        """The level of judgments of such items."""
        return "pair" if self.parts > 1 else "argument"


KINDS: dict[str, KindFacts] = {
    kind.name: kind
    for kind in (KindFacts("pair", parts=2), KindFacts("argument"), KindFacts("document", of_arguments=False))
}
ALL_KINDS: tuple[ItemKind, ...] = tuple(kind.name for kind in KINDS.values())
OF_ARGUMENTS: tuple[ItemKind, ...] = tuple(kind.name for kind in KINDS.values() if kind.of_arguments)
Lift = Literal["first", "second", "min", "max", "mean"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
LIFTS: tuple[Lift, ...] = get_args(Lift)
Standardise = Literal["no", "topic", "both"]
"""Values enter a learned ranker as they are, as standard scores within the topic, or both ways."""
INFINITE = (-np.inf, np.inf)


@dataclass(frozen=True, eq=False)
class Feature:
    """A feature and the facts about it. Raises ValueError for facts that do not fit together."""

    scope: Scope
    _: KW_ONLY
    name: str
    group: str
    measured_in: str
    """Unit of the values: "count", "share", "cosine"."""
    range: tuple[float, float]
    description: str
    """One line."""
    compute: Callable[[Any], Any]
    source: str = "this project"
    """Paper or project that the formula comes from."""
    lift: tuple[Lift, ...] = ("min", "max")
    """Ways to make values of pairs; a pair feature has none."""
    kinds: tuple[ItemKind, ...] = ALL_KINDS
    """Items that it describes."""
    standardise: Standardise = "no"
    """Form in which learned rankers read its columns, see `models.learned`."""
    needs_encoder: bool = False
    """It reads an encoder's vectors, and so describes the best candidates of a topic alone."""
    needs_reader: bool = False
    """It reads texts by a model that learned from graded items: rankers that learn from these may not have it."""
    version: int = 1
    """Raise it when values change, by code or a data file: models trained with another version are refused, and values
    that were kept are computed again."""

    def __post_init__(self) -> None:
        if self.scope not in SCOPES:
            raise ValueError(f"feature {self.name!r}: unknown scope {self.scope!r}; known: {', '.join(SCOPES)}")
        if self.scope != "pair" and (not self.lift or set(self.lift) - set(LIFTS)):
            raise ValueError(f"feature {self.name!r}: lift is one or more of {', '.join(LIFTS)}")
        if self.standardise not in get_args(Standardise):
            raise ValueError(f"feature {self.name!r}: standardise is one of {', '.join(get_args(Standardise))}")
        if not self.description or not self.range[0] < self.range[1] or self.version < 1:
            raise ValueError(f"feature {self.name!r} needs a description, a range (low, high) and a version from 1")

    def columns(self, kind: ItemKind = "pair") -> tuple[str, ...]:
        """The columns that it fills in a table of such items."""
        pairs = KINDS[kind].parts > 1
        if kind not in self.kinds or not (pairs or self.scope == "argument"):
            return ()
        return tuple(f"{self.name}_{lift}" for lift in self.lift if pairs) or (self.name,)


FEATURES: Registry[Feature] = Registry("feature", "features", lambda one: one.compute)


def feature(scope: Scope, **facts: Any) -> Callable[[F], F]:
    """Register the decorated function as a feature; ``facts`` are fields of `Feature`.

    The name, where left out, is that of the function, and the description the first paragraph of its docstring.
    Raises ValueError for a name that is taken and for facts that do not fit together.
    """

    def register(function: F) -> F:
        known = {"name": function.__name__, **facts}
        if "description" not in known:
            known["description"] = first_paragraph(function)
        if scope == "pair":
            known["lift"] = ()
        made = Feature(scope, compute=function, **known)
        FEATURES.add(made.name, made)
        return function

    return register


def all_features() -> list[Feature]:
    """Every feature, file by file in alphabetical order, whichever was imported first."""
    return sorted(FEATURES.search().values(), key=lambda feature: feature.compute.__module__)


def columns(kind: ItemKind = "pair", *, head: bool = False) -> list[str]:
    """Names of the columns of all candidates, or of those that describe the ``head`` alone, in order.

    Without those of the reader, see `reader_columns`.
    """
    known = column_features(kind).items()
    return [name for name, found in known if found.needs_encoder == head and not found.needs_reader]


def reader_columns(kind: ItemKind = "pair") -> list[str]:
    """Names of the columns that the reader fills for the first of the head, in order."""
    return [name for name, found in column_features(kind).items() if found.needs_reader]


def column_features(kind: ItemKind = "pair") -> dict[str, Feature]:
    """The feature behind each column, in order."""
    return dict(_columns_of(kind, *all_features()))  # the caller's own


@lru_cache(maxsize=16)
def _columns_of(kind: ItemKind, *known: Feature) -> dict[str, Feature]:
    return {column: feature for feature in known for column in feature.columns(kind)}


def all_columns() -> dict[str, Feature]:
    """The feature behind each column of any item: a name means the same for all."""
    return {name: found for kind in reversed(ALL_KINDS) for name, found in column_features(kind).items()}


def of_columns(columns: Iterable[str], kind: ItemKind = "pair") -> list[Feature]:
    """The features behind some columns, each once, in the order of the registry. Raises KeyError."""
    wanted, known = set(columns), column_features(kind)
    if unknown := sorted(wanted - known.keys()):
        raise KeyError(f"no feature fills the column {unknown[0]!r}; known: {', '.join(known)}")
    return list({feature.name: feature for column, feature in known.items() if column in wanted}.values())


def checked_numbers(where: str, values: Any, size: int, hint: str, *, abstains: bool = False) -> npt.NDArray[Any]:
    """(size,) numbers, finite, or NaN where the component ``abstains``. Raises ComponentError for anything else."""
    try:
        array = np.asarray(values)
        narrow = array.astype(np.float32)
    except (TypeError, ValueError):
        raise ComponentError(where, f"gave no array of numbers where shape ({size},) was due", hint) from None
    if narrow.shape != (size,):
        raise ComponentError(where, f"gave shape {narrow.shape} where ({size},) was due", hint)
    if not (np.isfinite(narrow) | (abstains & np.isnan(narrow))).all():
        raise ComponentError(where, "gave values that are not finite", hint)
    return array
