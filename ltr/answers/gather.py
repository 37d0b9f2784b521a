"""Values that an answer is made from, looked up in the index; the stages of an answer know no index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set

import numpy as np

from features.learned.vectors import load_vectors
from ltr.answers.reading_order import rows_of
from ltr.answers.table import Argument, Debate, Saying, Subject, Vectors
from ltr.answers.understand import as_unit, nearest_debates
from ltr.data.ids import argument_of, parts_of
from ltr.index.debates import SIGNS
from ltr.index.reader import Index
from ltr.index.vocabulary import Array
from ltr.ranking.steps import term_cache
from ltr.text_models import kept_vectors
from ltr.text_models.encoders import Encoder

PREMISES = 3
"""Premises of an argument that may be read for its side."""
SENTENCES = 8
"""Sentences of a whole argument, or premises of one, that are compared for points."""


def rows_of_item(index: Index, item: str) -> list[int]:
    """The rows of an item's arguments that the index has."""
    rows = (index.row_of.get(argument_of(part)) for part in parts_of(item))
    return [row for row in dict.fromkeys(rows) if row is not None]


class Arguments:
    """The arguments of an index, of which some are about what is asked."""

    def __init__(self, index: Index, on_subject: Set[int] = frozenset()) -> None:
        """``on_subject``: rows of the arguments that are about what is asked."""
        self._index, self._on_subject = index, on_subject
        self._claims: dict[int, dict[str, int]] = {}

    def __getitem__(self, row: int) -> Argument:
        return Argument(
            self.debate(row),
            conclusion=self._index.conclusion(row),
            stance=SIGNS[int(self._index.column("stance")[row])],
            toward=self._index.side_toward_resolution(row),
            nested=bool(self._index.column("parent")[row] >= 0),
            premises=tuple(premises_of(self._index, row, PREMISES)),
        )

    def debate(self, row: int) -> Debate:
        """The debate of an argument."""
        index, number = self._index, int(self._index.column("debate")[row])
        if number not in self._claims:
            self._claims[number] = claims_of(index, index.debate(row))
        on_subject = row in self._on_subject
        return Debate(index.resolution(row), index.title(row), index.in_debate(row), on_subject, self._claims[number])

    def commonest_debates(self, count: int) -> dict[str, Debate]:
        """The commonest resolutions on the subject, each with the debate of its first argument."""
        rows = sorted(self._on_subject)
        resolutions = list(map(self._index.resolution, rows))
        commonest = [resolution for resolution, _ in Counter(resolutions).most_common(count) if resolution]
        return {resolution: self.debate(rows[resolutions.index(resolution)]) for resolution in commonest}


def premises_of(index: Index, row: int, count: int) -> list[str]:
    """The first premises of an argument."""
    conclusion = int(index.column("conclusion_row")[row])
    rows = index.sentence_rows(row)[: count + 1]
    return [text for sentence, text in zip(rows, index.texts(rows), strict=True) if sentence != conclusion][:count]


def claims_of(index: Index, debate: Array) -> dict[str, int]:
    """Conclusions of a debate, except for its resolution: 1 for one that is for that, -1 for one against it."""
    # An argument for a claim inherits the claim's side.
    parents = index.column("parent")[debate]
    claims = {
        index.conclusion(row): index.side_toward_resolution(parent)
        for row, parent in zip(debate[parents >= 0].tolist(), parents[parents >= 0].tolist(), strict=True)
    }
    return {claim: sign for claim, sign in claims.items() if claim and sign}


def sentences_of(index: Index, item: str) -> list[str]:
    """The sentences of a pair, or the first ones of a whole argument."""
    rows = [row for part in parts_of(item) for row in rows_of(index, part)]
    return list(map(index.text, rows[:SENTENCES]))


def saying_of(index: Index, item: str) -> Saying:
    """What an item says, for its point: of a pair of two arguments, the argument is the first one."""
    rows = [row for part in parts_of(item) for row in rows_of(index, part)]
    argument, number = index.row_of[argument_of(parts_of(item)[0])], index.column("number")
    sentences = index.sentence_rows(argument)
    texts = dict(zip(sentences, index.texts(sentences), strict=True))
    texts |= {row: index.text(row) for row in rows if row not in texts}
    root = int(index.column("root")[argument])
    has_own = index.stance(argument) == "PRO" and not (root == argument and index.in_debate(argument) > 1)
    return Saying(
        argument,
        root,
        index.title(argument),
        sentences=tuple(texts[row] for row in rows[:SENTENCES]),
        premises=tuple(texts[row] for row in [row for row in rows if number[row] > 0][:SENTENCES]),
        beside=tuple(texts[row] for row in [row for row in sentences if number[row] > 0][:SENTENCES]),
        own=index.conclusion(argument) if has_own else "",
    )


def terms_of_item(index: Index, item: str) -> list[str]:
    """The index terms of an item."""
    return [term for part in parts_of(item) for row in rows_of(index, part) for term in term_cache(index).terms(row)]


def find_subject(
    index: Index, encoder: Encoder | None, question: str, sentences: Iterable[int], others: Iterable[int] = ()
) -> Subject:
    """The pages that the question is about, of arguments with these ``sentences``, rows of the index.

    ``others``: arguments that belong to the subject where one of these pages is theirs.
    """

    def page_of(argument: int) -> int:
        return int(index.column("page")[index.column("debate")[argument]])  # of no page: the debate stands for one

    pages: dict[int, dict[int, list[int]]] = {}
    for row in sorted(sentences):
        argument = int(index.argument_of(row))
        pages.setdefault(page_of(argument), {}).setdefault(argument, []).append(row)
    if not pages:
        return Subject()
    texts = [as_unit(_means(index, encoder, own)) for own in pages.values()]
    nearest = nearest_debates(vectors_of(index, encoder, [question])[0], texts, index.arguments)
    found = {page: own for place, (page, own) in enumerate(pages.items()) if place in nearest.debates}
    rows = {argument for own in found.values() for argument in own}
    rows |= {argument for argument in others if found and page_of(argument) in found}
    return Subject(frozenset(rows), nearest.cosine, meaning=nearest.meaning)


def vectors_of(index: Index, encoder: Encoder | None, texts: Sequence[str]) -> Vectors:
    """(n_texts, size) vectors of length 1; without an encoder, the mean of word vectors."""
    if encoder:
        return kept_vectors.Vectors(index, encoder).of_texts(texts)
    return as_unit(load_vectors().rows(texts).sums)


def _means(index: Index, encoder: Encoder | None, arguments: dict[int, list[int]]) -> Vectors:
    """(n_arguments, size) the mean vector of each argument's sentences, and of its title where it has no conclusion."""
    rows = [row for own in arguments.values() for row in own]
    texts = list(map(index.text, rows))
    vectors = kept_vectors.Vectors(index, encoder).of_sentences(rows) if encoder else vectors_of(index, None, texts)
    starts = np.cumsum([0, *map(len, arguments.values())][:-1])
    conclusions = index.column("conclusion_row")
    titles = ["" if conclusions[argument] >= 0 else index.title(argument) for argument in arguments]
    return np.asarray(np.add.reduceat(vectors, starts, axis=0) + vectors_of(index, encoder, titles))
