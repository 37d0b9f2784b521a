"""First stage of an answer: which debates a question is about, and which word of it they lack.

The meaning of a debate is the mean of its texts' vectors. The question is about the nearest debate if that is nearer
than the nearest of so many debates would be by chance, and about the others that are nearly as near. In a small corpus
all texts may be of one school or one club: there what they share is taken off first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import log10, sqrt

import numpy as np
import numpy.typing as npt

from features.core.feature import KINDS, reader_columns
from features.learned.vectors import load_vectors
from ltr.data.topics import Topic
from ltr.index.reader import Index
from ltr.index.vocabulary import Array
from ltr.ranking.candidates import Candidates
from ltr.ranking.feature_tables import search_of, term_cache
from ltr.ranking.source import RankingSource
from ltr.ranking.steps import Grader, graded
from ltr.text_models import kept
from ltr.text_models.encoders import Encoder
from ltr.text_models.reader import shipped_reader
from models.base import Scores
from models.blend import Blend, push_below_head

Vectors = npt.NDArray[np.float32]

# Cosines, unless otherwise stated; measured on corpora of 5 to 25,000 texts, see docs/laboratory.md#sides.
BY_CHANCE = 0.23  # largest of a question with a corpus of one text that is about something else
TENFOLD = 0.085  # its rise with ten times as many texts
SPREAD = (
    0.4  # tolerated gap to the nearest debate, relative, of a single argument; of n, the square root of n times less
)
CENTRED, CENTRED_SPREAD = 0.24, 0.7  # whole small corpora, less the mean of all debates: least nearest one, and gap
SMALL, RISE, FALL = 150, 0.25, 0.5  # arguments from which on these rise and fall with ten times as many
PRIOR = 12  # debates without a meaning that join the mean, which in a corpus of one debate would be the debate itself
FAR = 0.13  # extra margin over chance if centring removed the subject itself, since all texts are on it
MARGIN = 0.05  # least rise, when a word is left out of the question, at which a debate lacks the word
# Arguments and sentences of a corpus that is read as a whole: the first question takes some 3 ms a sentence.
FEW, SHORT = 600, 3_000

NUMBER = ""
"""Topic number of a question: the only topic of its table, and in no result list."""


@dataclass(frozen=True)
class Subject:
    """What a question is about, as far as the corpus has it."""

    rows: frozenset[int] = frozenset()
    """Arguments of the debates that it is about."""
    nearest: float = 0.0
    """Cosine of the nearest debate; 0 where debates were not compared with the question."""
    unnamed: str = ""
    """A word that none of them has, and without which the question would be nearer to them."""
    meaning: Vectors | None = field(default=None, compare=False)
    """(size,) the vector of the nearest debate; None in a whole small corpus, where few words occur."""


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
        read = [column for column in reader_columns(self.table.kind) if column in self.table]
        return {name: self.table[name].to_numpy() for name in [*self.blend.rankers, *read]}

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
    if encoder and not kept.Vectors(index, encoder).knows(question):  # opened in another thread meanwhile
        encoder.prepare()
        if source.task.has_stances:
            shipped_reader().prepare()
    subject = subject_of(source, encoder, question) if blend.dimensions else Subject()
    cache, terms = term_cache(index), index.analyzer.distinct(question)
    include = source.task.items_of(search_of(source, topic), sorted(subject.rows))
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
    subject = name_missing(
        subject, question, missing, index.analyzer.distinct, partial(vectors_of, index, encoder, questions=True)
    )
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
    few = index.arguments <= FEW and index.sentences <= SHORT
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
        vectors = kept.Vectors(index, encoder).of_sentences(rows.tolist())
    else:
        vectors = vectors_of(index, None, list(map(index.text, rows.tolist())))
    conclusions = index.column("conclusion_row")
    titles = ["" if conclusions[argument] >= 0 else index.title(argument) for argument in arguments.tolist()]
    texts = as_unit(np.add.reduceat(vectors, starts, axis=0) + vectors_of(index, encoder, titles))
    page_of = index.column("page")[index.column("debate")[arguments]]  # of no page: the debate stands for one
    pages = np.array([*dict.fromkeys(page_of.tolist())])
    debates = [texts[page_of == page] for page in pages]
    near, cosine, meaning = nearest_debates(
        vectors_of(index, encoder, [question], questions=True)[0], debates, index.arguments
    )
    every = np.union1d(arguments, np.array([*others], np.int64))
    on = every[np.isin(index.column("page")[index.column("debate")[every]], pages[near])]
    return Subject(frozenset(on.tolist()), cosine, meaning=meaning)


def vectors_of(index: Index, encoder: Encoder | None, texts: Sequence[str], *, questions: bool = False) -> Vectors:
    """(n_texts, size) vectors of length 1; without an encoder, the mean of word vectors."""
    if encoder:
        return kept.Vectors(index, encoder).of_texts(texts, questions=questions)
    return as_unit(load_vectors().rows(texts).sums)


def nearest_debates(
    asked: Vectors, debates: Sequence[Vectors], arguments: int
) -> tuple[list[int], float, Vectors | None]:
    """Places of the debates that a question is about, among some of a corpus with so many ``arguments``.

    ``asked`` (size,) is the question's vector, ``debates`` (n_arguments, size) those of each debate's arguments; all
    have length 1. None where even the nearest one is too far. Its cosine comes next, and its vector (size,), which is
    None in a whole small corpus, where few words occur.
    """
    plain = as_unit(np.array([own.sum(axis=0) for own in debates]))
    chance = BY_CHANCE + TENFOLD * log10(arguments)
    near, least, spread = plain @ asked, chance, SPREAD
    if whole := sum(map(len, debates)) == arguments:
        centred, larger = _centred(asked, debates, plain), max(log10(arguments / SMALL), 0.0)
        if centred.max() >= CENTRED + RISE * larger:
            near, least, spread = centred, CENTRED, CENTRED_SPREAD - FALL * larger
        else:
            least += FAR
    nearest = float(near.max())
    if nearest < least:
        return [], nearest, None
    # Among candidates alone each debate must be nearer than by chance; a whole small corpus has no better ones.
    least = 0.0 if whole else chance
    tolerated = [max(least, nearest * (1 - spread / sqrt(len(own)))) for own in debates]
    found = [place for place, cosine in enumerate(near.tolist()) if cosine >= tolerated[place]]
    return found, nearest, None if whole else plain[near.argmax()]


def _centred(asked: Vectors, debates: Sequence[Vectors], plain: Vectors) -> Vectors:
    """(n_debates,) cosines of vectors from which what all debates share is taken off."""
    shared = plain.sum(axis=0) / (len(plain) + PRIOR)
    centred = as_unit(np.array([as_unit(own - shared).sum(axis=0) for own in debates]))
    return np.asarray(centred @ as_unit(asked - shared))


def name_missing(
    subject: Subject,
    question: str,
    missing: Set[str],
    terms: Callable[[str], Sequence[str]],
    vectors: Callable[[Sequence[str]], Vectors],
) -> Subject:
    """The subject with its ``unnamed`` word, if there is one with a term that is ``missing`` in its arguments.

    ``terms`` gives the terms of a word, ``vectors`` (n_texts, size) those of texts, of length 1.
    """
    written = question.strip(" ?!.").split()
    absent = [word for word in written if not missing.isdisjoint(terms(word))]
    if subject.meaning is None or not absent:
        return subject
    others = [" ".join(other for other in written if other != word) + "?" for word in absent]
    rise = vectors(others) @ subject.meaning - subject.nearest
    return replace(subject, unnamed=absent[int(rise.argmax())].strip(",;:\"'()")) if rise.max() >= MARGIN else subject


def as_unit(vectors: npt.NDArray[np.floating]) -> Vectors:
    """The vectors with length 1."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32)
