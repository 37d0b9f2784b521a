"""First stage of an answer: which arguments may be on the matter of a question, and which word of it they lack.

A small corpus is compared as a whole: each argument has log-odds from its cosine with the question, less what all
arguments share, from its nearness to the arguments that are nearest, and from the question's words. In a large one the
question is about the nearest debate among its candidates if that is nearer than the nearest of so many debates would be
by chance, and about the others that are nearly as near. The weights are fitted, see `weights`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import log10, sqrt

import numpy as np
import numpy.typing as npt

from features.core.feature import KINDS, reader_columns
from features.core.statistics import FloatArray
from features.learned.vectors import load_vectors
from ltr.answers.texts import text_of
from ltr.answers.weights import HALF, STEEP, WEIGHTS, as_unit, word_cosines
from ltr.data.topics import Topic
from ltr.index.reader import Index
from ltr.index.vocabulary import Array
from ltr.ranking.candidates import Candidates
from ltr.ranking.feature_tables import search_of, term_cache
from ltr.ranking.source import RankingSource
from ltr.ranking.steps import Grader, graded
from ltr.text_models import kept
from ltr.text_models.encoders import Encoder, Vectors32
from ltr.text_models.reader import SideReader, shipped_reader
from ltr.text_models.rerankers import Reranker
from models.base import Scores
from models.blend import Blend, push_below_head

# Of large corpora: cosines, unless otherwise stated, see docs/laboratory.md#sides.
BY_CHANCE = 0.23  # largest of a question with a corpus of one text that is about something else
TENFOLD = 0.085  # its rise with ten times as many texts
# Tolerated gap to the nearest debate, relative, of a single argument; of n, the square root of n times less.
SPREAD = 0.4
MARGIN = 0.05  # least rise, when a word is left out of the question, at which a debate lacks the word
# Of small ones: least log-odds of an argument on the matter, if the best has even odds; and of one of these at least by
# the reader alone.
ON, READ_ON = -1.5, 3.0
PRIOR = 12  # texts without a meaning that join the mean, which in a corpus of one debate would be the debate itself
FEWEST = 34  # texts of the smallest corpus by which the weights were fitted
# Arguments and sentences of a corpus that is compared as a whole: the first question takes some 2 ms a sentence.
FEW, SHORT = 3_000, 15_000

NUMBER = ""
"""Topic number of a question: the only topic of its table, and in no result list."""


@dataclass(frozen=True)
class Subject:
    """What a question is about, as far as the corpus has it."""

    rows: frozenset[int] = frozenset()
    """Arguments on the matter, or of the debates that it is about."""
    signs: Mapping[int, Sequence[float]] | None = None
    """Argument -> signs that it is on the matter; None where nothing is known of any."""
    read: Mapping[int, float] = field(default_factory=dict)
    """Argument of a whole small corpus -> log-odds that its text is for what is asked."""
    whole: bool = False
    """Whether all arguments of the corpus were compared."""
    note: str = ""
    """A line on texts that the reader did not answer on, else empty."""
    unnamed: str = ""
    """A word that none of them has, and without which the question would be nearer to them."""
    meaning: Vectors32 | None = None
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


def understand(source: RankingSource, grader: Grader, question: str, reader: Reranker | None = None) -> Question:
    """Propose, describe and grade the candidates of a question, and find the debates that it is about."""
    index, blend, encoder, topic = source.index, grader.blend, grader.encoder, Topic(NUMBER, question)
    if encoder and not kept.Vectors(index, encoder).knows(question):  # opened in another thread meanwhile
        encoder.prepare()
        if source.task.has_stances:
            shipped_reader().prepare()
    subject = subject_of(source, encoder, question, reader=reader) if blend.dimensions else Subject()
    cache, terms = term_cache(index), index.analyzer.distinct(question)
    include = source.task.items_of(search_of(source, topic), sorted(subject.rows))
    every = blend.reweighted(dict.fromkeys(blend.rankers, 1.0))
    table = graded(source, grader, topic, include, every.columns)
    if more := blend.rankers.keys() - {*table.columns}:
        unused = blend.reweighted(dict.fromkeys(more, 1.0))
        unused = unused if "head" in table else unused.first_step()
        table = table.assign(**(unused.grades(table) if len(table) else dict.fromkeys(more, 0.0)))
    if table.in_head.any() and not subject.whole:
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
    source: RankingSource,
    encoder: Encoder | None,
    question: str,
    table: Candidates | None = None,
    reader: Reranker | None = None,
) -> Subject:
    """What a question is about: of a whole small corpus, else of the head of the candidates, whose vectors are known;
    unknown without these. ``reader``: see `whole_subject`.
    """
    index = source.index
    if not source.task.has_stances or not index.arguments:
        return Subject()
    if is_small(index):
        return whole_subject(index, encoder, question, reader)
    return find_subject(index, encoder, question, table) if encoder and table is not None else Subject()


def is_small(index: Index) -> bool:
    """Whether a corpus is compared with a question as a whole."""
    return index.arguments <= FEW and index.sentences <= SHORT


def whole_subject(index: Index, encoder: Encoder | None, question: str, reader: Reranker | None = None) -> Subject:
    """The arguments of a small corpus on the matter: none where the best one is more likely off it; or where none has
    all of the question's words, and the ``reader``, see `SideReader`, is sure of none.
    """
    signs = whole_signs(index, encoder, question)
    odds = signs @ WEIGHTS["whole"]
    on: list[int] = np.flatnonzero(odds >= ON).tolist() if odds.max() >= 0 else []
    by = SideReader(index.folder, reader)
    read = by.read(question, [text_of(index, row) for row in on])
    sure = max((matter for matter, *_ in read), default=0.0) >= READ_ON or signs[:, 0].max() == 1
    if not (sure or by.note):  # nothing is known of it if the reader fails
        on = []
    sides = {row: side for row, (*_, side) in zip(on, read, strict=bool(on))}
    known = dict(zip(on, signs[on].tolist(), strict=True))
    return Subject(frozenset(on), known, sides, whole=True, note=by.note)


def whole_signs(index: Index, encoder: Encoder | None, question: str) -> FloatArray:
    """(n_arguments, 6) signs that the arguments of a small corpus are on the matter: the share of the question's terms
    that each has, the rarer the weightier; and `matter_signs`.
    """
    vectors = vectors_of(index, encoder, [text_of(index, row) for row in range(index.arguments)])
    asked = vectors_of(index, encoder, [question], questions=True)[0]
    signs = matter_signs(asked, vectors, index.column("page")[index.column("debate")])
    has = term_cache(index).counts([*range(index.arguments)], index.analyzer.distinct(question))[0] > 0
    rare = np.log1p(len(has) / (has.sum(axis=0) + 0.5))
    return np.column_stack([(has @ rare / max(rare.sum(), 1)).round(5), signs])


def matter_signs(asked: Vectors32, texts: Vectors32, pages: Array) -> FloatArray:
    """(n_texts, 5) signs of a whole corpus that its texts are on the matter.

    The cosine with the question, less what all texts share, of a text or of its page, whichever is larger; the largest
    of these; the cosine of the text with the others, weighed by their own nearness to the question; tenfolds of the
    corpus's size, at least `FEWEST`; and 1.
    ``asked`` (size,) and ``texts`` (n_texts, size) have length 1; ``pages`` (n_texts,) are the texts' pages.
    """
    shared = texts.sum(axis=0) / (len(texts) + PRIOR)
    own = as_unit(texts - shared) * texts.any(axis=1, keepdims=True)  # a text without a known word is near to none
    _, page = np.unique(pages, return_inverse=True)
    of_pages = as_unit(np.array([own[page == one].sum(axis=0) for one in range(page.max() + 1)]))
    to = as_unit(asked - shared) * asked.any()
    near = np.maximum(own @ to, (of_pages @ to)[page])
    weight = np.exp(STEEP * (near - HALF))
    alike = own @ own.T
    np.fill_diagonal(alike, 0)
    beside = alike @ weight / (weight.sum() - weight + 1)
    tenfolds = np.full(len(texts), log10(max(len(texts), FEWEST)))
    signs = np.column_stack([near, np.full(len(texts), near.max()), beside, tenfolds, np.ones(len(texts))])
    return signs.astype(np.float64).round(5)  # the last digits depend on the processor


def find_subject(index: Index, encoder: Encoder, question: str, table: Candidates) -> Subject:
    """The pages that the question is about, of candidates in the head; all candidates of these pages belong to it."""
    rows, every = np.unique(table.index_rows[table.in_head]), np.unique(argument_rows(index, table))
    if KINDS[table.kind].parts == 1:
        rows = np.array([row for item in rows.tolist() for row in index.sentence_rows(item)[:2]])
    if not len(rows):
        return Subject()
    arguments, starts = np.unique(index.argument_of(rows), return_index=True)
    vectors = kept.Vectors(index, encoder).of_sentences(rows)
    conclusions = index.column("conclusion_row")
    titles = ["" if conclusions[argument] >= 0 else index.title(argument) for argument in arguments.tolist()]
    texts = as_unit(np.add.reduceat(vectors, starts, axis=0) + vectors_of(index, encoder, titles))
    page_of = index.column("page")[index.column("debate")]  # of no page: the debate stands for one
    pages = np.array([*dict.fromkeys(page_of[arguments].tolist())])
    debates = [texts[page_of[arguments] == page] for page in pages]
    asked = vectors_of(index, encoder, [question], questions=True)[0]
    cosines, near = nearest_debates(asked, debates, index.arguments)
    on = every[np.isin(page_of[every], pages[near])]
    cosine_of = dict(zip(pages.tolist(), cosines.tolist(), strict=True))
    some = [row for row in every.tolist() if page_of[row] in cosine_of]
    words = word_cosines(question, [*map(index.resolution, some)])
    signs = {row: (cosine_of[page_of[row]], of_words, 1.0) for row, of_words in zip(some, words, strict=True)}
    meaning = as_unit(debates[int(cosines.argmax())].sum(axis=0)) if near else None
    return Subject(frozenset(on.tolist()), signs, meaning=meaning)


def vectors_of(index: Index, encoder: Encoder | None, texts: Sequence[str], *, questions: bool = False) -> Vectors32:
    """(n_texts, size) vectors of length 1; without an encoder, the mean of word vectors."""
    if encoder:
        return kept.Vectors(index, encoder).of_texts(texts, questions=questions)
    return as_unit(load_vectors().rows(texts).sums).astype(np.float32)


def nearest_debates(asked: Vectors32, debates: Sequence[Vectors32], arguments: int) -> tuple[Vectors32, list[int]]:
    """(n_debates,) cosines with the question, and the places of the debates that it is about.

    These are some of a corpus with so many ``arguments``; none where even the nearest one is too far. ``asked`` (size,)
    is the question's vector, ``debates`` (n_arguments, size) those of each debate's arguments; all have length 1.
    """
    near = as_unit(np.array([own.sum(axis=0) for own in debates])) @ asked
    chance, nearest = BY_CHANCE + TENFOLD * log10(arguments), float(near.max())
    tolerated = [max(chance, nearest * (1 - SPREAD / sqrt(len(own)))) for own in debates]
    found = [place for place, cosine in enumerate(near.tolist()) if cosine >= tolerated[place]]
    return near, found if nearest >= chance else []


def name_missing(
    subject: Subject,
    question: str,
    missing: Set[str],
    terms: Callable[[str], Sequence[str]],
    vectors: Callable[[Sequence[str]], Vectors32],
) -> Subject:
    """The subject with its ``unnamed`` word, if there is one with a term that is ``missing`` in its arguments.

    ``terms`` gives the terms of a word, ``vectors`` (n_texts, size) those of texts, of length 1.
    """
    written = question.strip(" ?!.").split()
    absent = [word for word in written if not missing.isdisjoint(terms(word))]
    if subject.meaning is None or not absent:
        return subject
    others = [" ".join(other for other in written if other != word) + "?" for word in absent]
    nearest, *without = vectors([question, *others]) @ subject.meaning
    rise = np.array(without) - nearest
    return replace(subject, unnamed=absent[int(rise.argmax())].strip(",;:\"'()")) if rise.max() >= MARGIN else subject
