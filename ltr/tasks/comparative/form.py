"""How a document is written: in whole sentences, or in pieces of lists, headings, questions and talk.

Web pages are cut into snippets, and boilerplate stands beside prose. These are plain counts of characters and words;
they say nothing of the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import numpy as np

from features.core.feature import feature
from features.core.statistics import FloatArray
from features.core.tables import Context

_CLOSING = "\"')] \t\r\n\f\v\xa0"
"""Characters that may stand after the end of a sentence."""
_LIST_MARK = re.compile(r"[|<>\[\]{}#\u00bb\u2022]")
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|we|us|our)\b")
_PUNCTUATION = re.compile(r"[^\w\s]")

_feature = partial(feature, "argument", group="form", lift=("min",), kinds=("document",))
_share = partial(_feature, measured_in="share", range=(0, 1))
_count = partial(_feature, measured_in="ln(1 + count)", range=(0, np.inf))


@_share()
def finished_sentences(c: Context) -> FloatArray:
    """Share of sentences that end in a full stop or an exclamation mark."""

    def finished(sentence: str) -> bool:
        return sentence.endswith((".", "!")) and sentence[-3:-1] != ".."  # three dots: something is left out

    return _share_of_sentences(c, finished)


@_share()
def asking_sentences(c: Context) -> FloatArray:
    """Share of sentences that end in a question mark."""
    return _share_of_sentences(c, lambda sentence: sentence.endswith("?"))


@_share()
def punctuation_share(c: Context) -> FloatArray:
    """Share of characters that are neither letters, digits nor spaces."""
    return np.array([len(_PUNCTUATION.findall(text)) / max(len(text), 1) for text in c.arguments.text])


@_count()
def list_marks(c: Context) -> FloatArray:
    """Bars, brackets and bullets, logarithmic."""
    return _logarithmic_count(c, _LIST_MARK)


@_count()
def first_persons(c: Context) -> FloatArray:
    """Words of the first person (I, my, we), logarithmic."""
    return _logarithmic_count(c, _FIRST_PERSON)


def _share_of_sentences(c: Context, holds: Callable[[str], bool]) -> FloatArray:
    shares = [sum(holds(one.rstrip(_CLOSING)) for one in lines) / len(lines) for lines in c.arguments.lines]
    return np.array(shares)


def _logarithmic_count(c: Context, pattern: re.Pattern[str]) -> FloatArray:
    return np.log1p([len(pattern.findall(text.lower())) for text in c.arguments.text])
