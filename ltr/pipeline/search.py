"""Answer one question with the best pairs of sentences, or arguments, of each side, each with its source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from features.core.sides import FOR_AND_AGAINST
from features.core.text import Analyzer
from ltr.data.ids import argument_of, is_conclusion
from ltr.data.runs import RunRow
from ltr.data.topics import LONGEST_TITLE, Topic
from ltr.errors import InputError
from ltr.escapes import clean
from ltr.index.reader import Index
from ltr.pipeline.confidence import LITTLE, expected_relevance
from ltr.pipeline.extract import FirstStage, describe_topic, term_cache
from ltr.pipeline.lists import Rescore
from ltr.pipeline.matrix import Matrix
from ltr.pipeline.rerank import ListOptions, final_list
from ltr.pipeline.sides import SideOf, Sides, side_groups
from ltr.retrieval.base import PAIR_LIMIT
from models.base import TOP_GRADE, Ranker, Scores
from models.blend import Blend, below

NUMBER = ""
"""Topic number of a question: the only topic of its matrix, and in no result list."""


@dataclass(frozen=True)
class Snippet:
    """A sentence, the premises of an argument, or a document, and its source."""

    id: str
    text: str
    role: str
    """premise, conclusion, argument or document"""
    place: int
    """Position among the argument's sentences of that role, from 1."""
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
    sentences: tuple[Snippet, ...]
    grades: Mapping[str, float] = field(default_factory=dict)
    """Dimension -> expected grade, in [0, 2]; empty for a baseline."""
    why: str = ""
    """One line that says where a side toward the question comes from, else empty."""

    @property
    def id(self) -> str:
        """The id in a run."""
        return ",".join(sentence.id for sentence in self.sentences)


@dataclass(frozen=True, repr=False)
class Answer:
    """The results for a question."""

    question: str
    results: list[Result]
    """Best first."""
    expected: float | None
    """Mean expected relevance of the five best results, in [0, 2]; None where the model does not estimate it."""
    candidates: int
    """Number of candidates that were ranked."""
    groups: list[tuple[str, str]]
    """Sides in the order to show them, each with its heading; the side of all others is ""."""

    @property
    def sides(self) -> dict[str, list[Result]]:
        """Heading -> results, best first."""
        return {heading: [r for r in self.results if self.group_of(r) == side] for side, heading in self.groups}

    @property
    def note(self) -> str:
        """A line where the corpus has little on the question, else empty."""
        if self.expected is None or self.expected >= LITTLE:
            return ""
        return f"Little on this question: expected relevance of the top five {self.expected:.2f} of {TOP_GRADE:g}."

    def group_of(self, result: Result) -> str:
        """The side of ``groups`` that a result is shown under."""
        return result.stance if result.stance in dict(self.groups) else ""

    def __repr__(self) -> str:
        lines = [" ".join(filter(None, [self.question, self.note]))]
        for heading, results in self.sides.items():
            lines += [heading] if results else []
            lines += [f"{result.rank}. {' '.join(one.text for one in result.sentences)}" for result in results]
        return "\n".join(map(clean, lines))

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        rows = []
        for heading, results in self.sides.items():
            rows += [f"<tr><th colspan=4 style='text-align:left'>{_html(heading)}</th></tr>"] if results else []
            for result in results:
                texts = "<br>".join(f"{_html(one.text)} <small>{_html(one.id)}</small>" for one in result.sentences)
                grades = ", ".join(f"{_html(name)} {grade:.2f}" for name, grade in result.grades.items())
                cells = (str(result.rank), f"<div style='text-align:left'>{texts}</div>", grades, f"{result.score:.3f}")
                rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        head = "<tr><th>rank</th><th>text</th><th>expected grades</th><th>score</th></tr>"
        caption = " ".join(filter(None, [self.question, self.note]))
        return f"<table><caption>{_html(caption)}</caption>{head}{''.join(rows)}</table>"


@dataclass(frozen=True)
class Question:
    """A question with its candidates, described and graded."""

    topic: Topic
    matrix: Matrix
    ranker: Ranker
    grades: Mapping[str, Scores]
    """Dimension -> (n_candidates,) expected grades, whatever the weights; empty for a baseline."""
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
        return below(model.combine(self.grades), self.ranker.in_head(self.matrix), self.matrix.groups)

    def relevance(self, weights: Mapping[str, float] | None = None) -> Scores | None:
        """(n_candidates,) expected relevance; None where it is not estimated, or has no weight."""
        if not isinstance(self.ranker, Blend) or not self.ranker.expected_grades:
            return None
        return self.grades.get("relevance") if (weights or self.ranker.weights).get("relevance") else None


@dataclass(frozen=True)
class Selection:
    """Which results of a list are shown."""

    count: int = 5
    """Results of each side."""
    every: bool = False
    """Whether an argument may come more than once."""
    toward_question: bool = True
    """Whether sides are toward the question, where items have stances at all; else those of the corpus."""


def checked_question(question: str, analyzer: Analyzer) -> str:
    """The question as it can be searched for and printed: a shell passes on bytes that are not text as well.

    Raises InputError for one without a word to search for, and for one that is too long.
    """
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
    matrix = Matrix([describe_topic(first_stage, topic, every.columns)], first_stage.task.unit)
    grades = every.dimension_scores(matrix) if isinstance(every, Blend) and len(matrix) else {}
    return Question(topic, matrix, ranker, grades)


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
    expected = expected_relevance(matrix, rows, question.relevance(weights)).get(NUMBER)
    listed = sorted({argument for row in rows for argument in arguments_of(row)})
    counts, _ = term_cache(index).counts([arguments[id_] for id_ in listed], index.analyzer.distinct(topic.title))
    matching = {id_: bool(terms.any()) for id_, terms in zip(listed, counts, strict=True)}
    toward_question = selection.toward_question and task.has_stances
    side_of = Sides(index, topic.title, arguments) if toward_question else None
    chosen = best(rows, selection, matching.__getitem__, task.sides[:2] or FOR_AND_AGAINST, side_of)
    row_of = {id_: row for row, id_ in enumerate(matrix.ids)}
    ordered = {name: question.grades[name] for name in task.weights if name in question.grades}
    results = [
        Result(
            row.rank,
            row.stance,
            row.score,
            snippets_of(index, row.pair, arguments, task.unit),
            {name: float(grades[row_of[row.pair]]) for name, grades in ordered.items()},
            side_of.why(row.pair) if side_of else "",
        )
        for row in chosen
    ]
    return Answer(topic.title, results, expected, len(matrix), groups)


def best(
    rows: Sequence[RunRow],
    selection: Selection,
    matches: Callable[[str], bool],
    sides: Sequence[str] = FOR_AND_AGAINST,
    side_of: SideOf | None = None,
) -> list[RunRow]:
    """The first rows of each side whose arguments match; of each argument one row, unless ``selection.every``.

    ``side_of`` replaces the stance of a row. A row that takes neither of the two ``sides`` is kept only among the
    first ``2 * selection.count``, as many as those two have room for.
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
        position += 1
        shown |= arguments
        row = row if side_of is None else row._replace(stance=side_of(row.pair))  # noqa: PLW2901
        if room[row.stance] < count and (row.stance in sides or position <= 2 * count):
            room[row.stance] += 1
            chosen.append(row)
    return chosen


def arguments_of(row: RunRow) -> set[str]:
    """Ids of the one or two arguments of a pair."""
    return set(map(argument_of, row.pair.split(",")))


def snippets_of(index: Index, item: str, arguments: Mapping[str, int], unit: str) -> tuple[Snippet, ...]:
    """The sentences of a pair, or the one argument or document (``unit``), by the id of the item.

    ``arguments`` are the index rows of argument ids. Raises KeyError or ValueError for an id that is not there.
    """
    return tuple(_snippet(index, id_, arguments, unit) for id_ in item.split(","))


def _snippet(index: Index, id_: str, arguments: Mapping[str, int], unit: str) -> Snippet:
    argument = argument_of(id_)
    number = arguments[argument]
    ids = {index.sentence_id(row): row for row in index.sentence_rows(number)}
    conclusion = int(index.column("conclusion_row")[number])
    if id_ == argument:
        role, same, rows = unit, [id_], [row for row in ids.values() if row != conclusion or len(ids) == 1]
    else:
        role = "conclusion" if is_conclusion(id_) else "premise"
        same, rows = [other for other in ids if is_conclusion(other) == is_conclusion(id_)], [ids[id_]]
    text, title = " ".join(map(index.text, rows)), index.text(conclusion) if conclusion >= 0 else ""
    return Snippet(
        id_, text, role, same.index(id_) + 1, len(same), argument, conclusion=title, stance=index.stance(number) or None
    )


def _html(text: str) -> str:
    return escape(clean(text))
