"""Where the trials of an ablation are kept, so that a study that was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from experiments.figures import MEASURES, Values, json_text, or_none, write_all
from ltr.data.locks import locked
from ltr.errors import InputError

TRIALS = "trials.jsonl"
STUDY = "study.json"
_ANEW = "delete the folder and begin again"
_NAMED = 3  # differing names that a message holds


@contextmanager
def only_study(folder: Path) -> Iterator[None]:
    """Have ``folder`` alone until the block ends, however the process ends. Raises InputError when another has it."""

    def busy() -> None:
        raise InputError(folder, "another study is running in this folder", "wait for it, or name a new folder with -o")

    with locked(folder.resolve(), busy):
        yield


class TrialLog:
    """The trials that were made, in a folder: what the study is, and a line a trial. Use it under `only_study`."""

    def __init__(self, folder: Path, study: dict[str, Any]) -> None:
        """Open; nothing is written. Raises InputError when the folder holds another study, or something else."""
        self.file = folder / TRIALS
        self._described, self.study = folder / STUDY, study
        if self._described.exists():
            try:
                known = json.loads(self._described.read_text("utf-8"))
            except (ValueError, RecursionError):
                known = None
            if known != study:
                what = f"this folder holds another study (it differs in: {difference(known, study)})"
                raise InputError(folder, what, "name a new folder with -o, or delete this one")
        elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(folder, "this is not empty and no study", "name an empty or new directory")
        self.trials: dict[str, Values] = {}
        """Name -> (n_topics, n_measures) figures, NaN where a topic cannot be scored."""
        *lines, cut = self.file.read_bytes().split(b"\n") if self.file.exists() else [b""]
        for number, line in enumerate(lines, 1):
            try:
                record = json.loads(line)
                self.trials[str(record["trial"])] = _values(record["figures"])
            except (ValueError, KeyError, TypeError, RecursionError):
                raise InputError(f"{self.file} line {number}", "this is no record of a study", _ANEW) from None
        if cut:  # by a kill
            with self.file.open("r+b") as out:
                out.truncate(self.file.stat().st_size - len(cut))

    def begin(self, topics: int) -> None:
        """Write down what the study is: from now on the folder is for no other.

        Raises InputError for a trial with figures of another number of topics.
        """
        for name, values in self.trials.items():
            if len(values) != topics:
                raise InputError(self.file, f"trial {name} has figures of other than {topics} topics", _ANEW)
        if not self._described.exists():
            self._described.parent.mkdir(parents=True, exist_ok=True)
            write_all({self._described: json_text(self.study)})

    def add(self, name: str, facts: dict[str, Any], values: Values) -> None:
        """Write a trial down, at once."""
        figures = {measure: or_none(column) for measure, column in zip(MEASURES, values.T, strict=True)}
        line = json.dumps({"trial": name, **facts, "figures": figures}, allow_nan=False)
        with self.file.open("a", encoding="utf-8", newline="\n") as out:
            out.write(line + "\n")
        self.trials[name] = values


def _values(figures: Any) -> Values:
    """Figures as `TrialLog.add` writes them, read again. Raises ValueError, KeyError or TypeError for others."""
    for measure in MEASURES:
        lowest = -1 if measure == "correlation" else 0
        for figure in figures[measure]:
            if figure is not None and (type(figure) not in (int, float) or not lowest <= figure <= 1):
                raise ValueError(figure)
    return np.array([figures[measure] for measure in MEASURES], np.float64).T


def difference(known: Any, study: dict[str, Any]) -> str:
    """The settings in which ``known`` is another study, with some names where a setting is made of names.

    >>> difference({"folds": 5, "features": {"a": 1, "b": 2}}, {"folds": 3, "features": {"a": 1, "b": 3, "c": 4}})
    'folds, features (b, c)'
    """
    known = known if isinstance(known, dict) else {}
    differing = []
    for key, value in study.items():
        old = known.get(key)
        if old != value:
            both = isinstance(old, dict) and isinstance(value, dict)
            names = sorted(name for name in old | value if old.get(name) != value.get(name)) if both else []
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            differing.append(f"{key} ({', '.join(names[:_NAMED])}{more})" if names else key)
    return ", ".join(differing) or "its settings"
