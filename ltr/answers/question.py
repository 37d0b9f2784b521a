"""First stage of an answer on an index: the candidates of a question, and the debates that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from features.core.feature import KINDS
from features.learned.vectors import load_vectors
from ltr.answers.table import Subject, Vectors
from ltr.answers.understand import FEW, SHORT, as_unit, name_missing, nearest_debates
from ltr.data.topics import Topic
from ltr.index.reader import Index
from ltr.index.vocabulary import Array
from ltr.ranking.candidates import Candidates
from ltr.ranking.feature_tables import term_cache
from ltr.ranking.source import RankingSource
from ltr.ranking.steps import Grader, graded
from ltr.text_models import kept_vectors
from ltr.text_models.encoders import Encoder
from ltr.text_models.stance import shipped_cross_encoder
from models.base import Scores
from models.blend import Blend, push_below_head

NUMBER = ""
"""Topic number of a question: the only topic of its table, and in no result list."""


@dataclass(frozen=True)
class Question:
    """A question with its candidates, described and graded by every ranker of the model."""

    topic: Topic
    table: Candidates
    blend: Blend
    """The model, with the weights that count."""
    subject: Subject
    related: npt.NDArray[np.bool_]
    """(n_candidates,) whether each of its arguments is on the subject, or has a word of the question."""

    @cached_property
    def grades(self) -> dict[str, Scores]:
        """Ranker of the blend -> (n_candidates,) its scores, whatever the weights."""
        return {name: self.table[name].to_numpy() for name in self.blend.rankers}

    @property
    def scores(self) -> Scores:
        """(n_candidates,) scores by the weights of the blend."""
        return push_below_head(self.blend.combine(self.grades), self.table.in_head, self.table.groups)

    @property
    def relevance(self) -> Scores | None:
        """(n_candidates,) expected relevance; None where it is not estimated, or has no weight."""
        return self.grades["relevance"] if self.blend.expected_grades and self.blend.weights["relevance"] else None


def understand(source: RankingSource, grader: Grader, question: str) -> Question:
    """Propose, describe and grade the candidates of a question, and find the debates that it is about."""
    index, blend, encoder, topic = source.index, grader.blend, grader.encoder, Topic(NUMBER, question)
    if encoder and not kept_vectors.Vectors(index, encoder).knows(question):  # opened in another thread meanwhile
        encoder.prepare()
        if source.task.has_stances:
            shipped_cross_encoder().prepare()
    subject = subject_of(source, encoder, question) if blend.dimensions else Subject()
    cache, terms = term_cache(index), index.analyzer.distinct(question)
    include = source.task.items_of(index, terms, cache, source.config, sorted(subject.rows))
    every = blend.reweighted(dict.fromkeys(blend.rankers, 1.0))
    table = graded(source, grader, topic, include, every.columns)
    if more := blend.rankers.keys() - {*table.columns}:
        unused = blend.reweighted(dict.fromkeys(more, 1.0))
        unused = unused if "head" in table else unused.first_step()
        table = table.assign(**(unused.grades(table) if len(table) else dict.fromkeys(more, 0.0)))
    if table.in_head.any() and not subject.nearest:
        subject = subject_of(source, encoder, question, table)
    owners = argument_rows(index, table).astype(np.int64)
    rows, place = np.unique(owners, return_inverse=True)
    counts = cache.counts(rows.tolist(), terms)[0]
    on = np.isin(rows, [*subject.rows])
    missing = {term for term, count in zip(terms, counts[on].sum(axis=0), strict=True) if not count}
    subject = name_missing(subject, question, missing, index.analyzer.distinct, partial(vectors_of, index, encoder))
    related = (on | counts.any(axis=1))[place].reshape(owners.shape)
    return Question(topic, table, blend, subject, np.all(related, axis=1))


def argument_rows(index: Index, table: Candidates) -> Array:
    """(n_candidates, n_parts) rows of the arguments that the candidates are, or are from."""
    rows = table.index_rows
    return np.asarray(index.argument_of(rows) if KINDS[table.kind].parts > 1 else rows)


def subject_of(
    source: RankingSource, encoder: Encoder | None, question: str, table: Candidates | None = None
) -> Subject:
    """The debates that a question is about: of a whole small corpus, else of the head of the candidates, whose vectors
    are known; unknown without these.
    """
    index = source.index
    few = index.arguments <= source.config.arguments or (index.arguments <= FEW and index.sentences <= SHORT)
    if not source.task.has_stances or (table is None and not few):
        return Subject()
    sentences: Iterable[int] = range(index.sentences)
    others: Iterable[int] = () if table is None else np.unique(argument_rows(index, table)).tolist()
    if table is not None and not few:
        best: list[int] = np.unique(table.index_rows[table.in_head]).tolist()
        of_pairs = KINDS[table.kind].parts > 1
        sentences = best if of_pairs else [row for item in best for row in index.sentence_rows(item)[:2]]
    return find_subject(index, encoder, question, sentences, others)


def find_subject(
    index: Index, encoder: Encoder | None, question: str, sentences: Iterable[int], others: Iterable[int] = ()
) -> Subject:
    """The pages that the question is about, of arguments with these ``sentences``, rows of the index.

    ``others``: arguments that belong to the subject where one of these pages is theirs.
    """

    rows = np.array(sorted(sentences), np.int64)
    if not len(rows):
        return Subject()
    arguments, starts = np.unique(index.argument_of(rows), return_index=True)
    if encoder:
        vectors = kept_vectors.Vectors(index, encoder).of_sentences(rows.tolist())
    else:
        vectors = vectors_of(index, None, list(map(index.text, rows.tolist())))
    conclusions = index.column("conclusion_row")
    titles = ["" if conclusions[argument] >= 0 else index.title(argument) for argument in arguments.tolist()]
    texts = as_unit(np.add.reduceat(vectors, starts, axis=0) + vectors_of(index, encoder, titles))
    page_of = index.column("page")[index.column("debate")[arguments]]  # of no page: the debate stands for one
    pages = np.array([*dict.fromkeys(page_of.tolist())])
    debates = [texts[page_of == page] for page in pages]
    near, cosine, meaning = nearest_debates(vectors_of(index, encoder, [question])[0], debates, index.arguments)
    every = np.union1d(arguments, np.array([*others], np.int64))
    on = every[np.isin(index.column("page")[index.column("debate")[every]], pages[near])]
    return Subject(frozenset(on.tolist()), cosine, meaning=meaning)


def vectors_of(index: Index, encoder: Encoder | None, texts: Sequence[str]) -> Vectors:
    """(n_texts, size) vectors of length 1; without an encoder, the mean of word vectors."""
    if encoder:
        return kept_vectors.Vectors(index, encoder).of_texts(texts)
    return as_unit(load_vectors().rows(texts).sums)
