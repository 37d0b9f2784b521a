"""Words of comparing: comparatives and superlatives, the words between two objects, praise and blame."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

PIVOTS = {
    "or": "or", "than": "than", "vs": "vs", "versus": "vs", "/": "vs", "between": "between", "and": "and", "&": "and",
    "to": "to", "from": "from", "compared": "compared", "like": "like", "as": "as", "over": "over", "with": "with",
}  # fmt: skip
"""Words that stand between two objects or before the first, and the name of their kind."""

_lines = map(str.split, Path(__file__).with_name("cues.txt").read_text("utf-8").splitlines())
_WORDS = {kind: frozenset(words) for kind, *words in _lines}
"""Kind -> its words, a line of the file each."""
PRAISE, BLAME = _WORDS["praise"], _WORDS["blame"]
FAVOURABLE, UNFAVOURABLE = PRAISE | _WORDS["favourable"], BLAME | _WORDS["unfavourable"]
"""Words that speak for and against the only object that a sentence names."""

_DEGREES = frozenset({"more", "most", "less", "least"})
_SHORTEST = 5


@lru_cache(maxsize=100_000)
def comparing(word: str) -> str:
    """How a lower-case word compares: a degree, "c" (irregular or by its meaning), "er" or "est"; "" if it does not."""
    if word in _DEGREES:
        return word
    if word in _WORDS["comparing"]:
        return "c"
    if word in _WORDS["unrelated"] or len(word) < _SHORTEST:
        return ""
    return next((ending for ending in ("er", "est") if word.endswith(ending)), "")
