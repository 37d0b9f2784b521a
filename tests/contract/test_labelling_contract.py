"""What every registered labelling function owes."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from support.judged import shrink
from support.tables import CORPUS, make_table, of_topic

from features.core import feature as registry
from ltr.learning.functions import Evidence, Values, labelling_function, labelling_functions
from ltr.ranking.candidates import Candidates
from models.base import DIMENSIONS

named = pytest.mark.parametrize("name", labelling_functions(kind="pair"))
# Every grade of the task, fractions, unjudged arguments, and a topic without judgments.
GRADES = (-2.0, 0.0, 0.4, 1.0, 3.0)
QRELS = {
    topic: {source.id: GRADES[(n + skip) % 5] for n, source in enumerate(CORPUS) if n not in (1, 5)}
    for skip, topic in enumerate(("2", "3", "77"))
}


def with_cosines() -> Candidates:
    """A table that an encoder describes, too."""
    table, columns = make_table(), registry.columns(head=True)
    values = np.random.default_rng(0).uniform(-1, 1, (len(table), len(columns))).astype(np.float32)
    return table.with_columns(pd.DataFrame(values, columns=columns))


@pytest.fixture(scope="module")
def table() -> Candidates:
    return with_cosines()


def vote(name: str, table: Candidates) -> Values:
    return labelling_functions()[name].vote(Evidence(table, shrink(QRELS, 1)))


@named
def test_one_vote_a_row_in_range_the_same_each_time(name: str, table: Candidates):
    votes = vote(name, table)
    assert votes.shape == (len(table),)
    assert votes.dtype == np.float64
    voted = votes[~np.isnan(votes)]
    assert len(set(voted.tolist())) > (name not in ("noisy", "contradicts")), "it tells pairs apart"
    assert ((voted >= 0) & (voted <= 1)).all()
    np.testing.assert_array_equal(vote(name, table), votes)


@named
def test_it_sees_its_columns_and_the_judgments_if_it_says_so(name: str, table: Candidates):
    function = labelling_functions()[name]
    blind = with_cosines()
    for column in set(blind.features.columns) - set(function.columns):
        blind[column] = np.float32(0)
    np.testing.assert_array_equal(vote(name, blind), vote(name, table))
    assert set(function.columns) <= {*registry.columns(), *registry.columns(head=True)}
    untold = function.vote(Evidence(table, {}))
    if function.uses_qrels:
        assert np.isnan(untold).all()
        assert not function.columns
    else:
        np.testing.assert_array_equal(untold, vote(name, table))
        assert function.columns


@named
def test_a_topic_is_voted_on_by_itself(name: str, table: Candidates):
    # Otherwise labels of a held-out topic would change with those that it is held out from.
    votes = vote(name, table)
    for topic, rows in table.spans.items():
        np.testing.assert_array_equal(vote(name, of_topic(table, topic)), votes[rows])


@named
def test_inputs_are_left_alone(name: str):
    table = with_cosines()
    features = table.features.copy(deep=True)
    qrels = {topic: dict(grades) for topic, grades in QRELS.items()}
    labelling_functions()[name].vote(Evidence(table, qrels))
    pd.testing.assert_frame_equal(table.features, features)
    assert qrels == QRELS


@named
def test_what_is_said_of_it(name: str):
    function = labelling_functions()[name]
    assert function.name == name
    assert re.fullmatch(r"\w.*[\w)]", function.description), "one line, no full stop"
    assert function.weight > 0
    assert function.dimension in DIMENSIONS
    assert name in labelling_functions(function.dimension)


def test_every_dimension_has_functions_and_a_coherence_is_not_seen_in_judgments_of_arguments():
    for dimension in DIMENSIONS:
        uses = [function.uses_qrels for function in labelling_functions(dimension).values()]
        assert not all(uses)
        assert any(uses) == (dimension != "coherence")
    assert sum(len(labelling_functions(dimension)) for dimension in DIMENSIONS) == len(labelling_functions())


def test_what_is_no_function_is_refused():
    def noisy(evidence: Evidence) -> Values:
        raise NotImplementedError

    def another(evidence: Evidence) -> Values:
        raise NotImplementedError

    before = labelling_functions()
    with pytest.raises(ValueError, match="'noisy' is registered twice"):
        labelling_function("quality", "another")(noisy)
    with pytest.raises(ValueError, match="'another': 'beauty' is none of relevance, quality, coherence"):
        labelling_function("beauty", "another")(another)
    assert labelling_functions() == before
