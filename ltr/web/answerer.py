"""A task with its corpus, index and model in memory: a question in, a document for JSON out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache, partial
from typing import Any

import numpy as np

from features.core.extract import TextValues
from features.core.text import Analyzer
from ltr.cli.terminal import NOTES
from ltr.data.ids import argument_of, is_conclusion
from ltr.data.runs import SIDES, RunRow
from ltr.data.topics import Topic
from ltr.index.reader import Index
from ltr.index.values import known_values
from ltr.pipeline.confidence import expected_relevance, note_of_question
from ltr.pipeline.extract import describe_topic, term_cache
from ltr.pipeline.matrix import Matrix
from ltr.pipeline.rerank import final_list, make_run
from ltr.pipeline.search import NUMBER, best, result_of
from ltr.pipeline.sides import has_stances, sides_toward
from ltr.pipeline.task import Task
from ltr.retrieval.base import CandidateConfig
from models.base import Scores
from models.blend import Blend
from models.contributions import by_family, contributions

KEPT = 16
"""Questions whose described candidates are kept: other weights, reasons and the run need no second look."""

SHOWN = 500_000
SENTENCE = 100
"""Characters of an argument that are shown, and what a sentence counts beside its own."""

DEPTH = 1000
"""Of the list that results are chosen from, and of a run."""

AHEAD = 200_000
STEP = 10
"""Sentences that are looked at before anybody asks, and arguments at a time: a question waits for no more."""

HEADINGS = {"PRO": "For", "CON": "Against", "FIRST": "For the first", "SECOND": "For the second", "NEUTRAL": "Neither"}
"""What a group of results is called; all other sides are one group without a side."""

NO_SIDE, UNCLEAR = "No one side", "Unclear"


@dataclass(frozen=True)
class Asked:
    """A question with its candidates as the model sees them."""

    topic: Topic
    matrix: Matrix
    scores: dict[str, Scores]
    """(n_candidates,) expected grades by dimension."""


class Answerer:
    """Answers questions of one task. For one thread, but for `has_words` and `rows`."""

    def __init__(
        self, task: Task, index: Index, model: Blend, config: CandidateConfig, names: Mapping[str, str]
    ) -> None:
        self.task = task
        self.index = index
        self.names = dict(names)
        """Of the corpus and of the model, and how that was trained."""
        self.model, self.config = model, config
        self.weights = {name: model.weights[name] for name in task.weights if name in model.weights}
        self._model = model.reweighted(dict.fromkeys(model.rankers, 1.0))
        self._analyzer = Analyzer(**index.manifest["analysis"])  # other threads use that of the index
        self._ask = lru_cache(maxsize=KEPT)(self._look_up)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The index rows of all arguments by id."""
        return self.index.all_arguments()

    def has_words(self, question: str) -> bool:
        """Whether there is a word to search for in it."""
        return bool(self._analyzer.distinct(question))

    def answer(self, question: str, count: int, weights: Mapping[str, float] | None = None) -> dict[str, Any]:
        """The best ``count`` units of each side, an argument once, each with its expected grades by dimension."""
        asked = self._ask(question)
        weights = self.weights if weights is None else weights
        rows, chosen = self._ranked(asked, count, weights)
        place = {unit: row for row, unit in enumerate(asked.matrix.ids)}
        relevance = asked.scores.get("relevance") if self._model.expected_grades and weights.get("relevance") else None
        expected = expected_relevance(asked.matrix, rows, relevance).get(NUMBER)
        return {
            "question": question,
            "task": self.task.name,
            "unit": self.task.unit,
            **self.names,
            "weights": dict(weights),
            "candidates": len(asked.matrix),
            "expected_relevance": expected,
            "note": (note_of_question(expected) if expected is not None else None) or "",
            "groups": self._groups(asked.topic),
            "results": [self._result(row, asked, place[row.pair]) for row in chosen],
        }

    def reasons(self, question: str, count: int, weights: Mapping[str, float] | None = None) -> dict[str, Any]:
        """What each family of features adds to the expected grades of the units of `answer`, by dimension.

        From the mean over all candidates, before any weighting.
        """
        asked = self._ask(question)
        _, chosen = self._ranked(asked, count, self.weights if weights is None else weights)
        if not chosen:
            return {"question": question, "families": [], "units": {}}
        parts = by_family(contributions(self._model, asked.matrix))
        place = {unit: row for row, unit in enumerate(asked.matrix.ids)}
        values = parts.to_numpy().round(4)
        return {
            "question": question,
            "families": [{"dimension": str(label[0]), "family": str(label[1])} for label in parts.columns],
            "units": {row.pair: values[place[row.pair]].tolist() for row in chosen},
        }

    def run(self, question: str, weights: Mapping[str, float] | None = None) -> str:
        """The run of the question, as ltr.predict writes it with all trees, for topic 1."""
        asked = self._ask(question)
        if not len(asked.matrix):
            return ""
        scores = self._blended(asked, self.weights if weights is None else weights)
        rows = make_run(self.task, asked.matrix, scores, tag="riposte", depth=DEPTH)
        return "".join(f"1 {row.stance} {row.pair} {row.rank} {row.score!r} {row.tag}\n" for row in rows)

    def argument(self, id_: str) -> dict[str, Any] | None:
        """The argument with its sentences, `SHOWN` characters of them at most; None when the corpus has no such id."""
        if (row := self.rows.get(id_)) is None:
            return None
        sentences, left, cut = [], SHOWN, False
        for sentence in self.index.sentence_rows(row):
            name, text = self.index.sentence_id(sentence), self.index.text(sentence)
            cut = len(text) > left
            role = "conclusion" if is_conclusion(name) else "premise"
            sentences.append({"id": name, "role": role, "text": text[:left]})
            left -= len(text) + SENTENCE
            if cut or left <= 0:
                break
        cut = cut or len(sentences) < len(self.index.sentence_rows(row))
        return {
            "id": id_,
            "stance": self.index.stance(row) or None,
            "debate": self.index.title(row),
            "sentences": sentences,
            "cut": cut,
        }

    def preparations(self) -> Iterator[Callable[[], object]]:
        """What makes later answers fast, in small pieces: a first question, then the texts of the corpus."""
        # Whatever it finds: models and lexicons are loaded, and it is known which features are wanted.
        yield partial(self.answer, self.index.text(0)[:100] if self.index.sentences else "", 1)
        ends = self.index.column("sentence_end")
        last = int(np.searchsorted(ends, AHEAD, side="right"))
        for start in range(0, last, STEP):
            yield partial(self._read, range(start, min(start + STEP, last)))

    def _read(self, arguments: range) -> None:
        """Look at these arguments as questions will; the values of their texts are kept beside the index."""
        term_cache(self.index).prefetch(arguments)
        rows = np.concatenate([np.asarray(self.index.sentence_rows(argument)) for argument in arguments])
        with known_values(self.index, np.append(rows, 0)) as known:
            # What the first question, which is the first sentence, asked for.
            names = [name for name, found in known.items() if np.isfinite(found[-1])]
            values = TextValues([self.index.text(row) for row in [*rows, 0]], known)
            for name in names:
                values[name]

    def _look_up(self, question: str) -> Asked:
        topic = Topic(NUMBER, question)
        block = describe_topic(self.task, self.index, topic, self.config, self._model.columns)
        matrix = Matrix([block], self.task.unit)
        return Asked(topic, matrix, self._model.dimension_scores(matrix) if len(matrix) else {})

    def _blended(self, asked: Asked, weights: Mapping[str, float]) -> Scores:
        return self._model.reweighted(weights).combine(asked.scores)

    def _ranked(self, asked: Asked, count: int, weights: Mapping[str, float]) -> tuple[list[RunRow], list[RunRow]]:
        """The list, and the rows of it to show."""
        if not len(asked.matrix):
            return [], []
        # A list that need not have so many units has no copies in it.
        rows = final_list(asked.matrix, NUMBER, self._blended(asked, weights), depth=DEPTH, tag="", min_units=0)
        shown = sorted({argument_of(part) for row in rows for part in row.pair.split(",")})
        words = self.index.analyzer.distinct(asked.topic.title)
        tf, _ = term_cache(self.index).counts([self.rows[id_] for id_ in shown], words)
        matching = {id_: bool(found.any()) for id_, found in zip(shown, tf, strict=True)}
        side_of = sides_toward(self.index, asked.topic.title, self.rows) if has_stances(self.task) else None
        taken = self.task.sides[:2] or SIDES
        return rows, best(rows, count, matching.__getitem__, taken=taken, side_of=side_of)

    def _result(self, row: RunRow, asked: Asked, place: int) -> dict[str, Any]:
        found = asdict(result_of(self.index, row, self.rows, self.task.unit))
        for sentence in found["sentences"]:
            sentence["debate"] = self.index.title(self.rows[sentence["argument"]])
        scores = {name: round(float(scores[place]), 4) for name, scores in asked.scores.items()}
        scores = {name: scores[name] for name in self.weights}
        return {"id": row.pair, "side": self._side(row), **found, "scores": scores}

    def _side(self, row: RunRow) -> str:
        """The group that a result stands in. All that shows sides asks here."""
        return row.stance if row.stance in HEADINGS else ""

    def _groups(self, topic: Topic) -> list[dict[str, str]]:
        """Sides in the order to show them, with their headings and what they mean."""
        named = {side: text[:1].upper() + text[1:] for side, text in self.task.headings(topic).items()}
        sides = self.task.sides or SIDES
        groups = [{"side": side, "heading": named.get(side, HEADINGS[side])} for side in sides if side in HEADINGS]
        return [*groups, {"side": "", "heading": UNCLEAR if has_stances(self.task) else NO_SIDE}]

    @property
    def note(self) -> str:
        """What sides mean."""
        return NOTES["question"] if has_stances(self.task) else ""
