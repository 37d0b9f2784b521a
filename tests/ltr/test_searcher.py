"""One object for corpus, index, model and task: it gives what the commands give."""

from __future__ import annotations

import json
import logging
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from support.corpora import SMALL, build, write_corpus
from support.refusals import refuses
from support.sample_model import sample_index, sample_model

from ltr.answers.search import answer
from ltr.answers.select import Selection
from ltr.commands import predict, search
from ltr.data.runs import read_run
from ltr.data.topics import Topic, read_topics
from ltr.errors import InputError
from ltr.sample import SAMPLE
from ltr.searcher import Searcher
from models.base import DIMENSIONS, make_ranker
from models.blend import WEIGHTS

HERE = ["-i", str(SAMPLE), "-m", str(sample_model()), "--index", str(sample_index()), "--jobs", "1", "--quiet"]
TOPICS = read_topics(SAMPLE / "topics.xml")


@pytest.fixture(scope="module")
def debates() -> Iterator[Searcher]:
    with Searcher(SAMPLE, model=sample_model(), index=sample_index(), jobs=1) as searcher:
        yield searcher


def test_a_run_is_that_of_predict(debates: Searcher, tmp_path: Path) -> None:
    run = debates.rank(tag="mine", depth=120, stance="question")
    assert predict.main([*HERE, "-o", str(tmp_path), "--tag", "mine", "--depth", "120", "--stance", "question"]) == 0
    run.to_trec(tmp_path / "own.txt")
    assert (tmp_path / "own.txt").read_bytes() == (tmp_path / "run.txt").read_bytes()
    assert run.rows() == read_run(tmp_path / "run.txt")
    assert set(run.attrs["expected"]) == {topic.number for topic in TOPICS}
    top = run[run["rank"] == 1]
    assert type(top) is type(run), "a part of a run is a run"
    assert len(top.rows()) == len(TOPICS)
    alone = debates.rank(TOPICS[1:2], tag="mine", depth=120, stance="question")
    assert alone.rows() == run[run["qid"] == TOPICS[1].number].rows(), "whatever topics are beside it"


def test_topics_come_in_several_forms(debates: Searcher) -> None:
    one = TOPICS[0]
    frame = pd.DataFrame({"qid": [one.number], "query": [one.title], "more": ["x"]})
    for given in ([one], [(one.number, one.title)], frame):
        assert [(topic.number, topic.title) for topic in debates.topics(given)] == [(one.number, one.title)]
    for path in (None, SAMPLE / "topics.xml", str(SAMPLE / "topics.xml")):
        assert debates.topics(path) == TOPICS
    refuses(lambda: debates.topics([one, one]), "topics: row 1", "comes twice")
    with pytest.warns(UserWarning, match="no argument shares a word with topic x"):
        none = debates.rank([Topic("x", "Xylophones?")])
    assert (none.rows(), none.attrs) == ([], {"expected": {}, "unmatched": ["x"]})


def test_an_answer_is_that_of_search(debates: Searcher, capsys: pytest.CaptureFixture[str]) -> None:
    answer = debates.search(TOPICS[0].title, 3)
    assert search.main([TOPICS[0].title, "-n", "3", *HERE, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(r.id, r.rank, r.stance, r.score) for r in answer.results] == [
        (",".join(s["id"] for s in r["sentences"]), r["rank"], r["stance"], r["score"]) for r in found["results"]
    ]
    assert answer.expected == found["expected_relevance"]
    assert sum(map(len, answer.sides.values())) == len(answer.results)
    assert list(answer.sides) == ["For", "Against", "Unclear"]
    assert {*answer.results[0].grades} == {"relevance", "quality", "coherence", "words", "argues"}
    for result in answer.results:
        weights = debates.model.blend.weights
        total = sum(weights[name] * grade for name, grade in result.grades.items())
        assert total - 0.11 <= result.score <= total + 1e-3, "an argument that was shown costs a tenth at most"
        assert result.weak or result.sentences[0].text in repr(answer)
    assert not all(result.weak for result in answer.results)
    assert debates.search("xylophone").results == []
    refuses(lambda: debates.search("Should we?"), "question", "there is no word to search for in it")


def test_a_baseline_in_the_blend_keeps_its_weight_and_is_not_a_grade(debates: Searcher) -> None:
    by_quality, alone = (debates.with_weights({"quality": 1.0, **more}) for more in ({}, {"words": 0.0}))
    weights = {"relevance": 0, "quality": 1, "coherence": 0}
    assert by_quality.model.blend.weights == weights | {"words": 0.75, "argues": 0.5}
    assert alone.model.blend.weights == weights | {"words": 0, "argues": 0.5}
    assert by_quality.with_weights("balanced").model.blend.weights == WEIGHTS
    asked = debates.look_up(TOPICS[0].title)
    wide = replace(asked, table=asked.table.assign(**{name: 9 * (own - 1) for name, own in asked.grades.items()}))
    rows = {id_: row for row, id_ in enumerate(asked.table.ids.tolist())}
    for result in answer(debates.source, wide, wide.scores, Selection(3)).results:
        expected = {name: values[rows[result.id]] for name, values in wide.grades.items()}
        clipped = {name: float(np.clip(expected[name], 0, 2)) for name in DIMENSIONS}
        assert result.grades == expected | clipped


def test_other_weights_of_one_question_change_that_answer_alone(debates: Searcher) -> None:
    before = debates.search(TOPICS[0].title)
    quality = debates.search(TOPICS[0].title, weights={"quality": 1.0})
    alone = Searcher(SAMPLE, model=sample_model(), index=debates.index, jobs=1).with_weights({"quality": 1.0})
    assert [r.id for r in quality.results] == [r.id for r in alone.search(TOPICS[0].title).results]
    assert (quality.expected, alone.search(TOPICS[0].title).expected) == (None, None), "relevance has no weight"
    assert [r.id for r in debates.search(TOPICS[0].title).results] == [r.id for r in before.results]


def test_a_searcher_made_of_another_leaves_it_as_it_was(debates: Searcher) -> None:
    """So that an experiment compares systems, and not one system with itself."""
    before = debates.rank(TOPICS[:1]).rows()
    by_quality = debates.with_weights({"quality": 1.0})
    shortest = debates.with_reranker(lambda _, texts: [-len(text) for text in texts], depth=50)
    runs = [one.rank(TOPICS[:1]).rows() for one in (debates, by_quality, shortest)]
    assert runs[0] == before
    assert len({tuple(row.pair for row in rows) for rows in runs}) == 3
    assert by_quality.index is debates.index, "opened once"
    others = "0.5 argues, 0.75 words"
    assert by_quality.with_weights(None).description == f"{debates.description}, weights 1 quality, {others}"
    by_quality.close()
    assert debates.rank(TOPICS[:1]).rows() == before, "the index is opened again"


def test_a_model_may_be_given(debates: Searcher) -> None:
    index, question = debates.index, TOPICS[:2]
    trained = Searcher(SAMPLE, model=SimpleNamespace(loaded=debates.model), index=index, jobs=1)
    assert trained.rank(question).equals(debates.rank(question))
    assert trained.model is debates.model
    bm25 = Searcher(SAMPLE, model=make_ranker("bm25"), index=index, jobs=1)
    assert (
        bm25.rank(question)
        .drop(columns="name")
        .equals(Searcher(SAMPLE, model="bm25", index=index, jobs=1).rank(question).drop(columns="name"))
    )
    features = debates.describe(debates.propose(question), columns=["distance", "n_words_pair"]).features
    fitted = LinearRegression().fit(features, features["n_words_pair"])
    by_length = Searcher(SAMPLE, model=fitted, index=index, jobs=1)
    assert by_length.model.description == "the ranker LinearRegression"
    assert by_length.model.blend.columns == ["distance", "n_words_pair"]
    shown = by_length.rank(question, diversify=0)
    assert shown.attrs.keys() == bm25.rank(question).attrs.keys()
    described = debates.describe(debates.propose(question), columns=["n_words_pair"])
    longest = described.groupby("qid")["n_words_pair"].max()
    for topic, of in shown.groupby("qid"):
        assert of["score"].max() == pytest.approx(longest[str(topic)], rel=1e-3)


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (LinearRegression(), "model: LinearRegression is not fitted, or not on named columns"),
        (LinearRegression().fit([[1.0], [2.0]], [1, 2]), "is not fitted, or not on named columns"),
        (LinearRegression().fit(pd.DataFrame({"zz": [1.0, 2]}), [1, 2]), "reads the column 'zz', which "),
        (LinearRegression().fit(pd.DataFrame({"meaning_pair": [1.0, 2]}), [1, 2]), "which the first step of pairs"),
        (7, "model: int is not a model; name a model folder"),
    ],
)
def test_a_model_that_cannot_rank_is_refused(model: Any, complaint: str) -> None:
    refuses(lambda: Searcher(SAMPLE, model=model, index=sample_index(), jobs=1), complaint)


def test_a_ranker_that_fails_is_an_input_error(debates: Searcher) -> None:
    ranker = SimpleNamespace(columns=["n_words_pair"], score=lambda table: [1.0])
    mine = Searcher(SAMPLE, model=ranker, index=debates.index, jobs=1)
    table = mine.describe(mine.propose(TOPICS[:1]))
    for call in (lambda: mine.rank(TOPICS[:1]), lambda: mine.grade(table)):
        with pytest.raises(InputError, match=r"ranker 'SimpleNamespace': gave shape \(1,\) where"):
            call()
    refuses(lambda: debates.grade(debates.propose(TOPICS[:1])), "which they do not have; call Searcher.describe before")


def test_a_model_of_another_task_is_refused(debates: Searcher) -> None:
    with pytest.raises(InputError, match="model: it is for the task pairs; open the corpus for that task"):
        Searcher(SAMPLE, model=debates.model, task="arguments", jobs=1)
    refuses(lambda: Searcher(SAMPLE, task="pair"), "task: there is no task 'pair'; name one of: pairs, ")


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda it: it.search("cars", weights={"relevance": math.nan}), "weights: {'relevance': nan} are not weights"),
        (lambda it: it.search("cars", weights={"relevance": math.inf}), "are not weights"),
        (lambda it: it.search("cars", weights={"relevance": 0}), "are not weights"),
        (lambda it: it.search("cars", weights={"zz": 1}), "the model has no ranker of zz"),
        (lambda it: it.with_weights({"relevance": -1}), "give each dimension 0, or from 0.001 to 1,000"),
        (lambda it: it.search("cars", 1.5), "count: 1.5 is not a whole number from 1 to "),
        (lambda it: it.search("cars", 0), "count: 0 is not"),
        (lambda it: it.search(None), "question: must be a string, not NoneType"),
        (lambda it: it.rank(stance="claim"), "stance: 'claim' is not a stance"),
        (lambda it: Searcher(SAMPLE, jobs=0), "jobs: 0 is not a whole number from 1"),
        (lambda it: Searcher(""), "corpus: its name is empty"),
        (lambda it: it.rank(depth=0), "depth: 0 is not a whole number from 1"),
        (lambda it: it.rank(depth=True), "depth: True is not"),
        (lambda it: it.rank(diversify=math.nan), "diversify: nan is not a number from 0 to 1"),
        (lambda it: it.rank(second_step_depth=-1), "second_step_depth: -1 is not"),
        (
            lambda it: it.describe(it.propose(TOPICS[:1]), columns=["typo"]),
            "columns: there is no feature column 'typo'; ",
        ),
        (lambda it: it.search("cars", weights={"relevance": "1"}), "weights: {'relevance': '1'} are not weights"),
        (lambda it: it.with_weights(5), "weights: 5 are not weights"),
        (lambda it: it.with_weights("readible"), "'readible' is not three weights"),
        (lambda it: it.propose(TOPICS[:1], include={"2": [None]}), "items: '2: [None]' is not a topic and its ids"),
        (lambda it: it.rank_items(["x"], TOPICS[:1]), "is not a topic and its ids"),
        (lambda it: it.text(None), "there is no sentence or argument 'None'"),
        (lambda it: it.explain("2", 1, run=pd.DataFrame()), "run: the frame has no column qid"),
        (lambda it: it.rank([Topic("a\u200b", "Cars?")]), "is not a number and a title"),
        (
            lambda it: it.list(it.propose(TOPICS[:1]).assign(score=pd.NA).astype({"score": "Float64"})),
            "candidates: a score is not a finite number",
        ),
        (lambda it: it.with_reranker(len, depth=0), "depth: 0 is not"),
    ],
)
def test_odd_numbers_are_refused(debates: Searcher, call: Callable[[Searcher], Any], complaint: str) -> None:
    refuses(lambda: call(debates), complaint)


def test_a_program_sees_progress_in_its_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write_corpus(tmp_path / "small", SMALL)
    with caplog.at_level("INFO", "riposte"), Searcher(tmp_path / "small", model="bm25", index=tmp_path / "i") as small:
        small.search("cars")
        small.resources.progress.warn("look")
    assert any(re.fullmatch(r"candidates and features: \d+\.\d s", line) for line in caplog.messages)
    assert ("riposte", logging.WARNING, "look") in caplog.record_tuples


def test_an_answer_in_a_notebook_is_a_table_whose_text_is_escaped(tmp_path: Path) -> None:
    rows = [("S1-A1", "Zoos <b>should</b> close", "PRO", ["Zoos <script>harm</script> animals."])]
    hostile = Searcher(write_corpus(tmp_path / "corpus", rows), model="bm25", index=tmp_path / "index", jobs=1)
    table = hostile.search("Are zoos bad?")._repr_html_()
    assert table.startswith("<table><caption>Are zoos bad?</caption>")
    assert "&lt;script&gt;harm" in table
    assert "<script" not in table


def test_the_text_of_an_id(debates: Searcher) -> None:
    pair = debates.search(TOPICS[0].title, 1).results[0]
    assert debates.text(pair.id).split("\n") == [sentence.text for sentence in pair.sentences]
    assert pair.sentences[0].text in debates.text(pair.sentences[0].argument) + pair.sentences[0].conclusion
    refuses(
        lambda: debates.text("S0-A0__PREMISE__1"), "sample.csv", "there is no sentence or argument 'S0-A0__PREMISE__1'"
    )


def test_ids_of_a_caller_are_read_as_those_of_files(debates: Searcher) -> None:
    """Numbers are topics, and blanks around an id are none of it: nothing is left out for its type."""
    run = debates.rank(TOPICS[:1], depth=2)
    number, ids = int(TOPICS[0].number), [f" {id_}" for id_ in run["docno"]]
    assert debates.rank_items({number: ids}, TOPICS[:1])["docno"].tolist() == run["docno"].tolist()
    far = next(id_ for id_ in debates.rank(TOPICS[1:2])["docno"] if id_ not in set(debates.propose(TOPICS[:1]).ids))
    assert far in debates.propose(TOPICS[:1], include={number: [far]}).ids
    assert debates.explain(number, 1).document == debates.explain(TOPICS[0], 1).document  # type: ignore[arg-type]


def test_explanations_of_a_run_and_without_one_agree(debates: Searcher) -> None:
    own = debates.explain("2", 1, against=7)
    given = debates.explain(TOPICS[0], 1, against=7, run=debates.rank([TOPICS[0]]))
    assert own.document == given.document
    assert unescape(own._repr_html_()) == f"<pre>{own}</pre>"
    refuses(lambda: debates.explain("99", 1), "sample.csv", "there is no topic 99; name the corpus of the run, or")
    refuses(lambda: debates.explain("2", 1, run=debates.rank([("9", "Zoos?")])), "the run", "there is no topic 2 in it")


def test_an_open_index_is_shared(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "corpus", SMALL)
    index = build(folder, tmp_path / "index")
    assert Searcher(folder, model="bm25", task="arguments", index=index, jobs=1).index is index


def test_what_is_closed_opens_again() -> None:
    with Searcher(model="bm25", index=sample_index(), jobs=1) as searcher:
        first = searcher.search(TOPICS[0].title, 1)
    assert "index" not in vars(searcher)
    assert searcher.search(TOPICS[0].title, 1) == first
