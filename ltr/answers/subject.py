"""Which debates of a corpus a question is about, by the meaning of titles, conclusions and texts.

A debate is the arguments of one page, by their ids, of one conclusion, or of one title; a text that has none of them is
alone. Its meaning is the mean of its texts' vectors. The question is about the nearest debate if that is nearer than
the nearest of so many debates would be by chance, and about the others that are nearly as near. In a small corpus all
texts may be of one school or one club: there what they share is taken off first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from math import log10, sqrt

import numpy as np
import numpy.typing as npt

from features.core.text import normalise, words
from features.learned.linear_model import without_references
from features.learned.vectors import load_vectors
from ltr.data.ids import page_of
from ltr.index.reader import Index
from ltr.text_models.encoders import Encoder
from ltr.text_models.kept_vectors import Vectors

BY_CHANCE, TENFOLD = 0.23, 0.085
"""Cosine of a question with the nearest text of a corpus that is about something else: with one text, and what it is
more with ten times as many; measured with 5, 30 and 25,000."""
SPREAD = 0.4
"""Share of the nearest debate's cosine that another one may lack, if it is a single argument; of n, the square root of
n times less."""
CENTRED, CENTRED_SPREAD = 0.24, 0.7
"""The same in a whole small corpus, for cosines of vectors less the mean of all debates: the least cosine of the
nearest debate, however many there are, and the share that another may lack; measured with 5, 15, 40 and 150 texts."""
SMALL, RISE, FALL = 150, 0.25, 0.5
"""Arguments from which on that cosine rises, and the share falls, with ten times as many; measured with 500 texts."""
PRIOR = 12
"""Debates without a meaning that join that mean, which in a corpus of one debate would be the debate itself."""
FAR = 0.13
"""What the plain cosine with the nearest debate of such a corpus is above chance, at least, where the mean takes off
the subject, since all texts are on it."""
NOTICE = 0.12
"""Share of dates, hours and numbers among the words of a text from which on it is a notice, not an argument."""
MARGIN = 0.05
"""Rise of a debate's cosine, when a word is left out of the question, from which on the debate is about the rest."""

_DATE = re.compile(
    r"\d.*|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|june|july|august|september|"
    r"october|november|december|[ap]m|o'clock"
)

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Subject:
    """What a question is about, as far as the corpus has it."""

    rows: frozenset[int] = frozenset()
    """Arguments of the debates that it is about."""
    nearest: float = 0.0
    """Cosine of the nearest debate."""
    unnamed: str = ""
    """A word that none of them has, and without which the question would be nearer to them."""
    meaning: Matrix | None = field(default=None, compare=False)
    """(size,) the vector of the nearest debate; None in a whole small corpus, where few words occur."""


def find_subject(
    index: Index, encoder: Encoder | None, question: str, sentences: Iterable[int], others: Iterable[int] = ()
) -> Subject:
    """The debates that the question is about, of arguments with these ``sentences``, rows of the index.

    ``others``: arguments that belong to the subject where one of these debates is theirs.
    """
    debates: dict[str, dict[int, list[int]]] = {}
    for row in sorted(sentences):
        argument = int(index.argument_of(row))
        debates.setdefault(_debate(index, argument), {}).setdefault(argument, []).append(row)
    if not debates:
        return Subject()
    texts = [_unit(_means(index, encoder, own)) for own in debates.values()]
    asked, plain = _of_texts(index, encoder, [question])[0], _unit(np.array([own.sum(axis=0) for own in texts]))
    chance = BY_CHANCE + TENFOLD * log10(index.arguments)
    near, least, spread = plain @ asked, chance, SPREAD
    if whole := sum(map(len, texts)) == index.arguments:
        shared = plain.sum(axis=0) / (len(plain) + PRIOR)
        centred = _unit(np.array([_unit(own - shared).sum(axis=0) for own in texts])) @ _unit(asked - shared)
        larger = max(log10(index.arguments / SMALL), 0.0)
        if centred.max() >= CENTRED + RISE * larger:
            near, least, spread = centred, CENTRED, CENTRED_SPREAD - FALL * larger
        else:
            least += FAR
    nearest = float(near.max())
    if nearest < least:
        return Subject(nearest=nearest)
    # Among candidates alone each debate must be nearer than by chance; a whole small corpus has no better ones.
    least = 0.0 if whole else chance
    found = {
        name: own
        for (name, own), cosine in zip(debates.items(), near.tolist(), strict=True)
        if cosine >= max(least, nearest * (1 - spread / sqrt(len(own))))
    }
    rows = {argument for own in found.values() for argument in own}
    rows |= {argument for argument in others if _debate(index, argument) in found}
    return Subject(frozenset(rows), nearest, meaning=None if whole else plain[near.argmax()])


def name_missing(subject: Subject, index: Index, encoder: Encoder | None, question: str, missing: Set[str]) -> Subject:
    """The subject with its ``unnamed`` word, if there is one with a term that is ``missing`` in its arguments."""
    written = question.strip(" ?!.").split()
    absent = [word for word in written if not missing.isdisjoint(index.analyzer.distinct(word))]
    if subject.meaning is None or not absent:
        return subject
    others = [" ".join(other for other in written if other != word) + "?" for word in absent]
    rise = _of_texts(index, encoder, others) @ subject.meaning - subject.nearest
    return replace(subject, unnamed=absent[int(rise.argmax())].strip(",;:\"'()")) if rise.max() >= MARGIN else subject


def is_notice(texts: Sequence[str]) -> bool:
    """Whether texts say when and where something is, and argue for nothing.

    >>> is_notice(["Open on Saturdays from 7 to 13."]), is_notice(["Last year three children drowned."])
    (True, False)
    """
    found = [word for text in texts for word in words(without_references(text)[0])]
    return sum(_DATE.fullmatch(word) is not None for word in found) >= max(NOTICE * len(found), 1)


def _debate(index: Index, argument: int) -> str:
    id_, conclusion = index.argument_id(argument), int(index.column("conclusion_row")[argument])
    page = page_of(id_)
    claim = normalise(index.text(conclusion)) if conclusion >= 0 else ""
    return page if page != id_ else claim or index.title(argument) or id_


def _means(index: Index, encoder: Encoder | None, arguments: dict[int, list[int]]) -> Matrix:
    """(n_arguments, size) the mean vector of each argument's sentences, and of its title where it has no conclusion."""
    rows = [row for own in arguments.values() for row in own]
    texts = list(map(index.text, rows))
    vectors = Vectors(index, encoder).of_sentences(rows) if encoder else _of_texts(index, None, texts)
    starts = np.cumsum([0, *map(len, arguments.values())][:-1])
    conclusions = index.column("conclusion_row")
    titles = ["" if conclusions[argument] >= 0 else index.title(argument) for argument in arguments]
    return np.asarray(np.add.reduceat(vectors, starts, axis=0) + _of_texts(index, encoder, titles))


def _of_texts(index: Index, encoder: Encoder | None, texts: Sequence[str]) -> Matrix:
    return Vectors(index, encoder).of_texts(texts) if encoder else _unit(load_vectors().rows(texts).sums)


def _unit(vectors: npt.NDArray[np.floating]) -> Matrix:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32)
