"""First stage of an answer: which debates a question is about, and which word of it they lack.

The meaning of a debate is the mean of its texts' vectors. The question is about the nearest debate if that is nearer
than the nearest of so many debates would be by chance, and about the others that are nearly as near. In a small corpus
all texts may be of one school or one club: there what they share is taken off first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from math import log10, sqrt

import numpy as np
import numpy.typing as npt

from features.core.text import Analyzer, words
from features.learned.linear_model import without_references
from ltr.answers.table import Subject, Vectors
from ltr.data.topics import LONGEST_TITLE
from ltr.errors import InputError

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
NOTICE = 0.12  # least share of dates, hours and numbers among the words of a notice, which argues for nothing
# Arguments and sentences of a corpus that is read as a whole: the first question takes some 3 ms a sentence. A corpus
# that is no longer than a list of candidates is small, too.
FEW, SHORT = 600, 3_000

_DATE = re.compile(
    r"\d.*|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|june|july|august|september|"
    r"october|november|december|[ap]m|o'clock"
)


def checked_question(question: str, analyzer: Analyzer) -> str:
    """The question in valid UTF-8 and on one line: a shell also passes bytes that are not text.

    Raises InputError for one without a word to search for, and for one that is too long.
    """
    if not isinstance(question, str):
        raise InputError("question", f"must be a string, not {type(question).__name__}", "ask in words")
    question = " ".join(question.encode("utf-8", "replace").decode("utf-8").split())
    if len(question) > LONGEST_TITLE:
        raise InputError("question", f"has {len(question):,} characters", f"ask in at most {LONGEST_TITLE:,}")
    if not analyzer.distinct(question):
        raise InputError("question", "there is no word to search for in it", "say what it is about")
    return question


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


def is_notice(texts: Sequence[str]) -> bool:
    """Whether texts say when and where something is, and argue for nothing.

    >>> is_notice(["Open on Saturdays from 7 to 13."]), is_notice(["Last year three children drowned."])
    (True, False)
    """
    found = [word for text in texts for word in words(without_references(text)[0])]
    return sum(_DATE.fullmatch(word) is not None for word in found) >= max(NOTICE * len(found), 1)


def as_unit(vectors: npt.NDArray[np.floating]) -> Vectors:
    """The vectors with length 1."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), np.float32)
