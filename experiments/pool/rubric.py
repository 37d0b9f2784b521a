"""The criteria that people and language models grade by: rubric.json, beside this file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from features.core.feature import Unit


class Guide(NamedTuple):
    """The guide for graders of one kind of item."""

    how: Sequence[str]
    """How to grade, a paragraph each."""
    rubric: Mapping[str, Mapping[str, Any]]
    """Dimension, in the order of grades -> its ``question``, and the ``meanings`` of the grades 0, 1 and 2."""

    def text(self, dimensions: Sequence[str]) -> str:
        """How to grade, and the criteria of some dimensions, as graders read them."""
        parts = ["\n\n".join(self.how) + "\n"]
        for name in dimensions:
            meanings = (f"  {grade}: {meaning}\n" for grade, meaning in enumerate(self.rubric[name]["meanings"]))
            parts.append(f"{name}: {self.rubric[name]['question']}\n{''.join(meanings)}")
        return "\n".join(parts)


GUIDES: Mapping[Unit, Guide] = {
    unit: Guide(**guide) for unit, guide in json.loads(Path(__file__).with_suffix(".json").read_text("utf-8")).items()
}
"""By kind of item."""
