"""Judgments from several files: one set without a dimension, and one for each dimension."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ltr.data.qrels import Level, Qrels, read_pair_qrels, read_qrels
from ltr.errors import InputError
from ltr.evaluation.evaluator import QRELS

Entries = Sequence[tuple[str, Path]]
"""Dimension and file; files of one dimension merge."""


@dataclass(frozen=True)
class JudgmentFiles:
    """The files of judgments, and the level that they must have if it is given."""

    qrels: Sequence[Path] = ()
    pair_qrels: Entries = ()
    argument_qrels: Entries = ()
    level: Level | None = None

    @property
    def guessed(self) -> bool:
        """Whether the level is read off the ids."""
        return bool(self.qrels) and self.level is None

    def read(self) -> dict[str, Qrels]:
        """The sets of judgments: `QRELS`, then every dimension that has a file of its own. Raises InputError."""
        sets = {QRELS: read_qrels(*self.qrels)} if self.qrels else {}
        sets |= read_pair_qrels(self.pair_qrels)
        for dimension, paths in _by_dimension(self.argument_qrels).items():
            sets[dimension] = read_qrels(*paths)
            if sets[dimension].level == "pair":
                where = " ".join(map(str, paths))
                raise InputError(where, "judges pairs, not arguments", f"name it by --pair-qrels {dimension}=FILE")
        if not sets:
            hint = "add --qrels FILE, --pair-qrels DIMENSION=FILE or --argument-qrels DIMENSION=FILE"
            raise InputError("usage", "no judgments are named", hint)
        judged = next(iter(sets.values())).level
        if self.level not in (None, judged):
            raise InputError("--level", f"{self.level} does not fit qrels that judge {judged}s", f"try {judged}")
        return sets

    def described(self, level: Level) -> dict[str, Any]:
        """The files and the ``level`` of what they judge, as plain data."""

        def names(entries: Entries) -> dict[str, list[str]]:
            return {name: list(map(path_text, paths)) for name, paths in _by_dimension(entries).items()}

        return {
            "qrels": list(map(path_text, self.qrels)),
            "pair_qrels": names(self.pair_qrels),
            "argument_qrels": names(self.argument_qrels),
            "level": level,
            "level_guessed": self.guessed,
        }


def _by_dimension(entries: Entries) -> dict[str, list[Path]]:
    files: dict[str, list[Path]] = {}
    for dimension, path in entries:
        files.setdefault(dimension, []).append(path)
    return files


def path_text(path: str | Path) -> str:
    """A path as text: a file name may hold bytes that are none."""
    return os.fsencode(path).decode("utf-8", "replace")
