"""Interface between the pipeline and the tasks, and their registry; the tasks are in `ltr.tasks`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.feature import KINDS, ItemKind
from features.core.registry import Registry
from features.core.sides import Side
from features.core.tables import Context
from ltr.corpora.base import Corpus
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.retrieval.arguments import Search
from ltr.retrieval.base import CandidateConfig, Rows
from ltr.sample import Sample


@dataclass(frozen=True)
class TableRows:
    """Rows of the index that make the tables of a topic."""

    sentences: npt.NDArray[np.int64]
    """In ascending order."""
    arguments: npt.NDArray[np.int64]
    """In ascending order; those of the sentences are among them."""
    pairs: npt.NDArray[np.int64]
    """(n_pairs, 2) sentence rows"""


_REMEDIES = {
    "documents": "a .jsonl file of documents",
    "arguments": 'a corpus of arguments (.jsonl lines are some where the first has a "conclusion", also an empty one)',
}


class Task(ABC):
    """From a topic to items that can be ranked. Everything else, from the table to the run, is the same for all tasks.

    A task is one file in `ltr.tasks`, which registers one object.
    """

    name: str
    """Its name."""
    kind: ItemKind
    """The kind of item that is ranked (see `KINDS`): the values of features are lifted to it."""
    looks_for: str
    """The items in plain words, for people who ask on the page."""
    dimensions: tuple[str, ...]
    """Dimensions that items are graded in; each has a ranker."""
    weights: Mapping[str, float]
    """Weights in the blend: of dimensions, and of baselines."""
    config: CandidateConfig
    """Width of the first stage."""
    objective: str = "both"
    """The default objective of its rankers, by the name that ``riposte train --objective`` takes."""
    grades_alone: tuple[str, ...] = ()
    """Dimensions in which, by default, nothing else trains where many items are graded."""
    second_step: tuple[str, ...] = ("relevance",)
    """Dimensions that a second step ranks by an encoder's columns too; others gained nothing by them."""
    reading: float = 0.0
    """Weight of the grades that the reader expects of the first pairs, see `models.blend`; of other items 0."""
    min_items: int = 0
    """Smallest number of items per topic in a run; near-duplicates fill the end of shorter lists."""
    sides: tuple[Side, ...] = ()
    """Sides that a run may have in its second column, beside Q0."""
    has_stances: bool = True
    """Whether a model can tell the side of items toward a question; those of documents are toward objects."""
    parts_of_arguments: bool = False
    """Whether items are parts of arguments: judgments of arguments are then distant supervision."""
    reads: str = "arguments"
    """The items of its corpora: "arguments" or "documents"."""
    sample: Sample = Sample()
    """Corpus and training data where the user names none."""

    def check_corpus(self, corpus: Corpus) -> Corpus:
        """``corpus``. Raises InputError for arguments where the task ranks documents, and the other way round."""
        if corpus.holds != self.reads:
            what = f"holds {corpus.holds}, and the task {self.name} ranks {self.kind}s"
            what += " of arguments" if KINDS[self.kind].parts > 1 else ""
            raise InputError(corpus.name, what, f"name {_REMEDIES.get(self.reads, 'another corpus')}, or another task")
        return corpus

    def headings(self, topic: Topic) -> dict[str, str]:
        """Side -> its heading in an answer to this topic, where it differs from the usual one."""
        return {}

    def notes(self, topics: Sequence[Topic]) -> list[str]:
        """Notes for the user before these topics are answered."""
        return []

    @abstractmethod
    def propose(self, search: Search) -> Rows:
        """The items of a topic; none when nothing matches."""

    @abstractmethod
    def add(self, search: Search, rows: Rows, ids: Sequence[str]) -> Rows:
        """The items ``rows``, and those with these ids that the corpus has: graded ones, to learn from."""

    @abstractmethod
    def items_of(self, search: Search, arguments: Sequence[int]) -> list[str]:
        """The ids of all items that these rows of arguments can give."""

    @abstractmethod
    def tables(self, search: Search, rows: Rows) -> TableRows:
        """Rows of the corpus that features see."""

    @abstractmethod
    def frame(self, search: Search, context: Context, rows: Rows) -> pd.DataFrame:
        """The items, as `ltr.ranking.candidates.item_frame` makes them, in the order of the rows of features."""


TASKS: Registry[Task] = Registry("task", "ltr.tasks")


def register(task: Task) -> None:
    """Add a task, which ``--task`` offers from then on. Raises ValueError when the name is taken."""
    TASKS.add(task.name, task)


def task_names() -> list[str]:
    """Names for ``--task``."""
    return sorted(TASKS.search(), reverse=True)


find_task = TASKS.find
"""The task of a name. Raises KeyError with the known names."""
