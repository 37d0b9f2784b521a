"""Answer one question with the best pairs of sentences, or arguments, of each side, each with its source.

Four stages: `understand` the question, `judge` the arguments of its candidates, `select` results, and `present` them.
Here the values that they need are looked up in the index and handed on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial

import numpy as np

from features.core.sides import FOR_AND_AGAINST
from ltr.answers.answer import Answer
from ltr.answers.duplicates import Copies
from ltr.answers.gather import premises_of, saying_of, sentences_of, terms_of_item, vectors_of
from ltr.answers.points import PointMaker, announces
from ltr.answers.present import Facts, present
from ltr.answers.question import NUMBER, Question
from ltr.answers.select import COUNTED, Listed, Selected, Selection, select
from ltr.answers.sides import TOWARD_QUESTION, Sides, side_groups
from ltr.answers.snippets import snippets_of
from ltr.answers.table import Subject
from ltr.answers.understand import is_notice, name_missing
from ltr.data.ids import argument_of
from ltr.index.reader import Index
from ltr.ranking.confidence import FIRST, LEAST, expected_relevance, note_missing, note_on
from ltr.ranking.final_list import ListOptions, final_list
from ltr.ranking.steps import RankingSource, term_cache
from ltr.retrieval.base import PAIR_LIMIT
from models.base import Scores


def answer(
    source: RankingSource, question: Question, selection: Selection, weights: Mapping[str, float] | None = None
) -> Answer:
    """The best results of each side; none when nothing matches."""
    task, index, topic = source.task, source.index, question.topic
    empty = Answer(topic.title, [], None, len(question.table), side_groups(task, topic))
    if not len(question.table):
        return empty
    matches, subject = match_words(source, question)
    toward_question = selection.toward_question and task.has_stances
    sides = Sides(index, topic.title, subject, selection.known) if toward_question else None
    relevance, says = question.relevance(weights), cache(partial(saying_of, index))
    listed = list_items(index, question, sides, question.scores(weights), relevance)
    talks = cache(lambda item: task.kind.parts > 1 and announces(sentences_of(index, item)))
    listed = replace(listed, matches=matches.__getitem__, announces=talks)
    copies = None if selection.every else Copies(partial(terms_of_item, index))
    selected = select(listed, selection, task.sides[:2] or FOR_AND_AGAINST, copies)
    facts = Facts(
        partial(snippets_of, index, unit=task.unit),
        partial(question.scores_of, names=tuple(task.weights)),
        listed.side_of,
        sides.verdicts if sides else lambda _: (),
        listed.low,
    )
    maker = PointMaker(says, lambda text: frozenset(index.analyzer.distinct(text)), topic.title)
    results, points = present(selected, facts, empty.groups, maker if task.has_stances else None)
    return replace(
        empty,
        results=results,
        expected=expected_relevance(question.table, listed.rows[:FIRST], relevance).get(NUMBER),
        points=points,
        note=note_of(question, subject, relevance, selected),
        ask=sides.doubtful(selected.not_folded) if sides else "",
        toward=("question" if toward_question else "conclusion") if task.has_stances else None,
        headings=TOWARD_QUESTION if toward_question else task.headings(topic),
    )


def match_words(source: RankingSource, question: Question) -> tuple[dict[str, bool], Subject]:
    """Whether each argument is about the subject or has a word of the question; the subject with its missing word."""
    index, title, subject = source.index, question.topic.title, question.subject
    ids = sorted({argument_of(id_) for id_ in set(question.table.parts.ravel().tolist())})
    rows, terms = [index.row_of[id_] for id_ in ids], index.analyzer.distinct(title)
    counts, _ = term_cache(index).counts(rows, terms)
    on = [row in subject.rows for row in rows]
    missing = {term for term, count in zip(terms, counts[on].sum(axis=0), strict=True) if not count}
    vectors = partial(vectors_of, index, question.grader.encoder)
    matches = {id_: its or bool(found.any()) for id_, its, found in zip(ids, on, counts, strict=True)}
    return matches, name_missing(subject, title, missing, index.analyzer.distinct, vectors)


def list_items(
    index: Index, question: Question, sides: Sides | None, scores: Scores, relevance: Scores | None
) -> Listed:
    """The ranked list without the items on the subject whose arguments take different sides.

    A list of any length: near-duplicates, which fill up the short list of a run, are left out.
    """
    table, argues = question.table, on_subject(index, question)
    apart = [id_ for id_ in argues if sides and not sides.agree(id_)]
    stand = ~np.isin(table.ids, apart)
    rows = final_list(table[stand] if apart else table, scores[stand], ListOptions(depth=PAIR_LIMIT))
    low = set() if relevance is None else {*table.ids[relevance < LEAST].tolist()}
    weak = {id_ for id_ in argues if not argues[id_]} | (low - argues.keys())
    return Listed(rows, low, weak, sides or {row.pair: row.stance for row in rows}.__getitem__)


def on_subject(index: Index, question: Question) -> dict[str, bool]:
    """Ids of the candidates that are about the subject, and whether they argue about it, or are a notice."""
    table, about = question.table, question.subject.rows
    row_of = cache(lambda part: index.row_of[argument_of(part)])
    notice = cache(lambda row: is_notice(premises_of(index, row, COUNTED)))
    rows_of = zip(table.ids.tolist(), ({*map(row_of, parts)} for parts in table.parts.tolist()), strict=True)
    return {id_: not any(map(notice, rows)) for id_, rows in rows_of if rows <= about} if about else {}


def note_of(question: Question, subject: Subject, relevance: Scores | None, selected: Selected) -> str:
    """What an answer says of a missing word, and of little on the question."""
    shown = selected.not_folded or [row.pair for row in selected.rows]
    first = [] if relevance is None else [float(relevance[question.place[item]]) for item in shown]
    little = note_on(len(selected.worth), first, recognised=bool(subject.rows))
    return " ".join(filter(None, [note_missing(subject.unnamed), little]))
