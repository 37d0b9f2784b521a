"""Claims of questions and conclusions: their subject, and whether they are for or against it.

A question is read as a claim ("Should cars be banned?": cars, against) by rules over `polarity_words.txt`: policy words
(for, against), and words of praise and blame (good, bad).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import prod
from pathlib import Path
from typing import NamedTuple

from features.comparative.cues import negates
from features.core.text import STOP_WORDS, words
from features.learned.linear_model import stem

OPEN = frozenset("how what which who whom whose where when why".split())
"""First words of questions that have no two sides."""

_MODALS = frozenset("should shouldn't must ought would".split())
_COPULAS = frozenset("is are was were be been isn't aren't wasn't weren't".split())
_AUXILIARIES = frozenset("do does did is are was were can could will has have".split())
_BETWEEN = frozenset("the a an all of on for to any its his her their our your this that these".split())
"""Words that may stand between two policy words that are multiplied: "end the ban"."""
_AFTER = frozenset("to for of in on at by from".split())
"""Words after which praise and blame is no longer the predicate: "is a threat to security"."""
_OPPOSITE = ("un", "dis", "in", "ir", "im", "il")
_MOTION = re.compile(r"^(?:this house )?(?:would|supports|believes(?: that| in)?)\s+(?!.*\?\s*$)", re.IGNORECASE)
_WEIGHED = re.compile(
    r"^(?:do|does)?\s*(?:the )?(?:(benefits?|advantages?|pros|merits)|costs?|harms?|risks?|dangers?|disadvantages?)"
    r" of (.+?) outweigh.*$",
    re.IGNORECASE,
)
"""Benefits or harms that outweigh the others."""
_PHRASES = {
    r"hold(?:s|ing)? back|stand(?:s|ing)? in the way of": "hinder",
    r"do(?:es|ing)? more harm than good": "is harmful",
    r"do(?:es|ing)? more good than harm": "is beneficial",
    r"bring(?:ing)? back|brought back": "reinstate",
    r"(?:give|giving|given) up(?: on)?|pull(?:ed|ing)? out of|withdrawn? from": "abandon",
    r"ke(?:ep|pt) (?:out of|away from|off)|shut out of": "exclude",
    r"(?:throw|kick)(?:n|s|ed|ing)?(?= (?:\w+ ){0,3}out\b)": "expel",
    r"los(?:e|ing) (?:the|their|its|his) rights? to": "be forbidden",
    r"(?:keep|kept|stop|stopped)(?= (?:\w+ ){0,3}from\b)": "prevent",
    r"(?:torn?|tear|take|knock)(?:n|ed|ing)? down|do(?:ne)? away with": "remove",
    r"(?:do(?:es)?|did)(?: no|n['\N{RIGHT SINGLE QUOTATION MARK}])t work": "is ineffective",
    r"no longer": "not",
    r"free of charge|for free|(?<=\bbe )free(?= (?:for|to|at)\b|\W*$)": "allowed",
    r"pay(?:ing)? (?:(?:a|an|the|any|their|to) )?(?:\w+ )?fees?|charged? (?:(?:a|an) )?(?:\w+ )?fees?": "be restricted",
    r"fees?": "restrictions",
    r"(?:or not|yes or no)(?=\W*$)": " ",
}
"""Phrases that are read as a listed word, which one of their own words would not say."""
_PHRASE = re.compile("|".join(rf"(\b(?:{phrase})\b)" for phrase in _PHRASES), re.IGNORECASE)
_NOUNS = frozenset(
    "ban bans boycott censorship embargo limit limits prohibition restriction restrictions sanctions".split()
)
"""Policy words that a policy verb may govern across a noun: "lift the travel ban"."""
_COMPARISONS = {"instead of", "rather than", "preferable to", "superior to", "inferior to", "preferred to"}
_PLAIN = frozenset(
    "arm attend become begin belong build buy continue deserve discuss drive eat employ exist fly get give go help "
    "hire host include learn let make need offer owe part play provide publish read send spend start study taught "
    "teach treat visit work".split()
)
"""Verbs that are for their object, without being listed as policy."""
_LIMITS = frozenset("age barrier barriers threshold hurdle hurdles".split())
_MOVED = frozenset(map(stem, "lower raise reduce increase lift cut drop keep kept stay remain".split()))
"""Verbs that are against a thing where they raise the age for it, and for it where they lower that."""


class Polarity(NamedTuple):
    """Kind and sign of a listed word."""

    policy: bool
    """whether the word is about what should be done; else it praises or blames"""
    sign: int
    """1 for, -1 against"""


@dataclass(frozen=True)
class Claim:
    """The subject of a text, and whether the text is for (1) or against it (-1)."""

    target: frozenset[str]
    """Stems of the content words, without those that decide the polarity."""
    polarity: int
    sure: bool
    """whether the product of all words of the same kind, read without grammar, agrees"""
    asks: bool = True
    """whether the text is a question with two sides, or a statement"""
    over: frozenset[str] = frozenset()
    """those stems of the subject that it is compared with: what stands after "than"; empty without"""
    decided: frozenset[str] = frozenset()
    """stems of the words that decide the polarity"""
    unread: str = ""
    """where no listed word decides: the stem of the verb or predicate, which may say anything about the subject"""


@lru_cache(maxsize=10_000)
def claim_of(text: str) -> Claim:
    """Subject and polarity of ``text``, by the verb after "should" or the predicate after "is"."""
    text = _WEIGHED.sub(lambda found: f"is {found[2]} {'beneficial' if found[1] else 'harmful'}?", text)
    tokens = words(_PHRASE.sub(_listed_word, _MOTION.sub("", text)))
    polarities = [None if _describes(tokens, at) else polarity_of(word) for at, word in enumerate(tokens)]
    if "?" in text and "or" in tokens:  # "Is it safe or dangerous?" asks whether it is safe
        middle = tokens.index("or")
        if any(polarities[:middle]) and any(polarities[middle:]):
            tokens, polarities = tokens[:middle], polarities[:middle]
    start, after_modal = _start(tokens)
    verbs = _operator(tokens, polarities, start, after_modal)
    value = _predicate(tokens, polarities, start, after_modal, verbs)
    if verbs and not value:
        judgement = _judgement(tokens, polarities, verbs[0])
        turned, deciding = _turned_by_limit(tokens, verbs) * _sign(judgement, polarities), [*judgement, *verbs]
        sign, negatable = turned * _sign(verbs, polarities), tokens[start : verbs[-1]]
        flat = turned * _flat(tokens, polarities)
    else:
        value = value or _value(tokens, polarities, start, after_modal)
        # "A ban on cars is wrong" is for cars; of a title without a verb ("Limits on cars") all words count.
        governed = _policies(range(value[0]) if value else [] if start else range(len(tokens)), polarities)
        deciding = [*governed, *value]
        turned, sign, negatable = 1, _sign(deciding, polarities), tokens[start:]
        flat = sign * _negation(tokens) if governed else _flat(tokens, polarities)
        supported = text.lower().startswith(("supports", "this house supports"))
        plain = supported or bool(_PLAIN & {*tokens[:1]})
        if not start and (value or (not governed and len(tokens) > 2 and not plain)):
            flat = 0  # it may begin with a verb that is not listed, and "Crime cameras" blames nobody
    # "Shouldn't cars be banned?" hopes for a yes; "Cars shouldn't be banned" and "Chess isn't a sport" deny.
    polarity = sign * _negation([*negatable, *(tokens[start - 1 : start] if start > 1 else [])])
    left_out = STOP_WORDS | (_LIMITS if turned < 0 else frozenset())
    stems = [stem(word) if at not in deciding and word not in left_out else "" for at, word in enumerate(tokens)]
    first, then = _compared(tokens)
    over = {*stems[then:]} - {*stems[:first]} if first else set()
    unread = "" if deciding else _unread(tokens, stems, start, after_modal) if start else "" if flat else stems[0]
    asks = not OPEN & {*tokens[:1]}
    decided = frozenset(stem(tokens[at]) for at in deciding)
    return Claim(frozenset(stems) - {""}, polarity, polarity == flat, asks, frozenset(over) - {""}, decided, unread)


def agreement(asked: Claim, claimed: Claim) -> int:
    """1 where two claims on one subject say the same, -1 where the opposite, 0 where that is in doubt.

    It is in doubt where one has a verb or predicate that is not listed, and the other has not; where a word that
    decides in one is a part of the other's subject; and often where only one is a comparison. "Macs are better than
    PCs" is the opposite of "PCs are better than Macs".
    """
    read = {asked.unread} - {""} <= claimed.target and {claimed.unread} - {""} <= asked.target
    mixed = asked.decided & claimed.target or claimed.decided & asked.target
    return asked.polarity * claimed.polarity * _same_order(asked, claimed) if read and not mixed else 0


def _same_order(asked: Claim, claimed: Claim) -> int:
    """-1 where what one claim prefers is what the other likes less; 0 where a comparison meets no comparison."""
    if not asked.over and not claimed.over:
        return 1
    if not asked.over:
        asked, claimed = claimed, asked
    mine, theirs = asked.target - asked.over, claimed.target - claimed.over
    same = len(mine & theirs) + len(asked.over & claimed.over)
    swapped = len(mine & claimed.over) + len(asked.over & theirs)
    return (same > swapped) - (same < swapped and bool(claimed.over))


@lru_cache(maxsize=100_000)
def polarity_of(word: str) -> Polarity | None:
    """Polarity of a lower-case word that is listed, an inflection of a listed one, or its opposite ("undemocratic").

    People ("sufferers") have none.
    """
    if word == "invaluable":  # not the opposite of what it is made of
        word = "valuable"
    if listed := _inflected(word):
        return listed
    rest = next((word.removeprefix(prefix) for prefix in _OPPOSITE if word.startswith(prefix)), "")
    opposite = _inflected(rest)
    if opposite and word != "unless":
        return opposite._replace(sign=-opposite.sign)
    more = _inflected(word[:-2]) if word.endswith("er") and len(word) > 5 else None  # "weaker"
    return more if more and not more.policy else None


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


def _start(tokens: Sequence[str]) -> tuple[int, bool]:
    """Position at which the claim begins, and whether it follows a modal verb; else it follows "is"."""
    for at, word in enumerate(tokens):
        if word in _MODALS or (at and word in ("has", "have", "need", "needs") and tokens[at + 1 : at + 2] == ["to"]):
            return at + 1, True
    copula = next((at for at, word in enumerate(tokens) if word in _COPULAS), 0)
    return (copula + 1 if copula else int(bool(_AUXILIARIES & {*tokens[:1]}))), False


def _operator(tokens: Sequence[str], polarities: Sequence[Polarity | None], start: int, after_modal: bool) -> list[int]:
    """Positions of the policy verb and of policy words that it governs ("end the ban on"); none for other claims."""
    positions = _policies(range(start, len(tokens)), polarities)
    if after_modal:
        be = next((at for at in range(start, len(tokens)) if tokens[at] in ("be", "being", "get")), len(tokens))
        positions = [at for at in positions if be < at < be + 3] or positions
        if positions and positions[0] > be:  # "Should a ban on X be lifted?"
            ends = ("on", "of", "for", tokens[be], tokens[start - 1])
            heads = [at for at in range(be) if polarities[at] and tokens[at + 1] in ends]
            return [*_policies(heads, polarities), positions[0]]
    elif start > 1:  # "X is banned", and not what a later word says
        judged = [at for at in positions if _judgement(tokens, polarities, at)]
        positions = [at for at in positions if at < start + 3] or judged
    elif not start:  # "Ban X", but not "Limited freedom"
        verb = positions[:1] == [0] and not tokens[0].endswith("ed")
        positions = positions[:1] if verb else []
    if not positions:
        return []
    deciding = [positions[0]]
    for at in range(positions[0] + 1, min(positions[0] + 4, len(tokens))):
        polarity = polarities[at]
        if polarity and polarity.policy:
            deciding.append(at)
        elif tokens[at] not in _BETWEEN and not _NOUNS & {*tokens[at + 1 : at + 2]}:
            break
    return deciding


def _sign(positions: Iterable[int], polarities: Sequence[Polarity | None]) -> int:
    """Product of the signs of the words at these positions."""
    return prod(polarity.sign for at in positions if (polarity := polarities[at]))


def _policies(positions: Iterable[int], polarities: Sequence[Polarity | None]) -> list[int]:
    """The positions that have a policy word."""
    return [at for at in positions if (polarity := polarities[at]) and polarity.policy]


def _value(tokens: Sequence[str], polarities: Sequence[Polarity | None], start: int, after_modal: bool) -> list[int]:
    """Position of the deciding word of praise or blame: the last after "is", up to a preposition, or before "than",
    else the first.
    """
    end = tokens.index("than") if "than" in tokens else len(tokens)
    if after_modal:
        start = tokens.index("be", start) if "be" in tokens[start:] else end
        end = min(end, start + 4)
    positions = [at for at in range(start, end) if (polarity := polarities[at]) and not polarity.policy]
    if positions and "than" not in tokens:
        end = next((at for at in range(positions[0], end) if tokens[at] in _AFTER), end)
        positions = [at for at in positions if at < end]
    return positions[-1:] if start or "than" in tokens else positions[:1]


def _listed_word(phrase: re.Match[str]) -> str:
    """The listed word that a phrase of `_PHRASES` is read as."""
    return list(_PHRASES.values())[(phrase.lastindex or 1) - 1]


def _turned_by_limit(tokens: Sequence[str], verbs: Sequence[int]) -> int:
    """-1 where the policy verb moves a limit ("lower the voting age" is for voting), else 1.

    The limit is what the verb moves: it is not in "reduce waste in the digital age" or "reduce age discrimination".
    """
    if len(verbs) != 1 or stem(tokens[verbs[0]]) not in _MOVED:
        return 1
    verb = verbs[0]
    for at in (at for at, token in enumerate(tokens) if token in _LIMITS):
        between = {*tokens[verb + 1 : at]} if at > verb else {*tokens[at + 1 : verb]} - _COPULAS - _MODALS
        after = tokens[at + 1 : at + 2] if at > verb else []
        if not between & _AFTER and (at > verb or not between) and {*after} <= _AFTER | _BETWEEN:
            return -1
    return 1


def _judgement(tokens: Sequence[str], polarities: Sequence[Polarity | None], verb: int) -> list[int]:
    """Position of the praise or blame that a policy verb follows with "to" ("wrong to ban"); none without."""
    if verb < 2 or tokens[verb - 1] != "to":
        return []
    at = verb - 3 if tokens[verb - 2] == "idea" else verb - 2
    if "for" in tokens[max(verb - 6, 1) : verb]:  # "right for the state to ban"
        at = tokens.index("for", max(verb - 6, 1)) - 1
    listed = polarities[at] if at >= 0 else None
    return [at] if listed and not listed.policy else []


def _predicate(
    tokens: Sequence[str], polarities: Sequence[Polarity | None], start: int, after_modal: bool, verbs: Sequence[int]
) -> list[int]:
    """Position of the praise or blame that is said of a policy: "Is banning X wrong?", "Would a ban be wrong?"."""
    if not verbs or "it" in tokens[:2]:
        return []
    if judgement := _judgement(tokens, polarities, verbs[0]):  # "A ban is necessary to protect X"
        return judgement if start > 1 and not after_modal and _policies(range(start), polarities) else []
    if after_modal:
        says = "be" in tokens[verbs[-1] :]
    else:
        says = start == 1 and tokens[0] not in ("do", "has", "have", "will", "can", "could")
    return [at for at in _value(tokens, polarities, start, after_modal) if at > verbs[-1]] if says else []


def _compared(tokens: Sequence[str]) -> tuple[int, int]:
    """The place where a comparison's second side begins; 0 without a comparison."""
    for at, word in enumerate(tokens):
        if at and word in ("than", "vs", "versus"):
            return at, at + 1
        if at and f"{word} {' '.join(tokens[at + 1 : at + 2])}" in _COMPARISONS:
            return at, at + 2
    return 0, 0


def _unread(tokens: Sequence[str], stems: Sequence[str], start: int, after_modal: bool) -> str:
    """Stem of what may be the verb after a modal verb, else of the last content word after "is"."""
    if _PLAIN & {*tokens[start:]}:
        return ""
    if "be" in tokens[start:] and after_modal:
        start = tokens.index("be", start)
    content = [term for term in stems[start:] if term]
    if not after_modal:
        return content[-1] if content else ""
    subject = start == 1 and len(content) > 1  # "Should schools ..."
    return (*content, "")[int(subject)]


def _describes(tokens: Sequence[str], at: int) -> bool:
    """Whether the word only describes the next one: "illegal immigrants"."""
    return tokens[at] == "illegal" and not {*tokens[at + 1 : at + 2]} <= _AFTER | _BETWEEN | {"and", "or"}


def _negation(tokens: Iterable[str]) -> int:
    """-1 for an odd number of negations."""
    return -1 if sum(map(negates, tokens)) % 2 else 1


def _flat(tokens: Sequence[str], polarities: Sequence[Polarity | None]) -> int:
    """Product of the policy words, else of praise and blame, and of negations."""
    listed = [polarity for polarity in polarities if polarity]
    sign = 1
    for polarity in listed:
        if polarity.policy or not any(other.policy for other in listed):
            sign *= polarity.sign
    return sign * _negation(tokens)
