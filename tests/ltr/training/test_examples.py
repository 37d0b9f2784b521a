"""What is drawn among weakly labelled units is drawn by the seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from support.tables import plain_block

from ltr.pipeline.matrix import Matrix
from ltr.progress import Progress
from ltr.supervision.judgments import Judgments
from ltr.supervision.labels import WEAK_ROWS, Labels, Sources
from ltr.training.cross_validation import cross_validate
from ltr.training.examples import Examples
from models.lambdamart import Parameters

MANY = WEAK_ROWS + 50
SOURCES = Sources(functions=("contradicts", "sounds_coherent"))


def examples() -> Examples:
    """Two topics with more units than are drawn, and votes on every one."""
    blocks = []
    for topic in ("1", "2"):
        pairs = [(f"S{topic}-A{n:04x}__PREMISE__1", f"S{topic}-A{n:04x}__PREMISE__2") for n in range(MANY)]
        blocks.append(plain_block(topic, pairs, {"coherence": range(MANY), "stance_conflict": [0.0] * MANY}))
    matrix = Matrix(blocks)
    return Examples(matrix, Judgments(), [], np.zeros((len(matrix), 0), np.float32), ("coherence",))


def all_labels(seed: int) -> Labels:
    return examples().labels(SOURCES, seed)["coherence"]


def held_out_labels(seed: int) -> Labels:
    return examples().held_out_labels([0], ["coherence"], SOURCES, seed)["coherence"]


def test_the_same_units_by_other_judgments() -> None:
    found, other = examples(), Judgments(distant={"coherence": {"1": {"S1-A1": 1.0}}})
    again = found.judged_by(other)
    assert again.judgments is other
    assert again.matrix is found.matrix
    assert found.judgments == Judgments()


@pytest.mark.parametrize(("labels", "topics"), [(all_labels, 2), (held_out_labels, 1)])
def test_the_same_seed_draws_the_same_units(labels: Callable[[int], Labels], topics: int) -> None:
    first, again, other = labels(3), labels(3), labels(4)
    assert first.used.sum() == topics * WEAK_ROWS
    np.testing.assert_array_equal(first.label, again.label)
    assert not np.array_equal(first.used, other.used)


def test_held_out_scores_come_from_labels_of_the_seed() -> None:
    seen: list[np.ndarray] = []

    class Unfitted:
        inputs: tuple[str, ...] = ()

        def score_values(self, values: np.ndarray) -> np.ndarray:
            return np.full(len(values), 7.0 + len(seen))

    class Recorder:
        def map(self, calls: Iterable[Any]) -> Iterator[Any]:
            for _, (labelled, *_) in calls:
                seen.append(labelled.labels)
                yield Unfitted()

    folds, parameters, progress = [[0], [1]], Parameters(seed=4), Progress(quiet=True)
    workers: Any = Recorder()
    scores = cross_validate(examples(), folds, parameters, sources=SOURCES, workers=workers, progress=progress)
    expected = [examples().held_out_labels(fold, ["coherence"], SOURCES, 4)["coherence"] for fold in folds]
    for labels, one in zip(seen, expected, strict=True):
        np.testing.assert_array_equal(labels, one.label[one.used])
    assert scores["coherence"].tolist() == [8.0] * MANY + [9.0] * MANY, "each topic by the ranker that saw the other"


def test_a_dimension_whose_labels_are_all_alike_teaches_nothing() -> None:
    found = examples()
    found.matrix.features["stance_conflict"] = 1.0
    assert found.labels(Sources(functions=("contradicts",))) == {}
