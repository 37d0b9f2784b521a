"""Rules on sentences: how they are shown, which can stand alone as a claim, and which are not arguments.

Texts are shown without the debris that footnotes, lists and cut quotations leave at either end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

from features.core.text import words
from features.learned.linear_model import without_references

NOTE, LONGEST = 120, 5000  # characters of the longest rest of a footnote, and of the longest text, that is cleaned
_MARK = r"(?:\d{1,3}|[ivx]{1,4}|[a-z])"  # between the brackets of a footnote's mark
_DEBRIS = [
    re.compile(pattern)
    for pattern in (
        rf"^[”’\"'.]?\s?(?:\[{_MARK}?\]|\({_MARK}\))\s*",  # [1] (1) ”[1]
        rf"^[”’\"']?\[?{_MARK}[\])]{{1,3}}\s*",  # 8] and 8)
        r"^[”’\"']\d{1,2}\.?\s",  # ”1
        r"^\d{1,2}[.):]\s+",  # 1.
        r"^[-–—•·*|>#:;,.!?\])}”]{1,9}\s+",  # bullets, and the end of what stood before
        r"^[\])}]{1,9}",
        rf"(?<!\s)\s*(?:\[{_MARK}?\]|\s\({_MARK}\))\.?$",  # [1]. but "f(x)" stays
        r"(?<=[a-z]{3})\d{1,2}\.?$",  # world1.
        r"(?<=[”’\"').,!?])\d{1,2}\.?$",  # ”1.
        r"(?<!\s)\s*[\[({<]{1,9}$",
        r"(?<!\s)\s+[-–—•·*|>#,;“‘]{1,9}$",
    )
]
# A footnote that was opened in an earlier sentence, or is closed in a later one.
_BEFORE = re.compile(rf"^[^\[\]]{{1,{NOTE}}}\]{{1,3}}\s+(?=[A-Z“\"‘'])")
_AFTER = re.compile(rf"(?<=[.!?”’\"])\s*\[{{1,3}}[^\[\]]{{0,{NOTE}}}$")
_BRACKETS = {"(": ")", "[": "]", "{": "}", "“": "”"}
_WORD = re.compile(r"[^\W_]")

FEWEST, MOST = 4, 16  # words of a claim
NOTICE = 0.12  # least share of dates, hours and numbers among the words of a notice, which argues for nothing

_DATE = re.compile(
    r"\d.*|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|june|july|august|september|"
    r"october|november|december|[ap]m|o'clock"
)

_OPENING = re.compile(
    r"(?:(?:however|moreover|furthermore|therefore|thus|hence|also|additionally|in (?:addition|short|closing|"
    r"conclusion|fact)|finally|further|(?:first|second|third)(?:ly)?|clearly|obviously|indeed|consequently|overall|plus|"
    r"unfortunately|as a (?:result|consequence)|importantly),\s+|(?:and|but|so|thus|therefore|plus),?\s+|"
    r"(?:i|we) (?:also |strongly |firmly |truly )?(?:believe|think|feel) (?:that )?)+",
    re.IGNORECASE,
)
"""Openings that join a claim to the text before it, or to its author."""
_INSIDE = re.compile(r", (?:however|of course|nevertheless),| (?:therefore|nevertheless)\b", re.IGNORECASE)
_BACK = re.compile(
    # "It is wrong to" points to what follows.
    r"^[\W_]*(?!so that\b|(?:it|that)(?:['’]s| (?:is|was|seems|(?:would|will|may|can) be)) \w+ (?:to|that|for|how)\b)"
    r"(?:this|these|those|that|they|them|their|it|its|such|he|his|she|her|moreover|however|therefore|thus|furthermore|"
    r"additionally|also|besides|hence|consequently|accordingly|otherwise|instead|similarly|likewise|nevertheless|"
    r"nonetheless|so|but|and|yet|or|then|second(?:ly)?|third(?:ly)?|finally|in addition|in contrast|in turn|"
    r"in (?:this|that|these|such)|as a (?:result|consequence)|as such|for (?:example|instance|this|these)|"
    r"on the (?:other hand|contrary)|because of (?:this|that)|by (?:this|that|contrast)|with this|"
    r"the (?:former|latter|same))\b(?:['’](?:s|d|re|ve|ll)\b)?(?!['’])",
    re.IGNORECASE,
)
_AUXILIARIES = frozenset(
    "is are was were has have had do does did can cannot could will would shall should must may might".split()
)
_PAST = frozenset("became brought built came chose fell felt found gave got grew held kept knew led lost made".split())
_PLURAL = frozenset("they we people children men women police who that".split())
_BEFORE_NOUNS = frozenset(
    "a an and any as at by each every for from her his in its more most no of on or our than that the their these this "
    "those to was were with without".split()
)


@lru_cache(maxsize=1_000)
def display_text(text: str) -> str:
    """A part of ``text`` in one line: footnote marks, list numbers and unbalanced brackets at its ends are left out.

    Never empty where the text is not blank, and the same when it is cleaned again. Of whole arguments of more than
    `LONGEST` characters white space alone is cleaned.

    >>> display_text('8] Tenure protects teachers. [')
    'Tenure protects teachers.'
    """
    left, text = " ".join(text.split()), ""
    while left != text and len(left) <= LONGEST:
        text = left  # without the first piece of debris that leaves a word of it
        left = next((rest for rest in map(str.strip, _rests(text)) if rest != text and _WORD.search(rest)), text)
    return left


def _rests(text: str) -> Iterator[str]:
    """The text without each piece of debris that it may have at its ends."""
    yield from (pattern.sub("", text) for pattern in _DEBRIS)
    for pattern in (_BEFORE, _AFTER):
        rest = pattern.sub("", text)
        if 2 * len(rest) > len(text):
            yield rest
    for opening, closing in _BRACKETS.items():
        unbalanced = text.count(opening) - text.count(closing)
        if unbalanced > 0 and text[0] == opening:
            yield text[min(unbalanced, len(text) - len(text.lstrip(opening))) :]
        if unbalanced < 0 and text[-1] == closing:
            yield text[: -min(-unbalanced, len(text) - len(text.rstrip(closing)))]
    if text.count('"') % 2 and '"' in (text[0], text[-1]):
        yield text[1:] if text[0] == '"' else text[:-1]


def claim_in(text: str) -> str:
    """The claim that a sentence makes, without what joins it to other sentences; empty where it makes none.

    >>> claim_in("However, zoos educate many children."), claim_in("Should zoos close?"), claim_in("Benefits of zoos")
    ('Zoos educate many children', '', '')
    """
    text = display_text(text)
    claim = _OPENING.sub("", text, count=1) if _OPENING.match(text) else text
    if claim != text:
        claim = claim[:1].upper() + claim[1:]
    claim = _INSIDE.sub("", claim).rstrip(" .,")
    fits = FEWEST <= len(words(claim)) <= MOST and not (_marks("unfit").search(claim) or points_back(claim))
    quoted = not claim.count('"') % 2 and claim.count("“") == claim.count("”")
    shouts = sum(map(str.isupper, claim)) > len(claim) / 3
    return claim if fits and quoted and not shouts and has_verb(claim) and not is_announcement(claim) else ""


@lru_cache(maxsize=10_000)
def is_announcement(text: str) -> bool:
    """Whether a speaker of a debate talks about the debate: "I as Con will argue ...", "My opponent dropped my case".

    >>> is_announcement("I will argue that zoos are cruel."), is_announcement("Zoos are cruel.")
    (True, False)
    """
    return _marks("announced").search(text) is not None


def is_notice(texts: Sequence[str]) -> bool:
    """Whether texts say when and where something is, and argue for nothing.

    >>> is_notice(["Open on Saturdays from 7 to 13."]), is_notice(["Last year three children drowned."])
    (True, False)
    """
    found = [word for text in texts for word in words(without_references(text)[0])]
    return sum(_DATE.fullmatch(word) is not None for word in found) >= max(NOTICE * len(found), 1)


def points_back(text: str) -> bool:
    """Whether a sentence opens with a word that points to an earlier sentence.

    >>> points_back("Moreover, they cost less."), points_back("It is wrong to kill."), points_back("Zoos educate.")
    (True, False, False)
    """
    return _BACK.match(text) is not None


def has_verb(text: str) -> bool:
    """Whether a finite verb follows the first word: an auxiliary, or a verb of the list in the form of a predicate."""
    tokens = words(text)
    tokens = tokens[tokens[:1] != [] and tokens[0].endswith("ly") :]
    return any(map(_is_predicate, tokens, tokens[1:], [*tokens[2:], ""]))


def _is_predicate(before: str, word: str, after: str) -> bool:
    if word in _AUXILIARIES or word.endswith("n't"):
        return before not in ("of", "the")
    if before in _BEFORE_NOUNS:
        return False
    if word in _verbs():
        plural = before in _PLURAL or (before.endswith("s") and not before.endswith("ss"))
        return plural or before.endswith("ly") or word in _PAST
    if not after or after.endswith("ing"):  # "public funds showing"
        return False
    endings = (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ied", "y"))
    return any(word.endswith(end) and word.removesuffix(end) + new in _verbs() for end, new in endings)


@cache
def _marks(name: str) -> re.Pattern[str]:
    """The regular expressions of a file, one a line."""
    lines = Path(__file__).with_name(f"{name}.txt").read_text("utf-8").splitlines()
    return re.compile("|".join(line for line in lines if not line.startswith("#")), re.IGNORECASE)


@cache
def _verbs() -> frozenset[str]:
    return frozenset(Path(__file__).with_name("verbs.txt").read_text("utf-8").split())
