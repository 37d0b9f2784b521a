"""A question with its candidates, and the debates that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from features.core.feature import KINDS
from ltr.answers.gather import find_subject
from ltr.answers.table import Subject
from ltr.answers.understand import FEW, SHORT
from ltr.data.topics import Topic
from ltr.ranking.describe import FirstStage, term_cache
from ltr.ranking.final_list import ListOptions
from ltr.ranking.lists import Rescore
from ltr.ranking.matrix import Block, Matrix
from ltr.ranking.two_steps import grade_topic
from ltr.text_models.kept_vectors import Vectors
from ltr.text_models.stance import shipped_cross_encoder
from models.base import DIMENSIONS, TOP_GRADE, Scores
from models.blend import Blend, below

NUMBER = ""
"""Topic number of a question: the only topic of its matrix, and in no result list."""


@dataclass(frozen=True)
class Question:
    """A question with its candidates, described and graded."""

    topic: Topic
    matrix: Matrix
    model: Blend
    grades: Mapping[str, Scores]
    """Ranker of the blend -> (n_candidates,) its scores, whatever the weights."""
    rescore: Rescore | None = None
    """Changes the order of the head; None: it stays."""
    subject: Subject = field(default_factory=Subject)
    """The debates that it is about."""

    def scores(self, weights: Mapping[str, float] | None = None) -> Scores:
        """(n_candidates,) scores by the model, or by other ``weights`` of its dimensions, and then by the re-ranker."""
        scores = self._model_scores(weights)
        return self.rescore(self.matrix, [self.topic], scores, ListOptions()) if self.rescore else scores

    def _model_scores(self, weights: Mapping[str, float] | None) -> Scores:
        model = self.model if weights is None else self.model.reweighted(weights)
        return below(model.combine(self.grades), self.matrix.head, self.matrix.groups)

    def relevance(self, weights: Mapping[str, float] | None = None) -> Scores | None:
        """(n_candidates,) expected relevance; None where it is not estimated, or has no weight."""
        if not self.model.expected_grades:
            return None
        return self.grades.get("relevance") if (weights or self.model.weights).get("relevance") else None

    @cached_property
    def place(self) -> dict[str, int]:
        """Candidate -> its row in the matrix."""
        return {id_: row for row, id_ in enumerate(self.matrix.ids.tolist())}

    def scores_of(self, item: str, names: Iterable[str]) -> dict[str, float]:
        """The scores of a candidate by these rankers of the blend; grades are cut to their scale."""
        own = {name: float(self.grades[name][self.place[item]]) for name in names if name in self.grades}
        return {name: min(max(one, 0.0), TOP_GRADE) if name in DIMENSIONS else one for name, one in own.items()}


def describe_question(first_stage: FirstStage, model: Blend, question: str) -> Question:
    """Propose, describe and grade the candidates of a question."""
    every = model.reweighted(dict.fromkeys(model.rankers, 1.0))
    topic = Topic(NUMBER, question)
    _open_ahead(first_stage, question)
    subject = subject_of(first_stage, question) if model.dimensions else Subject()
    block = grade_topic(first_stage, topic, model, every.columns, items_of(first_stage, question, sorted(subject.rows)))
    subject = subject_of(first_stage, question, block) if block.head.any() and not subject.nearest else subject
    matrix = Matrix([block], first_stage.task.unit)
    grades = matrix.grades
    if len(matrix) and (more := model.rankers.keys() - grades.keys()):
        grades = grades | model.reweighted(dict.fromkeys(more, 1.0)).grades(matrix)
    return Question(topic, matrix, model, grades, subject=subject)


def subject_of(first_stage: FirstStage, question: str, block: Block | None = None) -> Subject:
    """The debates that a question is about: of a whole small corpus, else of the head of the candidates, whose vectors
    are known; unknown without these.
    """
    index, unit = first_stage.index, first_stage.task.unit
    few = index.arguments <= first_stage.config.arguments or (index.arguments <= FEW and index.sentences <= SHORT)
    if not first_stage.task.has_stances or (block is None and not few):
        return Subject()
    sentences: Iterable[int] = range(index.sentences)
    if block is not None and not few:
        items: list[int] = np.unique(block.candidates.units[block.head]).tolist()
        sentences = items if KINDS[unit].parts > 1 else [row for item in items for row in index.sentence_rows(item)[:2]]
    others = block.candidates.arguments if block is not None else ()
    return find_subject(index, first_stage.encoder, question, sentences, others)


def items_of(first_stage: FirstStage, question: str, rows: Sequence[int]) -> list[str]:
    """The ids of all items that these arguments can give."""
    index = first_stage.index
    query = index.analyzer.distinct(question)
    return first_stage.task.items_of(index, query, term_cache(index), first_stage.config, rows)


def _open_ahead(first_stage: FirstStage, question: str) -> None:
    """Open in another thread, while candidates are looked for, the models that will read a new question."""
    index, encoder = first_stage.index, first_stage.encoder
    if encoder and not Vectors(index, encoder).knows(question):
        encoder.prepare()
        if first_stage.task.has_stances:
            shipped_cross_encoder().prepare()
