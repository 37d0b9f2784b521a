"""A small cross-encoder that reads whether a text is for or against what a question asks.

It ships in ``models/pretrained/sides``; `experiments.lab.side_reader` makes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from ltr.parallel import usable_cores
from ltr.text_models.cross_encoder import OnnxCrossEncoder, open_folder
from ltr.text_models.kept_scores import text_scores

FOLDER: Final = Path(__file__).resolve().parents[2] / "models" / "pretrained" / "sides"

KEPT: Final = 5_000
"""Debates whose readings stay in memory: an answer is often asked for again, with other weights."""

DECIMALS: Final = 3
"""Odds are rounded, since the last digits depend on the processor."""

_LINK = "who|that|which|if|because"
_VERB = "should|must|ought|is|are|was|were|does|do|did|would|will|can|could|has|have|had"
_DENIED = re.compile(
    rf"^((?:(?!(?:{_VERB}|{_LINK})\b)[\w'-]+ )*(?:{_VERB})(?: (?!(?:{_LINK})\b)[\w'-]+){{0,5}}?)"
    r"(?:n['\N{RIGHT SINGLE QUOTATION MARK}]t| not| never)(?: ever)?\b|^never ",
    re.IGNORECASE,
)
"""Up to the first negation of a main verb, which is of the subject's own clause."""

Reader = Callable[[str, Sequence[str]], list[float]]
"""Log-odds that each text is for what a question asks: positive for, negative against."""


def shipped_reader(folder: Path) -> Reader:
    """The reader that ships, which is opened when a text is read. Log-odds are kept in ``folder``, of the index."""
    return partial(read, folder=folder)


def read(question: str, texts: Sequence[str], folder: Path) -> list[float]:
    """The log-odds of each text, see `Reader`; the opposite of a negation. Raises InputError for a damaged folder."""
    asked, sign = affirmed(question)
    return [sign * odds for odds in _odds(folder, asked, *texts)]


def prepare() -> None:
    """Open the reader that ships in another thread, while other work goes on."""
    _model().prepare()


def open_reader() -> None:
    """Open the reader that ships before a text is read. Raises InputError."""
    _model().open()


@lru_cache(maxsize=KEPT)
def _odds(folder: Path, question: str, *texts: str) -> tuple[float, ...]:
    odds = text_scores(_model(), folder, question, list(texts))
    return tuple(round(float(one), DECIMALS) for one in odds)


@lru_cache(maxsize=1)
def _model() -> OnnxCrossEncoder:
    return open_folder(str(FOLDER), usable_cores())


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
