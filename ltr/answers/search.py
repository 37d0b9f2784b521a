"""Answer one question with the best pairs of sentences, or arguments, of each side, each with its source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, islice

import numpy as np

from features.core.sides import FOR_AND_AGAINST
from features.core.text import Analyzer
from ltr.answers.answer import Answer, Result, side_group
from ltr.answers.duplicates import Copies
from ltr.answers.headings import is_announcement
from ltr.answers.points import COUNTED, Candidates, Point, find_points, sentence_rows
from ltr.answers.side_model import prepare, shipped_reader
from ltr.answers.sides import TOWARD_QUESTION, SideOf, Sides, side_groups
from ltr.answers.snippets import snippets_of
from ltr.data.ids import argument_of
from ltr.data.runs import RunRow
from ltr.data.topics import LONGEST_TITLE, Topic
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.index.vectors import Vectors
from ltr.ranking.confidence import FIRST, LEAST, expected_relevance, note_on
from ltr.ranking.describe import FirstStage, term_cache
from ltr.ranking.final_list import ListOptions, final_list
from ltr.ranking.lists import Rescore
from ltr.ranking.matrix import Matrix
from ltr.ranking.two_steps import grade_topic
from ltr.retrieval.base import PAIR_LIMIT
from models.base import DIMENSIONS, TOP_GRADE, Ranker, Scores
from models.blend import Blend, below

NUMBER = ""
"""Topic number of a question: the only topic of its matrix, and in no result list."""

WEAK = 25
"""First arguments among whose weak candidates weak results are looked for: the side of each takes time."""


@dataclass(frozen=True)
class Question:
    """A question with its candidates, described and graded."""

    topic: Topic
    matrix: Matrix
    ranker: Ranker
    grades: Mapping[str, Scores]
    """Ranker of the blend -> (n_candidates,) its scores, whatever the weights; empty for a baseline."""
    rescore: Rescore | None = None
    """Changes the order of the head; None: it stays."""

    def scores(self, weights: Mapping[str, float] | None = None) -> Scores:
        """(n_candidates,) scores by the model, or by other ``weights`` of its dimensions, and then by the re-ranker."""
        scores = self._model_scores(weights)
        return self.rescore(self.matrix, [self.topic], scores, ListOptions()) if self.rescore else scores

    def _model_scores(self, weights: Mapping[str, float] | None) -> Scores:
        if not isinstance(self.ranker, Blend):
            return self.ranker.score(self.matrix)
        model = self.ranker if weights is None else self.ranker.reweighted(weights)
        return below(model.combine(self.grades), self.matrix.head, self.matrix.groups)

    def relevance(self, weights: Mapping[str, float] | None = None) -> Scores | None:
        """(n_candidates,) expected relevance; None where it is not estimated, or has no weight."""
        if not isinstance(self.ranker, Blend) or not self.ranker.expected_grades:
            return None
        return self.grades.get("relevance") if (weights or self.ranker.weights).get("relevance") else None

    def weak(self, weights: Mapping[str, float] | None = None) -> set[str]:
        """Ids of the candidates that are hardly worth showing; empty where relevance is not estimated."""
        relevance = self.relevance(weights)
        return set() if relevance is None else set(self.matrix.ids[relevance < LEAST].tolist())


@dataclass(frozen=True)
class Selection:
    """Which results of a list are shown."""

    count: int = 5
    """Results of each side: those worth showing come first."""
    every: bool = False
    """Whether an argument may come more than once."""
    toward_question: bool = True
    """Whether sides are toward the question, where items have stances at all; else those of the corpus."""


def checked_question(question: str, analyzer: Analyzer) -> str:
    """The question as it can be searched for and printed: a shell passes on bytes that are not text as well.

    Raises InputError for one without a word to search for, and for one that is too long.
    """
    if not isinstance(question, str):
        raise InputError("question", f"{question!r} is no text", "ask in words")
    question = " ".join(question.encode("utf-8", "replace").decode("utf-8").split())
    if len(question) > LONGEST_TITLE:
        raise InputError("question", f"has {len(question):,} characters", f"ask in at most {LONGEST_TITLE:,}")
    if not analyzer.distinct(question):
        raise InputError("question", "there is no word to search for in it", "say what it is about")
    return question


def describe_question(first_stage: FirstStage, ranker: Ranker, question: str) -> Question:
    """Propose, describe and grade the candidates of a question."""
    every = ranker.reweighted(dict.fromkeys(ranker.rankers, 1.0)) if isinstance(ranker, Blend) else ranker
    topic = Topic(NUMBER, question)
    _open_ahead(first_stage, question)
    matrix = Matrix([grade_topic(first_stage, topic, ranker, every.columns)], first_stage.task.unit)
    grades = matrix.grades
    if isinstance(ranker, Blend) and len(matrix) and (more := ranker.rankers.keys() - grades.keys()):
        grades = grades | ranker.reweighted(dict.fromkeys(more, 1.0)).grades(matrix)
    return Question(topic, matrix, ranker, grades)


def _open_ahead(first_stage: FirstStage, question: str) -> None:
    """Open in another thread, while candidates are looked for, the models that will read a new question."""
    index, encoder = first_stage.index, first_stage.encoder
    if encoder and not Vectors(index, encoder).knows(question):
        encoder.prepare()
        if first_stage.task.has_stances and shipped_reader(index.folder):
            prepare()


def answer(
    first_stage: FirstStage,
    question: Question,
    arguments: Mapping[str, int],
    selection: Selection,
    weights: Mapping[str, float] | None = None,
) -> Answer:
    """The best results of each side; none when nothing matches. ``arguments`` are the index rows of argument ids."""
    task, index, matrix, topic = first_stage.task, first_stage.index, question.matrix, question.topic
    groups = side_groups(task, topic)
    if not len(matrix):
        return Answer(topic.title, [], None, 0, groups)
    # A list of any length: near-duplicates, which fill up the short list of a run, are left out.
    rows = final_list(matrix, NUMBER, question.scores(weights), ListOptions(depth=PAIR_LIMIT))
    expected = expected_relevance(matrix, rows[:FIRST], question.relevance(weights)).get(NUMBER)
    weak = question.weak(weights)
    strong, weaker = ([row for row in rows if (row.pair in weak) is kind] for kind in (False, True))
    listed = sorted({argument_of(id_) for id_ in set(matrix.parts.ravel().tolist())})
    counts, _ = term_cache(index).counts([arguments[id_] for id_ in listed], index.analyzer.distinct(topic.title))
    matching = {id_: bool(terms.any()) for id_, terms in zip(listed, counts, strict=True)}
    toward_question = selection.toward_question and task.has_stances
    sides = Sides(index, topic.title, arguments) if toward_question else None
    side_of: SideOf = sides or {row.pair: row.stance for row in rows}.__getitem__
    copies = None if selection.every else Copies(partial(terms_of, index, arguments))
    talk = partial(announces, index, arguments) if task.unit == "pair" else lambda _: False
    candidates = chain(set_back(strong, talk, weak), of_first_arguments(weaker, WEAK))
    chosen = best(
        candidates, selection, matching.__getitem__, task.sides[:2] or FOR_AND_AGAINST, side_of=side_of, copies=copies
    )
    worth = [row for row in chosen if row.pair not in weak]
    others = [row.pair for row in islice(one_an_argument(strong, matching.__getitem__), COUNTED)]
    found = Candidates(index, arguments, topic.title)
    points, point_of = _points(found, groups, worth, others, side_of) if task.has_stances else ([], {})
    place = {id_: row for row, id_ in enumerate(matrix.ids)}
    relevance = question.relevance(weights)
    first = [] if relevance is None else [float(relevance[place[row.pair]]) for row in worth or chosen]
    ordered = {name: question.grades[name] for name in task.weights if name in question.grades}
    ordered |= {name: np.clip(ordered[name], 0, TOP_GRADE) for name in DIMENSIONS if name in ordered}
    results = [
        Result(
            row.rank,
            row.stance,
            row.score,
            snippets_of(index, row.pair, arguments, task.unit),
            {name: float(scores[place[row.pair]]) for name, scores in ordered.items()},
            sides.why(row.pair) if sides else "",
            row.pair in weak,
            tuple(copies.alike.get(row.pair, ())) if copies else (),
            point_of.get(row.pair),
        )
        for row in sorted(chosen, key=lambda row: row.rank)
    ]
    return Answer(
        topic.title,
        results,
        expected,
        len(matrix),
        groups,
        points,
        note=note_on(len(others), first),
        toward=("question" if toward_question else "conclusion") if task.has_stances else None,
        headings=TOWARD_QUESTION if toward_question else task.headings(topic),
    )


def _points(
    found: Candidates,
    groups: Sequence[tuple[str, str]],
    worth: Sequence[RunRow],
    others: Sequence[str],
    side_of: SideOf,
) -> tuple[list[Point], dict[str, int]]:
    """The points of the rows worth showing, see `find_points`."""
    shown = {side: [row.pair for row in worth if side_group(row.stance, groups) == side] for side, _ in groups}
    return find_points(found, shown, others, lambda item: side_group(side_of(item), groups))


def terms_of(index: Index, arguments: Mapping[str, int], item: str) -> list[str]:
    """The index terms of a result."""
    cache = term_cache(index)
    return [term for row in sentence_rows(index, item, arguments) for term in cache.terms(row)]


def best(
    rows: Iterable[RunRow],
    selection: Selection,
    matches: Callable[[str], bool],
    sides: Sequence[str] = FOR_AND_AGAINST,
    side_of: SideOf | None = None,
    copies: Copies | None = None,
) -> list[RunRow]:
    """The first rows of each side whose arguments match; of each argument one row, unless ``selection.every``.

    ``side_of`` replaces the stance of a row. A row that takes neither of the two ``sides`` is kept only among the
    first ``2 * selection.count``, as many as those two have room for. ``copies`` takes the near-duplicates of rows
    that are chosen.
    """
    chosen: list[RunRow] = []
    shown: set[str] = set()
    room: Counter[str] = Counter()
    count, position = selection.count, 0
    for row in rows:
        arguments = arguments_of(row)
        if (not selection.every and not shown.isdisjoint(arguments)) or not all(map(matches, arguments)):
            continue
        if position >= 2 * count and all(room[side] >= count for side in sides):
            break
        shown |= arguments
        if copies and copies.is_copy(row.pair):
            continue
        position += 1
        row = row if side_of is None else row._replace(stance=side_of(row.pair))  # noqa: PLW2901
        if room[row.stance] < count and (row.stance in sides or position <= 2 * count):
            room[row.stance] += 1
            chosen.append(row)
            if copies:
                copies.keep(row.pair)
    return chosen


def announces(index: Index, arguments: Mapping[str, int], item: str) -> bool:
    """Whether a sentence of a result is about the debate, not about its subject."""
    return any(is_announcement(index.text(row)) for row in sentence_rows(index, item, arguments))


def set_back(rows: Iterable[RunRow], talk: Callable[[str], bool], weak: set[str]) -> Iterator[RunRow]:
    """The rows with those that are no argument behind all others, and among the ``weak``."""
    last = []
    for row in rows:
        if talk(row.pair):
            weak.add(row.pair)
            last.append(row)
        else:
            yield row
    yield from last


def of_first_arguments(rows: Iterable[RunRow], count: int) -> Iterator[RunRow]:
    """The first rows, up to the one that brings in more than ``count`` arguments."""
    seen: set[str] = set()
    for row in rows:
        seen |= arguments_of(row)
        if len(seen) > count:
            break
        yield row


def one_an_argument(rows: Iterable[RunRow], matches: Callable[[str], bool]) -> Iterator[RunRow]:
    """The rows whose arguments match and were not in an earlier one of them."""
    seen: set[str] = set()
    for row in rows:
        arguments = arguments_of(row)
        if seen.isdisjoint(arguments) and all(map(matches, arguments)):
            seen |= arguments
            yield row


def arguments_of(row: RunRow) -> frozenset[str]:
    """Ids of the one or two arguments of a pair."""
    return _arguments_of(row.pair)


@lru_cache(maxsize=20_000)
def _arguments_of(item: str) -> frozenset[str]:
    return frozenset(map(argument_of, item.split(",")))
