"""Documents and passages that help to compare (Touché Task 2, 2020 to 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from features.core.sides import COMPARED, Side
from features.core.tables import Context
from ltr.data.ids import LISTED
from ltr.data.topics import Topic
from ltr.ranking.task import register
from ltr.retrieval.arguments import Search
from ltr.retrieval.base import CandidateConfig, Rows, item_rows
from ltr.sample import Sample
from ltr.tasks.comparative.columns import objects_of, support
from ltr.tasks.whole import WholeItems

SHOWN = 10
"""Number of topics that a note names."""


class Comparative(WholeItems):
    """A document: of a collection that is searched, or of the result list of its topic."""

    name = "comparative"
    kind = "document"
    looks_for = "A choice between two things"
    dimensions = ("relevance", "quality")
    weights = MappingProxyType({"relevance": 1.0, "quality": 0.7, "source": 0.6})
    config = CandidateConfig(argument_depth=1000, arguments=1000, sentences_each=12, head=100)
    sides = COMPARED
    has_stances = False
    reads = "documents"
    sample = Sample(Path(__file__).parent / "sample")

    def propose(self, search: Search) -> Rows:
        """The topic's result list in its order, where the corpus is such lists; else the best of a search."""
        if not search.index.lists or not search.topic.number:
            return super().propose(search)
        return item_rows([[row] for row in search.index.lists.get(search.topic.number, [])], 1)

    def add(self, search: Search, rows: Rows, ids: Sequence[str]) -> Rows:
        """Also the documents of these ids; a list has all that its topic has."""
        return rows if search.index.lists else super().add(search, rows, ids)

    def frame(self, search: Search, context: Context, rows: Rows) -> pd.DataFrame:
        """Like that of arguments, under the ids of the source, with the side that the text takes."""
        items = super().frame(search, context, rows)
        ids = pd.Series([id_.removeprefix(f"{search.topic.number}{LISTED}") for id_ in items["docno"]], dtype=object)
        return items.assign(docno=ids, stance=pd.Series(support(context).stances, dtype=object))

    def headings(self, topic: Topic) -> dict[str, str]:
        """Its objects in place of FIRST and SECOND; a question without them asks for no side."""
        names = objects_of(topic.title, topic.objects)
        if not names:
            return {Side.NO: "documents"}
        return {side: f"for {name}" for side, name in zip(COMPARED, names, strict=False)}

    def notes(self, topics: Sequence[Topic]) -> list[str]:
        """The topics that do not compare two objects."""
        other = [topic.number for topic in topics if not objects_of(topic.title, topic.objects)]
        more = f" and {len(other) - SHOWN} more" if len(other) > SHOWN else ""
        where = f"topic {', '.join(other[:SHOWN])}{more}" if any(other) else "the question"
        said = f"no two objects are found in {where}: ranked as an ordinary question"
        return [said] if other else []


register(Comparative())
