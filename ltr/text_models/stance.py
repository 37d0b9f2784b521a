"""A small cross-encoder that estimates whether a text is for or against a question's claim.

It ships in ``models/pretrained/sides``; `experiments.lab.side_reader` makes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from ltr.parallel import usable_cores
from ltr.text_models.kept import text_scores
from ltr.text_models.onnx import OnnxCrossEncoder

FOLDER: Final = Path(__file__).resolve().parents[2] / "models" / "pretrained" / "sides"

KEPT: Final = 5_000
"""Log-odds of debates that stay in memory: an answer is often asked for again, with other weights."""

DECIMALS: Final = 3
"""Log-odds are rounded, since the last digits depend on the processor."""

_LINK = "who|that|which|if|because"
_VERB = "should|must|ought|is|are|was|were|does|do|did|would|will|can|could|has|have|had"
_DENIED = re.compile(
    rf"^((?:(?!(?:{_VERB}|{_LINK})\b)[\w'-]+ )*(?:{_VERB})(?: (?!(?:{_LINK})\b)[\w'-]+){{0,5}}?)"
    r"(?:n['\N{RIGHT SINGLE QUOTATION MARK}]t| not| never)(?: ever)?\b|^never ",
    re.IGNORECASE,
)
"""Up to the first negation of the main verb."""

LogOdds = Callable[[str, Sequence[str]], list[float]]
"""Question and texts -> the log-odds that each text is for what is asked: positive for, negative against."""


def log_odds(folder: Path, question: str, texts: Sequence[str]) -> list[float]:
    """See `LogOdds`; for a negation, the opposite. ``folder`` is the index's, which keeps them.

    Raises InputError where the model is damaged.
    """
    asked, sign = affirmed(question)
    return [sign * odds for odds in _log_odds(folder, asked, *texts)]


@lru_cache(maxsize=1)
def shipped_cross_encoder() -> OnnxCrossEncoder:
    """The cross-encoder that ships for sides; it is opened when a text is read."""
    return OnnxCrossEncoder.find(FOLDER, usable_cores())


@lru_cache(maxsize=KEPT)
def _log_odds(folder: Path, question: str, *texts: str) -> tuple[float, ...]:
    odds = text_scores(shipped_cross_encoder(), folder, question, list(texts))
    return tuple(round(float(one), DECIMALS) for one in odds)


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
