"""The criteria that people and models grade by, as printed on the page to grade in: rubric.json, beside this file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from features.core.feature import Unit


class Criterion(NamedTuple):
    """The question of one dimension, and what the grades 0, 1 and 2 mean."""

    question: str
    meanings: Sequence[str]


class Guide(NamedTuple):
    """The guide for graders of one kind of unit."""

    plural: str
    """The units in plain words."""
    how: Sequence[str]
    """How to grade, a paragraph each."""
    rubric: Mapping[str, Criterion]
    """By dimension, in the order of grades."""

    def only(self, dimensions: Sequence[str]) -> Guide:
        """The guide for some of its dimensions."""
        return self._replace(rubric={name: self.rubric[name] for name in dimensions})


GUIDES: Mapping[Unit, Guide] = {
    unit: Guide(of["plural"], of["how"], {name: Criterion(**said) for name, said in of["rubric"].items()})
    for unit, of in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")).items()
}
"""By kind of unit."""
