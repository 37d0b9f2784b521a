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
"""What may stand after the end of a sentence."""
_LIST_MARK = re.compile(r"[|<>\[\]{}#\u00bb\u2022]")
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|we|us|our)\b")
_PUNCTUATION = re.compile(r"[^\w\s]")

_feature = partial(feature, "argument", group="form", lift=("min",), units=("document",))


def _finished(sentence: str) -> bool:
    """Three dots say that something is left out."""
    text = sentence.rstrip(_CLOSING)
    return text.endswith((".", "!")) and text[-3:-1] != ".."


def _asks(sentence: str) -> bool:
    return sentence.rstrip(_CLOSING).endswith("?")


def _sentences(holds: Callable[[str], bool]) -> Callable[[Context], FloatArray]:
    """The share of sentences of which it holds."""

    def compute(c: Context) -> FloatArray:
        texts = [text.split("\n") for text in c.arguments.text]
        return np.array([sum(map(holds, sentences)) / len(sentences) for sentences in texts])

    return compute


def _count(pattern: re.Pattern[str]) -> Callable[[Context], FloatArray]:
    return lambda c: np.log1p([len(pattern.findall(text.lower())) for text in c.arguments.text])


for _name, _what, _holds in (
    ("finished_sentences", "share of sentences that end in a full stop or an exclamation mark", _finished),
    ("asking_sentences", "share of sentences that end in a question mark", _asks),
):
    _feature(name=_name, measured_in="share", range=(0, 1), description=_what)(_sentences(_holds))


@_feature(measured_in="share", range=(0, 1))
def punctuation_share(c: Context) -> FloatArray:
    """Share of characters that are neither letters, digits nor spaces."""
    return np.array([len(_PUNCTUATION.findall(text)) / max(len(text), 1) for text in c.arguments.text])


for _name, _what, _pattern in (
    ("list_marks", "bars, brackets and bullets, logarithmic", _LIST_MARK),
    ("first_persons", "words of the first person (I, my, we), logarithmic", _FIRST_PERSON),
):
    _feature(name=_name, measured_in="ln(1 + count)", range=(0, np.inf), description=_what)(_count(_pattern))
