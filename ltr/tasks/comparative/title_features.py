"""Features of each word in the title of a question, for its tag."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from ltr.tasks.comparative.cues import PIVOTS, comparing

TOKEN = re.compile(r"[^\W_]+(?:[-.&/][^\W_]+|'(?!s\b)[^\W_]+)*[+#]*|'s\b|[^\w\s]")

_STEPS = (1, 2, 3, 4, 6, 9)
_MAIN = ("vs", "than", "between", "or", "compared", "from", "and", "as", "to", "like")
"""Kinds of pivots, the most telling one first."""
_ORDERED = frozenset({"or", "than", "vs", "between", "and"})


def word_features(tokens: Sequence[str]) -> list[list[str]]:
    """Features of each word: the words around it, their shape, and its position relative to the pivots."""
    lower = ["s" if token == "'s" else token.lower() for token in tokens]  # as in the labelled questions
    kinds = [comparing(word) for word in lower]
    around = ["<3", "<2", "<1", *lower, ">1", ">2", ">3"]
    kind_around = ["", "", "", *kinds, "", "", ""]
    cased = any(token[0].isupper() or not token[0].isalnum() for token in tokens)
    pivots = [(at, PIVOTS[word]) for at, word in enumerate(lower) if word in PIVOTS]
    main = next((kind for kind in _MAIN if any(kind == other for _, other in pivots)), "-")
    compared = [at for at, kind in enumerate(kinds) if kind]
    counts = Counter(lower)
    rows = []
    for at, (token, word) in enumerate(zip(tokens, lower, strict=True)):
        far, near, before, _, after, next_one, last = around[at : at + 7]
        kind = kinds[at]
        features = [
            "", f"0={word}", f"-1={before}", f"-2={near}", f"-3={far}", f"+1={after}", f"+2={next_one}", f"+3={last}",
            f"-1,0={before} {word}", f"0,+1={word} {after}", f"-2,-1={near} {before}", f"+1,+2={after} {next_one}",
            f"-1,+1={before} {after}", f"s2={word[-2:]}", f"s3={word[-3:]}", f"s4={word[-4:]}",
            f"-s3={before[-3:]}", f"+s3={after[-3:]}", f"k={kind}", f"-k={kind_around[at + 2]}",
            f"+k={kind_around[at + 4]}", f"-kk={kind_around[at + 1]} {kind_around[at + 2]}",
            f"+kk={kind_around[at + 4]} {kind_around[at + 5]}", f"first={lower[0]}", f"first,0={lower[0]} {word}",
            f"main={main}", f"cased={cased:d}", f"cased,0={cased:d} {word}", f"place={min(at, 5)}",
            f"end={min(len(tokens) - 1 - at, 4)}",
        ]  # fmt: skip
        features += _shape(token, tokens[at - 1] if at > 1 else "", tokens[at + 1] if at + 1 < len(tokens) else "", at)
        features += _to_pivots(at, (word, kind, before, after, lower[0]), pivots, main, counts)
        features += _to_comparatives(at, compared, main)
        rows.append(features)
    return rows


def _step(distance: int) -> int:
    return next((number for number, step in enumerate(_STEPS) if distance <= step), len(_STEPS))


def _shape(token: str, before: str, after: str, at: int) -> list[str]:
    """Digits, marks and capitals. The capital of the first word is ignored."""
    checks = {
        "digit": token[0].isdigit(),
        "mark": not token[0].isalnum(),
        "capital": at > 0 and token[0].isupper(),
        "+capital": after[:1].isupper(),
        "-capital": before[:1].isupper(),
    }
    return [name for name, holds in checks.items() if holds]


def _to_pivots(
    at: int,
    seen: tuple[str, str, str, str, str],
    pivots: Sequence[tuple[int, str]],
    main: str,
    counts: Mapping[str, int],
) -> list[str]:
    """On which side of which pivots a word stands, and how far from the most telling one."""
    word, kind, before, after, first = seen
    features = [f"no pivot {first}"]
    if positions := [position for position, pivot in pivots if pivot == main]:
        nearest = min(positions, key=lambda position: abs(position - at))
        side = f"{main}{_side(at, nearest)}"
        far = _step(abs(nearest - at))
        features = [
            f"side {side}", f"side {side}{far}", f"at {side} {kind}", f"at {side} -1={before}", f"at {side} +1={after}",
            f"at {side} first={first}", f"at {side} 0={word}", f"at {side}{far} of {_step(nearest + 1)}",
        ]  # fmt: skip
        if counts[word] > 1:
            features.append(f"again {side}")
    for pivot in sorted({pivot for _, pivot in pivots}):
        sides = {_side(at, position) for position, other in pivots if other == pivot}
        features.append(f"pivot {pivot} {''.join(sorted(sides))}")
    return [
        *features,
        "order " + " ".join(_side(at, position) + pivot for position, pivot in pivots if pivot in _ORDERED)[:24],
    ]


def _side(at: int, pivot: int) -> str:
    return "<" if at < pivot else ">" if at > pivot else "="


def _to_comparatives(at: int, compared: Sequence[int], main: str) -> list[str]:
    left = next((str(_step(at - position)) for position in reversed(compared) if position < at), "-")
    right = next((str(_step(position - at)) for position in compared if position > at), "-")
    return [f"left {left}", f"right {right}", f"both {left == '-':d}{right == '-':d} {main}"]
