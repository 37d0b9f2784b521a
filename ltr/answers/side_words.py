"""Words that take a side by themselves: what should be done, praise and blame (``side_words.txt``)."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from features.core.text import words
from features.learned.linear_model import stem

_OPEN = frozenset("how what which who whom whose where when why".split())
_VERBS = frozenset(
    "should shall must ought is are was were do does did has have can could may might would will".split()
)
_OPPOSITE = ("un", "dis", "in", "ir", "im", "il")


def has_sides(question: str) -> bool:
    """Whether a question can be answered by yes or no.

    >>> has_sides("Should cars be banned?"), has_sides("How can we ban cars?"), has_sides("Cars or trams?")
    (True, False, False)
    """
    asked = words(question)
    which = "which" in asked and asked[0] not in _VERBS
    of_two = "or" in asked and (asked[:3] == ["is", "it", "better"] or not ("yes" in asked or _VERBS & {*asked}))
    return not (_OPEN & {*asked[:1]} or which or (of_two and question.rstrip().endswith("?")))


@lru_cache(maxsize=100_000)
def takes_side(word: str) -> bool:
    """Whether a lower-case word is listed, an inflection of a listed one, or its opposite ("undemocratic").

    >>> takes_side("banned"), takes_side("undemocratic"), takes_side("sufferers"), takes_side("zoos")
    (True, True, False, False)
    """
    rest = next((word.removeprefix(prefix) for prefix in _OPPOSITE if word.startswith(prefix)), "")
    return _inflected(word) or (_inflected(rest) and word not in ("unless", "invaluable"))


def _inflected(word: str) -> bool:
    """Whether it is a form of a listed word; people ("sufferers") are not."""
    begins = (one for one in _listed().get(stem(word), ()) if word.startswith(one))
    return any(not (word.endswith("ers") and len(word) > len(one) + 2) for one in begins)


@cache
def _listed() -> dict[str, list[str]]:
    """Stem -> listed words without their last letter: "effects" has the stem of "effective", but is not its form."""
    listed: dict[str, list[str]] = {}
    for word in Path(__file__).with_name("side_words.txt").read_text("utf-8").split():
        listed.setdefault(stem(word), []).append(word[:-1] if len(word) > 4 or word.endswith("y") else word)
    return listed
