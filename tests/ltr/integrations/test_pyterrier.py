"""Riposte as a stage of a PyTerrier pipeline, with PyTerrier and without."""

from __future__ import annotations

import pickle
import unittest
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.refusals import refuses
from support.sample_model import sample_index, sample_model
from support.topics import write_topics

from features.core.feature import columns as feature_columns
from ltr.commands import predict
from ltr.data.qrels import read_qrels
from ltr.data.runs import read_run
from ltr.data.topics import Topic, read_topics
from ltr.errors import InputError
from ltr.integrations.pyterrier import RiposteFeatures, RiposteTransformer, to_arguments
from ltr.sample import SAMPLE
from ltr.searcher import Searcher

COLUMNS = ["qid", "query", "docno", "rank", "score", "stance"]
TOPICS = read_topics(SAMPLE / "topics.xml")
QRELS = read_qrels(SAMPLE / "qrels-test-relevance.qrels")


@cache
def transformer(model: str | None = None) -> RiposteTransformer:
    """Of that baseline, or of the small model of the sample."""
    return RiposteTransformer(Searcher(SAMPLE, model=model or sample_model(), index=sample_index()), depth=200)


@cache
def results() -> pd.DataFrame:
    return transformer().transform(topics_frame(TOPICS[:2]))


def topics_frame(topics: Sequence[Topic]) -> pd.DataFrame:
    return asked(*((topic.number, topic.title) for topic in topics))


def asked(*rows: tuple[Any, Any]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["qid", "query"])


# ---- what comes out -------------------------------------------------------------------------------


def test_it_gives_the_run_of_predict(tmp_path: Path) -> None:
    write_topics(tmp_path / "two.xml", TOPICS[:2])
    common = ["--index", str(sample_index()), "-m", str(sample_model()), "--depth", "200", "--jobs", "1", "--quiet"]
    predict.main(["-i", str(SAMPLE), "-o", str(tmp_path), "--topics", str(tmp_path / "two.xml"), *common])
    rows = read_run(tmp_path / "run.txt")
    found = results()
    assert list(found.columns) == COLUMNS
    assert found["docno"].tolist() == [row.pair for row in rows]
    assert found["score"].tolist() == [row.score for row in rows]
    assert found["rank"].tolist() == [row.rank - 1 for row in rows]
    assert found["stance"].tolist() == [row.stance for row in rows]
    assert found["qid"].tolist() == [row.topic for row in rows]
    assert dict(zip(found["qid"], found["query"], strict=True)) == {t.number: t.title for t in TOPICS[:2]}


def test_stages_are_equal_that_rank_alike_and_survive_pickling() -> None:
    one, other = transformer(), transformer("bm25")
    weighted = RiposteTransformer(one.searcher.with_weights({"relevance": 1, "quality": 0.5}), depth=20)
    again = pickle.loads(pickle.dumps(weighted))  # noqa: S301
    assert again == weighted
    assert hash(again) == hash(weighted)
    assert len({one, other, weighted, again, RiposteTransformer(one.searcher, depth=5)}) == 4
    assert again.searcher.index is not weighted.searcher.index
    topics = topics_frame(TOPICS[:1])
    pd.testing.assert_frame_equal(again.transform(topics), weighted.transform(topics))
    reranked = RiposteTransformer(one.searcher.with_reranker(longest, depth=10), depth=20)
    assert reranked != RiposteTransformer(one.searcher, depth=20)
    copied = pickle.loads(pickle.dumps(reranked))  # noqa: S301
    pd.testing.assert_frame_equal(copied.transform(topics), reranked.transform(topics))


def longest(question: str, texts: list[str]) -> list[int]:
    return [len(text) for text in texts]


def test_features_for_a_learned_model() -> None:
    ranked = results().groupby("qid").head(7)[::-1]
    stage = RiposteFeatures(transformer().searcher, ["n_words_pair", "distance"])
    found = stage.transform(ranked)
    assert found.drop(columns="features").equals(ranked)
    values = np.stack(found["features"])
    assert values.shape == (14, 2)
    reader = transformer().searcher
    words = [len(reader.text(id_).split()) for id_ in found["docno"]]
    assert np.corrcoef(values[:, 0], words)[0, 1] > 0.9
    every = RiposteFeatures(reader).transform(ranked[:1])
    assert every["features"].iloc[0].shape == (len(feature_columns("pair")),)
    with pytest.raises(InputError, match="has no item 'S0-A0__CONC__1,S0-A0__PREMISE__1' in this corpus"):
        stage.transform(ranked.assign(docno="S0-A0__CONC__1,S0-A0__PREMISE__1")[:1])
    refuses(lambda: stage.transform(ranked[["qid"]]), "", "the frame has no column query, docno")
    assert stage.transform(ranked[:0]).columns.tolist() == [*ranked.columns, "features"]
    assert stage == pickle.loads(pickle.dumps(stage)) != RiposteFeatures(reader)  # noqa: S301


def test_a_topic_without_a_match_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="no argument shares a word with topic 77"):
        found = transformer("bm25").transform(asked(("77", "Zyzzyva quokka?"), (2, TOPICS[0].title)))
    assert set(found["qid"]) == {"2"}, "a number as a qid comes out as text"


WRONG = {
    "no query": (pd.DataFrame({"qid": ["1"]}), "no column query"),
    "nothing": (pd.DataFrame(), "no column qid, query"),
    "twice": (asked(("1", "a"), ("1", "b")), "row 1: number 1 comes twice"),
    "not a frame": ([1], "the frame has no column qid, query"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_refused(case: str) -> None:
    frame, said = WRONG[case]
    refuses(lambda: transformer().transform(frame), "", said)


# ---- texts, and given items -----------------------------------------------------------------------


def test_a_column_of_texts() -> None:
    mine = transformer()
    found = RiposteTransformer(mine.searcher, depth=3, text=True).transform(topics_frame(TOPICS[:1]))
    assert list(found.columns) == [*COLUMNS, "text"]
    assert found["text"].tolist() == [mine.searcher.text(id_) for id_ in found["docno"]]


def test_a_given_frame_is_re_ranked() -> None:
    before = results()
    given = before.groupby("qid").head(40)[::-1].reset_index(drop=True)
    given = given.assign(rank=range(len(given)), score=0.0, theirs=given["docno"].str[:3])
    kept = given.copy()
    after = transformer().transform(given)
    pd.testing.assert_frame_equal(given, kept)
    assert list(after.columns) == [*COLUMNS, "theirs"]
    assert sorted(zip(after["qid"], after["docno"], strict=True)) == sorted(
        zip(given["qid"], given["docno"], strict=True)
    )
    assert (after["theirs"] == after["docno"].str[:3]).all()
    for qid, part in after.groupby("qid"):
        assert part["rank"].tolist() == list(range(40))
        assert part["score"].is_monotonic_decreasing
        assert part["docno"].iloc[0] == before[before["qid"] == qid]["docno"].iloc[0]


def test_items_that_no_first_stage_proposes_and_turned_pairs() -> None:
    mine, title = transformer(), TOPICS[0].title
    known = results()[results()["qid"] == TOPICS[0].number]["docno"].tolist()
    turned = ",".join(known[5].split(",")[::-1])
    far = results()[results()["qid"] == TOPICS[1].number]["docno"].iloc[0]
    frame = pd.DataFrame({"qid": 1, "query": title, "docno": [far, turned, known[0]]})
    found = mine.transform(frame)
    assert sorted(found["docno"]) == sorted([far, turned, known[0]])
    assert found["docno"][0] == known[0]
    assert set(found["qid"]) == {"1"}
    pd.testing.assert_frame_equal(mine.transform(frame.iloc[:0]), found.iloc[:0], check_index_type=False)
    unmatched = pd.DataFrame({"qid": ["3"], "query": ["Zyzzyva quokka?"], "docno": [far]})
    assert mine.transform(unmatched)["docno"].tolist() == [far]


def test_items_that_are_not_there_or_twice_are_refused() -> None:
    known = results()["docno"][0]
    frame = pd.DataFrame({"qid": ["2"] * 2, "query": ["q"] * 2, "docno": [known, "S0-A0__CONC__1,S0-A0__PREMISE__1"]})
    with pytest.raises(InputError, match="topic 2 has no item 'S0-A0__CONC__1,S0-A0__PREMISE__1' in this corpus"):
        transformer().transform(frame)
    twice = ",".join(known.split(",")[::-1])
    refuses(lambda: transformer().transform(frame.assign(docno=[known, twice])), "", "of topic 2 comes twice")
    refuses(lambda: transformer().transform(frame.assign(query=["a", "b"])), "", "row 1: number 2 comes twice")


# ---- frames ---------------------------------------------------------------------------------------


def test_pairs_to_arguments_by_hand() -> None:
    pairs = ["S1-A1__PREMISE__1,S2-A2__CONC__1", "S2-A2__PREMISE__1,S2-A2__CONC__1", "S3-A3__CONC__1,S1-A1__CONC__1"]
    ranked = pd.DataFrame({"qid": "1", "query": "q", "docno": pairs, "rank": [0, 1, 2], "score": [3.0, 2.0, 1.0]})
    expected = pd.DataFrame(
        {"qid": "1", "query": "q", "docno": ["S1-A1", "S2-A2", "S3-A3"], "rank": range(3), "score": [0.0, -1.0, -2.0]}
    )
    pd.testing.assert_frame_equal(to_arguments(ranked.iloc[::-1]), expected)
    assert list(to_arguments(ranked.iloc[:0]).columns) == list(expected.columns)


# ---- what Python callers write ---------------------------------------------------------------------

IDS: dict[str, list[Any]] = {
    "text": ["2", "6"],
    "whole numbers": [2, 6],
    "numbers that pandas makes fractions": [2.0, 6.0],
    "numpy's": [np.int64(2), np.float32(6)],
    "categories": pd.Categorical(["2", "6"], categories=["6", "9", "2"]),
    "mixed": [2, "6"],
    "blanks and a byte-order mark around": [" 2", "6\ufeff"],
}
NO_ID = [None, np.nan, pd.NA, True, 2.5, "", "2\u200b6", b"2", ["2"]]


def as_stages() -> dict[str, Any]:
    """The functions of this module that take a frame; the model is a baseline, which is fast."""
    searcher = transformer("bm25").searcher
    return {
        "rank": lambda given: RiposteTransformer(searcher, depth=3).transform(given.drop(columns="docno").iloc[::2]),
        "re-rank": RiposteTransformer(searcher).transform,
        "features": RiposteFeatures(searcher, ["distance"]).transform,
        "to_arguments": to_arguments,
    }


def two_a_topic() -> pd.DataFrame:
    return results().groupby("qid").head(2).reset_index(drop=True)[["qid", "query", "docno", "rank", "score"]]


@pytest.mark.parametrize("stage", as_stages())
def test_ids_of_any_kind_are_the_same_topics(stage: str) -> None:
    given, run = two_a_topic(), as_stages()[stage]
    expected = run(given).drop(columns="features", errors="ignore")
    for kind, (one, other) in IDS.items():
        qids = [one, one, other, other]
        frame = given.assign(qid=pd.Categorical(qids, ["6", "9", "2"]) if kind == "categories" else pd.Series(qids))
        found = run(frame).drop(columns="features", errors="ignore")
        assert found["docno"].tolist() == expected["docno"].tolist(), kind
        assert stage == "features" or found["qid"].tolist() == expected["qid"].tolist(), kind


@pytest.mark.parametrize("stage", as_stages())
@pytest.mark.parametrize("column", ["qid", "docno", "query"])
def test_what_is_no_id_is_refused_with_column_and_row(stage: str, column: str) -> None:
    given, run = two_a_topic(), as_stages()[stage]
    if (stage, column) in (("rank", "docno"), ("to_arguments", "query")):
        return  # not read; kept without: see below
    for value in NO_ID:
        if column == "query" and isinstance(value, str):
            continue
        frame = given.assign(**{column: [value if row == 2 else old for row, old in enumerate(given[column])]})
        with pytest.raises(InputError, match=f"column {column}, row 2: "):
            run(frame)
    if (stage, column) != ("re-rank", "docno"):  # then it ranks
        with pytest.raises(InputError, match=f"no column {column}"):
            run(given.drop(columns=column))


def test_arguments_of_topics_without_a_query_and_without_ranks() -> None:
    given = two_a_topic()
    whole = to_arguments(given)
    assert whole["qid"].nunique() == 2
    for missing in (None, np.nan, pd.NA):
        found = to_arguments(given.assign(query=[missing, *given["query"][1:2], missing, missing]))
        assert found["query"].isna().tolist() == (found["qid"] == "6").tolist(), "one row of a topic has its query"
        pd.testing.assert_frame_equal(found.drop(columns="query"), whole.drop(columns="query"))
    pd.testing.assert_frame_equal(to_arguments(given.drop(columns="query")), whole.drop(columns="query"))
    pd.testing.assert_frame_equal(to_arguments(given.drop(columns="rank")), whole)
    for column, value in (("rank", np.nan), ("rank", "x"), ("query", "another")):
        frame = given.astype({column: object})
        frame.loc[1, column] = value
        with pytest.raises(InputError, match=f"column {column}, row 1: "):
            to_arguments(frame)
    refuses(lambda: to_arguments(given[["qid", "docno"]]), "", "no column score")


# ---- PyTerrier ------------------------------------------------------------------------------------


def test_a_pipeline_and_an_experiment_of_pyterrier_without_java() -> None:
    pt = pytest.importorskip("pyterrier")
    arguments = pt.apply.generic(to_arguments)
    pipelines = [transformer() >> arguments, transformer("bm25") >> arguments]
    topics = topics_frame(TOPICS[:2])
    judged = [(topic, name, int(grade)) for topic, grades in QRELS.items() for name, grade in grades.items()]
    qrels = pd.DataFrame(judged, columns=["qid", "docno", "label"])
    table = pt.Experiment(pipelines, topics, qrels, ["ndcg_cut_5"], names=["riposte", "bm25"])
    assert table["name"].tolist() == ["riposte", "bm25"]
    assert (table["ndcg_cut_5"] > 0).all()
    assert len((transformer() % 3)(topics)) == 6
    assert not pt.java.started()


@pytest.mark.parametrize("kind", [RiposteTransformer, RiposteFeatures])
def test_it_passes_the_tests_of_transformers_of_pyterrier(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pt, testing = pytest.importorskip("pyterrier"), pytest.importorskip("pyterrier.testing")
    monkeypatch.setenv("PT_TEST_TRANSFORMER_REPORTS", "0")
    monkeypatch.setattr(pt.documentation, "url_for_class", lambda _: None)  # which reads the web
    stage = kind(transformer().searcher)
    case = testing.transformer_test_class(lambda: stage)
    done = unittest.defaultTestLoader.loadTestsFromTestCase(case).run(unittest.TestResult())
    assert done.testsRun == 2
    assert not [*done.failures, *done.errors]
    asked, ranked = ["qid", "query"], ["qid", "query", "docno", "score", "rank"]
    given = {RiposteTransformer: ([asked, ranked], COLUMNS), RiposteFeatures: ([ranked], [*ranked, "features"])}
    assert (pt.inspect.transformer_inputs(stage), pt.inspect.transformer_outputs(stage, ranked)) == given[kind]
