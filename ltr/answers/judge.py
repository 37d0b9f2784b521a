"""Second stage of an answer: whether each argument is on the matter, and its side toward the question.

Debates come from the index. A cross-encoder reads the question with a debate's resolution and with claims that the
debate counts for or against it, so that one decision turns a whole debate; with an argument's conclusion; and of a
small corpus with the argument's own text. What each of these says is weighed as it was right on texts whose sides were
read, see `weights`: odds are calibrated, and a side that is too often wrong is unclear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from math import fsum, inf, tanh
from textwrap import shorten

import numpy as np

from features.core.sides import FOR_AND_AGAINST, Side
from features.core.text import negates, normalise, words
from ltr.answers.clauses import has_sides, is_keywords, one_instead
from ltr.answers.side_words import takes_side
from ltr.answers.understand import Subject
from ltr.answers.weights import WEIGHTS, word_cosines
from ltr.text_models.reader import SideReader, affirmed

# Shares of sides that are right, see docs/laboratory.md#sides; a side below the first is unclear.
LIKELY, SURE = 0.55, 0.8
SAID = 4.0  # log-odds of a debate by what a person said of its resolution, or of one that says what is asked
CLAIMS = 8  # claims of a debate that are read, the nearest
QUOTED = 90  # characters of a conclusion in a reason

_PORTAL = re.compile(r"^(?:counter)?point\b:?(?=.)|(?<!\s)\s*[-–(]\s*junior\W*$|</?\w+>", re.IGNORECASE)
"""Words that portals add to a conclusion."""

_SMALL = frozenset("against more less only fewer until without".split())
"""Words that are no terms, or say no subject, but may turn what is said."""


@dataclass(frozen=True)
class Argument:
    """A row of the table of arguments, with its debate, before it is judged."""

    resolution: str
    """Conclusion of the arguments at the root of its debate: arguments of one page under one; empty without one."""
    title: str = ""
    row: int = 0
    debate: int = 0
    """The number of its debate in the index."""
    claims: Callable[[], Mapping[str, int]] = field(default=dict, compare=False)
    """Looks up the debate's other conclusions: 1 for one that is for the resolution, -1 for one against it."""
    conclusion: str = ""
    stance: int = 0
    """Toward its conclusion: 1 for, -1 against, 0 unknown."""
    toward: int = 0
    """Toward the resolution: the product of the stances on its path to it, 0 where one is unknown."""
    nested: bool = False
    """Whether its conclusion is what another argument says, not the resolution."""
    text: str = ""
    """Its conclusion and premises in one, where these may be read."""


@dataclass(frozen=True)
class Verdict:
    """Judgments on an argument."""

    argument: Argument
    side: str
    """Toward the question: PRO, CON, or Q0 where it is unclear."""
    by_debate: bool = False
    """Whether its debate says so, not its words alone."""
    sure: bool = False
    right: float = 0.0
    """Probability that its side is right."""


class Judge:
    """Judges arguments for one question: calling it gives the `Verdict`. What a debate says is read once."""

    def __init__(
        self,
        question: str,
        subject: Subject,
        terms: Callable[[str], Sequence[str]],
        known: Mapping[str, int],
        read: SideReader,
    ) -> None:
        """``terms`` gives the distinct terms of a text; ``known``: conclusions, normalised, that a person called what
        is asked (1), the opposite (-1), or neither (0).
        """
        self._question, self._subject, self._terms, self._known, self._read = question, subject, terms, known, read
        self._open = not has_sides(question)
        self.guessed = is_keywords(question)
        """Whether what is asked is guessed."""
        self._ways = [one_instead(question), *([(claim, sign)] for claim, sign in known.items() if sign)]
        self._debates: dict[tuple[str, int], tuple[float, float]] = {}
        self._compared = cache(self._compare)

    def __call__(self, argument: Argument) -> Verdict:
        """The verdict on an argument."""
        said, odds = self.said(argument), self.odds(argument)
        right = 1.0 if said and argument.toward else share(self.matter(argument)) * share(abs(odds))
        if right < LIKELY or not odds:
            return Verdict(argument, str(Side.NONE), right=right)
        by_debate = bool(argument.toward and self.debate(argument))
        clear = by_debate and right >= SURE and not (self.guessed or self._subject.unnamed)
        sure = clear or bool(argument.toward and said)
        return Verdict(argument, str(Side.PRO if odds > 0 else Side.CON), by_debate, sure, right)

    def odds(self, argument: Argument) -> float:
        """Log-odds that an argument is for what is asked."""
        said = self.said(argument)
        if said and argument.toward:
            return argument.toward * said * SAID
        return 0.0 if self._open or said == 0 else float(np.dot(self.signs(argument), WEIGHTS["side"]))

    def matter(self, argument: Argument) -> float:
        """Log-odds that an argument is on the matter; infinite where nothing is known of any argument, and where its
        debate is known to ask the same.
        """
        subject = self._subject
        if subject.signs is None or self.said(argument):
            return inf
        weights = WEIGHTS["whole" if subject.whole else "head"]
        return float(np.dot(subject.signs[argument.row], weights)) if argument.row in subject.signs else -inf

    def signs(self, argument: Argument) -> tuple[float, float, float, float]:
        """Log-odds by the reader that an argument is for what is asked; 0 where there is nothing to read.

        Of its debate's resolution, turned by its side of that; the mean of other claims of its debate, turned in the
        same way; of its own conclusion, turned by its stance; and of its text as a whole.
        """
        toward = argument.toward if argument.resolution else 0
        resolution, claims = self._of_debate(argument) if toward else (0.0, 0.0)
        own = argument.stance * self.sides([argument.conclusion])[0] if argument.stance and argument.conclusion else 0.0
        text = self._subject.read.get(argument.row, 0.0)
        if argument.text and (not toward if self._subject.signs is None else len([*chain(*self._ways)]) > 1):
            text = self.sides([argument.text])[0]
        return toward * resolution, toward * claims, own, text

    def debate(self, argument: Argument) -> float:
        """Log-odds that being for an argument's resolution is being for what is asked; 0 without one."""
        if self._open or not argument.resolution:
            return 0.0
        if (said := self.said(argument)) is not None:
            return said * SAID
        return float(np.dot(self._of_debate(argument), WEIGHTS["side"][:2]))

    def said(self, argument: Argument) -> int | None:
        """1 where the resolution is what is asked, by a person or in the same words, -1 for the opposite, 0 for
        neither; None where that is not known. A question without sides says nothing in its words.
        """
        if not argument.resolution:
            return None
        sign, more = self._compared(argument.resolution)
        same = sign if more == [] and not self._open else None
        return self._known.get(normalise(argument.resolution), same)

    def doubtful(self, arguments: Iterable[Argument]) -> str:
        """The commonest resolution that is not sure; empty if most arguments have a sure one.

        None of which a person said that it is neither what is asked nor the opposite.
        """
        on = [one for one in arguments if one.toward and self.said(one) != 0 and not self._open]
        asked = [argument.resolution for argument in on if share(abs(self.odds(argument))) < SURE]
        return max(asked, key=asked.count) if 2 * len(asked) > len(on) else ""

    def _compare(self, resolution: str) -> tuple[int, list[str] | None]:
        """-1 where one of resolution and question is a negation, else 1; and the words that one of them has more, if it
        has all terms of the other: None if it has not, and where a small word ("no", "only") may say the opposite.
        """
        (first, sign), (second, other) = affirmed(self._question), affirmed(resolution)
        terms, others = set(self._terms(first)), set(self._terms(second))
        one, two = words(first), words(second)
        small = {word for word in {*one} ^ {*two} if negates(word) or word in _SMALL}
        small |= {text for text in (first, second) if len(one_instead(text)) > 1}  # of two things the order counts
        if small or not terms or not others or not (terms <= others or terms >= others):
            return sign * other, None
        return sign * other, [word for word in (*one, *two) if {*self._terms(word)} & (terms ^ others)]

    def _of_debate(self, argument: Argument) -> tuple[float, float]:
        """The log-odds of the resolution, and the mean of the nearest claims' ones, turned by their side of it."""
        key = argument.resolution, argument.debate
        if key not in self._debates:
            claims = argument.claims()
            near = dict(zip(claims, word_cosines(self._question, [*claims]), strict=True))
            some = sorted(near, key=lambda claim: -near[claim])[:CLAIMS]
            own, *others = self.sides([argument.resolution, *some])
            mean = fsum(claims[claim] * odds for claim, odds in zip(some, others, strict=True)) / max(len(some), 1)
            sign, more = self._compared(argument.resolution)
            if more is not None and not any(map(takes_side, more)):  # it has all that is asked: never the opposite
                own, mean = (sign * max(sign * odds, 0.0) for odds in (own, mean))
            self._debates[key] = own, mean
        return self._debates[key]

    def sides(self, texts: Sequence[str]) -> list[float]:
        """(n_texts,) log-odds that each text is for what is asked, in whatever words a person said that it is asked."""
        parts = [[sign * one for one in self._read(part, texts)] for way in self._ways for part, sign in way]
        return [fsum(same) / len(self._ways) for same in zip(*parts, strict=True)]


def share(odds: float) -> float:
    """The probability of log-odds."""
    return (1 + tanh(odds / 2)) / 2


# ---- items of one argument or two ---------------------------------------------------------------------------


def side_of(verdicts: Iterable[Verdict]) -> str:
    """The side of an item: its arguments' where they agree, or where one alone has a side."""
    sides = {verdict.side for verdict in verdicts} & {*FOR_AND_AGAINST}
    return str(sides.pop() if len(sides) == 1 else Side.NONE)


def deciding(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Verdicts with the side of their item."""
    side = side_of(verdicts)
    return [verdict for verdict in verdicts if verdict.side == side != Side.NONE]


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
    side = Side(verdict.side).heading + ("" if verdict.by_debate else ", guessed from the text itself")
    return " ".join(filter(None, [f"{side}:" if says else side, says, where]))
