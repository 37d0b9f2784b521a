"""A corpus, its index, a model and a task in one object: what commands, pages, pipelines and notebooks work with."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from features.core.feature import KINDS
from features.core.feature import columns as feature_columns
from ltr.answers.answer import Answer
from ltr.answers.explanation import Explanation, explain_rows, refuse_other_scores, rows_at
from ltr.answers.question import Question, subject_of, understand
from ltr.answers.search import answer
from ltr.answers.select import Selection
from ltr.answers.sides import rows_toward, sides_in_run
from ltr.answers.spelling import Reading, Speller
from ltr.answers.texts import snippets_of
from ltr.answers.understand import checked_question
from ltr.corpora.base import Corpus
from ltr.corpora.source import find_topics
from ltr.data.runs import RunRow, read_run
from ltr.data.topics import Topic, topics_of
from ltr.errors import InputError, SettingError
from ltr.index.reader import Index
from ltr.model_folder.choice import EncoderName, ModelName, files_of_model, load_model
from ltr.model_folder.store import LoadedModel
from ltr.parallel import Workers
from ltr.ranking.candidates import Candidates
from ltr.ranking.confidence import expected_relevance
from ltr.ranking.corpus import IndexedCorpus
from ltr.ranking.feature_tables import forget_terms
from ltr.ranking.final_list import ListOptions, make_run, rows_of_items, run_of_items
from ltr.ranking.lists import Run
from ltr.ranking.reranking import DEPTH, Reranking, TextReader, rescored
from ltr.ranking.source import Include, RankingSource, Resources, by_workers, topic_calls
from ltr.ranking.steps import Grader, describe, grade, graded, propose, to_list
from ltr.ranking.task import Task, find_task, task_names
from ltr.settings import checked
from ltr.settings.kinds import SHARE, Number
from ltr.text_models.rerankers import RerankerName, open_reranker
from models.base import Scores, rankers
from models.defaults import DIVERSIFY

KEPT = 16
"""Questions whose described candidates are kept: other weights and explanations need not describe them again."""

Topics = str | Path | pd.DataFrame | Sequence[Topic | tuple[str, str]] | None
"""A topics file; a frame with ``qid`` and ``query``; topics, or (number, title); None: the topics beside the corpus."""


class Session:
    """A corpus that several searchers share, with what is open of it; in another process it is opened again."""

    def __init__(self, task: Task, corpus: str | Path | None, folder: str | Path | None) -> None:
        self._given = task, corpus, folder
        self.indexed = IndexedCorpus.open(task, corpus, folder)
        self.index: Index | None = None
        self.speller: Speller | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._given

    def close(self) -> None:
        """Let go of the index and of what was read of it."""
        self.index = self.speller = None
        forget_terms()


class Searcher:
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

    def __init__(
        self,
        corpus: str | Path | None = None,
        *,
        model: ModelName = None,
        task: str = "pairs",
        index: str | Path | Index | None = None,
        encoder: EncoderName = None,
        jobs: int | Resources | None = None,
    ) -> None:
        if jobs is not None and not isinstance(jobs, Resources):
            checked("jobs", Number(1), jobs)
            jobs = Resources(Workers(jobs))
        self.resources: Resources = jobs or Resources()
        if task not in task_names():
            raise InputError("task", f"there is no task {task!r}", f"name one of: {', '.join(task_names())}")
        self.task: Task = find_task(task)
        where = index.folder.parent if isinstance(index, Index) else index
        self._session = Session(self.task, corpus, where)
        threads, progress = self.resources.workers.jobs, self.resources.progress
        with progress.stage("model"):
            self.model: LoadedModel = load_model(self.task, model, threads=threads, progress=progress, encoder=encoder)
        if isinstance(index, Index):
            self._session.index = index
        self._questions: dict[str, Question] = {}
        self._weights: Mapping[str, float] | None = None
        self.reranking: Reranking | None = None

    @property
    def indexed(self) -> IndexedCorpus:
        """The corpus and the folder of its index."""
        return self._session.indexed

    @property
    def corpus(self) -> Corpus:
        """The corpus."""
        return self.indexed.corpus

    def with_workers(self, workers: Workers) -> Searcher:
        """A new searcher, whose work is done by these processes."""
        return self._with(resources=replace(self.resources, workers=workers))

    def with_weights(self, weights: Mapping[str, float] | None) -> Searcher:
        """A new searcher, with other weights of the model's dimensions; None: as they are. Raises InputError.

        Dimensions that are not named have none; baselines in the model's blend, such as ``"words"``, keep theirs.
        Searchers that are made of each other share corpus and index, also when one of them is closed: it is opened
        again for whoever asks next.
        """
        return self._with(model=self.model.reweighted(weights), _weights=weights) if weights else self._with()

    def with_reranker(
        self, reranker: RerankerName | None, *, depth: int | None = None, weight: float | None = None
    ) -> Searcher:
        """A new searcher, with the best ``depth`` (100) items of each list ordered by a re-ranker; None: by the model.

        ``reranker``: a function ``(question, texts) -> scores``, ``MODULE:FUNCTION``, a folder with an ONNX
        cross-encoder, or another name for `ltr.text_models.open_reranker`. ``weight``, from 0 to 1, is its share in the
        order; the rest is the model's. By default it decides alone. Raises InputError.
        """
        if reranker is None:
            if depth is not None or weight is not None:
                raise SettingError("rerank", "a depth and a weight need a re-ranker", "name one")
            return self._with(reranking=None)
        depth, weight = DEPTH if depth is None else depth, 1.0 if weight is None else weight
        checked("depth", Number(1), depth)
        checked("weight", SHARE, weight)
        opened = open_reranker(reranker, threads=self.resources.workers.jobs)
        return self._with(reranking=Reranking(opened, depth, weight))

    def _with(self, **changes: Any) -> Searcher:
        other = object.__new__(type(self))
        vars(other).update(vars(self), **changes, _questions={})  # questions have the ranker of before
        return other

    def __getstate__(self) -> dict[str, Any]:
        """All but the questions."""
        return vars(self) | {"_questions": {}}

    @property
    def identity(self) -> tuple[Any, ...]:
        """Equal for searchers that produce the same ranking."""
        model, reranking = self.model, self.reranking
        ranked = model.manifest["digest"] if model.manifest else model.name
        of_object = model.blend if model.manifest is None and model.name not in rankers() else None
        weights = tuple(sorted(model.blend.weights.items()))
        encoder = model.second_step.digest if model.second_step else None
        by = (reranking.reranker.digest or reranking.reranker, reranking.depth, reranking.weight) if reranking else None
        return str(self.corpus.name), self.task.name, ranked, of_object, weights, encoder, by

    def rescored(self, candidates: Candidates, scores: Scores, options: ListOptions) -> Scores:
        """(n_rows,) ``scores`` after the re-ranker, or as they are. Raises InputError where it fails."""
        if self.reranking is None or not len(candidates):
            return scores
        reader = TextReader(self.text, self.index.folder, self.resources.progress)
        titles = {topic.number: topic.title for topic in candidates.asked}
        return rescored(self.reranking, reader, candidates, titles, scores, options.diversify)

    @property
    def description(self) -> str:
        """Which ranker, with which other weights, and which re-ranker order the items, in a line."""
        parts = [self.model.description]
        if self._weights:
            weights = {**self._weights, **self.model.blend.weights}  # in the order in which they were given
            parts.append("weights " + ", ".join(f"{weight:g} {name}" for name, weight in weights.items() if weight))
        return ", ".join([*parts, *([self.reranking.description] if self.reranking else [])])

    def __enter__(self) -> Searcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index and of what was read of it."""
        self._questions.clear()
        self._session.close()

    def __repr__(self) -> str:
        return f"Searcher({self.corpus.name!r}, task={self.task.name!r}, ranked by {self.description})"

    @property
    def index(self) -> Index:
        """The index of the corpus, built when it is absent or stale."""
        if self._session.index is None:
            self._session.index = self.indexed.open_index(self.resources)
        return self._session.index

    @property
    def source(self) -> RankingSource:
        """The steps' input: the index, with the first stage's depths as in the model's training."""
        return RankingSource(self.task, self.index, self.model.config)

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
            found = answer(self.source, asked, self.scores(asked), selection)
        return replace(found, note=reading.note or found.note, spelled=reading.spelled)

    def read(self, question: str, *, spelling: bool = True) -> Reading:
        """The question as it is understood: misspelt words corrected. Raises InputError as `search`."""
        question = checked_question(question, self.index.analyzer)
        if not spelling:
            return Reading(question)
        if self._session.speller is None:
            self._session.speller = Speller(self.index)
        return self._session.speller.read(question)

    def look_up(self, question: str, weights: Mapping[str, float] | None = None) -> Question:
        """The candidates of a question that was `read`, described and graded. Raises InputError for other weights."""
        blend = None if weights is None else self.model.reweighted(weights).blend
        if question not in self._questions:
            source = self.source  # the index is opened before the clock runs
            if len(self._questions) == KEPT:
                del self._questions[next(iter(self._questions))]
            with self.resources.progress.stage("candidates and features"):
                self._questions[question] = understand(source, self.model.grader, question)
        asked = self._questions[question]
        return replace(asked, blend=blend) if blend else asked

    def scores(self, asked: Question) -> Scores:
        """(n_candidates,) scores of a question's candidates, after the re-ranker."""
        return self.rescored(asked.table, asked.scores, ListOptions())

    def text(self, id_: str) -> str:
        """The text of a sentence, a pair, an argument or a document.

        Parts are on lines of their own: the sentences of a pair, the conclusion and the premises of an argument.

        Raises InputError for an id that the corpus does not have.
        """
        try:
            snippets = snippets_of(self.index, id_, self.task.kind)
        except InputError:
            raise
        except (KeyError, ValueError):
            what = f"there is no sentence or argument {id_[:80]!r}"
            raise InputError(self.corpus.name, what, "name an id of this corpus") from None
        (first, *_), whole = snippets, KINDS[self.task.kind].of_arguments and id_ == snippets[0].argument
        above = [first.conclusion] if whole and first.conclusion not in ("", first.text) else []
        return "\n".join([*above, *(snippet.text for snippet in snippets)])

    def topics(self, topics: Topics = None) -> list[Topic]:
        """The topics that ``topics`` names, see `Topics`. Raises InputError."""
        if topics is None or isinstance(topics, str | Path):
            return find_topics(self.corpus, None if topics is None else Path(topics))
        return topics_of(topics)

    def propose(self, topics: Topics = None, *, include: Include = MappingProxyType({})) -> Candidates:
        """The candidates of every topic: a row an item, sorted by topic and id. Raises InputError.

        ``include``: topic -> ids of items that are candidates as well, with ``proposed`` false: graded ones, say.
        """
        calls = topic_calls(self.topics(topics), include)
        return Candidates.concat(by_workers(propose, calls, self.resources, self.source), self.task.kind)

    def describe(self, candidates: Candidates, *, columns: Sequence[str] | None = None) -> Candidates:
        """The candidates with the columns of features, float32. Raises InputError.

        ``columns``: some of them; None: all but an encoder's, and those that the first step of the model reads.
        """
        model = self.model
        names = [*feature_columns(self.task.kind), *model.blend.columns] if columns is None else columns
        calls = [(part, list(dict.fromkeys(names)), model.second_step) for part in self._by_topic(candidates)]
        return self._stacked(candidates, by_workers(describe, calls, self.resources, self.source))

    def grade(self, candidates: Candidates) -> Candidates:
        """The described candidates with a column for each dimension and baseline of the model, and ``score``.

        Where the model has a second step, ``head`` marks the best of each topic; they have an encoder's columns as
        well, which are NaN elsewhere, and no other candidate passes them. Raises InputError.
        """
        if missing := [name for name in self.model.blend.columns if name not in candidates]:
            what = f"the model reads the column {missing[0]!r}, which they do not have"
            raise InputError("candidates", what, "call Searcher.describe before")
        calls = [(part,) for part in self._by_topic(candidates)]
        work = by_workers(_graded, calls, self.resources, self.source, self.model.grader)
        return self._stacked(candidates, work)

    def list(
        self,
        candidates: Candidates,
        *,
        depth: int = 1000,
        diversify: float = DIVERSIFY,
        tag: str | None = None,
        stance: str = "conclusion",
    ) -> Run:
        """The candidates of each topic by the column ``score``, best first: a run, as `rank` makes it.

        Near-duplicates are left out, the first ranks repeat no sentence and few arguments, a re-ranker orders the best,
        and scores fall strictly. Parameters are those of `rank`. Raises InputError.
        """
        options = self._options(depth, diversify, None, tag, stance)
        for _ in self._by_topic(candidates):
            break
        if "score" not in candidates:
            raise InputError("candidates", "there is no column 'score'", "call Searcher.grade, or add one")
        try:
            finite = np.isfinite(candidates["score"].to_numpy(np.float64)).all()
        except (TypeError, ValueError):
            finite = False
        if not finite:
            raise InputError("candidates", "a score is not a finite number", "mend the column 'score'")
        rows, expected = self._listed(candidates, options)
        if stance == "question":
            rows = rows_toward(self.index, list(candidates.asked), rows)
        return Run.of_rows(rows, expected, candidates.unmatched)

    def _listed(self, candidates: Candidates, options: ListOptions) -> tuple[builtins.list[RunRow], dict[str, float]]:
        """The rows of a run, and the expected relevance of the first items of each topic."""
        scores = self.rescored(candidates, candidates["score"].to_numpy(np.float64), options)
        rows = make_run(self.task, candidates, scores, options)
        known = self.model.blend.expected_grades and "relevance" in candidates
        relevance = candidates["relevance"].to_numpy(np.float64) if known else None
        return rows, expected_relevance(candidates, rows, relevance)

    def _by_topic(self, candidates: Candidates) -> Iterator[Candidates]:
        """The candidates of each topic. Raises InputError for another table."""
        what = None
        if not isinstance(candidates, Candidates) or not {"qid", "docno", "stance"} <= {*candidates.columns}:
            what = "this is not a table of candidates, or columns are missing"
        elif len(set(topics := candidates.topics)) < len(topics) or {*topics} - {
            one.number for one in candidates.asked
        }:
            what = "the rows of a topic do not stand together"
        elif candidates.origin != self.source.origin:
            what = "they are of another corpus or another task"
        if what:
            raise InputError("candidates", what, "begin with Searcher.propose, and add columns or leave out rows")
        return candidates.by_topic()

    def _stacked(self, before: Candidates, parts: Iterable[Candidates]) -> Candidates:
        after = Candidates.concat(parts, self.task.kind) if len(before) else before
        after.asked = before.asked
        return after

    def rank(
        self,
        topics: Topics = None,
        *,
        depth: int = 1000,
        diversify: float = DIVERSIFY,
        second_step_depth: int | None = None,
        tag: str | None = None,
        stance: str = "conclusion",
    ) -> Run:
        """Rank the candidates of every topic, as ``riposte predict`` does; warn of topics that match nothing.

        Parameters
        ----------
        topics : optional
            A topics file; a frame with ``qid`` and ``query``; topics, or (number, title); by default those beside the
            corpus.
        depth : int
            Items per topic, at most.
        diversify : float
            Penalty, 0 to 1, for an item whose argument was already shown.
        second_step_depth : int, optional
            Items per topic that the second step orders, 0: all; by default the model's own number.
        tag : str, optional
            Name of the run.
        stance : str
            Sides toward the "question" or the "conclusion".

        Returns
        -------
        Run
            A DataFrame with qid, docno, rank, score and stance.

        Raises
        ------
        InputError
            For topics that cannot be read, and numbers out of range.
        """
        options = self._options(depth, diversify, second_step_depth, tag, stance)
        run = self.rank_topics(self.topics(topics), options, stance)
        if unmatched := run.attrs["unmatched"]:
            warnings.warn(f"no argument shares a word with topic {', '.join(unmatched)}", stacklevel=2)
        return run

    def _options(
        self, depth: int, diversify: float, second_step_depth: int | None, tag: str | None, stance: str
    ) -> ListOptions:
        checked("depth", Number(1), depth)
        checked("diversify", SHARE, diversify)
        if second_step_depth is not None:
            checked("second_step_depth", Number(), second_step_depth)
        sides_in_run(self.task, stance)
        return ListOptions(depth, diversify, second_step_depth, tag or self.model.tag)

    def rank_topics(self, topics: Sequence[Topic], options: ListOptions, stance: str = "conclusion") -> Run:
        """The run of these topics: `propose`, `describe`, `grade` and `list`, topic by topic. Raises InputError.

        A topic is listed while workers describe the next ones.
        """
        rows, expected, unmatched = list[RunRow](), dict[str, float](), list[str]()
        source = self.source.with_head(options.second_step_depth)
        work = by_workers(to_list, topic_calls(topics), self.resources, source, self.model.grader)
        with closing(work) as parts:
            for part in parts:
                unmatched += part.unmatched
                if len(part):
                    with self.resources.progress.stage("rank"):
                        listed, known = self._listed(part, options)
                    rows += listed
                    expected |= known
        if stance == "question":
            rows = rows_toward(self.index, topics, rows)
        return Run.of_rows(rows, expected, unmatched)

    def rank_items(self, items: Mapping[str, Sequence[str]], topics: Topics = None, *, tag: str | None = None) -> Run:
        """Order given items, ids by topic number, by the scores that they have among all candidates.

        All are kept, near-duplicates too; ties are broken by id. Raises InputError, also for an item that the corpus
        does not have, or that comes twice.
        """
        asked = [topic for topic in self.topics(topics) if topic.number in items]
        if unknown := sorted(set(items) - {topic.number for topic in asked}):
            raise InputError("topics", f"there is no topic {unknown[0][:80]}", "name the topics of the items")
        calls = topic_calls(asked, items)
        work = by_workers(to_list, calls, self.resources, self.source, self.model.grader)
        table = Candidates.concat(work, self.task.kind)
        given = list(chain.from_iterable(rows_of_items(table, items, self.corpus.name).values()))
        if not given:
            return Run.of_rows([])
        part = table.iloc[sorted(given)].reset_index(drop=True)
        scores = self.rescored(part, part["score"].to_numpy(), ListOptions())
        return Run.of_rows(run_of_items(part, scores, items, tag or self.model.tag))

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
        rows = read_run(Path(run)) if isinstance(run, str | Path) else [] if run is None else run.rows()
        where = run if isinstance(run, str | Path) else "the run"
        ranks = [rank] if against is None else [rank, against]
        if run is not None:
            rows_at(rows, topic.number if isinstance(topic, Topic) else topic, ranks, where)
        topic = self._topic(topic, topics)
        with self.resources.progress.stage("explain"):
            source = self.source.with_head(second_step_depth)
            table = graded(source, self.model.grader, topic)
            subject = subject_of(source, self.model.second_step, topic.title, table)
            scores = table["score"].to_numpy()
            if run is None:
                rows = make_run(self.task, table, scores, ListOptions(tag=self.model.tag))
            else:
                rows = [row for row in rows if row.topic == topic.number]
                refuse_other_scores(where, rows, dict(zip(table.ids.tolist(), scores.tolist(), strict=True)))
            asked = rows_at(rows, topic.number, ranks, where)
            figures = explain_rows(topic, asked, model, table, self.index, subject)
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

    def refuse_output(self, output: Path, read: Iterable[Path | None] = ()) -> None:
        """Raise InputError where ``output`` would lie in the index, or replace a file that is read."""
        encoder = [] if self.model.encoder is None else Path(self.model.encoder.name).glob("*")
        self.indexed.refuse_output(output, [*files_of_model(self.task, self.model.name), *encoder, *read])


def _graded(source: RankingSource, grader: Grader, candidates: Candidates) -> Candidates:
    return grade(source, candidates, grader)
