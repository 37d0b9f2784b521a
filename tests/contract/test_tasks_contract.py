"""What every registered task owes."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from support.sample_model import sample_index

from features.core.feature import columns
from ltr.data.ids import argument_of
from ltr.data.runs import validate_run
from ltr.data.topics import read_topics
from ltr.index.reader import Index
from ltr.parallel import Workers
from ltr.ranking import task as base
from ltr.ranking.candidates import Candidates
from ltr.ranking.final_list import ListOptions, make_run
from ltr.ranking.source import RankingSource, Resources
from ltr.ranking.steps import describe_topics
from ltr.ranking.steps import described as described_topic
from ltr.ranking.task import Task, find_task, task_names
from ltr.retrieval.arguments import Search, TermCache
from ltr.retrieval.base import Rows
from ltr.sample import SAMPLE
from models.base import DIMENSIONS, baselines

TOPIC = read_topics(SAMPLE / "topics.xml")[0]
NOTHING = "Zyzzyva?"
every = pytest.mark.parametrize("name", task_names())


@cache
def opened() -> Index:
    return Index(sample_index())


def search(task: Task, title: str = TOPIC.title) -> Search:
    return Search(opened(), replace(TOPIC, title=title), task.config, TermCache(opened()))


def proposed(task: Task, title: str = TOPIC.title) -> Rows:
    return task.propose(search(task, title))


@cache
def described(name: str) -> Candidates:
    return described_topic(RankingSource(find_task(name), opened(), find_task(name).config), TOPIC)


def ids_of(task: Task, rows: Rows) -> list[str]:
    name = opened().sentence_id if task.kind == "pair" else opened().argument_id
    return [",".join(map(name, row)) for row in rows.tolist()]


@every
def test_it_says_what_it_is(name: str):
    task = find_task(name)
    assert task.name == name
    assert set(task.dimensions) <= set(DIMENSIONS)
    assert set(task.weights) >= set(task.dimensions)
    assert set(task.weights) - set(task.dimensions) <= set(baselines(task.kind))
    assert pickle.loads(pickle.dumps(task)).name == name  # workers get it  # noqa: S301


@every
def test_candidates_are_distinct_and_the_same_each_time(name: str):
    task = find_task(name)
    found = proposed(task)
    assert found.shape == (len(found), 2 if task.kind == "pair" else 1)
    assert len({frozenset(row) for row in found.tolist()}) == len(found) > 10
    np.testing.assert_array_equal(proposed(task), found)


@every
def test_a_topic_that_matches_nothing_has_none(name: str):
    task = find_task(name)
    assert len(proposed(task, NOTHING)) == 0
    table = described_topic(RankingSource(task, opened(), task.config), TOPIC.__class__("9", NOTHING))
    assert (table.unmatched, Candidates.concat([table], task.kind).unmatched) == (["9"], ["9"])


@every
def test_graded_units_join_once_and_strangers_do_not(name: str):
    task = find_task(name)
    empty, found = proposed(task, NOTHING), proposed(task)
    ids = ids_of(task, found)[:3]
    stranger = "S0-A0" if task.kind != "pair" else "S0-A0__PREMISE__1,S0-A0__PREMISE__2"
    added = task.add(search(task), empty, [ids[2], stranger, ids[0]])
    assert sorted(ids_of(task, added)) == sorted([ids[2], ids[0]])
    assert len(task.add(search(task), found, ids)) == len(found)


@every
def test_units_stand_in_the_order_of_their_features(name: str):
    # What can be told from the ids alone: lengths of arguments, and whether two sentences are of one argument.
    table = described(name)
    if name == "pairs":
        told = [argument_of(first) == argument_of(second) for first, second in table.parts.tolist()]
        np.testing.assert_array_equal(table["same_argument"], told)
        return
    rows = opened().argument_rows(table.ids.tolist())
    terms = [sum(map(len, TermCache(opened()).sentences(rows[id_]))) for id_ in table.ids]
    assert len(set(terms)) > 10
    np.testing.assert_allclose(table["argument_terms"], np.log1p(terms), rtol=1e-5)


@every
def test_the_matrix_has_the_columns_of_the_unit(name: str):
    task, table = find_task(name), described(name)
    assert list(table.features.columns) == columns(task.kind)
    assert np.isfinite(table.features.to_numpy()).all()


@every
def test_its_run_is_as_the_lab_wants_it(name: str):
    task, table = find_task(name), described(name)
    rows = make_run(task, table, np.linspace(1, 0, len(table)), ListOptions(tag="t")).rows()
    validate_run(rows, kind=task.kind, sides=task.sides)
    assert len(rows) >= min(task.min_items, len(table))
    assert ({row.stance for row in rows} == {"Q0"}) != bool(task.sides)


@every
def test_workers_change_nothing(name: str):
    task, topics = find_task(name), read_topics(SAMPLE / "topics.xml")
    found = [
        describe_topics(RankingSource(task, opened(), task.config), topics, Resources(Workers(jobs))) for jobs in (1, 2)
    ]
    np.testing.assert_array_equal(found[0].ids, found[1].ids)
    np.testing.assert_array_equal(found[0].features.to_numpy(), found[1].features.to_numpy())


def test_an_unknown_name_lists_the_known_ones_and_a_second_of_one_name_is_refused():
    with pytest.raises(KeyError, match="no task 'documents'; known: arguments, "):
        find_task("documents")
    with pytest.raises(ValueError, match="task 'pairs' is registered twice"):
        base.register(find_task("pairs"))
