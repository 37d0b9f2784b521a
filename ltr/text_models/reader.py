"""The reader: a small cross-encoder that reads a question with a text, or with both sentences of a pair.

It says how relevant, well written and coherent a pair is; and of a text whether it is on the matter, whether it argues,
and whether it is for what is asked. It ships in ``models/pretrained/reader``; `experiments.lab.reader` makes it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from math import isnan
from pathlib import Path
from typing import Any, Final

import numpy as np

from features.core.statistics import FloatArray
from ltr.parallel import usable_cores
from ltr.text_models.chat import JUDGED
from ltr.text_models.kept import text_scores
from ltr.text_models.onnx import OnnxModel
from ltr.text_models.rerankers import Reranker
from models.base import TOP_GRADE

FOLDER: Final = Path(__file__).resolve().parents[2] / "models" / "pretrained" / "reader"

OUTPUTS: Final = ("relevance", "quality", "coherence", *JUDGED)
"""Log-odds that the model returns: of the first three that a grade is the highest, the last three of a text."""

KEPT: Final = 500
"""Lists of texts whose log-odds stay in memory: an answer is often asked for again, with other weights."""

DECIMALS: Final = 3
"""Log-odds are rounded, since the last digits depend on the processor."""

_BETWEEN = " [SEP] "
"""Between the sentences of a pair."""
_LINK = "who|that|which|if|because"
_VERB = "should|must|ought|is|are|was|were|does|do|did|would|will|can|could|has|have|had"
_DENIED = re.compile(
    rf"^((?:(?!(?:{_VERB}|{_LINK})\b)[\w'-]+ )*(?:{_VERB})(?: (?!(?:{_LINK})\b)[\w'-]+){{0,5}}?)"
    r"(?:n['\N{RIGHT SINGLE QUOTATION MARK}]t| not| never)(?: ever)?\b|^never ",
    re.IGNORECASE,
)
"""Up to the first negation of the main verb."""


class Reader(OnnxModel, Reranker):
    """A cross-encoder with several outputs; `find` makes it."""

    digest: str
    kind = "reader"
    preferred = "logits"
    returns = f"{len(OUTPUTS)} numbers for a question and a text"
    width = len(OUTPUTS)

    def scores(self, question: str, texts: list[str]) -> Any:
        """(n_texts, n_outputs) log-odds."""
        return self.outputs([(question, text) for text in texts]).round(DECIMALS)

    def _rows(self, found: Any, texts: int) -> Any:
        found = np.asarray(found, np.float64)
        return found if found.shape == (texts, self.width) else None


@lru_cache(maxsize=1)
def shipped_reader() -> Reader:
    """The reader that ships; it is opened when a text is read."""
    return Reader.find(FOLDER, usable_cores())


def expected_grades(folder: Path, question: str, pairs: Sequence[tuple[str, str]]) -> FloatArray:
    """(n_pairs, 3) relevance, quality and coherence, from 0 to 2. ``folder`` is the index's, which keeps them.

    Raises InputError where the model is damaged.
    """
    odds = text_scores(shipped_reader(), folder, question, list(map(_BETWEEN.join, pairs)))[:, :3]
    return (TOP_GRADE / (1 + np.exp(-odds))).round(DECIMALS).astype(np.float32)


class SideReader:
    """Log-odds by a reader of `JUDGED`, for a negation the opposite; the ``folder`` of the index keeps them."""

    def __init__(self, folder: Path, reader: Reranker | None = None) -> None:
        self._folder, self._reader, self._unread = folder, reader, set[str]()

    def __call__(self, question: str, texts: Sequence[str]) -> list[float]:
        """(n_texts,) log-odds that each is for what is asked. Raises InputError where the reader fails."""
        return [odds for *_, odds in self.read(question, texts)]

    def read(self, question: str, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """The log-odds of each text that it is on the matter, argues, and is for what is asked. Raises InputError."""
        asked, sign = affirmed(question)
        found = _judged(self._reader or shipped_reader(), self._folder, asked, *texts)
        self._unread |= {text for text, odds in zip(texts, found, strict=True) if isnan(odds[-1])}
        return [(0.0, 0.0, 0.0) if isnan(side) else (matter, argues, sign * side) for matter, argues, side in found]

    @property
    def note(self) -> str:
        """A line on texts without an answer; empty where there are none."""
        return f"The reader of sides gave no answer for {len(self._unread)} of the texts." if self._unread else ""


@lru_cache(maxsize=KEPT)
def _judged(reader: Reranker, folder: Path, question: str, *texts: str) -> tuple[list[float], ...]:
    return tuple(text_scores(reader, folder, question, list(texts))[:, -3:].tolist())


def affirmed(question: str) -> tuple[str, int]:
    """The question without a negation of its main verb, and -1 where that says the opposite, else 1.

    >>> affirmed("Zoos should never be banned"), affirmed("Shouldn't zoos be banned?")
    (('Zoos should be banned', -1), ('Should zoos be banned?', 1))
    """
    found = _DENIED.match(question)
    if found is None:
        return question, 1
    before = found[1] or ""
    hopes = question.endswith("?") and f"{before} " not in question and " " not in before
    return before + question[found.end() :], 1 if hopes else -1
