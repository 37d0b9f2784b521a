"""Kinds of values: what a setting accepts from Python, and how a word of a command line is read as one.

A ValueError of a kind says what the value is not; `ltr.settings.base` names the setting. Imports nothing heavy, so that
commands start quickly.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from models.defaults import DIMENSIONS, WEIGHT_RANGE, parse_weights, valid_weights

LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Kind(ABC):
    """What values a setting may have."""

    metavar: str = field(default="NAME", kw_only=True)
    """Placeholder of the value in help texts; empty for a switch."""

    def parse(self, text: str) -> Any:
        """The value that a word of a command line stands for. Raises ValueError."""
        return self.check(text)

    @abstractmethod
    def check(self, value: Any) -> Any:
        """The value as it is kept. Raises ValueError for one that the setting cannot have."""

    def items(self, value: Any) -> Iterable[Any]:
        """The values of a setting that may repeat: a single one may stand alone."""
        return value if isinstance(value, list | tuple) else [value]


def shown(value: object) -> str:
    """A value for a message, cut where it is long."""
    return repr(value[:80] if isinstance(value, str) else value)[:120]


@dataclass(frozen=True)
class Switch(Kind):
    """True or False."""

    metavar: str = field(default="", kw_only=True)

    def check(self, value: Any) -> bool:
        """A bool, and no number or word that stands for one."""
        if not isinstance(value, bool):
            raise ValueError(f"{shown(value)} is not True or False")
        return value


@dataclass(frozen=True)
class Number(Kind):
    """A number from ``low`` to ``high``, both included; of ``whole`` numbers only where that is set."""

    low: float = 0
    high: float = LARGEST
    whole: bool = True
    metavar: str = field(default="N", kw_only=True)

    def parse(self, text: str) -> float:
        """The number that the text spells."""
        try:
            value = int(text) if self.whole else float(text)
        except ValueError:
            raise ValueError(f"{shown(text)} {self._what}") from None
        return self._within(value, text)

    def check(self, value: Any) -> float:
        """A number of Python or NumPy, as one of Python; True and False are none."""
        kind: type[Any] = Integral if self.whole else Real
        if isinstance(value, bool) or not isinstance(value, kind):
            raise ValueError(f"{shown(value)} {self._what}")
        return self._within(int(value) if self.whole else float(value), value)

    def _within(self, value: float, given: object) -> float:
        if not self.low <= value <= self.high:  # NaN is outside, too
            raise ValueError(f"{shown(given)} {self._what}")
        return value

    @property
    def _what(self) -> str:
        to = "" if self.high == math.inf else f" to {self.high}"
        return f"is not a {'whole ' if self.whole else ''}number from {self.low}{to}"


SHARE = Number(0, 1, whole=False, metavar="X")
"""A number from 0 to 1."""


COUNT = Number(1, 1000)
"""A number of items."""


@dataclass(frozen=True)
class Text(Kind):
    """Any text."""

    def check(self, value: Any) -> str:
        """A str, or one of NumPy as one of Python."""
        if not isinstance(value, str):
            raise ValueError(f"{shown(value)} is not a text")
        return str(value)


CLAIM = Text(metavar="CONCLUSION")


@dataclass(frozen=True)
class Tag(Kind):
    """One word without spaces or control characters."""

    metavar: str = field(default="TAG", kw_only=True)

    def check(self, value: Any) -> str:
        """A printable word."""
        if not isinstance(value, str) or value.split() != [value] or not value.isprintable():
            raise ValueError(f"{shown(value)} is not one word without spaces or control characters")
        return str(value)


@dataclass(frozen=True)
class Choice(Kind):
    """One of a few names; ``names`` may be "module:function", which lists what is registered and imports much."""

    names: tuple[str, ...] | str

    def known(self) -> list[str]:
        """The names; those of a registry are looked up."""
        if not isinstance(self.names, str):
            return [*self.names]
        module, _, function = self.names.partition(":")
        return [*getattr(import_module(module), function)()]

    def parse(self, text: str) -> str:
        """The name itself; whether it is known is checked when plug-ins are loaded."""
        return text

    def check(self, value: Any) -> str:
        """A known name."""
        known = self.known()
        if not isinstance(value, str) or value not in known:
            plugins = " (what a plug-in adds needs the plug-in)" if isinstance(self.names, str) else ""
            raise ValueError(f"{shown(value)} is not one of {', '.join(known)}{plugins}")
        return str(value)


@dataclass(frozen=True)
class Names(Kind):
    """Several names: with commas between them, or a list."""

    metavar: str = field(default="NAMES", kw_only=True)

    def check(self, value: Any) -> tuple[str, ...]:
        """A tuple of names, each once named."""
        names = [name.strip() for name in value.split(",")] if isinstance(value, str) else value
        if (
            not isinstance(names, list | tuple)
            or not names
            or not all(isinstance(name, str) and name for name in names)
        ):
            raise ValueError(f"{shown(value)} is not a list of names")
        return tuple(names)


@dataclass(frozen=True)
class File(Kind):
    """A path, which need not exist."""

    metavar: str = field(default="FILE", kw_only=True)

    def check(self, value: Any) -> Path:
        """A Path, of a Path or a str."""
        if not isinstance(value, str | Path) or not str(value) or "\0" in str(value):
            raise ValueError(f"{shown(value)} is not a path")
        return Path(value)


FOLDER = File(metavar="DIR")


@dataclass(frozen=True)
class Data(File):
    """A file, or its rows from Python: a frame with some ``columns``, a dict, or where ``pairs`` says so a list."""

    columns: tuple[str, ...] = ()
    pairs: bool = False
    """Whether rows are pairs, as of a topic, and a dict is flat; else a dict holds dicts: topic -> id -> grade."""

    def check(self, value: Any) -> Any:
        """A Path, or the object as it is: whoever writes it to a file checks its rows."""
        if isinstance(value, str | Path):
            return super().check(value)
        if isinstance(value, Mapping) and value:
            if all(isinstance(of, str if self.pairs else Mapping) for of in value.values()):
                return value
        elif hasattr(value, "columns") and hasattr(value, "iterrows"):
            if missing := [name for name in self.columns if name not in value.columns]:
                raise ValueError(f"a frame without the column {missing[0]} is not {self._what}")
            return value
        elif self._rows(value):
            return value
        raise ValueError(f"{shown(value)} is not {self._what}")

    def items(self, value: Any) -> Iterable[Any]:
        """The values; a list of rows is one."""
        return [value] if self._rows(value) else super().items(value)

    def _rows(self, value: Any) -> bool:
        rows = self.pairs and isinstance(value, list | tuple) and len(value) > 0
        return rows and all(hasattr(one, "number") or _is_pair(one) for one in value)

    @property
    def _what(self) -> str:
        return f"a file, a frame with {', '.join(self.columns)} or a dict{' or a list of pairs' if self.pairs else ''}"


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and all(isinstance(one, str | int) for one in value)


GRADES = Data(columns=("qid", "docno", "grade"))
TOPICS = Data(columns=("qid", "query"), pairs=True)


@dataclass(frozen=True)
class CorpusName(File):
    """A corpus: a path, or ``irds:DATASET``, as it was given."""

    metavar: str = field(default="DIR", kw_only=True)

    def check(self, value: Any) -> Any:
        """A str, of a Path or a str."""
        super().check(value)
        return str(value)


@dataclass(frozen=True)
class Model(File):
    """A folder or a name: of a model, an encoder, a re-ranker. From Python also ``objects`` that stand for one."""

    metavar: str = field(default="MODEL", kw_only=True)
    objects: bool = False

    def check(self, value: Any) -> Any:
        """A str, or an object that can be called."""
        if self.objects and not isinstance(value, str | bytes) and callable(getattr(value, "encode", value)):
            return value
        super().check(value)
        return str(value)


@dataclass(frozen=True)
class Entry(Kind):
    """KEY=FILE: a file of judgments, votes or scores by ``dimension``, by name, or by both, as in NAME:DIMENSION.

    From Python a dict, key -> file or files.
    """

    named: bool = False
    of_dimension: bool = False
    objects: bool = False
    """Whether frames and dicts of grades are accepted in place of files."""
    alone: bool = False
    """Whether a word may be the file alone, which then has its name up to the first full stop."""

    def parse(self, text: str) -> tuple[Any, ...]:
        """The parts of the key, and the file."""
        key, equals, file = text.partition("=")
        if self.alone and not equals:
            key, file = Path(text).name.partition(".")[0], text
        parts = key.rsplit(":", 1) if self.named and self.of_dimension else [key]
        size = self.named + self.of_dimension
        if len(parts) != size or not file:
            raise ValueError(f"{shown(text)} is not {self.what}")
        return self.check((*parts, file))

    def check(self, value: Any) -> tuple[Any, ...]:
        """(name, dimension, file), without what the key does not have."""
        size = 1 + self.named + self.of_dimension
        if not isinstance(value, tuple | list) or len(value) != size or not all(isinstance(x, str) for x in value[:-1]):
            raise ValueError(f"{shown(value)} is not {self.what}")
        *key, file = value
        whole = (isinstance(file, str) and not file) or (self.named and not re.fullmatch(r"[\w.+-]{1,80}", key[0]))
        if whole or (self.of_dimension and key[-1] not in DIMENSIONS):
            raise ValueError(f"{shown('='.join([':'.join(key), str(file)]))} is not {self.what}")
        return (*key, (GRADES if self.objects else File()).check(file))

    def items(self, value: Any) -> Iterable[Any]:
        """The entries; of a dict, key -> file or files."""
        if not isinstance(value, Mapping):
            yield from super().items(value)
            return
        for key, files in value.items():
            parts = str(key).rsplit(":", 1) if self.named and self.of_dimension else [str(key)]
            yield from ((*parts, file) for file in (files if isinstance(files, list | tuple) else [files]))

    @property
    def what(self) -> str:
        """What an entry looks like."""
        named = "a name of letters, digits, . + - _" if self.named else ""
        of = f"one of {', '.join(DIMENSIONS)}" if self.of_dimension else ""
        return f"{self.metavar}, with {' and '.join(filter(None, (named, of)))}"


@dataclass(frozen=True)
class Weights(Kind):
    """Weights of relevance, quality and coherence in the blend: each 0 or in `WEIGHT_RANGE`, not all 0.

    Coherence may be missing: arguments have none.
    """

    metavar: str = field(default="R,Q,C", kw_only=True)

    def parse(self, text: str) -> dict[str, float]:
        """The weights between the commas, in the order of `DIMENSIONS`."""
        if (weights := parse_weights(text, (2, 3))) is None:
            raise ValueError(f"{shown(text)} {self._what}")
        return dict(zip(DIMENSIONS, weights, strict=False))

    def check(self, value: Any) -> dict[str, float]:
        """A dict by dimension."""
        if isinstance(value, str):
            return self.parse(value)
        if not isinstance(value, Mapping) or not value or set(value) - set(DIMENSIONS):
            raise ValueError(f"{shown(value)} {self._what}")
        try:
            weights = {name: float(Number(0, math.inf, whole=False).check(weight)) for name, weight in value.items()}
        except ValueError:
            weights = {}
        if not weights or not valid_weights(weights.values()):
            raise ValueError(f"{shown(value)} {self._what}")
        return weights

    @property
    def _what(self) -> str:
        low, high = WEIGHT_RANGE
        return f"is not three weights {','.join(DIMENSIONS)}, each 0 or from {low} to {high}, as in .5,.3,.2"
