"""The head of a list by a re-ranker: by hand, and by properties."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.encoders import word_encoder
from support.sample_model import sample_index, sample_model, two_step_model
from support.tables import plain_block

from ltr.data.runs import DECIMALS, RunRow
from ltr.errors import InputError
from ltr.progress import Progress
from ltr.ranking.candidates import Candidates
from ltr.ranking.final_list import ListOptions
from ltr.ranking.reranking import Reranking, TextReader, on_scale_of, rescored
from ltr.sample import SAMPLE
from ltr.searcher import Searcher
from ltr.text_models import FunctionReranker
from ltr.text_models.kept import AT_ONCE, text_scores

QUESTION = "Should cities ban cars from their centres?"


class Counting:
    """Scores by length, and which texts were asked for."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, question: str, texts: list[str]) -> list[int]:
        self.asked.append(texts)
        return [len(text) for text in texts]


def test_scaled_by_hand() -> None:
    own, read = np.array([4.0, 3.0, 2.0]), np.array([0.0, 10.0, 20.0])
    assert on_scale_of(own, read).tolist() == pytest.approx([2, 3, 4])  # the re-ranker's order on the model's scale
    # Standardised: 1.2247 and -.7071; the model's deviation is .8165.
    assert on_scale_of(own, np.array([0.0, 0.0, 3.0]))[0] == pytest.approx(3 - 0.8165 / 2**0.5, abs=1e-4)
    assert on_scale_of(np.zeros(2), np.array([1.0, 3.0])).tolist() == pytest.approx([-1, 1]), (
        "a model that says nothing has no scale"
    )
    assert on_scale_of(own, np.ones(3)).tolist() == pytest.approx([3, 3, 3]), (
        "and a re-ranker that says nothing leaves ties"
    )


PAIRS = st.lists(st.tuples(*[st.floats(-1e9, 1e9, allow_nan=False)] * 2), min_size=1, max_size=20)


@given(PAIRS)
@settings(max_examples=40)
def test_the_scale_of_a_re_ranker_does_not_matter(pairs: list[tuple[float, float]]) -> None:
    own, read = np.array(pairs).T
    close = 1e-6 * max(1.0, np.abs(own).max())
    found = on_scale_of(own, read)
    assert found.mean() == pytest.approx(own.mean(), abs=close)
    assert on_scale_of(own, read * 1e290) == pytest.approx(found, abs=close)


def test_pointwise_scores_are_kept_for_each_text(tmp_path: Path) -> None:
    function = Counting()
    each = FunctionReranker(function, "length", pointwise=True)
    texts = [f"{'x' * length}" for length in range(1, AT_ONCE + 3)]
    assert text_scores(each, tmp_path, "q", [*texts, "x"]).tolist() == [*map(len, texts), 1]
    assert [len(asked) for asked in function.asked] == [AT_ONCE, 2], "the same text once"
    ticks: list[int] = []
    assert text_scores(each, tmp_path, "q", ["xxx", "other", "x"], ticks.append).tolist() == [3, 5, 1]
    assert function.asked[2:] == [["other"]]
    assert sum(ticks) == 3
    text_scores(each, tmp_path, "another question", ["x"])
    assert function.asked[3:] == [["x"]]


def test_other_scores_are_kept_for_a_list(tmp_path: Path) -> None:
    function = Counting()
    listwise = FunctionReranker(function, "length")
    for texts in (["a", "bb", "a"], ["a", "bb", "a"], ["bb", "a"]):
        assert text_scores(listwise, tmp_path, "q", texts).tolist() == list(map(len, texts))
    assert function.asked == [["a", "bb", "a"], ["bb", "a"]]
    nameless = FunctionReranker(function)
    for _ in range(2):
        text_scores(nameless, tmp_path, "q", ["a"])
    assert function.asked[2:] == [["a"], ["a"]]


def test_scores_before_a_failure_are_kept(tmp_path: Path) -> None:
    asked = []

    def fails_late(question: str, texts: list[str]) -> list[int]:
        asked.append(len(texts))
        return [len(text) for text in texts] if len(asked) != 2 else [1 // 0]

    each = FunctionReranker(fails_late, "late", pointwise=True)
    texts = [str(number) for number in range(2 * AT_ONCE)]
    with pytest.raises(InputError, match="ZeroDivisionError"):
        text_scores(each, tmp_path, "q", texts)
    text_scores(each, tmp_path, "q", texts)
    assert asked == [AT_ONCE] * 3


# ---- lists ----------------------------------------------------------------------------------------


def ranked(depth: int, *, model: Any = None, function: Any = None, **how: Any) -> list[RunRow]:
    """The sample's first topic, by a small model and then by the length of texts."""
    searcher = Searcher(SAMPLE, model=model or sample_model(), index=sample_index(), jobs=1, **how)
    function = function or (lambda _, texts: [len(text) for text in texts])
    searcher = searcher.with_reranker(function, depth=depth)
    topics = searcher.topics()[:1]
    return searcher.rank_topics(topics, ListOptions(depth=200)).rows()


def plain(model: Any = None, **how: Any) -> tuple[Searcher, list[str]]:
    searcher = Searcher(SAMPLE, model=model or sample_model(), index=sample_index(), jobs=1, **how)
    rows = searcher.rank_topics(searcher.topics()[:1], ListOptions(depth=200)).rows()
    return searcher, [row.pair for row in rows]


@pytest.mark.parametrize("depth", [1, 3, 20])
@pytest.mark.parametrize("steps", ["one", "two", "bm25"])
def test_nothing_outside_the_head_passes_it(depth: int, steps: str) -> None:
    how: dict[str, Any] = {"model": "bm25"} if steps == "bm25" else {}
    if steps == "two":
        how = {"model": two_step_model(), "encoder": word_encoder()}
    searcher, before = plain(**how)
    rows = ranked(depth, **how)
    after = [row.pair for row in rows]
    assert sorted(after[:depth]) == sorted(before[:depth])
    assert sorted(after) == sorted(before)
    scores = [row.score for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert after[0] == max(before[:depth], key=lambda id_: (len(searcher.text(id_)), [-ord(c) for c in id_]))


def test_what_a_run_rounds_to_the_same_stays_the_same_below_the_head(tmp_path: Path) -> None:
    # The head is one pair of 1. The others have to go down by .5000004 - 1 + .1 * 20 + .001 = 1.5010004; both round to
    # .5, and would to -1.001 and to -1.001001: then their scores decided, and not their ids.
    table = Candidates.concat([plain_block("1", [(f"S1-A{n}__PREMISE__1", f"S1-A{n}__PREMISE__2") for n in range(3)])])
    how = Reranking(FunctionReranker(lambda _, texts: [1] * len(texts)), depth=1)
    reader = TextReader(str, tmp_path, Progress(quiet=True))
    found = rescored(how, reader, table, np.array([0.4999996, 0.5000004, 1]), 0.1)
    assert found.round(DECIMALS).tolist() == [-1.001, -1.001, 1]


def test_it_reads_the_best_items_best_first() -> None:
    searcher, before = plain()
    read: list[str] = []

    def remember(question: str, texts: list[str]) -> list[int]:
        assert question == QUESTION
        read.extend(texts)
        return list(range(len(texts), 0, -1))

    rows = ranked(30, function=remember)
    assert read == [searcher.text(id_) for id_ in before[:30]]
    assert rows[0].pair == before[0]


def test_a_question_and_its_run_are_re_ranked() -> None:
    searcher = Searcher(SAMPLE, model=sample_model(), index=sample_index(), jobs=1)
    before = searcher.search(QUESTION, 3)
    other = searcher.with_reranker(lambda _, texts: [-len(text) for text in texts], depth=40)
    after = other.search(QUESTION, 3)
    assert [result.id for result in after.results] != [result.id for result in before.results]
    assert "re-ranked by <lambda>" in repr(other)
    assert [r.id for r in other.with_reranker(None).search(QUESTION, 3).results] == [r.id for r in before.results]


def test_it_is_an_option_of_the_searcher_and_explains_nothing() -> None:
    def by_length(question: str, texts: list[str]) -> list[int]:
        return [len(text) for text in texts]

    searcher = Searcher(SAMPLE, model=sample_model(), index=sample_index(), jobs=1).with_reranker(by_length)
    assert searcher.reranking is not None
    assert searcher.reranking.depth == 100
    with pytest.raises(InputError, match="features explain the model's order alone"):
        searcher.explain("2", 1)
    with pytest.raises(InputError, match="a depth needs a re-ranker"):
        searcher.with_reranker(None, depth=5)
