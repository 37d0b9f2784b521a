"""The input of features: one topic with its candidate sentences, their arguments and the pairs of them.

Texts alone, or three tables of aligned columns; links are positions, never ids. `ltr.ranking` builds the tables, and
features only read them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from itertools import chain
from typing import Any, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from features.core.statistics import CollectionStatistics, FloatArray, IntArray, term_hashes

T = TypeVar("T")

SOURCE = ("rank", "score")
"""Facts that a source may give of a document, in this order."""


class Texts:
    """Distinct sentence texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = list(texts)
        self.remembered: dict[Callable[..., Any], Any] = {}

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True)
class SentenceTable:
    """The candidate sentences of one topic, each once."""

    text: Sequence[str]
    terms: Sequence[Sequence[str]]
    """Index terms of each, in order."""
    argument: IntArray
    """(n,) position in the argument table."""
    index: IntArray
    """(n,) place in the argument, 0 = first sentence; the conclusion comes last."""
    is_conclusion: npt.NDArray[np.bool_]
    near_count: IntArray
    """(n,) sentences of the corpus with the same set of index terms, this one included."""
    exact_key: IntArray
    near_key: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.text)


@dataclass(frozen=True)
class ArgumentTable:
    """The arguments that the candidate sentences come from."""

    id: Sequence[str]
    stance: Sequence[str]
    sentences: Sequence[Sequence[Sequence[str]]]
    """Index terms of every sentence of each argument, candidate or not."""
    text: Sequence[str]
    """All sentences of each argument, one a line."""
    conclusion: Sequence[Sequence[str]]
    """Index terms of each conclusion."""
    conclusion_text: Sequence[str]
    title: Sequence[Sequence[str]]
    """Index terms of the title of each argument's debate."""
    title_text: Sequence[str]
    page: IntArray
    """(n,) equal numbers from 0 for arguments of one page."""
    conclusion_count: IntArray
    """(n,) arguments of the corpus with the same conclusion, this one included."""
    source: FloatArray
    """(n, len(`SOURCE`)) facts about documents by their source, NaN where unknown."""

    def __len__(self) -> int:
        return len(self.id)

    @cached_property
    def terms(self) -> list[list[str]]:
        """Index terms of each whole argument."""
        return [[term for sentence in sentences for term in sentence] for sentences in self.sentences]

    @cached_property
    def lines(self) -> list[list[str]]:
        """The sentences of each whole argument as they are."""
        return [text.split("\n") for text in self.text]

    @cached_property
    def length(self) -> IntArray:
        """(n,) sentences."""
        return np.array([len(sentences) for sentences in self.sentences], np.int64)


@dataclass(frozen=True)
class PairTable:
    """Candidate pairs as two positions in the sentence table."""

    first: IntArray
    second: IntArray

    def __len__(self) -> int:
        return len(self.first)


class Meaning(Protocol):
    """Vectors of a topic's texts by an encoder: float32 of length 1, zeros for a text that is not there.

    Texts are encoded when their vectors are first asked for.
    """

    @property
    def question(self) -> FloatArray:
        """(size,)"""

    @property
    def sentences(self) -> FloatArray:
        """(n_sentences, size)"""

    @property
    def conclusions(self) -> FloatArray:
        """(n_arguments, size)"""

    @property
    def titles(self) -> FloatArray:
        """(n_arguments, size) of the titles of debates"""

    def grades(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """(n_pairs, 3) relevance, quality and coherence that the reader expects of pairs of texts, from 0 to 2"""


class Missing(LookupError):
    """A feature asked for what the user does not provide; the arguments say what, and the remedy."""


def _counted(texts: Callable[[Context], Sequence[Sequence[str]]]) -> cached_property[csr_matrix]:
    """(n_texts, n_terms) term frequencies of texts of the context, given as index terms."""

    def counts(context: Context) -> csr_matrix:
        number = context.vocabulary.__getitem__
        matrix = token_matrix([list(map(number, text)) for text in texts(context)], len(context.vocabulary))
        matrix.sum_duplicates()
        return matrix

    return cached_property(counts)


@dataclass(frozen=True)
class Context:
    """One topic and everything that features may know of its candidates."""

    title: str
    query: Sequence[str]
    """Distinct index terms of the title."""
    sentences: SentenceTable
    arguments: ArgumentTable
    pairs: PairTable
    statistics: CollectionStatistics
    text_values: Mapping[str, FloatArray] = field(default_factory=dict)
    """Values of the text features, (n_sentences,) by name: computed when they are first asked for."""
    objects: tuple[str, ...] = ()
    """Objects that the topic compares, where it names them."""
    encoded: Meaning | None = None
    """Vectors of the texts; None without an encoder."""
    remembered: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def meaning(self) -> Meaning:
        """The vectors of the texts. Raises Missing without an encoder."""
        if self.encoded is None:
            hint = "name a model with a second step; a feature of your own needs needs_encoder=True"
            raise Missing("needs an encoder, and there is none", hint)
        return self.encoded

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        """Columns of the term matrices."""
        texts = chain([self.query], self.arguments.terms, self.sentences.terms, self.arguments.title)
        return {term: column for column, term in enumerate(dict.fromkeys(chain.from_iterable(texts)))}

    @cached_property
    def hashes(self) -> npt.NDArray[np.uint64]:
        """(n_terms,) by which the statistics know the terms of the vocabulary."""
        return term_hashes(list(self.vocabulary))

    sentence_counts = _counted(lambda context: context.sentences.terms)
    """(n_sentences, n_terms) term frequencies."""
    argument_counts = _counted(lambda context: context.arguments.terms)
    """(n_arguments, n_terms) term frequencies of whole arguments."""
    conclusion_counts = _counted(lambda context: context.arguments.conclusion)
    """(n_arguments, n_terms) term frequencies of conclusions."""
    title_counts = _counted(lambda context: context.arguments.title)
    """(n_arguments, n_terms) term frequencies of the titles of debates."""

    @cached_property
    def idf(self) -> FloatArray:
        """(n_terms,) inverse document frequency among sentences."""
        return self.statistics.idf("sentence", self.hashes)

    tfidf = cached_property(lambda context: context.weighted(context.sentence_counts))
    """(n_sentences, n_terms) unit-length TF-IDF rows."""
    argument_tfidf = cached_property(lambda context: context.weighted(context.argument_counts))
    """(n_arguments, n_terms) unit-length TF-IDF rows of whole arguments."""
    conclusion_tfidf = cached_property(lambda context: context.weighted(context.conclusion_counts))
    """(n_arguments, n_terms) unit-length TF-IDF rows of conclusions."""

    def weighted(self, counts: csr_matrix) -> csr_matrix:
        """Unit-length rows of (1 + ln tf) idf; an empty row stays empty."""
        weights = counts.astype(np.float64)  # a copy
        weights.data = (1 + np.log(weights.data)) * self.idf[weights.indices]
        norms = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
        weights.data /= np.repeat(np.where(norms > 0, norms, 1), np.diff(weights.indptr))
        return weights

    def query_columns(self, texts: str) -> FloatArray:
        """(n_texts, n_query) frequencies of the topic's terms; ``texts`` are "sentence", "argument", "conclusion" or
        "title".
        """
        if texts not in self.remembered:
            counts: csr_matrix = getattr(self, f"{texts}_counts")
            self.remembered[texts] = counts[:, [self.vocabulary[term] for term in self.query]].toarray()
        return cast(FloatArray, self.remembered[texts])

    def of_first(self, values: Any) -> Any:
        """Sentence values lifted to the first sentence of each pair."""
        return values[self.pairs.first]

    def of_second(self, values: Any) -> Any:
        """Sentence values lifted to the second sentence of each pair."""
        return values[self.pairs.second]


S = TypeVar("S", Texts, Context)


def once(compute: Callable[[S], T]) -> Callable[[S], T]:
    """Decorator for what several features have in common: computed once a context, or once for the same texts."""

    @wraps(compute)
    def remembered(source: S) -> T:
        if compute not in source.remembered:
            source.remembered[compute] = compute(source)
        return cast(T, source.remembered[compute])

    return remembered


def token_matrix(texts: Sequence[Sequence[int]], width: int, dtype: type[np.floating[Any]] = np.float64) -> csr_matrix:
    """(n_texts, width) sparse, an entry of 1 for each time that a number below ``width`` stands in a text."""
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    numbers = np.fromiter(chain.from_iterable(texts), np.int64, int(ends[-1]))
    return csr_matrix((np.ones(len(numbers), dtype), numbers, ends), shape=(len(texts), width))


def row_dot(left: csr_matrix, right: csr_matrix) -> FloatArray:
    """(n,) products of matching rows."""
    return np.asarray(left.multiply(right).sum(axis=1), np.float64).ravel()
