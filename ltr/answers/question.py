"""A question with its candidates, and the debates that it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from features.core.feature import KINDS
from ltr.answers.gather import find_subject
from ltr.answers.table import Subject
from ltr.answers.understand import FEW, SHORT
from ltr.data.topics import Topic
from ltr.ranking.candidates import Candidates
from ltr.ranking.final_list import ListOptions
from ltr.ranking.steps import Grader, RankingSource, graded, term_cache
from ltr.text_models.encoders import Encoder
from ltr.text_models.kept_vectors import Vectors
from ltr.text_models.stance import shipped_cross_encoder
from models.base import DIMENSIONS, TOP_GRADE, Scores
from models.blend import push_below_head

NUMBER = ""
"""Topic number of a question: the only topic of its table, and in no result list."""


Rescore = Callable[[Candidates, Scores, ListOptions], Scores]
"""``(candidates, scores, options) -> (n_rows,) scores`` after a re-ranker."""


@dataclass(frozen=True)
class Question:
    """A question with its candidates, described and graded by every ranker of the model."""

    topic: Topic
    table: Candidates
    grader: Grader
    rescore: Rescore | None = None
    """Changes the order of the head; None: it stays."""
    subject: Subject = field(default_factory=Subject)
    """The debates that it is about."""

    @cached_property
    def grades(self) -> dict[str, Scores]:
        """Ranker of the blend -> (n_candidates,) its scores, whatever the weights."""
        return {name: self.table[name].to_numpy() for name in self.grader.blend.rankers if name in self.table}

    def scores(self, weights: Mapping[str, float] | None = None) -> Scores:
        """(n_candidates,) scores by the model, or by other ``weights`` of its dimensions, and then by the re-ranker."""
        model = self.grader.blend if weights is None else self.grader.blend.reweighted(weights)
        scores = push_below_head(model.combine(self.grades), self.table.in_head, self.table.groups)
        return self.rescore(self.table, scores, ListOptions()) if self.rescore else scores

    def relevance(self, weights: Mapping[str, float] | None = None) -> Scores | None:
        """(n_candidates,) expected relevance; None where it is not estimated, or has no weight."""
        if not self.grader.blend.expected_grades:
            return None
        return self.grades.get("relevance") if (weights or self.grader.blend.weights).get("relevance") else None

    @cached_property
    def place(self) -> dict[str, int]:
        """Candidate -> its row in the table."""
        return {id_: row for row, id_ in enumerate(self.table.ids.tolist())}

    def scores_of(self, item: str, names: Iterable[str]) -> dict[str, float]:
        """The scores of a candidate by these rankers of the blend; grades are cut to their scale."""
        own = {name: float(self.grades[name][self.place[item]]) for name in names if name in self.grades}
        return {name: min(max(one, 0.0), TOP_GRADE) if name in DIMENSIONS else one for name, one in own.items()}


def describe_question(source: RankingSource, grader: Grader, question: str) -> Question:
    """Propose, describe and grade the candidates of a question."""
    blend, topic = grader.blend, Topic(NUMBER, question)
    every = blend.reweighted(dict.fromkeys(blend.rankers, 1.0))
    _open_ahead(source, grader.encoder, question)
    subject = subject_of(source, grader, question) if blend.dimensions else Subject()
    include = items_of(source, question, sorted(subject.rows))
    table = graded(source, grader, topic, include, every.columns)
    subject = subject_of(source, grader, question, table) if table.in_head.any() and not subject.nearest else subject
    if len(table) and (more := blend.rankers.keys() - {*table.columns}):
        table = table.assign(**blend.reweighted(dict.fromkeys(more, 1.0)).grades(table))
    return Question(topic, table, grader, subject=subject)


def subject_of(source: RankingSource, grader: Grader, question: str, table: Candidates | None = None) -> Subject:
    """The debates that a question is about: of a whole small corpus, else of the head of the candidates, whose vectors
    are known; unknown without these.
    """
    index, unit = source.index, source.task.unit
    few = index.arguments <= source.config.arguments or (index.arguments <= FEW and index.sentences <= SHORT)
    if not source.task.has_stances or (table is None and not few):
        return Subject()
    sentences: Iterable[int] = range(index.sentences)
    others: Iterable[int] = ()
    if table is not None:
        items, of_pairs = table.index_rows, KINDS[unit].parts > 1
        others = np.unique(index.argument_of(items) if of_pairs else items).tolist()
        if not few:
            best: list[int] = np.unique(items[table.in_head]).tolist()
            sentences = best if of_pairs else [row for item in best for row in index.sentence_rows(item)[:2]]
    return find_subject(index, grader.encoder, question, sentences, others)


def items_of(source: RankingSource, question: str, rows: Sequence[int]) -> list[str]:
    """The ids of all items that these arguments can give."""
    index = source.index
    query = index.analyzer.distinct(question)
    return source.task.items_of(index, query, term_cache(index), source.config, rows)


def _open_ahead(source: RankingSource, encoder: Encoder | None, question: str) -> None:
    """Open in another thread, while candidates are looked for, the models that will read a new question."""
    if encoder and not Vectors(source.index, encoder).knows(question):
        encoder.prepare()
        if source.task.has_stances:
            shipped_cross_encoder().prepare()
