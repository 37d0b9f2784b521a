"""Where the trials of an ablation are kept, so that a study that was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from experiments.json_files import JsonLines, Record, write_json
from ltr.data.locks import locked
from ltr.errors import InputError

TRIALS = "trials.jsonl"
STUDY = "study.json"
Trial = dict[str, list[float | None]]
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
        self._lines = JsonLines(self.file, _name, "delete the folder and begin again")

    @property
    def trials(self) -> Collection[str]:
        """The names of the trials that were made."""
        return self._lines.records.keys()

    def figures(self, name: str) -> Trial:
        """Measure -> figure of each topic, None where a topic cannot be scored."""
        trial: Trial = self._lines.records[name]["figures"]
        return trial

    def begin(self) -> None:
        """Write down what the study is: from now on the folder is for no other."""
        if not self._described.exists():
            self._described.parent.mkdir(parents=True, exist_ok=True)
            write_json(self._described, self.study)

    def add(self, name: str, facts: Record, figures: Trial) -> None:
        """Write a trial down, at once."""
        self._lines.add({"trial": name, **facts, "figures": figures})


def _name(line: Record) -> str:
    dict(line["figures"])  # raises where there are none
    return str(line["trial"])


def difference(known: Any, study: dict[str, Any]) -> str:
    """The settings in which ``known`` is another study, with some names where a setting is made of names.

    >>> difference({"folds": 5, "features": {"a": 1, "b": 2}}, {"folds": 3, "features": {"a": 1, "b": 3, "c": 4}})
    'folds, features (b, c)'
    """
    known = known if isinstance(known, dict) else {}
    found = []
    for key, value in study.items():
        if known.get(key) != value:
            names = _differing(known.get(key), value)
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            found.append(f"{key} ({', '.join(names[:_NAMED])}{more})" if names else key)
    return ", ".join(found) or "its settings"


def _differing(known: Any, value: Any) -> list[str]:
    """Names, in alphabetical order, that stand in one of the two alone or with another value."""
    one, other = ([*map(list, of.items())] if isinstance(of, dict) else of for of in (known, value))
    if not isinstance(one, list) or not isinstance(other, list):
        return []
    pairs = [pair for pair in one if pair not in other] + [pair for pair in other if pair not in one]
    return sorted({str(pair[0]) for pair in pairs if isinstance(pair, list) and pair})
