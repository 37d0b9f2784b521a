"""Words that take a side by themselves (``side_words.txt``): what should be done; below a line, praise and blame."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from features.learned.linear_model import stem

_OPPOSITE = ("un", "dis", "in", "ir", "im", "il")


@lru_cache(maxsize=100_000)
def takes_side(word: str) -> bool:
    """Whether a lower-case word is listed, an inflection of a listed one, or its opposite ("undemocratic").

    >>> takes_side("banned"), takes_side("undemocratic"), takes_side("sufferers"), takes_side("zoos")
    (True, True, False, False)
    """
    rest = next((word.removeprefix(prefix) for prefix in _OPPOSITE if word.startswith(prefix)), "")
    return _inflected(word) or (_inflected(rest) and word not in ("unless", "invaluable"))


def says_what_to_do(word: str) -> bool:
    """Whether a lower-case word, or an inflection of it, is listed as what should be done.

    >>> says_what_to_do("banning"), says_what_to_do("cruelty")
    (True, False)
    """
    return _inflected(word, deeds=True)


def _inflected(word: str, *, deeds: bool = False) -> bool:
    """Whether it is a form of a listed word; people ("sufferers") are not."""
    begins = (one for one in _listed(deeds).get(stem(word), ()) if word.startswith(one))
    return any(not (word.endswith("ers") and len(word) > len(one) + 2) for one in begins)


@cache
def _listed(deeds: bool) -> dict[str, list[str]]:
    """Stem -> listed words without their last letter: "effects" has the stem of "effective", but is not its form."""
    listed: dict[str, list[str]] = {}
    text = Path(__file__).with_name("side_words.txt").read_text("utf-8")
    for word in text.partition("\n\n" if deeds else "\0")[0].split():
        listed.setdefault(stem(word), []).append(word[:-1] if len(word) > 4 or word.endswith("y") else word)
    return listed
