"""Copies of what is graded in held-out topics, by hand, and topics that cannot be split."""

from __future__ import annotations

import numpy as np
from support.tables import plain_block

from ltr.learning.examples import copies_of_graded
from ltr.learning.judgments import Judgments
from ltr.ranking.candidates import Candidates

LARGE = 2**63  # above it floats cannot tell one number from the next


def block(topic: str, *texts: tuple[int, int], conclusions: int = 0) -> Candidates:
    """Pair n of a topic joins the first two sentences of argument n; the first ``conclusions`` begin with one."""
    pairs = [
        (f"S{topic}-A{n}__{'CONC' if n < conclusions else 'PREMISE'}__1", f"S{topic}-A{n}__PREMISE__2")
        for n in range(len(texts))
    ]
    found = plain_block(topic, pairs)
    for part in (0, 1):
        found[f"text_{part + 1}"] = np.array([pair[part] for pair in texts], np.uint64)
    return found


def pair(topic: str, number: int, first: str = "PREMISE__1") -> str:
    return f"S{topic}-A{number}__{first},S{topic}-A{number}__PREMISE__2"


def test_copies_of_graded_units_by_hand() -> None:
    # Graded are the pairs 0 and 1 of topic 2, 0 without its conclusion: texts 12, 5 and LARGE + 5; and one of topic 3.
    table = Candidates.concat([
        block("1", (1, 5), (LARGE + 5, 2), (LARGE + 6, 3), (9, 10), (11, 4), (6, 12), (7, 8)),
        block("2", (11, 12), (5, LARGE + 5), (9, 10), conclusions=1),
        block("3", (20, 7), (9, 21)),
        block("4", (22, 23)),
    ])  # fmt: skip
    turned = ",".join(reversed(pair("2", 1).split(",")))
    judgments = Judgments(
        {
            "quality": {"2": {pair("2", 0, "CONC__1"): 0.0, pair("1", 3): 1.0}},  # the second is no candidate
            "coherence": {"2": {turned: 2.0}, "3": {pair("3", 0): 0.0}},
        },
        {"quality": {"2": {"S2-A2": 2.0}}},
    )
    in_1 = [True, True, False, False, False, True, False]
    assert copies_of_graded(table, judgments, [1]).tolist() == [*in_1, True, True, False, False, False, False]
    in_1[6] = True
    assert copies_of_graded(table, judgments, [2, 1, 3]).tolist() == [*in_1, True, True, False, True, False, False]
    assert not copies_of_graded(table, judgments, [0, 3]).any(), "nothing is graded there"
    assert not copies_of_graded(table, judgments, []).any()
