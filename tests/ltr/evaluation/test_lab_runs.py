"""A team's public runs of whole arguments must have the figures that the lab published for them."""

from __future__ import annotations

import pytest
from support.collection import COLLECTION
from support.ranked import evaluate_run

from ltr.data.qrels import read_qrels
from ltr.data.runs import read_run

QRELS = COLLECTION / "qrels-2021-relevance.qrels" if COLLECTION else None
RUNS = COLLECTION.parent / "whole-arguments" / "runs-2021" if COLLECTION else None


@pytest.mark.parametrize(("name", "published"), [("ElrondKRun", 0.720), ("ElrondSimpleRun", 0.674)])
@pytest.mark.skipif(not (QRELS and RUNS and QRELS.is_file() and RUNS.is_dir()), reason="no whole-arguments/runs-2021")
def test_published_figures(name, published):
    assert QRELS is not None
    assert RUNS is not None
    rows = read_run(RUNS / f"{name}.txt")
    assert min(row.rank for row in rows) == 0
    found = evaluate_run(rows, read_qrels(QRELS))
    assert len(found.values["lab_nDCG@5"]) == 50
    assert round(found.means["lab_nDCG@5"], 3) == published
