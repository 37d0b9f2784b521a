"""Answer one question with the best pairs of sentences, or arguments, of each side, each with its source.

Four stages: `understand` the question, `judge` the arguments of its candidates, `select` results, and `present` them.
Here the values that the last three need are looked up in the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache, partial

import numpy as np
import pandas as pd

from features.core.sides import FOR_AND_AGAINST
from ltr.answers.answer import Answer, Result, side_group
from ltr.answers.judge import is_likely, why
from ltr.answers.points import Point, PointMaker
from ltr.answers.select import COUNTED, Selection, select
from ltr.answers.sentences import is_announcement, is_notice
from ltr.answers.sides import TOWARD_QUESTION, Sides, side_groups
from ltr.answers.texts import premises_of, saying_of, sentences_of, snippets_of, terms_of
from ltr.answers.understand import Question, argument_rows
from ltr.data.ids import parts_of
from ltr.index.reader import Index
from ltr.ranking.confidence import FIRST, LEAST, mean_grade, note_missing, note_on
from ltr.ranking.final_list import ListOptions, make_run
from ltr.ranking.source import RankingSource
from ltr.retrieval.base import PAIR_LIMIT
from models.base import DIMENSIONS, TOP_GRADE, Scores


def answer(source: RankingSource, asked: Question, scores: Scores, selection: Selection) -> Answer:
    """The best results of each side by (n_candidates,) scores; none when nothing matches."""
    task, index, topic = source.task, source.index, asked.topic
    groups = side_groups(task, topic)
    if not len(asked.table):
        return Answer(topic.title, [], None, 0, groups)
    toward_question = selection.toward_question and task.has_stances
    sides = Sides(index, topic.title, asked.subject, selection.known) if toward_question else None
    listed = list_items(index, asked, scores, sides)
    side_of: Callable[[str], str] = sides.side if sides else listed["stance"].to_dict().__getitem__
    group_of: Callable[[str], str] = lambda item: side_group(side_of(item), groups)  # noqa: E731
    look_up = side_of, cache(partial(announces, index)), partial(terms_of, index)
    results, worth = select(listed, selection, task.sides[:2] or FOR_AND_AGAINST, *look_up)
    verdicts = [sides.of(item) if sides else [] for item in results.index]
    results = results.assign(why=[*map(why, verdicts)], likely=[*map(is_likely, verdicts)])
    strong = results[~results["weak"]]
    doubtful = {*listed.index[listed["low"]], *results.index[results["likely"]]}
    points, point_of = list[Point](), dict[str, int]()
    if task.has_stances:
        shown = {side: [item for item in strong.index if group_of(item) == side] for side, _ in groups}
        says = {item: saying_of(index, item) for item in {*strong.index, *worth}}
        maker = PointMaker(says, lambda text: frozenset(index.analyzer.distinct(text)), topic.title)
        points, point_of = maker.find(shown, worth, group_of, doubtful)
    results["point"] = pd.Series([point_of.get(item) for item in results.index], results.index, object)
    texts = [snippets_of(index, item, task.kind) for item in results.index]
    results["sentences"] = pd.Series(texts, results.index, object)
    return Answer(
        topic.title,
        present(results, task.weights),
        None if asked.relevance is None else mean_grade(listed["expected"].tolist()[:FIRST]),
        len(asked.table),
        groups,
        points,
        note_of(asked, strong if len(strong) else results, len(worth)),
        toward=("question" if toward_question else "conclusion") if task.has_stances else None,
        headings=TOWARD_QUESTION if toward_question else task.headings(topic),
        ask=sides.doubtful(strong.index) if sides else "",
    )


def announces(index: Index, item: str) -> bool:
    """Whether a sentence of a pair announces arguments in place of arguing."""
    return len(parts_of(item)) > 1 and any(map(is_announcement, sentences_of(index, item)))


def list_items(index: Index, asked: Question, scores: Scores, sides: Sides | None) -> pd.DataFrame:
    """The ranked list without the items on the subject whose arguments take different sides, for `select`.

    ``expected`` is an item's expected relevance where that is known; each ranker has a column with grades cut to their
    scale. A list of any length: near-duplicates, which fill up the short list of a run, are left out.
    """
    table, owners = asked.table, argument_rows(index, asked.table)
    on = np.isin(owners, [*asked.subject.rows]).all(axis=1)
    stand = np.ones(len(table), bool)
    if sides:
        stand[on] = [sides.agree(rows) for rows in owners[on].tolist()]
    rows = make_run(None, table if stand.all() else table[stand], scores[stand], ListOptions(depth=PAIR_LIMIT))
    notices = [row for row in np.unique(owners[on]).tolist() if is_notice(premises_of(index, row, COUNTED))]
    notice = np.isin(owners, notices).any(axis=1)
    low = np.zeros(len(table), bool) if asked.relevance is None else asked.relevance < LEAST
    grades = {name: one.clip(0, TOP_GRADE) if name in DIMENSIONS else one for name, one in asked.grades.items()}
    known = {"low": low, "weak": np.where(on, notice, low), "related": asked.related, "expected": asked.relevance}
    listed = pd.DataFrame(known | grades, table.ids).loc[[row.pair for row in rows]]
    return listed.assign(**{name: [getattr(row, name) for row in rows] for name in ("rank", "stance", "score")})


def present(results: pd.DataFrame, grades: Iterable[str]) -> list[Result]:
    """The results of `select` by rank, with those of the columns ``grades`` that there are, and one for each field."""
    known = [field.name for field in fields(Result) if field.name != "grades"]
    rows = results.sort_values("rank").to_dict("records")
    return [
        Result(**{name: row[name] for name in known}, grades={name: row[name] for name in grades if name in row})
        for row in rows
    ]


def note_of(asked: Question, shown: pd.DataFrame, worth: int) -> str:
    """The answer's notes on a missing word, and on little on the question; ``worth``: arguments worth showing."""
    first = [] if asked.relevance is None else shown["expected"].tolist()
    little = note_on(worth, first, recognised=bool(asked.subject.rows))
    return " ".join(filter(None, [note_missing(asked.subject.unnamed), little]))
