"""Words of comparing: comparatives and superlatives, the words between two objects, praise, blame and negation."""

from __future__ import annotations

from functools import lru_cache

PIVOTS = {
    "or": "or", "than": "than", "vs": "vs", "versus": "vs", "/": "vs", "between": "between", "and": "and", "&": "and",
    "to": "to", "from": "from", "compared": "compared", "like": "like", "as": "as", "over": "over", "with": "with",
}  # fmt: skip
"""Words that stand between two objects or before the first, and the name of their kind."""

NEGATIONS = frozenset(
    "not no never cannot hardly neither nor without nobody none isn't aren't wasn't weren't don't doesn't didn't can't "
    "won't wouldn't couldn't shouldn't".split()
)
PRAISE = frozenset(
    "better superior faster easier best greater stronger cheaper simpler safer quicker cleaner nicer smoother brighter "
    "lighter higher bigger larger more healthier cooler smarter newer favorite prefer preferred outperforms outperform "
    "beats outsold beat advantage advantages happier wins win sweeter richer fancier sharper tougher wider warmer "
    "quieter softer deeper finer fresher heavier harder".split()
)
BLAME = frozenset(
    "worse inferior slower worst poorer weaker harder uglier less lesser dumber crappier costlier lower smaller "
    "noisier problems lose loses losing lost fails expensive difficult heavier riskier older bad".split()
)
FAVOURABLE = PRAISE | frozenset(
    "good great recommend recommended love excellent effective worth safe reliable easy fast cheap ideal choose "
    "benefit benefits perfect nice helpful useful popular powerful go buy pick definitely".split()
)
"""Words that speak for the only object that a sentence names."""
UNFAVOURABLE = BLAME | frozenset(
    "poor avoid problem hate slow dangerous useless fail harmful disadvantage disadvantages risk lack lacks weak "
    "unfortunately bother worthless drawback drawbacks".split()
)

_DEGREES = frozenset({"more", "most", "less", "least"})
_IRREGULAR = frozenset(
    "better worse best worst difference differences different differ same similar similarities advantages "
    "disadvantages pros cons prefer compare compared comparison superior inferior equal further farther rather".split()
)
_NEITHER = frozenset(
    "other over under after whether either neither never ever per their her number water computer paper order another "
    "together power user server offer winter summer river center master mother father brother sister player driver "
    "killer tower career cancer beer fever test west east interest forest request guest rest suggest northwest invest "
    "latest".split()
)
_SHORTEST = 5


@lru_cache(maxsize=100_000)
def comparing(word: str) -> str:
    """How a lower-case word compares: a degree, "c" (irregular or by its meaning), "er" or "est"; "" if it does not."""
    if word in _DEGREES:
        return word
    if word in _IRREGULAR:
        return "c"
    if word in _NEITHER or len(word) < _SHORTEST:
        return ""
    return next((ending for ending in ("er", "est") if word.endswith(ending)), "")


def negates(word: str) -> bool:
    """Whether a lower-case word denies what stands beside it."""
    return word in NEGATIONS or word.endswith("n't")
