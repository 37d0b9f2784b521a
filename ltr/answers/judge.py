"""Second stage of an answer: the side of each argument toward the question, from its debate or from its own words.

Debates come from the index. A cross-encoder reads the question with a debate's resolution and with some claims that the
debate counts for or against it, so there is one decision for a whole debate: an argument's side is its stance on the
resolution times the sign of the debate's log-odds. Arguments without a stance are read alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import fsum, tanh
from operator import mul
from textwrap import shorten

from features.core.sides import FOR_AND_AGAINST, Side
from features.core.text import normalise
from features.learned.vectors import Rows, load_vectors
from ltr.answers.side_words import has_sides
from ltr.answers.understand import Subject
from ltr.text_models.reader import LogOdds

# Log-odds, unless otherwise stated. Chosen on questions whose sides people read, see docs/laboratory.md#sides.
LIKELY, SURE = 0.25, 2.0  # least ones of a likely and of a sure side
BY_WORDS = 1.0  # least ones of a side by the words alone, or where no debate is on the subject
MOST, MOST_UNCONFIRMED = 4.0, (LIKELY + SURE) / 2  # largest of a debate; of one that is not sure or not covered
COVERED = 0.22  # least share of the question's words, by rarity, in a sure debate: with less, 2 of 12 sides were right
AGREES = 0.2  # prior that a resolution asks for what the question does: few ask for the opposite
RESOLUTIONS, OTHERS = 4, 0.4  # resolutions on the subject that are compared, and the weight of the other ones
OFF = 0.45  # largest cosine of the question with a resolution that is off topic
CLAIMS, PREMISES = 2, 3  # claims of a debate that are read, the nearest; premises of an argument without a stance
QUOTED = 90  # characters of a conclusion in a reason

_PORTAL = re.compile(r"^(?:counter)?point\b:?(?=.)|(?<!\s)\s*[-–(]\s*junior\W*$|</?\w+>", re.IGNORECASE)
"""Words that portals add to a conclusion."""


@dataclass(frozen=True)
class Understood:
    """A question as it is read."""

    question: str
    subject: Subject = Subject()
    rarity: Mapping[str, float] = field(default_factory=dict)
    """Term of the question that the corpus has -> its weight."""
    stating: frozenset[str] = frozenset()
    """Terms that take a side by themselves, such as "ban", and name no subject."""
    terms: Callable[[str], Iterable[str]] = str.split
    """The terms of a text."""
    known: Mapping[str, int] = field(default_factory=dict)
    """Conclusions, normalised, that a person called what is asked (1), the opposite (-1), or neither (0)."""


@dataclass(frozen=True)
class Argument:
    """A row of the table of arguments, with its debate, before it is judged."""

    resolution: str
    """Conclusion of the arguments at the root of its debate: arguments of one page under one; empty without one."""
    title: str = ""
    in_debate: int = 1
    """Number of arguments in the debate."""
    on_subject: bool = False
    """Whether the debate is about what is asked."""
    claims: Callable[[], Mapping[str, int]] = field(default=dict, compare=False)
    """Looks up the debate's other conclusions: 1 for one that is for the resolution, -1 for one against it."""
    conclusion: str = ""
    stance: int = 0
    """Toward its conclusion: 1 for, -1 against, 0 unknown."""
    toward: int = 0
    """Toward the resolution: the product of the stances on its path to it, 0 where one is unknown."""
    nested: bool = False
    """Whether its conclusion is what another argument says, not the resolution."""
    premises: tuple[str, ...] = ()
    """The first ones."""


@dataclass(frozen=True)
class Verdict:
    """Judgments on an argument."""

    argument: Argument
    side: str
    """Toward the question: PRO, CON, or Q0 where it is unclear."""
    odds: float = 0.0
    """Log-odds that it is for what is asked."""
    debate_odds: float | None = None
    """Log-odds that being for the resolution is being for what is asked; None where its words alone were read."""
    sure: bool = False


class DebateOdds:
    """Log-odds that being for an argument's resolution is being for what is asked; each resolution is read once."""

    def __init__(self, asked: Understood, on_subject: Mapping[str, Argument], read: LogOdds) -> None:
        """``on_subject``: the commonest resolutions on the subject, each with an argument of its debate."""
        self._asked, self._on_subject, self._read = asked, on_subject, read
        self._own: dict[str, float] = {}
        self._odds: dict[tuple[str, str, bool], float] = {}

    def __call__(self, debate: Argument) -> float:
        """Odds of other resolutions on the subject count as far as they say the same, or the opposite."""
        key = debate.resolution, debate.title, debate.on_subject
        if key not in self._odds:
            odds = own = self._of(debate)
            known = self.is_known(debate)
            if debate.on_subject and not known:
                odds += self._of_others(debate)
            named = abs(own) >= SURE and covered(self._asked, f"{debate.resolution} {debate.title}") >= COVERED
            most = MOST if named or known else MOST_UNCONFIRMED
            self._odds[key] = max(-most, min(odds, most))
        return self._odds[key]

    def is_known(self, debate: Argument) -> bool:
        """Whether a person said what the resolution asks."""
        return normalise(debate.resolution) in self._asked.known

    def _of(self, debate: Argument) -> float:
        """By the resolution alone."""
        if self.is_known(debate):
            return self._asked.known[normalise(debate.resolution)] * MOST
        if debate.resolution not in self._own:
            self._own[debate.resolution] = read_debate(self._asked.question, debate, self._read)
        return self._own[debate.resolution]

    def _of_others(self, debate: Argument) -> float:
        odds = {
            resolution: self._of(other) * (1 if self.is_known(other) else OTHERS)
            for resolution, other in self._on_subject.items()
            if resolution != debate.resolution
        }
        if not odds:
            return 0.0
        first = next(iter(self._on_subject))
        claims = [debate.resolution, *odds]
        as_first, *same = [
            1.0 if claim == first else tanh(one / 2)
            for claim, one in zip(claims, self._read(first, claims), strict=True)
        ]
        return as_first * fsum(map(mul, same, odds.values()))


def covered(asked: Understood, text: str) -> float:
    """The share that a text has of the question's words, by rarity; 0 for words that name no subject, as "ban"."""
    found = asked.rarity.keys() & set(asked.terms(text))
    return fsum(map(asked.rarity.__getitem__, found)) / fsum(asked.rarity.values()) if found - asked.stating else 0.0


def read_debate(question: str, debate: Argument, read: LogOdds) -> float:
    """Log-odds by a debate's resolution and claims; 0 where it is off topic, and for an open question."""
    about = question if debate.on_subject else debate.resolution
    if not has_sides(question) or _cosines(question, (about,))[0] <= OFF:
        return 0.0
    claims = debate.claims()
    near = dict(zip(claims, _cosines(question, tuple(claims)), strict=True))
    some = sorted(near, key=lambda claim: -near[claim])[:CLAIMS]
    odds, *of_claims = read(question, [debate.resolution, *some])
    odds += fsum(claims[claim] * one for claim, one in zip(some, of_claims, strict=True)) / max(len(some), 1)
    return max(-MOST, min(odds + AGREES, MOST)) if odds else 0.0


def read_argument(question: str, argument: Argument, read: LogOdds) -> float:
    """Log-odds that an argument is for what is asked, by its own words: its conclusion and its first premises."""
    if not has_sides(question):
        return 0.0
    own = argument.stance and argument.conclusion
    odds = argument.stance * fsum(read(question, [argument.conclusion])) if own else 0.0
    return odds + fsum(read(question, argument.premises[:PREMISES]))  # a sentence that says nothing has even odds


def judge(asked: Understood, argument: Argument, debate_odds: DebateOdds, read: LogOdds) -> Verdict:
    """The side of an argument."""
    of_debate = debate_odds(argument) if argument.toward and argument.resolution else 0.0
    odds = argument.toward * of_debate
    # A debate is inverted as a whole or not at all.
    by_debate = bool(odds or (argument.toward and argument.in_debate > 1))
    if not by_debate:
        odds = read_argument(asked.question, argument, read)
    least, elsewhere = LIKELY if by_debate else BY_WORDS, bool(asked.subject.nearest) and not argument.on_subject
    if elsewhere:  # beside a subject that has debates, or where none is near
        least = SURE if asked.subject.rows else BY_WORDS
    side = Side.NONE if abs(odds) < least else Side.PRO if odds > 0 else Side.CON
    certain = abs(odds) >= SURE and not asked.subject.unnamed and not elsewhere
    sure = by_debate and (certain or debate_odds.is_known(argument))
    return Verdict(argument, str(side), odds, of_debate if by_debate else None, sure)


# ---- items of one argument or two ---------------------------------------------------------------------------


def side_of(verdicts: Iterable[Verdict]) -> str:
    """The side of an item: its arguments' where they agree, or where one alone has a side."""
    sides = {verdict.side for verdict in verdicts} & {*FOR_AND_AGAINST}
    return str(sides.pop() if len(sides) == 1 else Side.NONE)


def deciding(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Verdicts with the side of their item."""
    side = side_of(verdicts)
    return [verdict for verdict in verdicts if side in FOR_AND_AGAINST and verdict.side == side]


def is_likely(verdicts: Sequence[Verdict]) -> bool:
    """Whether the side of an item is only likely."""
    found = deciding(verdicts)
    return bool(found) and not any(verdict.sure for verdict in found)


def why(verdicts: Sequence[Verdict]) -> str:
    """One line on the origin of an item's side; empty without one."""
    return next(map(reason, deciding(verdicts)), "")


def reason(verdict: Verdict) -> str:
    """One line on the origin of an argument's side.

    For example: For: replies to the claim "Individuality should be encouraged" (debate: Ban School Uniforms)
    """
    argument = verdict.argument
    named = (argument.conclusion, argument.title or argument.resolution)
    cleaned = (_PORTAL.sub("", text).replace('"', "'").strip(" .:") for text in named)
    quoted, name = (shorten(text[:1].upper() + text[1:], QUOTED, placeholder=" …") for text in cleaned)
    verbs = ("its point is", "replies to the claim") if argument.nested else ("argues for", "argues against")
    verbs = ("says yes to", "says no to") if quoted.endswith("?") else verbs
    says = f'{verbs[argument.stance < 0]} "{quoted}"' if argument.stance and argument.conclusion else ""
    where = f"(debate: {name})" if argument.nested and name != quoted else ""
    side = Side(verdict.side).heading + ("" if verdict.debate_odds else ", guessed from the text itself")
    return " ".join(filter(None, [f"{side}:" if says else side, says, where]))


def doubtful(arguments: Iterable[Argument], debate_odds: Callable[[Argument], float]) -> str:
    """The commonest resolution on the subject that is not sure; empty if most arguments have a sure one."""
    on = [argument for argument in arguments if argument.on_subject and argument.toward]
    asked = [argument.resolution for argument in on if abs(debate_odds(argument)) < SURE]
    return max(asked, key=asked.count) if 2 * len(asked) > len(on) else ""


@lru_cache(maxsize=10_000)
def _cosines(question: str, texts: tuple[str, ...]) -> list[float]:
    """The cosines of the word vectors of several texts with those of the question."""
    found: list[float] = load_vectors().rows(texts).cosine(_vector(question)).tolist()
    return found


@lru_cache(maxsize=100)
def _vector(question: str) -> Rows:
    return load_vectors().rows([question])
