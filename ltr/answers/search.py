"""Answer one question with the best pairs of sentences, or arguments, of each side, each with its source.

Four stages: `understand` the question, `judge` the arguments of its candidates, `select` results, and `present` them.
Here the values that the last three need are looked up in the index.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial

import numpy as np

from features.core.feature import KINDS
from features.core.sides import FOR_AND_AGAINST
from ltr.answers.answer import Answer, side_group
from ltr.answers.headings import is_announcement, is_notice
from ltr.answers.judge import is_likely, side_of
from ltr.answers.points import Point, PointMaker
from ltr.answers.present import present
from ltr.answers.select import COUNTED, Listed, Selected, Selection, select
from ltr.answers.sides import TOWARD_QUESTION, Sides, side_groups
from ltr.answers.texts import premises_of, saying_of, sentences_of, snippets_of, terms_of
from ltr.answers.understand import NUMBER, Question, argument_rows
from ltr.index.reader import Index
from ltr.ranking.confidence import FIRST, LEAST, expected_relevance, note_missing, note_on
from ltr.ranking.final_list import ListOptions, make_run
from ltr.ranking.source import RankingSource
from ltr.retrieval.base import PAIR_LIMIT
from models.base import DIMENSIONS, TOP_GRADE, Scores


def answer(source: RankingSource, asked: Question, scores: Scores, selection: Selection) -> Answer:
    """The best results of each side by (n_candidates,) scores; none when nothing matches."""
    task, index, topic, table = source.task, source.index, asked.topic, asked.table
    groups = side_groups(task, topic)
    if not len(table):
        return Answer(topic.title, [], None, 0, groups)
    toward_question = selection.toward_question and task.has_stances
    sides = Sides(index, topic.title, asked.subject, selection.known) if toward_question else None
    listed = list_items(index, asked, scores, sides)
    selected = select(listed, selection, task.sides[:2] or FOR_AND_AGAINST)
    items = [row.pair for row in selected.rows]
    verdicts = {item: sides.of(item) if sides else [] for item in items}
    points, point_of = list[Point](), dict[str, int]()
    if task.has_stances:
        shown = {side: [r.pair for r in selected.strong if side_group(r.stance, groups) == side] for side, _ in groups}
        doubtful = listed.low | {item for item in items if is_likely(verdicts[item])}
        maker = PointMaker(
            cache(partial(saying_of, index)), lambda text: frozenset(index.analyzer.distinct(text)), topic.title
        )
        side = lambda item: side_group(listed.side_of(item), groups)  # noqa: E731
        points, point_of = maker.find(shown, selected.worth, side, doubtful)
    texts = {item: snippets_of(index, item, task.kind) for item in items}
    return Answer(
        topic.title,
        present(selected, texts, grades_of(asked, items, task.weights), verdicts, point_of),
        expected_relevance(table, listed.rows[:FIRST], asked.relevance).get(NUMBER),
        len(table),
        groups,
        points,
        note_of(asked, selected),
        toward=("question" if toward_question else "conclusion") if task.has_stances else None,
        headings=TOWARD_QUESTION if toward_question else task.headings(topic),
        ask=sides.doubtful([row.pair for row in selected.strong]) if sides else "",
    )


def list_items(index: Index, asked: Question, scores: Scores, sides: Sides | None) -> Listed:
    """The ranked list without the items on the subject whose arguments take different sides.

    A list of any length: near-duplicates, which fill up the short list of a run, are left out.
    """
    table, ids, owners = asked.table, asked.table.ids, argument_rows(index, asked.table)
    of_pairs = KINDS[table.kind].parts > 1
    on = np.isin(owners, [*asked.subject.rows]).all(axis=1)
    stand = np.ones(len(table), bool)
    if sides:
        stand[on] = [sides.agree(rows) for rows in owners[on].tolist()]
    rows = make_run(None, table if stand.all() else table[stand], scores[stand], ListOptions(depth=PAIR_LIMIT))
    low = set() if asked.relevance is None else {*ids[asked.relevance < LEAST].tolist()}
    notices = [row for row in np.unique(owners[on]).tolist() if is_notice(premises_of(index, row, COUNTED))]
    weak = {*ids[on & np.isin(owners, notices).any(axis=1)].tolist()} | (low - {*ids[on].tolist()})
    return Listed(
        rows,
        low,
        weak,
        {*ids[~asked.related].tolist()},
        (lambda item: side_of(sides.of(item))) if sides else {row.pair: row.stance for row in rows}.__getitem__,
        cache(lambda item: of_pairs and any(map(is_announcement, sentences_of(index, item)))),
        partial(terms_of, index),
    )


def grades_of(asked: Question, items: Iterable[str], names: Iterable[str]) -> dict[str, dict[str, float]]:
    """Item -> its score by each of these rankers that the model has; grades are cut to their scale."""
    place = {item: row for row, item in enumerate(asked.table.ids.tolist())}
    own = {name: asked.grades[name] for name in names if name in asked.grades}
    cut = {name: np.clip(one, 0, TOP_GRADE) if name in DIMENSIONS else one for name, one in own.items()}
    return {item: {name: float(one[place[item]]) for name, one in cut.items()} for item in items}


def note_of(asked: Question, selected: Selected) -> str:
    """The answer's notes on a missing word, and on little on the question."""
    shown = [row.pair for row in selected.strong or selected.rows]
    relevance = {} if asked.relevance is None else dict(zip(asked.table.ids, asked.relevance.tolist(), strict=True))
    first = [relevance[item] for item in shown] if relevance else []
    little = note_on(len(selected.worth), first, recognised=bool(asked.subject.rows))
    return " ".join(filter(None, [note_missing(asked.subject.unnamed), little]))
