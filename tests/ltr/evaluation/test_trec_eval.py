"""What we write, trec_eval reads as we meant it: pytrec_eval is trec_eval's own C code."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from support.sample_model import sample_index, sample_model
from support.tables import plain_table

from ltr.commands import predict
from ltr.data.runs import STEP, read_run, write_run
from ltr.evaluation.rankings import rankings
from ltr.ranking.final_list import ListOptions, make_run
from ltr.ranking.task import find_task
from ltr.sample import SAMPLE

Run = dict[str, dict[str, float]]


def by_trec_eval(path: Path) -> Run:
    with path.open(encoding="utf-8") as lines:
        return pytrec_eval.parse_run(lines)  # type: ignore[no-any-return]


def order_of(run: Run, topic: str) -> list[str]:
    """The order in which trec_eval sees a topic: the reciprocal rank of each document, were it the relevant one."""
    places = {}
    for name in run[topic]:
        found = pytrec_eval.RelevanceEvaluator({topic: {name: 1}}, {"recip_rank"}).evaluate({topic: run[topic]})
        places[name] = round(1 / found[topic]["recip_rank"])
    assert sorted(places.values()) == list(range(1, len(places) + 1))
    return sorted(places, key=places.__getitem__)


def pairs(number: int) -> list[tuple[str, str]]:
    return [(f"S1-A{n}__PREMISE__1", f"S1-A{n}__PREMISE__2") for n in range(number)]


def written(folder: Path, scores: list[float], diversify: float = 0.0) -> tuple[Path, list[str]]:
    """A run of one topic as ``ltr.predict`` makes it, and its pairs in our order."""
    table = plain_table({"1": pairs(len(scores))})
    rows = make_run(find_task("pairs"), table, np.array(scores), ListOptions(diversify=diversify)).rows()
    write_run(folder / "run.txt", rows)
    return folder / "run.txt", [row.pair for row in rows]


# ---- runs -----------------------------------------------------------------------------------------


@cache
def sample_run() -> Path:
    out = sample_index().parent / "run"
    common = ["--index", str(sample_index()), "-m", str(sample_model()), "--jobs", "1", "--quiet", "--depth", "120"]
    assert predict.main(["-i", str(SAMPLE), "-o", str(out), *common]) == 0
    return out / "run.txt"


def test_trec_eval_sees_the_order_that_we_wrote() -> None:
    rows = read_run(sample_run())
    run = by_trec_eval(sample_run())
    for topic in run:
        assert order_of(run, topic) == [row.pair for row in rows if row.topic == topic] == rankings(rows)[topic]


@given(st.lists(st.floats(-15, 15), min_size=1, max_size=12))
def test_close_and_equal_scores_keep_their_order(tmp_path_factory: pytest.TempPathFactory, scores: list[float]) -> None:
    # Rounded, so that hypothesis hits equal scores and steps of one millionth. trec_eval keeps 32 bits of a score:
    # below 16 they tell a millionth apart.
    path, ours = written(tmp_path_factory.mktemp("run"), [round(score, 6) for score in scores])
    assert order_of(by_trec_eval(path), "1") == ours


@pytest.mark.parametrize("top", [0.0, 1.0, 7.999999, 15.99, -15.99])
def test_a_long_list_of_equal_scores_keeps_its_order(top: float, tmp_path: Path) -> None:
    path, ours = written(tmp_path, [top] * 60)
    assert order_of(by_trec_eval(path), "1") == ours
    scores = list(by_trec_eval(path)["1"].values())
    assert np.diff(scores) == pytest.approx(np.full(59, -STEP))
