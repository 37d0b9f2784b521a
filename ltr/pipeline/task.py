"""What the pipeline has to be told of a task; the tasks themselves are in `ltr.tasks`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.feature import Unit
from features.core.tables import Context
from ltr.data.topics import Topic
from ltr.index.reader import Index
from ltr.retrieval.base import CandidateConfig, Candidates
from ltr.retrieval.terms import TermCache


@dataclass(frozen=True)
class TableRows:
    """Rows of the index that make the tables of a topic."""

    sentences: npt.NDArray[np.int64]
    """In ascending order."""
    arguments: npt.NDArray[np.int64]
    """In ascending order; those of the sentences are among them."""
    pairs: npt.NDArray[np.int64]
    """(n_pairs, 2) sentence rows"""


class Task(ABC):
    """From a topic to units that can be ranked. All else, from the matrix to the run, is the same for every task."""

    name: str
    """What ``--task`` calls it."""
    unit: Unit
    """What is ranked: the values of features are lifted to it."""
    dimensions: tuple[str, ...]
    """What units are graded in, a ranker each."""
    min_units: int
    """Units a topic that a run is to have: near-duplicates come back at the end where it has fewer."""
    sides: tuple[str, ...]
    """What may stand in the second column of a run beside Q0."""
    weights: Mapping[str, float]
    """Of the dimensions in the blend."""
    graded_by: Mapping[str, str]
    """Dimension -> the option that names its grades of units, for messages."""

    config: CandidateConfig
    """How wide its first stage looks."""

    def headings(self, topic: Topic) -> dict[str, str]:
        """What sides are called in an answer to this topic, where not by themselves."""
        return {}

    def notes(self, topics: Sequence[Topic]) -> list[str]:
        """What a user is to know of these topics before they are answered."""
        return []

    @abstractmethod
    def propose(self, index: Index, topic: Topic, cache: TermCache, config: CandidateConfig) -> Candidates:
        """The candidates of a topic; none when nothing matches."""

    @abstractmethod
    def add(self, index: Index, topic: Topic, candidates: Candidates, ids: Sequence[str]) -> Candidates:
        """The candidates, and the units of these ids that the corpus has: graded ones, to learn from."""

    @abstractmethod
    def tables(
        self, index: Index, query: Sequence[str], cache: TermCache, config: CandidateConfig, candidates: Candidates
    ) -> TableRows:
        """What features are to see of the corpus."""

    @abstractmethod
    def frame(self, index: Index, topic: Topic, context: Context, candidates: Candidates) -> pd.DataFrame:
        """The frame of units, as `ltr.pipeline.matrix.unit_frame` makes it, in the order of the rows of features."""
