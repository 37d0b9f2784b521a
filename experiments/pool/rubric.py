"""The criteria that people and models grade by, as printed on the page to grade in: rubric.json, beside this file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from features.core.feature import Unit


class Guide(NamedTuple):
    """The guide for graders of one kind of unit."""

    plural: str
    """The units in plain words."""
    how: Sequence[str]
    """How to grade, a paragraph each."""
    rubric: Mapping[str, Mapping[str, Any]]
    """Dimension, in the order of grades -> its ``question``, and the ``meanings`` of the grades 0, 1 and 2."""

    def only(self, dimensions: Sequence[str]) -> Guide:
        """The guide for some of its dimensions."""
        return self._replace(rubric={name: self.rubric[name] for name in dimensions})


GUIDES: Mapping[Unit, Guide] = {
    unit: Guide(**guide) for unit, guide in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")).items()
}
"""By kind of unit."""
