from __future__ import annotations

from itertools import permutations

import pytest
from support.tables import Source, compute, make_context


def conflicts(corpus: list[Source]) -> set[frozenset[str]]:
    """The pairs of texts in conflict, in either order."""
    texts = [text for source in corpus for text in source.texts]
    pairs = list(permutations(range(len(texts)), 2))
    context = make_context(corpus, "tea", pairs)
    values = dict(zip(pairs, compute("stance_conflict", context).tolist(), strict=True))
    assert set(values.values()) <= {0.0, 1.0}
    assert all(values[second, first] == value for (first, second), value in values.items())
    return {frozenset({texts[first], texts[second]}) for (first, second), value in values.items() if value}


PRO = Source("S1-A1", "PRO", "Tea is good", ("Tea heals.", "Tea warms."))
CON = Source("S1-A2", "CON", "Tea is good", ("Tea stains.", "Tea burns."))


def renamed(source: Source, conclusion: str, stance: str | None = None) -> Source:
    return Source(source.id, source.stance if stance is None else stance, conclusion, source.premises)


def crossed(first: Source, second: Source) -> set[frozenset[str]]:
    return {frozenset({one, other}) for one in first.premises for other in second.premises}


def against(conclusion: str, source: Source) -> set[frozenset[str]]:
    return {frozenset({conclusion, premise}) for premise in source.premises}


SAME_TERMS = renamed(CON, "TEA: good!")
TWIN = Source("S2-A3", "CON", "Tea is good", ("Tea costs.",))
CASES: dict[str, tuple[list[Source], set[frozenset[str]]]] = {
    "a CON argument against its conclusion": ([CON], against("Tea is good", CON)),
    "a PRO argument": ([PRO], set()),
    "for and against one conclusion": (
        [PRO, SAME_TERMS],
        crossed(PRO, CON) | against("Tea is good", CON) | against("TEA: good!", CON),
    ),
    **{
        f"under another conclusion: {conclusion}": ([renamed(PRO, conclusion), CON], against("Tea is good", CON))
        for conclusion in ("Coffee is good", "Good tea", "Tea is good tea")
    },
    "without conclusions": ([renamed(PRO, ""), renamed(CON, "")], set()),
    **{  # no index term is in them, yet an argument can speak against them
        f"blank conclusions: {text!r}": ([renamed(PRO, text), renamed(CON, text)], against(text, CON))
        for text in (" ", "Should it be?")
    },
    **{
        f"unknown stance: {stance!r}": ([renamed(PRO, "Tea is good", stance), CON], against("Tea is good", CON))
        for stance in ("", "UNKNOWN")
    },
    "two CON arguments": ([CON, TWIN], against("Tea is good", CON) | against("Tea is good", TWIN)),
}


@pytest.mark.parametrize("case", CASES)
def test_conflicts_of_stances(case: str):
    corpus, expected = CASES[case]
    assert conflicts(corpus) == expected
