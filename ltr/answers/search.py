"""Answer one question with the best pairs of sentences, or arguments, of each side, each with its source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, filterfalse, islice

import numpy as np

from features.core.sides import FOR_AND_AGAINST
from features.core.text import Analyzer
from ltr.answers.answer import Answer, Result, side_group
from ltr.answers.duplicates import Copies
from ltr.answers.points import COUNTED, Candidates, find_points
from ltr.answers.selection import Selection, best, of_first_arguments, one_an_argument
from ltr.answers.sides import TOWARD_QUESTION, SideOf, Sides, premises_of, side_groups
from ltr.answers.snippets import snippets_of
from ltr.answers.subject import Subject, find_subject, is_notice, name_missing
from ltr.data.ids import argument_of
from ltr.data.runs import RunRow
from ltr.data.topics import LONGEST_TITLE, Topic
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.ranking.confidence import FIRST, LEAST, expected_relevance, note_missing, note_on
from ltr.ranking.describe import FirstStage, term_cache
from ltr.ranking.final_list import ListOptions, final_list
from ltr.ranking.lists import Rescore
from ltr.ranking.matrix import Block, Matrix
from ltr.ranking.two_steps import grade_topic
from ltr.retrieval.base import PAIR_LIMIT
from ltr.text_models.kept_vectors import Vectors
from ltr.text_models.stance import prepare, shipped_reader
from models.base import DIMENSIONS, TOP_GRADE, Scores
from models.blend import Blend, below

NUMBER = ""
"""Topic number of a question: the only topic of its matrix, and in no result list."""

FEW, SHORT = 600, 3_000
"""Arguments and sentences of a corpus that is small enough to be read as a whole: the first question takes some 3 ms a
sentence. A corpus that is no longer than a list of candidates is small, too."""
WEAK = 25
"""First arguments among whose weak candidates weak results are looked for: the side of each takes time."""


@dataclass(frozen=True)
class Question:
    """A question with its candidates, described and graded."""

    topic: Topic
    matrix: Matrix
    model: Blend
    grades: Mapping[str, Scores]
    """Ranker of the blend -> (n_candidates,) its scores, whatever the weights."""
    rescore: Rescore | None = None
    """Changes the order of the head; None: it stays."""
    subject: Subject = field(default_factory=Subject)
    """The debates that it is about."""

    def scores(self, weights: Mapping[str, float] | None = None) -> Scores:
        """(n_candidates,) scores by the model, or by other ``weights`` of its dimensions, and then by the re-ranker."""
        scores = self._model_scores(weights)
        return self.rescore(self.matrix, [self.topic], scores, ListOptions()) if self.rescore else scores

    def _model_scores(self, weights: Mapping[str, float] | None) -> Scores:
        model = self.model if weights is None else self.model.reweighted(weights)
        return below(model.combine(self.grades), self.matrix.head, self.matrix.groups)

    def relevance(self, weights: Mapping[str, float] | None = None) -> Scores | None:
        """(n_candidates,) expected relevance; None where it is not estimated, or has no weight."""
        if not self.model.expected_grades:
            return None
        return self.grades.get("relevance") if (weights or self.model.weights).get("relevance") else None

    def on_subject(self, index: Index) -> dict[str, bool]:
        """Ids of the candidates that are about the subject, and whether they argue about it, or are a notice."""
        notices: dict[int, bool] = {}
        found: dict[str, bool] = {}
        for id_ in self.matrix.ids.tolist():
            rows = {index.row_of[argument_of(part)] for part in id_.split(",")}
            if rows <= self.subject.rows:
                for row in rows - notices.keys():
                    notices[row] = is_notice(premises_of(index, row, COUNTED))
                found[id_] = not any(map(notices.__getitem__, rows))
        return found


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


def describe_question(first_stage: FirstStage, model: Blend, question: str) -> Question:
    """Propose, describe and grade the candidates of a question."""
    every = model.reweighted(dict.fromkeys(model.rankers, 1.0))
    topic = Topic(NUMBER, question)
    _open_ahead(first_stage, question)
    subject = subject_of(first_stage, question) if model.dimensions else Subject()
    block = grade_topic(first_stage, topic, model, every.columns, items_of(first_stage, question, sorted(subject.rows)))
    subject = subject_of(first_stage, question, block) if block.head.any() and not subject.nearest else subject
    matrix = Matrix([block], first_stage.task.unit)
    grades = matrix.grades
    if len(matrix) and (more := model.rankers.keys() - grades.keys()):
        grades = grades | model.reweighted(dict.fromkeys(more, 1.0)).grades(matrix)
    return Question(topic, matrix, model, grades, subject=subject)


def subject_of(first_stage: FirstStage, question: str, block: Block | None = None) -> Subject:
    """The debates that a question is about: of a whole small corpus, else of the head of the candidates, whose vectors
    are known; unknown without these.
    """
    index, unit = first_stage.index, first_stage.task.unit
    few = index.arguments <= first_stage.config.arguments or (index.arguments <= FEW and index.sentences <= SHORT)
    if not first_stage.task.has_stances or (block is None and not few):
        return Subject()
    sentences: Iterable[int] = range(index.sentences)
    if block is not None and not few:
        items: list[int] = np.unique(block.candidates.units[block.head]).tolist()
        sentences = items if unit == "pair" else [row for item in items for row in index.sentence_rows(item)[:2]]
    others = block.candidates.arguments if block is not None else ()
    return find_subject(index, first_stage.encoder, question, sentences, others)


def items_of(first_stage: FirstStage, question: str, rows: Sequence[int]) -> list[str]:
    """The ids of all items that these arguments can give."""
    index = first_stage.index
    query = index.analyzer.distinct(question)
    return first_stage.task.items_of(index, query, term_cache(index), first_stage.config, rows)


def _open_ahead(first_stage: FirstStage, question: str) -> None:
    """Open in another thread, while candidates are looked for, the models that will read a new question."""
    index, encoder = first_stage.index, first_stage.encoder
    if encoder and not Vectors(index, encoder).knows(question):
        encoder.prepare()
        if first_stage.task.has_stances and shipped_reader(index.folder):
            prepare()


def answer(
    first_stage: FirstStage, question: Question, selection: Selection, weights: Mapping[str, float] | None = None
) -> Answer:
    """The best results of each side; none when nothing matches."""
    task, index, matrix, topic = first_stage.task, first_stage.index, question.matrix, question.topic
    groups = side_groups(task, topic)
    if not len(matrix):
        return Answer(topic.title, [], None, 0, groups)
    relevance, scores = question.relevance(weights), question.scores(weights)
    listed = sorted({argument_of(id_) for id_ in set(matrix.parts.ravel().tolist())})
    terms = index.analyzer.distinct(topic.title)
    listed_rows = [index.row_of[id_] for id_ in listed]
    counts, _ = term_cache(index).counts(listed_rows, terms)
    on = [row in question.subject.rows for row in listed_rows]
    missing = {term for term, count in zip(terms, counts[on].sum(axis=0), strict=True) if not count}
    subject = name_missing(question.subject, index, first_stage.encoder, topic.title, missing)
    matching = {id_: its or bool(found.any()) for id_, its, found in zip(listed, on, counts, strict=True)}
    toward_question = selection.toward_question and task.has_stances
    sides = Sides(index, topic.title, subject, selection.known) if toward_question else None
    argues = question.on_subject(index)
    apart = [id_ for id_ in argues if sides and not sides.agree(id_)]
    # A list of any length: near-duplicates, which fill up the short list of a run, are left out.
    stand = ~np.isin(matrix.ids, apart)
    rows = final_list(matrix.only(stand) if apart else matrix, NUMBER, scores[stand], ListOptions(depth=PAIR_LIMIT))
    expected = expected_relevance(matrix, rows[:FIRST], relevance).get(NUMBER)
    side_of: SideOf = sides or {row.pair: row.stance for row in rows}.__getitem__
    low = set() if relevance is None else {*matrix.ids[relevance < LEAST].tolist()}
    weak = {id_ for id_ in argues if not argues[id_]} | (low - argues.keys())
    # What is worth showing by itself comes first, then what the debates on the subject have beside it.
    strong = sorted((row for row in rows if row.pair not in weak), key=lambda row: row.pair in low)
    weaker = [row for row in rows if row.pair in weak]
    found = Candidates(index, topic.title)
    copies = None if selection.every else Copies(found.all_terms)
    talk = cache(found.announces) if task.unit == "pair" else lambda _: False

    def announces(row: RunRow) -> bool:
        return talk(row.pair)

    candidates = chain(filterfalse(announces, strong), filter(announces, strong), of_first_arguments(weaker, WEAK))
    chosen = best(
        candidates, selection, matching.__getitem__, task.sides[:2] or FOR_AND_AGAINST, side_of=side_of, copies=copies
    )
    weak |= {row.pair for row in chosen if talk(row.pair)}
    worth = [row for row in chosen if row.pair not in weak]
    others = [
        row.pair for row in islice(one_an_argument(filterfalse(announces, strong), matching.__getitem__), COUNTED)
    ]
    shown = {side: [row.pair for row in worth if side_group(row.stance, groups) == side] for side, _ in groups}

    def group_of(item: str) -> str:
        return side_group(side_of(item), groups)

    likely = {row.pair for row in chosen if sides and sides.is_likely(row.pair)}
    points, point_of = find_points(found, shown, others, group_of, likely | low) if task.has_stances else ([], {})
    place = {id_: row for row, id_ in enumerate(matrix.ids)}
    first = [] if relevance is None else [float(relevance[place[row.pair]]) for row in worth or chosen]
    known = question.grades if question.model.dimensions else {}
    ordered = {name: known[name] for name in task.weights if name in known}
    ordered |= {name: np.clip(ordered[name], 0, TOP_GRADE) for name in DIMENSIONS if name in ordered}
    results = [
        Result(
            row.rank,
            row.stance,
            row.score,
            snippets_of(index, row.pair, task.unit),
            {name: float(scores[place[row.pair]]) for name, scores in ordered.items()},
            sides.why(row.pair) if sides else "",
            row.pair in weak,
            tuple(copies.alike.get(row.pair, ())) if copies else (),
            point_of.get(row.pair),
            likely=row.pair in likely,
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
        note=" ".join(
            filter(None, [note_missing(subject.unnamed), note_on(len(others), first, recognised=bool(subject.rows))])
        ),
        ask=sides.doubtful(row.pair for row in worth) if sides else "",
        toward=("question" if toward_question else "conclusion") if task.has_stances else None,
        headings=TOWARD_QUESTION if toward_question else task.headings(topic),
    )
