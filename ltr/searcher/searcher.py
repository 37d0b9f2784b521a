"""A corpus, its index, a model and a task in one object: what commands, pages, pipelines and notebooks work with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ltr.answers.answer import Answer
from ltr.answers.clauses import first_part
from ltr.answers.explanation import Explanation, explain_rows, refuse_other_scores, rows_at
from ltr.answers.search import answer
from ltr.answers.select import Selection
from ltr.answers.sides import Sides
from ltr.answers.spelling import Reading, Speller, checked_question
from ltr.answers.understand import Question, subject_of, understand
from ltr.data.frames import check_columns, id_text
from ltr.data.runs import RunRow, read_run
from ltr.data.topics import Topic
from ltr.errors import InputError, SettingError
from ltr.ranking.final_list import COLUMNS, ListOptions, Run, make_run
from ltr.ranking.steps import graded
from ltr.searcher.opened import Topics
from ltr.searcher.ranking import RankingSearcher
from ltr.settings import checked
from ltr.settings.kinds import Number
from models.base import Scores

KEPT = 16
"""Questions whose described candidates are kept: other weights and explanations need not describe them again."""


class Searcher(RankingSearcher):
    """Ranks, searches and explains on one corpus; its index is opened, or built, when it is first needed.

    Parameters
    ----------
    corpus : str or Path, optional
        A folder or file as for ``riposte predict -i``, or ``irds:<dataset>``; by default the sample.
    model : optional
        A model folder or the name of a baseline; what `ltr.train` returns, a `models.base.Ranker`, or a scikit-learn
        estimator fitted on feature columns; by default the model that ships.
    task : str
        pairs, arguments or comparative.
    index : str, Path or Index, optional
        The folder of the index, or an open index; by default a folder in the user's cache.
    encoder : optional
        What a model with a second step reads, a folder or a function with a ``name``; by default the one that ships;
        "none": rank by the first step alone.
    jobs : int or Resources, optional
        Processes and threads; by default all cores.

    Raises
    ------
    InputError
        For everything that can be corrected.

    Examples
    --------
    >>> import ltr
    >>> with ltr.Searcher() as debates:  # the sample; a corpus of your own: ltr.Searcher("path/to/corpus")
    ...     answer = debates.search("Should cities ban cars from their centres?")
    >>> list(answer.sides)
    ['For', 'Against', 'Unclear']
    """

    def search(
        self,
        question: str,
        count: int = 5,
        *,
        selection: Selection | None = None,
        weights: Mapping[str, float] | None = None,
        spelling: bool = True,
    ) -> Answer:
        """The best results of each side, best first; none where no word of the question is in the corpus.

        Parameters
        ----------
        question : str
            What is asked, in a sentence or in keywords.
        count : int
            Results of each side, at most.
        selection : Selection, optional
            More choices than ``count``, which it replaces: also which conclusions are what is asked, or the opposite.
        weights : dict, optional
            Weights of dimensions for this question alone: of a model with a second step they order the same head anew.
        spelling : bool
            Whether misspelt words are corrected.

        Returns
        -------
        Answer
            With ``sides``, heading -> results.

        Raises
        ------
        InputError
            For a question without a word to search for, and for weights out of range.
        """
        selection = selection or Selection(count)
        checked("count", Number(1), selection.count)
        reading = self.read(question, spelling=spelling)
        asked = self.look_up(reading.question, weights)
        with self.resources.progress.stage("choose"):
            found = answer(self.source, asked, self.scores(asked), selection, self.reader)
        return replace(found, note=" ".join(filter(None, [reading.note, found.note])), spelled=reading.spelled)

    def read(self, question: str, *, spelling: bool = True) -> Reading:
        """The question as it is understood: its first part, misspelt words corrected. Raises InputError as `search`."""
        question = checked_question(question, self.index.analyzer)
        if not spelling:
            return Reading(question)
        if self._session.speller is None:
            self._session.speller = Speller(self.index)
        reading = self._session.speller.read(question)
        first, rest = first_part(reading.question)
        if not rest:
            return reading
        note = f'This is on the first part; ask apart: "{rest}"'
        return Reading(first, question, " ".join(filter(None, [reading.note, note])))

    def look_up(self, question: str, weights: Mapping[str, float] | None = None) -> Question:
        """The candidates of a question that was `read`, described and graded. Raises InputError for other weights."""
        blend = None if weights is None else self.model.reweighted(weights).blend
        if question not in self._questions:
            source = self.source  # the index is opened before the clock runs
            if len(self._questions) == KEPT:
                del self._questions[next(iter(self._questions))]
            with self.resources.progress.stage("candidates and features"):
                self._questions[question] = understand(source, self.model.grader, question, self.reader)
        asked = self._questions[question]
        return replace(asked, blend=blend) if blend else asked

    def scores(self, asked: Question) -> Scores:
        """(n_candidates,) scores of a question's candidates, after the re-ranker."""
        return self.rescored(asked.table, asked.scores, ListOptions())

    def explain(
        self,
        topic: str | Topic,
        rank: int,
        against: int | None = None,
        *,
        run: str | Path | Run | None = None,
        topics: Topics = None,
        second_step_depth: int | None = None,
    ) -> Explanation:
        """Explain the rank of an item, or its lead over the item at rank ``against``, by what features add to scores.

        ``topic`` is a number among ``topics``. ``run`` is a run of this model, or its file; by default the topic is
        ranked here. ``second_step_depth`` as in `rank`. Raises InputError, also for a run of another corpus or model.
        """
        if self.reranking:
            what = f"{self.reranking.description}: features explain the model's order alone"
            raise SettingError("rerank", what, "explain the list without a re-ranker")
        if against == rank:
            raise SettingError("against", "a pair is not ranked above itself", "name another rank")
        model = self.model.blend
        if not model.dimensions:
            raise InputError("model", f"{self.model.name} has no dimensions to explain", "name a trained model")
        rows = read_run(Path(run)) if isinstance(run, str | Path) else [] if run is None else _rows(run)
        where = run if isinstance(run, str | Path) else "the run"
        topic = topic if isinstance(topic, Topic) else id_text(topic) or str(topic)
        ranks = [rank] if against is None else [rank, against]
        if run is not None:
            rows_at(rows, topic.number if isinstance(topic, Topic) else topic, ranks, where)
        topic = self._topic(topic, topics)
        with self.resources.progress.stage("explain"):
            source = self.source.with_head(second_step_depth)
            table = graded(source, self.model.grader, topic)
            subject = subject_of(source, self.model.second_step, topic.title, table, self.reader)
            sides = Sides(self.index, topic.title, subject, reader=self.reader) if self.task.has_stances else None
            scores = table["score"].to_numpy()
            if run is None:
                rows = make_run(self.task, table, scores, ListOptions(tag=self.model.tag)).rows()
            else:
                rows = [row for row in rows if row.topic == topic.number]
                refuse_other_scores(where, rows, dict(zip(table.ids.tolist(), scores.tolist(), strict=True)))
            asked = rows_at(rows, topic.number, ranks, where)
            figures = explain_rows(asked, model, table, self.index, sides)
        names = {"question": topic.title, "topic": topic.number, "model": self.model.description}
        return Explanation(names | figures)

    def _topic(self, topic: str | Topic, topics: Topics) -> Topic:
        if isinstance(topic, Topic):
            return topic
        known = {each.number: each for each in self.topics(topics)}
        if topic not in known:
            where = topics if isinstance(topics, str | Path) else self.corpus.name
            hint = "name the corpus of the run, or its topics"
            raise InputError(where, f"there is no topic {topic[:80]}", hint)
        return known[topic]


def _rows(run: Run) -> list[RunRow]:
    """The rows of a frame. Raises SettingError for one without a run's columns."""
    check_columns(run, [*COLUMNS], "run")
    return Run(run).rows()
