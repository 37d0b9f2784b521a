"""Whole arguments (Touché 2020 and 2021, Task 1)."""

from __future__ import annotations

from types import MappingProxyType

from ltr.ranking.task import register
from ltr.retrieval.base import CandidateConfig
from ltr.tasks.whole import WholeItems


class Arguments(WholeItems):
    """An argument: its conclusion with all of its premises."""

    name = "arguments"
    kind = "argument"
    looks_for = "Whole arguments"
    dimensions = ("relevance", "quality")
    weights = MappingProxyType({"relevance": 1.0, "quality": 0.7})
    config = CandidateConfig(arguments=300, sentences_each=5, head=50)


register(Arguments())
