"""The values that the stages of an answer hand on: the question as read, and a table with a row an argument."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Subject:
    """What a question is about, as far as the corpus has it."""

    rows: frozenset[int] = frozenset()
    """Arguments of the debates that it is about."""
    nearest: float = 0.0
    """Cosine of the nearest debate; 0 where debates were not compared with the question."""
    unnamed: str = ""
    """A word that none of them has, and without which the question would be nearer to them."""
    meaning: Vectors | None = field(default=None, compare=False)
    """(size,) the vector of the nearest debate; None in a whole small corpus, where few words occur."""


@dataclass(frozen=True)
class Understood:
    """A question as it is read."""

    question: str
    subject: Subject = Subject()
    rarity: Mapping[str, float] = field(default_factory=dict)
    """Term of the question that the corpus has -> its weight."""
    stating: frozenset[str] = frozenset()
    """Terms that take a side by themselves, such as "ban", and name no subject."""
    terms: Callable[[str], Iterable[str]] = str.split
    """The terms of a text."""
    known: Mapping[str, int] = field(default_factory=dict)
    """Conclusions, normalised, that a person called what is asked (1), or the opposite (-1)."""


@dataclass(frozen=True)
class Debate:
    """Arguments of one page under one resolution."""

    resolution: str
    """Conclusion of the arguments at its root; empty without one."""
    title: str = ""
    arguments: int = 1
    """Number of arguments."""
    on_subject: bool = False
    """Whether it is about what is asked."""
    claims: Callable[[], Mapping[str, int]] = field(default=dict, compare=False)
    """Looks up its other conclusions: 1 for one that is for the resolution, -1 for one against it."""


@dataclass(frozen=True)
class Argument:
    """A row of the table of arguments, before it is judged."""

    debate: Debate
    conclusion: str = ""
    stance: int = 0
    """Toward its conclusion: 1 for, -1 against, 0 unknown."""
    toward: int = 0
    """Toward the resolution of its debate: the product of the stances on its path to it, 0 where one is unknown."""
    nested: bool = False
    """Whether its conclusion is what another argument says, not the resolution."""
    premises: tuple[str, ...] = field(default=(), compare=False)
    """The first ones."""


@dataclass(frozen=True)
class Verdict:
    """Judgments on an argument."""

    argument: Argument
    side: str
    """Toward the question: PRO, CON, or Q0 where it is unclear."""
    odds: float = 0.0
    """Log-odds that it is for what is asked."""
    debate_odds: float | None = None
    """Log-odds that being for the resolution is being for what is asked; None where its words alone were read."""
    sure: bool = False


@dataclass(frozen=True)
class Saying:
    """What an item says, for the point that it makes."""

    argument: int
    """Row of its argument."""
    root: int
    """Row of the argument about the debate's resolution at the end of its argument's path."""
    title: str
    """Title of the debate; may be empty."""
    sentences: tuple[str, ...]
    """The sentences of a pair, or the first ones of a whole argument."""
    premises: tuple[str, ...] = ()
    """The sentences that are not conclusions."""
    beside: tuple[str, ...] = ()
    """The first premises of its argument."""
    own: str = ""
    """The argument's conclusion; empty where it argues against it, or where it is the debate's resolution."""
