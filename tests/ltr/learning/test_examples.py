"""What is drawn among weakly labelled items is drawn by the seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.judged import judgments_of
from support.tables import plain_block

from ltr.learning.examples import Examples, copies_of_graded
from ltr.learning.labels import WEAK_ROWS, Labels, Sources
from ltr.ranking.candidates import Candidates
from models.lambdamart import Parameters
from models.learned import fit_selected

MANY = WEAK_ROWS + 50


def examples() -> Examples:
    """Two topics with more items than are drawn, and votes on every one."""
    blocks = []
    for topic in ("1", "2"):
        pairs = [(f"S{topic}-A{n:04x}__PREMISE__1", f"S{topic}-A{n:04x}__PREMISE__2") for n in range(MANY)]
        blocks.append(plain_block(topic, pairs, {"mean_convincing_min": range(MANY), "stance_conflict": [0.0] * MANY}))
    table = Candidates.concat(blocks)
    return Examples(table, judgments_of(), [], np.zeros((len(table), 0), np.float32), ("coherence",))


def test_labels_that_are_half_a_grade_apart_teach_something() -> None:
    found = examples()
    first, second = found.table.ids[:2]
    graded = judgments_of({"coherence": {"1": {first: 1.0, second: 1.5}}})
    assert list(replace(found, judgments=graded).labels(Sources(distant=False, weak=False))) == ["coherence"]


@pytest.mark.parametrize(
    ("asked", "graded", "learned"),
    [("both", 0, "regression"), ("both", 1, "both"), *(("lambdarank", n, "lambdarank") for n in (0, 1))],
)
def test_weak_labels_alone_are_learned_as_grades(asked: str, graded: int, learned: str) -> None:
    found = examples()
    label = np.full(2 * MANY, np.nan)
    label[[0, 1, MANY]] = 2, 1, 0.5
    given = Parameters(objective=asked, trees=7)
    fit, (training_set, inputs, parameters) = found.training_call(
        Labels(label, np.ones(2 * MANY), {"graded": graded}), given
    )
    assert fit is fit_selected
    assert inputs is found.inputs
    assert (training_set.labels.tolist(), training_set.groups.tolist()) == ([2, 1, 0.5], [2, 1])
    assert parameters == Parameters(objective=learned, trees=7)


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
    judgments = judgments_of(
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
