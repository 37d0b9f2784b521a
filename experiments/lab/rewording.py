"""Claims in other words, for the training of the side reader: synonyms, opposites and negations with their sign.

"Should homework be banned?" becomes "Is it time to phase out homework?" (1) or "Homework should be kept" (-1). A claim
is reworded if a verb or predicate of ``wordings.txt`` decides it, or if it says who should do something; other texts
stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

_ACTOR = r"we|(?:the )?(?:\w+s|government|state|EU|US|UK|UN|USA|West|world|police|media|Britain|America|Europe)"
_MOTION = re.compile(r"^(?:this house (?:would|believes that|believes|supports) |is it (?:time|right) to )", re.I)
_MORE = re.compile(r"[:;,()]| or | because | if | that | than |(?: and| to) (?:be )?\w+\W*$", re.I)
"""What says more than one claim."""
_NO_SUBJECT = frozenset("it this that there do does did is are was were can will would has have".split())
_FORMS: dict[str, list[str]] = {}
_VERBS: dict[tuple[str, int], list[list[str]]] = {}
_PREDICATES: dict[tuple[str, int], list[str]] = {}

for _line in Path(__file__).with_name("wordings.txt").read_text("utf-8").splitlines():
    _head, *_cells = map(str.strip, _line.split("|"))
    _kind, _, _name = _head.partition(" ")
    _key = _name.split()[0] if _name else "", -1 if _name.endswith("against") else 1
    if _kind == "form":
        _FORMS.setdefault(_name, []).extend(_cells)
    elif _kind == "verb":
        _VERBS.setdefault(_key, []).extend([word.replace("_", " ") for word in cell.split()] for cell in _cells)
    elif _kind == "predicate":
        _PREDICATES.setdefault(_key, []).extend(_cells)


def _words(rows: Iterable[tuple[tuple[str, int], str]]) -> tuple[dict[str, tuple[str, int]], str]:
    """Listed word -> family and sign, and a pattern that finds the longest; of two families the first counts."""
    found: dict[str, tuple[str, int]] = {}
    for key, word in rows:
        if "{" not in word:
            found.setdefault(word, key)
    return found, "|".join(sorted(map(re.escape, found), key=len, reverse=True))


_BASE, _bases = _words((key, verb[0]) for key, verbs in _VERBS.items() for verb in verbs)
_AFTER_BE, _participles = _words((key, verb[1]) for key, verbs in _VERBS.items() for verb in verbs)
_VALUES, _values = _words((key, word) for key, words in _PREDICATES.items() for word in words)
_PATTERNS = {
    "may": r"(?:should (?P<x>.+?)|(?P<y>.+?) should) (?P<not>not )?be (?P<verb>allowed|permitted|able|free|forbidden)"
    r" (?P<t>to .+)",
    "passive": rf"(?:(?:should|must|ought) (?P<x>.+?)(?: to)?|(?P<y>.+?) (?:should|must)) (?P<not>not )?be (?:made )?"
    rf"(?P<verb>{_participles})(?P<t>(?! (?:to|out|off|of|up|down|by|with|as|away|for)\b)| .+)",
    "active": rf"(?:should (?P<a>{_ACTOR}) |(?P<y>.+?) should )?(?P<not>not )?(?P<verb>{_bases}) (?P<x>.+)",
    "is": rf"(?:(?P<be>is|are|was|were) (?P<x>.+?)|(?P<y>.+?) (?P<is>is|are|was|were)) (?P<not>not )?"
    rf"(?P<verb>{_values})(?P<t>| (?:for|in|at|on|during|when) .+)",
    "acts": rf"(?:should (?P<x>{_ACTOR})|(?P<y>.+?) should) (?P<not>not )?(?P<verb>(?!be |have )\w+ )(?P<t>.+)",
}
_COMPILED = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _PATTERNS.items()}


class Wording(NamedTuple):
    """A claim that is taken apart."""

    kind: str
    """the pattern that it has"""
    family: str
    sign: int
    """1 for the subject (or for more of it), -1 against it"""
    parts: dict[str, str]
    """Cells of the forms: subject "x", what follows it "t", who acts "a", and "be" before a predicate."""


def wording_of(text: str) -> Wording | None:
    """The claim that a question or a conclusion of at most 20 words states; None where no pattern reads it."""
    text = _MOTION.sub("", " ".join(text.split()).rstrip(" ?.!"))
    if not 1 < len(text.split()) <= 20 or _MORE.search(text):
        return None
    for kind, pattern in _COMPILED.items():
        found = pattern.fullmatch(text)
        if found is None or (kind == "active" and re.search(r" (?:out|from|off|away)\b", found["x"])):
            continue
        cells, verb = {name: cell or "" for name, cell in found.groupdict().items()}, found["verb"].lower()
        family, sign = {"passive": _AFTER_BE, "active": _BASE, "is": _VALUES}.get(kind, {}).get(
            verb, (kind, -1 if verb == "forbidden" else 1)
        )
        subject = cells["x"] or cells["y"]
        if subject.split()[0].lower() in _NO_SUBJECT:
            return None
        tail = cells.get("t", "").replace(" from ", " in ", 1) if kind == "passive" else cells.get("t", "")
        parts = {
            "x": subject[:1].lower() + subject[1:] if subject[1:2].islower() else subject,
            "t": cells["verb"] + tail if kind == "acts" else tail,
            "a": (cells["a"] or cells["y"] if kind == "active" else "") or "the government",
            "be": (cells.get("be") or cells.get("is") or "").lower(),
        }
        return Wording(kind, family, -sign if cells["not"] else sign, parts)
    return None


def reword(text: str, draws: np.random.Generator) -> tuple[str, int]:
    """The text in other words, and 1 where these say the same, -1 where the opposite; as it is if it is not read."""
    wording = wording_of(text)
    if wording is None:
        return text, 1
    sign = int(draws.choice((1, -1)))
    written, said = _write(wording, sign, draws)
    written = written[:1].upper() + written[1:] if draws.random() < 0.8 else written.rstrip("?").lower()
    return " ".join(written.split()).replace(" for we ", " for us "), said * wording.sign


def _write(claim: Wording, sign: int, draws: np.random.Generator) -> tuple[str, int]:
    """A sentence with a word of this sign, and the sign of the whole sentence: a negation turns it."""

    def pick(rows: list[str]) -> str:
        return str(draws.choice(np.array(rows, object)))

    parts, said, more = dict(claim.parts), int(draws.choice((1, -1))), draws.random() < 0.35
    if claim.kind in ("may", "acts"):
        return pick(_FORMS[claim.kind + " not" * (sign < 0)]).format(**parts), sign
    if claim.kind == "is":
        parts |= {"v": pick(_PREDICATES[claim.family, sign]), "Be": parts["be"].capitalize()}
        parts["do"] = {"is": "does", "are": "do"}.get(parts["be"], "did")
        parts["Do"] = parts["do"].capitalize()
        if claim.family == "good" and more:
            return pick(_FORMS["benefit" if sign > 0 else "harm"]).format(**parts), sign
        return pick(_FORMS["is" if said > 0 else "is not"]).format(**parts), sign * said
    name = {"exist": ("stays", "goes"), "allow": ("stays", "goes"), "require": ("forced", "free")}.get(claim.family)
    if name and more:
        lifted = name[0] == "stays" and sign > 0 and said < 0
        return pick(_FORMS["ban goes" if lifted else name[sign < 0]]).format(**parts), sign
    verbs = _VERBS[claim.family, sign]
    base, parts["p"], gerund = verbs[draws.integers(len(verbs))]
    for cell, form in (("b", base), ("g", gerund)):
        parts[cell] = (form.format(parts["x"]) if "{" in form else f"{form} {parts['x']}") + parts["t"]
    return pick(_FORMS["yes" if said > 0 else "no"]).format(**parts), sign * said
