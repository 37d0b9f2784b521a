"""The shipped models keep their quality: a fall of .01 in nDCG@5 on graded questions that trained nothing fails.

Recorded with the models of version 0.4.0, and again when 198 pairs that other rankers found were graded, which raise
what is ideal. A rise is a reason to record anew, in the commit that brings it.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.collection import COLLECTION, needs_collection

import ltr
from ltr.sample import SAMPLE

GRADED = next(Path(ltr.__file__).parent.glob("*/graded"))
FALL = 0.01
ON_SAMPLE = {
    "pairs": {"relevance": 0.776, "quality": 0.656, "coherence": 0.72},
    "arguments": {"relevance": 0.742, "quality": 0.736},
}
ON_COLLECTION = {
    "narrow-test": {"relevance": 0.676, "quality": 0.727, "coherence": 0.865},
    "unseen": {"relevance": 0.771, "quality": 0.801, "coherence": 0.925},
}


def measured(corpus: Path, topics: Path, qrels: dict[str, Path], task: str = "pairs") -> dict[str, float]:
    with ltr.Searcher(corpus, task=task) as debates:
        run = debates.rank(topics, depth=20)
    return {
        name: round(ltr.evaluate(run, file, ["nDCG@5"]).means.loc["run", "nDCG@5"], 3) for name, file in qrels.items()
    }


def fallen(found: dict[str, float], recorded: dict[str, float]) -> dict[str, float]:
    return {name: figure for name, figure in found.items() if figure <= recorded[name] - FALL}


@pytest.mark.parametrize("task", ON_SAMPLE)
def test_on_the_sample(task: str) -> None:
    kind, recorded = "pairs-" if task == "pairs" else "", ON_SAMPLE[task]
    qrels = {name: SAMPLE / f"qrels-test-{kind}{name}.qrels" for name in recorded}
    assert fallen(measured(SAMPLE, SAMPLE / "topics.xml", qrels, task), recorded) == {}


@needs_collection
@pytest.mark.slow
@pytest.mark.parametrize("questions", ON_COLLECTION)
def test_on_the_collection(questions: str) -> None:
    assert COLLECTION is not None
    recorded = ON_COLLECTION[questions]
    qrels = {name: GRADED / f"pairs-{questions}-{name}.qrels" for name in recorded}
    assert fallen(measured(COLLECTION, GRADED / f"topics-{questions}.xml", qrels), recorded) == {}
