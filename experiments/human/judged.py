"""A set of human judgments: a corpus, questions, and grades or preferences."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from features.core.feature import KINDS
from ltr.corpora.argument import Argument, build_argument
from ltr.corpora.base import Corpus
from ltr.data.ids import sentence_id
from ltr.data.qrels import Qrels
from ltr.data.topics import Topic

Kind = Literal["argument", "sentence", "pair"]
"""The kind of text that people judged. A document counts as an argument."""

Measure = Literal["order", "first five", "both sides", "best pair"]
"""`order`: the share of differently judged items of a topic that are put in order. `first five`: the share of marked
sentences among those of the first five pairs. `both sides`: the sentences of the rarer side there, by the most that
there could be. `best pair`: the share of marked sentences among the two of the best pair of an argument."""


@dataclass(frozen=True, kw_only=True)
class JudgedSet:
    """Judgments by people, in one dimension, of items of one kind."""

    name: str
    what: str
    """A description in a line: the judged items and the judges."""
    dimension: str
    """relevance, quality or coherence; "claims", "sides" and "gist" of sentences that were marked."""
    kind: Kind
    tasks: Sequence[str]
    """The tasks whose rankings it measures."""
    corpus: Corpus
    topics: Sequence[Topic]
    grades: Qrels
    """Topic -> id -> grade."""
    preferences: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    """Topic -> (better, worse) ids, in place of grades."""
    measure: Measure = "order"
    seen: Mapping[str, str] = field(default_factory=dict)
    """Task -> the part of it that trained the shipped model; such a set is excluded from the means."""
    left_out: str = ""
    """The part of the published set that is left out, and why."""

    @property
    def of_pairs(self) -> bool:
        """Whether pairs were judged."""
        return self.kind in KINDS and KINDS[self.kind].parts > 1

    def judged(self) -> dict[str, list[str]]:
        """Topic -> ids of what was judged, each once."""
        if self.preferences:
            return {
                t: list(dict.fromkeys(id_ for two in pairs for id_ in two)) for t, pairs in self.preferences.items()
            }
        return {topic: list(grades) for topic, grades in self.grades.items()}


class TextCorpus(Corpus):
    """Arguments in memory, or documents."""

    kind = "argument"
    position = 0

    def __init__(self, name: str, arguments: Iterable[Argument], holds: str = "arguments") -> None:
        super().__init__(name)
        self.holds = holds
        self._arguments = list(arguments)

    def size_hint(self) -> int:
        """0: unknown."""
        return 0

    def signature(self) -> dict[str, object]:
        """The digest of all arguments."""
        return {"sha256": self.fingerprint()}

    def fingerprint(self) -> str:
        """Hex SHA-256 of all arguments."""
        return hashlib.sha256(repr(self._arguments).encode("utf-8", "surrogatepass")).hexdigest()

    def _read(self) -> Generator[Argument, None, None]:
        yield from self._arguments


def text_argument(name: str, sentences: Sequence[str], conclusion: str = "", stance: str = "") -> Argument:
    """An argument of these premises."""
    numbered = [(sentence_id(name, number), text) for number, text in enumerate(sentences, 1)]
    return build_argument(name, conclusion, stance, numbered, title="", url="")
