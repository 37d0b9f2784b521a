"""What is drawn among weakly labelled items is drawn by the seed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.tables import plain_block

from ltr.learning.examples import Examples
from ltr.learning.judgments import Judgments
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
    return Examples(table, Judgments(), [], np.zeros((len(table), 0), np.float32), ("coherence",))


def test_labels_that_are_half_a_grade_apart_teach_something() -> None:
    found = examples()
    first, second = found.table.ids[:2]
    graded = Judgments({"coherence": {"1": {first: 1.0, second: 1.5}}})
    assert list(replace(found, judgments=graded).labels(Sources(distant=False, weak=False))) == ["coherence"]


@pytest.mark.parametrize(
    ("asked", "graded", "learned"),
    [
        ("both", 0, "regression"),
        ("both", 1, "both"),
        ("lambdarank", 0, "lambdarank"),
        ("lambdarank", 1, "lambdarank"),
    ],
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
