"""Judgments of the items that a task ranks, and of the arguments that they are parts of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ltr.data.ids import pair_key
from ltr.data.qrels import Qrels
from ltr.errors import InputError
from ltr.learning.votes import Votes, of_topics


@dataclass(frozen=True)
class JudgedSet:
    """One set of judgments: of whole arguments or items in one dimension, or votes of one name."""

    level: str
    """pairs, arguments or documents; empty for the votes of a name, which may be on several."""
    dimension: str
    source: str = ""
    """Name of the votes, or "votes" where votes on a level are combined; empty for judgments that are trusted."""

    def __str__(self) -> str:
        if not self.level:
            return f"votes of {self.source}, {self.dimension}"
        return f"{self.level}{' (votes)' if self.source else ''}, {self.dimension}"


@dataclass(frozen=True)
class Judgments:
    """All judgments, by dimension, on the scale of `share_grades`, which judgments of some of the topics keep."""

    graded: Mapping[str, Qrels] = field(default_factory=dict)
    """Grades of the ranked items themselves, in [0, TOP_GRADE]."""
    distant: Mapping[str, Qrels] = field(default_factory=dict)
    """Grades of the whole arguments that the items are parts of, in [0, 1]."""
    votes: Sequence[Votes] = field(default=(), kw_only=True)
    """Vote files: grades that are not trusted."""

    def only(self, topics: Iterable[str]) -> Judgments:
        """Judgments of some topics."""
        kept = set(topics)
        graded = {name: of_topics(qrels, kept) for name, qrels in self.graded.items()}
        distant = {name: of_topics(qrels, kept) for name, qrels in self.distant.items()}
        return Judgments(graded, distant, votes=[given.only(kept) for given in self.votes if given.topics & kept])

    def without(self, topics: Iterable[str]) -> Judgments:
        """Judgments of the other topics."""
        return self.only(self.topics().difference(topics))

    def topics(self) -> set[str]:
        """The topics with a judgment or a vote."""
        every = (*self.graded.values(), *self.distant.values())
        judged = {topic for qrels in every for topic, grades in qrels.items() if grades}
        return judged.union(*(given.topics for given in self.votes))

    def votes_in(self, dimension: str) -> list[Votes]:
        """The vote files of a dimension."""
        return [given for given in self.votes if given.dimension == dimension]

    def graded_ids(self) -> dict[str, list[str]]:
        """Topic -> the items that are graded or voted on, each once."""
        items: dict[str, dict[str, str]] = {}
        for qrels in (*self.graded.values(), *(given.items for given in self.votes)):
            for topic, grades in qrels.items():
                for item in grades:
                    items.setdefault(topic, {}).setdefault(pair_key(item), item)
        return {topic: list(by_key.values()) for topic, by_key in items.items()}


def share_grades(qrels: Qrels, top: float, highest: float | None = None, files: Iterable[Path] = ()) -> Qrels:
    """Grades from 0 to ``top``: shares of the ``highest`` that could be given, or where it is not known of the highest
    that was given. One below 0 is 0. Raises InputError for one above the ``highest``, which names the ``files``.
    """
    found = max((grade for grades in qrels.values() for grade in grades.values()), default=0.0)
    if highest is not None and found > highest:
        what = f"grade {found:g} is above {highest:g}, the highest that was declared"
        raise InputError(" ".join(map(str, files)), what, "name the highest grade")
    scale = top / (highest or max(found, 0.0) or 1.0)
    shares = {topic: {id_: max(grade, 0.0) * scale for id_, grade in of.items()} for topic, of in qrels.items()}
    return Qrels(shares, qrels.level)
