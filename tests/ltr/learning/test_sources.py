"""Which sources speak, from how many graded pairs on votes are read as grades, and what votes are rounded to."""

from __future__ import annotations

import numpy as np
from support.tables import plain_block, plain_table

from ltr.data.qrels import Qrels
from ltr.learning.functions import Values
from ltr.learning.judgments import Judgments
from ltr.learning.labels import Sources, make_labels
from ltr.ranking.candidates import Candidates

DISTANT = Sources(weak=False)
NAMES = [f"S1-A{n:04x}" for n in range(60)]
HALVES: Qrels = {"1": {f"{name}__PREMISE__1,{name}__PREMISE__2": n % 4 / 2 for n, name in enumerate(NAMES)}}
JUDGED: Qrels = {"1": {name: float(n % 4) for n, name in enumerate(NAMES)}}


def table(columns: dict[str, list[float]] | None = None) -> Candidates:
    """A pair inside each argument: number n is judged n % 4 and graded half of that."""
    return plain_table({"1": [(f"{name}__PREMISE__1", f"{name}__PREMISE__2") for name in NAMES]}, columns)


def first(number: int, grades: Qrels = HALVES) -> Qrels:
    return {"1": dict(list(grades["1"].items())[:number])}


def relevance(graded: Qrels, judged: Qrels, sources: Sources = DISTANT) -> Values:
    return make_labels(table(), Judgments({"relevance": graded}, {"relevance": judged}), "relevance", sources).label


def test_functions_of_other_units_do_not_vote():
    of_arguments = Sources(functions=("off_unless_judged",))
    assert not make_labels(table(), Judgments(), "relevance", of_arguments).used.any()
    arguments = plain_block("1", [(f"{NAMES[0]}__PREMISE__1", f"{NAMES[1]}__PREMISE__1")])
    arguments.kind = "argument"
    assert make_labels(arguments, Judgments(), "relevance", of_arguments).label.tolist() == [0]


def test_from_twenty_graded_pairs_on_votes_are_read_as_grades():
    # The vote n % 4 / 3 is two thirds of n % 4 in grades, or, from twenty pairs on, their half.
    ungraded = np.arange(20, 60) % 4
    np.testing.assert_allclose(relevance(first(20), JUDGED)[20:], ungraded / 2, atol=1e-6)
    np.testing.assert_allclose(relevance(first(19), JUDGED)[20:], 2 * ungraded / 3, atol=1e-6)


def test_votes_that_are_all_alike_are_taken_at_their_word():
    alike = {"1": dict.fromkeys(NAMES, 1.0)}
    assert relevance(first(40), alike)[40:].tolist() == [2] * 20
