"""The steps of a ranking, a topic at a time: propose candidates, describe them by features, grade them.

All candidates are described by cheap columns and graded. Where the model has a second step, the best of them, the head,
are then described by the encoder as well, and graded again. Each step takes a table and returns one with more columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pandas as pd

from features.core.feature import columns as columns_of
from features.core.feature import reader_columns
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.plugins import blame_plugin
from ltr.ranking.candidates import Candidates
from ltr.ranking.feature_tables import TopicTables, feature_values, search_of
from ltr.ranking.source import Include, RankingSource, Resources, by_workers, topic_calls
from ltr.text_models.encoders import Encoder
from models.base import DIMENSIONS, Scores
from models.blend import READ, Blend, best_rows, push_below_head


@dataclass(frozen=True)
class Grader:
    """Rankers of a model that grade candidates, and the encoder whose columns some of them read."""

    blend: Blend
    encoder: Encoder | None = None


def propose(source: RankingSource, topic: Topic, include: Sequence[str] = ()) -> Candidates:
    """The candidates of a topic, from its title alone, and the items with the ids ``include``."""
    task = source.task
    with blame_plugin(type(task).__module__):
        search = search_of(source, topic)
        proposed = task.propose(search)
        rows = task.add(search, proposed, include)
        tables = TopicTables.of(source, topic, rows)
        items = task.frame(search, tables.context, rows)
    if len(items) != len(tables.rows):
        what = f"its frame has {len(items):,} rows for {len(tables.rows):,} candidates"
        raise InputError(f"task {task.name!r}", what, f"let it return one row for each {task.kind}")
    tables.keep()
    known = set(map(tuple, proposed.tolist()))
    own = np.array([tuple(row) in known for row in tables.rows.tolist()], bool) if include else None
    return Candidates.of_topic(topic, items, tables.rows, kind=task.kind, origin=source.origin, proposed=own)


def describe(
    source: RankingSource, candidates: Candidates, columns: Sequence[str] | None = None, encoder: Encoder | None = None
) -> Candidates:
    """The candidates of one topic with feature ``columns``; None: all but an encoder's. Raises InputError."""
    names = columns_of(source.task.kind) if columns is None else list(columns)
    (topic,) = candidates.asked
    return candidates.with_columns(feature_values(source, topic, candidates.index_rows, names, encoder))


def describe_head(
    source: RankingSource,
    candidates: Candidates,
    head: npt.NDArray[np.bool_],
    columns: Sequence[str],
    encoder: Encoder | None,
    resources: Resources | None = None,
) -> Candidates:
    """The candidates with the column ``head`` (n_rows,), and the encoder's ``columns`` of it; they are NaN elsewhere.

    ``resources`` share the topics of a table out.
    """
    values = np.full((len(candidates), len(columns)), np.nan, np.float32)
    if head.any() and columns:
        rows, topics = candidates.index_rows, {topic.number: topic for topic in candidates.asked}
        of_topics = [(topics[number], rows[span][head[span]]) for number, span in candidates.spans.items()]
        calls = [(topic, part, list(columns), encoder) for topic, part in of_topics if len(part)]
        if resources is None:
            described: Iterable[pd.DataFrame] = [feature_values(source, *call) for call in calls]
        else:
            described = by_workers(feature_values, calls, resources, source)
        values[head] = np.concatenate([part[list(columns)].to_numpy() for part in described])
    return candidates.with_columns(pd.DataFrame(values, columns=list(columns)).assign(head=head))


def read(
    source: RankingSource, candidates: Candidates, scores: Scores, columns: Sequence[str], encoder: Encoder
) -> dict[str, Scores]:
    """The reader's ``columns``, (n_rows,) each, of the first candidates of one topic in its head; 0 for the others."""
    scores = np.where(candidates.in_head, scores, -np.inf)
    rows = best_rows(scores, candidates.groups, READ) & candidates.in_head
    found = feature_values(source, candidates.asked[0], candidates.index_rows[rows], columns, encoder)
    values = np.zeros((len(columns), len(candidates)))
    values[:, rows] = found[list(columns)].to_numpy().T
    return dict(zip(columns, values, strict=True))


def grade(source: RankingSource, grader: Grader, candidates: Candidates, include: Sequence[str] = ()) -> Candidates:
    """The described candidates of one topic with a column for each ranker that counts, and ``score``.

    Where the model has a second step, its best and the items ``include`` are the ``head``, described by the encoder;
    where it reads, the first of the head have the reader's columns, which are 0 elsewhere.
    """
    model, encoder = grader.blend, grader.encoder
    # A table may have been graded before, by a model with other rankers or with a head.
    own = dict.fromkeys(["head", "score", *DIMENSIONS, *model.rankers, *reader_columns(source.task.kind)])
    if earlier := [name for name in own if name in candidates]:
        candidates = candidates.drop(columns=earlier)
    if not len(candidates):
        return candidates.assign(**dict.fromkeys([*model.used, "score"], 0.0))
    first = model.first_grades(candidates)
    if model.two_steps:
        head = np.zeros(len(candidates), bool)
        if encoder is not None:
            head = best_rows(model.combine(first), candidates.groups, source.config.head) | candidates.among(include)
        candidates = describe_head(source, candidates, head, model.head_columns, encoder)
    grades = model.grades(candidates, first)
    if encoder is not None and model.reader_weights:  # all columns: the weights of a graded table may be changed
        names = reader_columns(source.task.kind)
        grades |= read(source, candidates, model.combine(grades), names, encoder)
    scores = push_below_head(model.combine(grades), candidates.in_head, candidates.groups)
    return candidates.with_columns(pd.DataFrame({**grades, "score": scores}))


def graded(
    source: RankingSource,
    grader: Grader,
    topic: Topic,
    include: Sequence[str] = (),
    columns: Sequence[str] | None = None,
) -> Candidates:
    """The three steps for one topic; ``columns`` are those that the model reads by default."""
    candidates = propose(source, topic, include)
    names = grader.blend.columns if columns is None else columns
    return grade(source, grader, describe(source, candidates, names, grader.encoder), include)


def to_list(source: RankingSource, grader: Grader, topic: Topic, include: Sequence[str] = ()) -> Candidates:
    """The `graded` candidates of a topic without features: a list needs none, and they would travel from the worker."""
    candidates = graded(source, grader, topic, include)
    return candidates.drop(columns=candidates.feature_columns)


def described(source: RankingSource, topic: Topic, include: Sequence[str] = ()) -> Candidates:
    """The first two steps for one topic, with all columns but an encoder's."""
    return describe(source, propose(source, topic, include))


def describe_topics(
    source: RankingSource, topics: Sequence[Topic], resources: Resources, include: Include = MappingProxyType({})
) -> Candidates:
    """The `described` candidates of all topics. The result does not depend on the workers."""
    return Candidates.concat(by_workers(described, topic_calls(topics, include), resources, source), source.task.kind)


def refuse_empty(described: Sized, corpus: str) -> None:
    """Raise InputError when no topic has a candidate."""
    if not len(described):
        raise InputError(corpus, "no topic matches any argument", "check that topics and corpus belong together")
