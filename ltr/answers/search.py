"""Answer one question with the best pairs of sentences, or arguments, of each side, each with its source.

Four stages: `understand` the question, `judge` the arguments of its candidates, `select` results, and `present` them.
Here the values that the last three need are looked up in the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import numpy as np
import pandas as pd

from features.core.sides import FOR_AND_AGAINST, Side
from features.core.text import normalise
from ltr.answers.answer import Answer, Result, Snippet, side_group
from ltr.answers.judge import Verdict, is_likely, side_of, why
from ltr.answers.points import Point, PointMaker, Saying
from ltr.answers.select import COUNTED, Selection, select
from ltr.answers.sentences import is_announcement, is_notice
from ltr.answers.sides import Sides, side_groups
from ltr.answers.texts import premises_of, snippets_of
from ltr.answers.understand import Question, argument_rows
from ltr.index.reader import Index
from ltr.index.vocabulary import Array
from ltr.ranking.candidates import Candidates
from ltr.ranking.confidence import FIRST, LEAST, mean_grade, note_missing, note_on
from ltr.ranking.feature_tables import term_cache
from ltr.ranking.final_list import ranked_rows, written_scores
from ltr.ranking.source import RankingSource
from ltr.retrieval.base import PAIR_LIMIT
from ltr.text_models.rerankers import Reranker
from models.base import DIMENSIONS, TOP_GRADE, Scores

KEYWORDS = "Written as keywords, so sides are guessed: ask a question to be sure."
"""A line on a query that says only what it is about."""
SENTENCES = 8
"""Sentences of a whole argument, or premises of one, that are compared for points."""


def answer(
    source: RankingSource, asked: Question, scores: Scores, selection: Selection, reader: Reranker | None = None
) -> Answer:
    """The best results of each side by (n_candidates,) scores; none when nothing matches. ``reader``: see `Sides`."""
    task, index, topic = source.task, source.index, asked.topic
    groups = side_groups(task, topic)
    if not len(asked.table):
        return Answer(topic.title, [], None, 0, groups)
    toward_question = selection.toward_question and task.has_stances
    sides = Sides(index, topic.title, asked.subject, selection.known, reader) if toward_question else None
    items = Items(index, asked.table, sides, selection.moved)
    listed = list_items(index, asked, scores, items)
    two = task.sides[:2] or FOR_AND_AGAINST
    results, worth = select(listed, selection, two, items.side, items.announces, items.terms)
    strong = results[~results["weak"]]
    on = sorted(asked.subject.rows.intersection(chain.from_iterable(strong["arguments"])))
    ask = sides.judge.doubtful(map(sides.argument, on)) if sides else ""

    def group_of(item: int) -> str:
        return side_group(items.side(item), groups)

    points, point_of = list[Point](), dict[int, int]()
    if task.has_stances:
        shown = {side: [item for item in strong.index if group_of(item) == side] for side, _ in groups}
        doubtful = {*listed.index[listed["low"]].tolist(), *filter(items.is_likely, results.index)}
        alone = [sides.says] if sides else []
        maker = PointMaker(items.saying, lambda text: frozenset(index.analyzer.distinct(text)), topic.title, *alone)
        points, point_of = maker.find(shown, worth, group_of, doubtful)
    counts: dict[str, tuple[int, int]] = dict.fromkeys(dict(groups), (0, 0))
    for item in worth:
        own, (count, likely) = len({*items.arguments[item]}), counts[group_of(item)]
        counts[group_of(item)] = count + own, likely + own * items.is_likely(item)
    graded = asked.relevance is not None
    first = (strong if len(strong) else results)["expected"].tolist() if graded else []
    guessed = sides and sides.judge.guessed and any(map(items.is_likely, strong.index))
    heard = {normalise(index.resolution(row)) for row in asked.subject.rows}
    said = [claim for claim, sign in selection.known.items() if sides and sign]
    unheard = next((claim for claim in said if normalise(claim) not in heard), "")
    notes = [
        KEYWORDS if guessed else "",
        f'No debate on the question concludes "{unheard}": texts are read in these words, too.' if unheard else "",
        note_missing(asked.subject.unnamed),
        note_on(len(worth), first, recognised=bool(asked.subject.rows)),
        (sides and sides.read.note) or asked.subject.note,
    ]
    return Answer(
        topic.title,
        present(results, items, point_of, task.weights),
        mean_grade(listed["expected"].tolist()[:FIRST]) if graded else None,
        len(asked.table),
        groups,
        counts,
        points,
        " ".join(filter(None, notes)),
        toward=("question" if toward_question else "conclusion") if task.has_stances else None,
        headings={side or Side.NONE: heading for side, heading in groups} if toward_question else task.headings(topic),
        ask=ask,
    )


class Items:
    """What is looked up of few candidates, by their places in the table; ``moved`` as in `Selection`."""

    def __init__(self, index: Index, table: Candidates, sides: Sides | None, moved: Sequence[tuple[str, str, str]]):
        self._index, self.sides, self._kind = index, sides, table.kind
        self._ids, self._rows, self._stance = table.ids, table.index_rows, table["stance"].to_numpy()
        given = sides.given(moved) if sides else {id_: side for id_, side, other in moved if not other}
        self._moved = {index.row_of[id_]: side for id_, side in given.items() if id_ in index.row_of}
        self.arguments: Array = argument_rows(index, table)
        """(n_candidates, n_parts) rows of their arguments."""

    def id(self, item: int) -> str:
        """Its id in a run."""
        return str(self._ids[item])

    def snippets(self, item: int) -> tuple[Snippet, ...]:
        """Its texts, each with its source."""
        return snippets_of(self._index, self.id(item), self._kind)

    def moved(self, item: int) -> str:
        """The side that a person gave all of its arguments; else empty."""
        said = {self._moved.get(row, "") for row in self.arguments[item].tolist()}
        return said.pop() if len(said) == 1 else ""

    def verdicts(self, item: int) -> list[Verdict]:
        """Those on its arguments; none where sides are not toward the question, or a person said its side."""
        return self.sides.of(self.arguments[item].tolist()) if self.sides and not self.moved(item) else []

    def side(self, item: int) -> str:
        """Its side toward the question, or else toward its conclusion."""
        return self.moved(item) or (side_of(self.verdicts(item)) if self.sides else str(self._stance[item]))

    def is_likely(self, item: int) -> bool:
        """Whether that side is only likely."""
        return is_likely(self.verdicts(item))

    def terms(self, item: int) -> frozenset[str]:
        """Its distinct index terms."""
        return frozenset(chain.from_iterable(map(term_cache(self._index).terms, self._sentences(item))))

    def saying(self, item: int) -> Saying:
        """What it says, for its point: of a pair of two arguments, the argument is the first one."""
        index, rows, argument = self._index, self._sentences(item), int(self.arguments[item, 0])
        own, root = [row for row in rows if index.column("number")[row] > 0], int(index.column("root")[argument])
        sentences, premises = (tuple(map(index.text, some[:SENTENCES])) for some in (rows, own))
        beside = tuple(premises_of(index, argument, SENTENCES))
        has_own = index.stance(argument) == "PRO" and not (root == argument and index.in_debate(argument) > 1)
        conclusion = index.conclusion(argument) if has_own else ""
        return Saying(argument, root, index.title(argument), sentences, premises, beside, conclusion)

    def announces(self, item: int) -> bool:
        """Whether a sentence of a pair announces arguments in place of arguing."""
        rows = self._sentences(item) if self._rows.shape[1] > 1 else ()
        return any(map(is_announcement, map(self._index.text, rows)))

    def _sentences(self, item: int) -> Sequence[int]:
        rows: list[int] = self._rows[item].tolist()
        return rows if len(rows) > 1 else self._index.sentence_rows(rows[0])


def list_items(index: Index, asked: Question, scores: Scores, items: Items) -> pd.DataFrame:
    """The ranked list without the items on the matter whose arguments take different sides, for `select`.

    An item is its place in the table. ``arguments`` are its rows in the index, ``expected`` is its expected relevance,
    NaN where that is not known, and each ranker has a column with grades cut to their scale. A list of any length:
    near-duplicates, which fill up the short list of a run, are left out.
    """
    table, owners, sides = asked.table, items.arguments, items.sides
    on = np.isin(owners, [*asked.subject.rows]).all(axis=1)
    stand = np.ones(len(table), bool)
    if sides:
        stand[on] = [sides.agree(rows) for rows in owners[on].tolist()]
    some = table if stand.all() else table[stand]
    order = np.flatnonzero(stand)[ranked_rows(some, slice(0, len(some)), scores[stand], depth=PAIR_LIMIT)]
    notices = [row for row in np.unique(owners[on]).tolist() if is_notice(premises_of(index, row, COUNTED))]
    notice = np.isin(owners, notices).any(axis=1)
    expected = np.full(len(table), np.nan) if asked.relevance is None else asked.relevance
    low = expected < LEAST
    grades = {name: one.clip(0, TOP_GRADE) if name in DIMENSIONS else one for name, one in asked.grades.items()}
    known = {"low": low, "weak": np.where(on, notice, low | asked.subject.whole), "related": asked.related}
    listed = pd.DataFrame({**known, **grades, "expected": expected}).iloc[order]
    rank, written = np.arange(len(order)) + 1, written_scores(scores[order])
    return listed.assign(rank=rank, score=written, arguments=owners[order].tolist())


def present(results: pd.DataFrame, items: Items, point_of: Mapping[int, int], grades: Iterable[str]) -> list[Result]:
    """The results of `select` by rank, each with its point, and the columns ``grades`` that there are."""
    known = [name for name in grades if name in results]
    by_rank = results.sort_values("rank")
    return [
        Result(
            **{name: row[name] for name in ("rank", "stance", "score", "weak")},
            sentences=items.snippets(item),
            grades={name: row[name] for name in known},
            why=why(items.verdicts(item)),
            alike=tuple(map(items.id, row["alike"])),
            point=point_of.get(item),
            likely=items.is_likely(item),
        )
        for item, row in zip(by_rank.index, by_rank.to_dict("records"), strict=True)
    ]
