"""Claims by simple rules, for sides without a model that reads: the subject of a text, and whether it is for that.

A text is for its subject, times -1 for each listed word against it (``polarity_words.txt``) and for each negation:
"Should the ban on cars be lifted?" is for cars. Words about what should be done count, else praise and blame.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from math import prod
from pathlib import Path
from typing import NamedTuple

from features.core.text import STOP_WORDS, negates, words
from features.learned.linear_model import stem
from ltr.text_models.stance import affirmed

_OPEN = frozenset("how what which who whom whose where when why".split())
_OPPOSITE = ("un", "dis", "in", "ir", "im", "il")
_MOTION = re.compile(r"^(?:this house )?(?:would|supports|believes(?: that| in)?)\s+(?!.*\?\s*$)", re.IGNORECASE)
_PHRASES = {
    r"do(?:es|ing)? more harm than good|hold(?:s|ing)? back": "harmful",
    r"do(?:es|ing)? more good than harm": "beneficial",
    r"the (?:costs?|harms?|risks?|dangers?)(?= of .* outweigh)": "harmful",
    r"the (?:benefits?|advantages?)(?= of .* outweigh)": "beneficial",
    r"bring(?:ing)? back|brought back": "reinstate",
    r"(?:give|giving|given) up(?: on)?|put(?:ting)? an end to": "end",
    r"(?:torn?|tear|take|do(?:ne)?)(?:ing)? (?:down|away)(?: with)?": "remove",
    r"ke(?:ep|pt) (?:out of|away from|off)|keep(?= (?:\w+ ){1,3}out of)": "exclude",
    r"no longer": "not",
    r"(?:throw|kick)(?:n|s|ed|ing)?(?= (?:\w+ ){0,3}out\b)": "expel",
}
"""Phrases that are read as one word."""
_PHRASE = re.compile("|".join(rf"(\b(?:{phrase})\b)" for phrase in _PHRASES), re.IGNORECASE)
_JUDGED = re.compile(r"(?:wrong|mistake|unjust|unfair|bad)(?:ly)?")
"""Blame that counts beside what should be done: "Is it wrong to ban cars?"."""
SAME = 0.3
"""Least share of the stems of a question that a claim on its subject has."""


class Polarity(NamedTuple):
    """Kind and sign of a listed word."""

    policy: bool
    """whether the word is about what should be done; else it praises or blames"""
    sign: int
    """1 for, -1 against"""


class Claim(NamedTuple):
    """The subject of a text, and whether the text is for (1) or against it (-1)."""

    target: frozenset[str]
    """Stems of the content words, without those that decide the polarity."""
    polarity: int
    """A text without a listed word counts as for its subject."""


def has_sides(question: str) -> bool:
    """Whether a question can be answered by yes or no."""
    return not _OPEN & {*words(question)[:1]}


@lru_cache(maxsize=10_000)
def claim_of(text: str) -> Claim:
    """Subject and polarity of ``text``."""
    listed_words = list(_PHRASES.values())
    text, sign = affirmed(_MOTION.sub("", text))
    tokens = words(_PHRASE.sub(lambda found: listed_words[(found.lastindex or 1) - 1], text))
    if "than" in tokens:  # a comparison says whether the first is better
        tokens = tokens[: tokens.index("than")]
    listed = {at: polarity for at, word in enumerate(tokens) if (polarity := polarity_of(word))}
    policies = any(polarity.policy for polarity in listed.values())
    deciding = {at for at, one in listed.items() if one.policy is policies or _JUDGED.fullmatch(tokens[at])}
    polarity = sign * prod(listed[at].sign for at in deciding) * (-1) ** sum(map(negates, tokens))
    left = [word for at, word in enumerate(tokens) if at not in deciding and word not in STOP_WORDS]
    return Claim(frozenset(map(stem, left)), polarity)


def relation(question: str, claim: str) -> int:
    """1 where a claim says what is asked, -1 where the opposite, 0 where it is about another subject.

    >>> relation("Should cars be banned?", "Cars should be allowed")
    -1
    """
    asked, claimed = claim_of(question), claim_of(claim)
    same = len(asked.target & claimed.target) >= max(SAME * len(asked.target), 1)
    return asked.polarity * claimed.polarity if same else 0


@lru_cache(maxsize=100_000)
def polarity_of(word: str) -> Polarity | None:
    """Polarity of a lower-case word that is listed, an inflection of a listed one, or its opposite ("undemocratic").

    People ("sufferers") have none.
    """
    if listed := _inflected(word):
        return listed
    rest = next((word.removeprefix(prefix) for prefix in _OPPOSITE if word.startswith(prefix)), "")
    opposite = _inflected(rest)
    return opposite._replace(sign=-opposite.sign) if opposite and word not in ("unless", "invaluable") else None


def _inflected(word: str) -> Polarity | None:
    for begins, polarity in _listed().get(stem(word), ()):
        if word.startswith(begins) and not (word.endswith("ers") and len(word) > len(begins) + 2):
            return polarity
    return None


@cache
def _listed() -> dict[str, list[tuple[str, Polarity]]]:
    """Stem -> listed words without their last letter: "effects" has the stem of "effective", but is no form of it."""
    listed: dict[str, list[tuple[str, Polarity]]] = {}
    for line in Path(__file__).with_name("polarity_words.txt").read_text("utf-8").splitlines():
        kind, *listed_words = line.split()
        polarity = Polarity(kind in ("for", "against"), 1 if kind in ("for", "good") else -1)
        for word in listed_words:
            listed.setdefault(stem(word), []).append(
                (word[:-1] if len(word) > 4 or word.endswith("y") else word, polarity)
            )
    return listed
