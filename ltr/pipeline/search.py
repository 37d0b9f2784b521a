"""The best pairs of sentences, or arguments, for one question, each with its source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from ltr.data.ids import argument_of, is_conclusion
from ltr.data.runs import SIDES, RunRow
from ltr.data.topics import Topic
from ltr.index.reader import Index
from ltr.pipeline.confidence import expected_relevance, score_with_relevance
from ltr.pipeline.extract import describe_topic
from ltr.pipeline.matrix import Matrix
from ltr.pipeline.rerank import final_list
from ltr.pipeline.sides import SideOf, has_stances, sides_toward
from ltr.pipeline.task import Task
from ltr.progress import Progress
from ltr.retrieval.base import PAIR_LIMIT, CandidateConfig
from models.base import Ranker

NUMBER = ""
"""A question is the only topic of its matrix, and in no result list."""


@dataclass(frozen=True)
class Sentence:
    """A sentence, or the premises of an argument, and where they come from."""

    id: str
    text: str
    role: str
    """premise, conclusion, argument or document"""
    place: int
    """From 1, among the argument's sentences of that role."""
    of: int
    argument: str
    conclusion: str
    stance: str | None


@dataclass(frozen=True)
class Result:
    """A pair or an argument, with its rank and score in the whole list."""

    rank: int
    stance: str
    score: float
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True)
class Answer:
    """What a search found."""

    results: list[Result]
    """Ranks ascending."""
    expected: float | None
    """Mean expected relevance of the five best pairs, in [0, 2]; None where the model cannot tell."""


def search(
    task: Task,
    index: Index,
    ranker: Ranker,
    config: CandidateConfig,
    question: str,
    count: int,
    *,
    every: bool = False,
    toward_question: bool = True,
    progress: Progress,
) -> Answer:
    """The best ``count`` pairs of each side by rank, none when nothing matches; see `best` for ``every``.

    Sides are ``toward_question``, where units have stances at all, or those of the corpus.
    """
    with progress.stage("candidates and features"):
        matrix = Matrix([describe_topic(task, index, Topic(NUMBER, question), config, ranker.columns)], task.unit)
    if not len(matrix):
        return Answer([], None)
    with progress.stage("rank"):
        scores, relevance = score_with_relevance(ranker, matrix)
        rows = final_list(matrix, NUMBER, scores, depth=PAIR_LIMIT, tag="search", min_units=task.min_units)
        expected = expected_relevance(matrix, rows, relevance).get(NUMBER)
    with progress.stage("choose"):
        arguments = index.argument_rows([argument for row in rows for argument in arguments_of(row)])
        terms = set(index.analyzer.distinct(question))

        @cache
        def matches(argument: str) -> bool:
            sentences = map(index.text, index.sentence_rows(arguments[argument]))
            return any(not terms.isdisjoint(index.analyzer.terms(text)) for text in sentences)

        side_of = sides_toward(index, question, arguments) if toward_question and has_stances(task) else None
        kept, taken = without_copies(matrix, rows), task.sides[:2] or SIDES
        chosen = best(kept, count, matches, every=every, taken=taken, side_of=side_of)
        return Answer([result_of(index, row, arguments, task.unit) for row in chosen], expected)


def without_copies(matrix: Matrix, rows: Sequence[RunRow]) -> list[RunRow]:
    """``rows`` up to where `final_list` fills up a short run with near-duplicates, which no reader wants."""
    clusters = dict(zip(matrix.ids, map(frozenset, matrix.keys.tolist()), strict=True))
    seen: set[frozenset[int]] = set()
    for place, row in enumerate(rows):
        pair = clusters[row.pair]
        if len(pair) < matrix.keys.shape[1] or pair in seen:
            return list(rows[:place])
        seen.add(pair)
    return list(rows)


def best(
    rows: Sequence[RunRow],
    count: int,
    matches: Callable[[str], bool],
    *,
    every: bool = False,
    taken: Sequence[str] = SIDES,
    side_of: SideOf | None = None,
) -> list[RunRow]:
    """The first ``count`` rows of each side whose arguments match; of each argument one row, unless ``every``.

    The side is what ``side_of`` says, and stands in the row for its stance; without it, it is the stance.

    A row that takes none of the two sides ``taken`` stays only when it is among the first ``2 * count``, as many as
    those have room for.
    """
    chosen: list[RunRow] = []
    shown: set[str] = set()
    room: Counter[str] = Counter()
    place = 0
    for row in rows:
        arguments = arguments_of(row)
        if (not every and not shown.isdisjoint(arguments)) or not all(map(matches, arguments)):
            continue
        if place >= 2 * count and all(room[side] >= count for side in taken):
            break
        place += 1
        shown |= arguments
        row = row if side_of is None else row._replace(stance=side_of(row.pair))  # noqa: PLW2901
        if room[row.stance] < count and (row.stance in taken or place <= 2 * count):
            room[row.stance] += 1
            chosen.append(row)
    return chosen


def arguments_of(row: RunRow) -> set[str]:
    """Ids of the one or two arguments of a pair."""
    return set(map(argument_of, row.pair.split(",")))


def result_of(index: Index, row: RunRow, arguments: dict[str, int], unit: str) -> Result:
    """A row of the run with its texts. ``arguments`` gives the index rows of argument ids."""
    parts = tuple(sentence_of(index, id_, arguments, unit) for id_ in row.pair.split(","))
    return Result(row.rank, row.stance, row.score, parts)


def sentence_of(index: Index, id_: str, arguments: dict[str, int], unit: str) -> Sentence:
    """The sentence, or the argument or document (``unit``), of that id, from the index."""
    argument = argument_of(id_)
    number = arguments[argument]
    ids = {index.sentence_id(row): row for row in index.sentence_rows(number)}
    conclusion = int(index.column("conclusion_row")[number])
    if id_ == argument:
        role, same, rows = unit, [id_], [row for row in ids.values() if row != conclusion or len(ids) == 1]
    else:
        role = "conclusion" if is_conclusion(id_) else "premise"
        same, rows = [other for other in ids if is_conclusion(other) == is_conclusion(id_)], [ids[id_]]
    return Sentence(
        id=id_,
        text=" ".join(map(index.text, rows)),
        role=role,
        place=same.index(id_) + 1,
        of=len(same),
        argument=argument,
        conclusion=index.text(conclusion) if conclusion >= 0 else "",
        stance=index.stance(number) or None,
    )
