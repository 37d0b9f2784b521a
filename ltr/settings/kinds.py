"""Kinds of values: what a setting accepts from Python, and how a word of a command line is read as one.

Imports nothing heavy, so that commands start quickly.
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

from models.defaults import BLENDS, DIMENSIONS, WEIGHT_RANGE, parse_weights, valid_weights

LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Kind(ABC):
    """What values a setting may have."""

    metavar: str = field(default="NAME", kw_only=True)
    """Placeholder of the value in help texts; empty for a switch."""

    def parse(self, text: str) -> Any:
        """The value that a word of a command line stands for. Raises ValueError."""
        return self._allowed(self._read(text), text)

    def check(self, value: Any) -> Any:
        """A value from Python as it is kept. Raises ValueError for one that the setting cannot have."""
        return self._allowed(self._kept(value), value)

    def items(self, value: Any) -> Iterable[Any]:
        """The values of a setting that may repeat: a single one may stand alone."""
        return value if isinstance(value, list | tuple) else [value]

    @property
    @abstractmethod
    def _what(self) -> str:
        """What a value is, for messages."""

    @abstractmethod
    def _kept(self, value: Any) -> Any:
        """A value as it is kept; None for one that the setting cannot have."""

    def _read(self, text: str) -> Any:
        """What a word stands for, as it is kept; None for nothing that the setting can have."""
        return self._kept(text)

    def _allowed(self, kept: Any, given: object) -> Any:
        if kept is None:
            shown = repr(given[:80] if isinstance(given, str) else given)[:120]
            raise ValueError(f"{shown} is not {self._what}")
        return kept


@dataclass(frozen=True)
class Switch(Kind):
    """True or False, and no number or word that stands for one."""

    metavar: str = field(default="", kw_only=True)
    _what = "True or False"

    def _kept(self, value: Any) -> bool | None:
        return value if isinstance(value, bool) else None


@dataclass(frozen=True)
class Number(Kind):
    """A number from ``low`` to ``high``, both included; of ``whole`` numbers only where that is set.

    Numbers of NumPy are kept as those of Python. True and False are not numbers.
    """

    low: float = 0
    high: float = LARGEST
    whole: bool = True
    metavar: str = field(default="N", kw_only=True)

    def _kept(self, value: Any) -> float | None:
        kind: type[Any] = Integral if self.whole else Real
        if isinstance(value, bool) or not isinstance(value, kind) or not self.low <= value <= self.high:
            return None  # NaN is out of bounds, too
        return int(value) if self.whole else float(value)

    def _read(self, text: str) -> float | None:
        try:
            return self._kept(int(text) if self.whole else float(text)) if text.isascii() else None
        except ValueError:
            return None

    @property
    def _what(self) -> str:
        return f"a {'whole ' if self.whole else ''}number from {self.low} to {self.high}"


@dataclass(frozen=True)
class Text(Kind):
    """Any text; one of NumPy is kept as one of Python."""

    _what = "a text"

    def _kept(self, value: Any) -> str | None:
        return str(value) if isinstance(value, str) else None


@dataclass(frozen=True)
class Tag(Text):
    """One word without spaces or control characters."""

    metavar: str = field(default="TAG", kw_only=True)
    _what = "one word without spaces or control characters"

    def _kept(self, value: Any) -> str | None:
        text = super()._kept(value)
        return text if text and text.split() == [text] and text.isprintable() else None


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

    def _kept(self, value: Any) -> str | None:
        return str(value) if isinstance(value, str) and value in self.known() else None

    def _read(self, text: str) -> str:
        return text  # it is checked when plug-ins are loaded

    @property
    def _what(self) -> str:
        plugins = " (what a plug-in adds needs the plug-in)" if isinstance(self.names, str) else ""
        return f"one of {', '.join(self.known())}{plugins}"


@dataclass(frozen=True)
class Names(Kind):
    """Several names: with commas between them, or a list. They are kept as a tuple."""

    metavar: str = field(default="NAMES", kw_only=True)
    _what = "a list of names"

    def _kept(self, value: Any) -> tuple[str, ...] | None:
        names = [name.strip() for name in value.split(",")] if isinstance(value, str) else value
        good = isinstance(names, list | tuple) and names and all(isinstance(name, str) and name for name in names)
        return tuple(names) if good else None


@dataclass(frozen=True)
class File(Kind):
    """A path, which need not exist: a str or a Path, kept as a Path."""

    metavar: str = field(default="FILE", kw_only=True)

    _what = "a path"

    def _kept(self, value: Any) -> Any:
        good = isinstance(value, str | Path) and str(value) and "\0" not in str(value)
        return Path(value) if good else None


@dataclass(frozen=True)
class Data(File):
    """A file, or its rows from Python, which are kept as they are: whoever reads them checks them."""

    _what = "a file, or its rows: a frame, a dict or, of topics, a list of pairs"
    pairs: bool = False
    """Whether rows are pairs, as of a topic, and a dict is flat; else a dict holds dicts: topic -> id -> grade."""

    def _kept(self, value: Any) -> Any:
        if hasattr(value, "iterrows"):
            return value
        if isinstance(value, Mapping):
            good = all(isinstance(of, str if self.pairs else Mapping) for of in value.values())
            return value if value and good else None
        return value if self._rows(value) else super()._kept(value)

    def items(self, value: Any) -> Iterable[Any]:
        """The values; a list of rows is one."""
        return [value] if self._rows(value) else super().items(value)

    def _rows(self, value: Any) -> bool:
        rows = self.pairs and isinstance(value, list | tuple) and len(value) > 0
        return rows and all(hasattr(row, "number") or (isinstance(row, tuple) and len(row) == 2) for row in value)


@dataclass(frozen=True)
class CorpusName(File):
    """A corpus: a path, or ``irds:DATASET``, kept as a str."""

    metavar: str = field(default="DIR", kw_only=True)

    def _kept(self, value: Any) -> Any:
        return None if super()._kept(value) is None else str(value)


@dataclass(frozen=True)
class Model(CorpusName):
    """A folder or a name: of a model, an encoder, a re-ranker. From Python also ``objects`` that stand for one."""

    metavar: str = field(default="MODEL", kw_only=True)
    objects: bool = False

    def _kept(self, value: Any) -> Any:
        if self.objects and not isinstance(value, str | bytes) and callable(getattr(value, "encode", value)):
            return value
        return super()._kept(value)


@dataclass(frozen=True)
class Entry(Kind):
    """KEY=FILE: a file of judgments, votes or scores by ``dimension``, by name, or by both, as in NAME:DIMENSION.

    It is kept as (name, dimension, file), without what the key does not have. From Python it may be a dict, key -> file
    or files.
    """

    named: bool = False
    of_dimension: bool = False
    objects: bool = False
    """Whether frames and dicts of grades are accepted in place of files."""
    alone: bool = False
    """Whether a word may be the file alone, which then has its name up to the first full stop."""

    @property
    def _what(self) -> str:
        named = "a name of letters, digits, . + - _" if self.named else ""
        of = f"one of {', '.join(DIMENSIONS)}" if self.of_dimension else ""
        return f"{self.metavar}, with {' and '.join(filter(None, (named, of)))}"

    def _kept(self, value: Any) -> tuple[Any, ...] | None:
        if not isinstance(value, tuple | list) or len(value) != 1 + self.named + self.of_dimension:
            return None
        *key, given = value
        if not all(isinstance(part, str) for part in key) or (self.of_dimension and key[-1] not in DIMENSIONS):
            return None
        file = (GRADES if self.objects else FOLDER)._kept(given)
        if file is None or (self.named and not re.fullmatch(r"[\w.+-]{1,80}", key[0])):
            return None
        return (*key, file)

    def _read(self, text: str) -> tuple[Any, ...] | None:
        key, equals, file = text.partition("=")
        if self.alone and not equals:
            key, file = Path(text).name.partition(".")[0], text
        return self._kept((*self._parts(key), file))

    def items(self, value: Any) -> Iterable[Any]:
        """The entries; of a dict, key -> file or files."""
        if not isinstance(value, Mapping):
            return super().items(value)
        several = {key: files if isinstance(files, list | tuple) else [files] for key, files in value.items()}
        return [(*self._parts(str(key)), file) for key, files in several.items() for file in files]

    def _parts(self, key: str) -> list[str]:
        return key.rsplit(":", 1) if self.named and self.of_dimension else [key]


@dataclass(frozen=True)
class Weights(Kind):
    """Weights of the blend by dimension or with commas; or one of `BLENDS`, by name. Arguments have no coherence."""

    metavar: str = field(default="R,Q,C", kw_only=True)

    @property
    def _what(self) -> str:
        numbers = "three weights {},{},{}, each 0 or from {} to {}, as in .5,.3,.2".format(*DIMENSIONS, *WEIGHT_RANGE)
        return f"{numbers}, nor one of {', '.join(BLENDS)}"

    def _kept(self, value: Any) -> str | dict[str, float] | None:
        if isinstance(value, str):
            if value in BLENDS:
                return str(value)
            value = dict(zip(DIMENSIONS, parse_weights(value, (2, 3)) or [], strict=False))
        if not isinstance(value, Mapping) or set(value) - set(DIMENSIONS):
            return None
        weights: dict[str, Any] = {
            name: Number(0, math.inf, whole=False)._kept(weight) for name, weight in value.items()
        }
        return weights if None not in weights.values() and valid_weights([*weights.values()]) else None


SHARE, COUNT = Number(0, 1, whole=False, metavar="X"), Number(1, 1000)
CLAIM, FOLDER = Text(metavar="CONCLUSION"), File(metavar="DIR")
GRADES, TOPICS = Data(), Data(pairs=True)
