"""Texts, words and values for inputs by a grammar."""

from __future__ import annotations

from random import Random
from typing import Any

from fuzz.cases import ODD, ODD_TEXTS

_PLAIN = "Ban cars, they smell. E.g. \"so\", isn't it? 3.5 dollars! [1] {a: 'b'} \\n a\\ a__PREMISE__1 \n".split(" ")
_WORDS = [b"1", b"2", b"S1-A1", b"S2-A2", b"a", b"b", b"Q0", b"me"]
_ATOMS = [
    "",
    "a",
    "é",
    0,
    -1,
    1.5,
    1e308,
    10**30,
    10**400,
    True,
    None,
    [],
    {},
    float("nan"),
    float("inf"),
    "\ud800",
    "\0",
]


def text(rng: Random) -> str:
    """A few words and marks; now and then characters that are odd, halves of surrogates among them."""
    parts = [rng.choice(ODD_TEXTS if rng.random() < 0.15 else _PLAIN) for _ in range(rng.randrange(8))]
    return " ".join(parts)


def word(rng: Random) -> bytes:
    """What may stand in a column, and now and then what may not."""
    return rng.choice(ODD) if rng.random() < 0.1 else rng.choice(_WORDS)


def deep(rng: Random, level: int = 0) -> Any:
    """Any value, lists and objects in each other."""
    kind = rng.randrange(10)
    if kind < 2 and level < 4:
        return [deep(rng, level + 1) for _ in range(rng.randrange(4))]
    if kind < 4 and level < 4:
        return {rng.choice(["text", "stance", "topic", "sent_id", "a", ""]): deep(rng, level + 1) for _ in range(3)}
    if kind == 4:
        value: Any = []
        for _ in range(rng.choice((5, 90, 101, 150))):
            value = [value] if rng.random() < 0.9 else {"a": value}
        return value
    return text(rng) if kind == 5 else rng.choice(_ATOMS)
