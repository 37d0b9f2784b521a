from __future__ import annotations

import numpy as np
import pytest
from support.tables import Source, make_context

from features.core.feature import find
from features.core.tables import Context


def conflict(context: Context) -> dict[tuple[str, str], float]:
    """Value by the texts of the two sentences."""
    texts = context.sentences.text
    values = np.asarray(find("stance_conflict").compute(context), np.float64).tolist()
    rows = zip(context.pairs.first, context.pairs.second, strict=True)
    return {(texts[first], texts[second]): value for (first, second), value in zip(rows, values, strict=True)}


def both_ways(corpus: list[Source]) -> dict[tuple[str, str], float]:
    number = sum(len(source.texts) for source in corpus)
    return conflict(make_context(corpus, "tea", [(i, j) for i in range(number) for j in range(number) if i != j]))


def conflicts(corpus: list[Source]) -> set[frozenset[str]]:
    """The pairs of texts in conflict; whether the order of the two changes anything is looked at on the way."""
    found = both_ways(corpus)
    assert set(found.values()) <= {0.0, 1.0}
    assert all(found[second, first] == value for (first, second), value in found.items())
    return {frozenset(pair) for pair, value in found.items() if value}


PRO = Source("S1-A1", "PRO", "Tea is good", ("Tea heals.", "Tea warms."))
CON = Source("S1-A2", "CON", "Tea is good", ("Tea stains.", "Tea burns."))


def renamed(source: Source, conclusion: str, stance: str | None = None) -> Source:
    return Source(source.id, source.stance if stance is None else stance, conclusion, source.premises)


def test_a_con_premise_speaks_against_its_own_conclusion():
    assert conflicts([CON]) == {frozenset({"Tea is good", "Tea stains."}), frozenset({"Tea is good", "Tea burns."})}


def test_a_pro_argument_is_of_one_mind():
    assert conflicts([PRO]) == set()


def test_premises_for_and_against_one_conclusion():
    con = Source("S1-A2", "CON", "TEA: good!", CON.premises)  # the same index terms
    crossed = {frozenset({one, other}) for one in PRO.premises for other in con.premises}
    # A conclusion is on its own side, whoever drew it.
    for conclusion in ("Tea is good", "TEA: good!"):
        crossed |= {frozenset({conclusion, premise}) for premise in con.premises}
    assert conflicts([PRO, con]) == crossed


def test_premises_under_different_conclusions_do_not_meet():
    own = conflicts([CON])
    for conclusion in ("Coffee is good", "Good tea", "Tea is good tea"):
        assert conflicts([renamed(PRO, conclusion), CON]) == own


@pytest.mark.parametrize("conclusion", ["", " ", "Should it be?"], ids=["none", "blank", "stop words"])
def test_arguments_without_conclusion_share_none(conclusion: str):
    found = conflicts([renamed(PRO, conclusion), renamed(CON, conclusion)])
    # Only an argument whose conclusion is a sentence speaks against it, even if no index term is in it.
    own = {frozenset({conclusion, premise}) for premise in CON.premises} if conclusion else set()
    assert found == own


@pytest.mark.parametrize("stance", ["", "UNKNOWN"])
def test_an_unknown_stance_is_on_no_side(stance: str):
    assert conflicts([renamed(CON, "Tea is good", stance)]) == set()
    assert conflicts([renamed(PRO, "Tea is good", stance), CON]) == conflicts([CON])


def test_two_of_one_side_agree():
    twin = Source("S2-A3", "CON", "Tea is good", ("Tea costs.",))
    found = conflicts([CON, twin])
    assert found == {frozenset({"Tea is good", premise}) for premise in (*CON.premises, *twin.premises)}
    assert conflicts([PRO, Source("S2-A3", "PRO", "Tea is good", ("Tea pays.",))]) == set()


def test_a_sentence_with_itself_agrees():
    assert set(conflict(make_context([CON], "tea", [(0, 0), (2, 2)])).values()) == {0.0}
