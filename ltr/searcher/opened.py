"""A corpus with its index, a model and a task: opened when they are first needed, and shared between searchers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pandas as pd

from ltr.answers.spelling import Speller
from ltr.answers.understand import Question
from ltr.corpora.base import Corpus
from ltr.corpora.source import find_topics
from ltr.data.topics import Topic, topics_of
from ltr.errors import InputError, SettingError
from ltr.index.reader import Index
from ltr.model_folder.choice import EncoderName, ModelName, files_of_model, load_model
from ltr.model_folder.store import LoadedModel
from ltr.parallel import Workers
from ltr.ranking.corpus import IndexedCorpus
from ltr.ranking.feature_tables import forget_terms
from ltr.ranking.reranking import DEPTH, Reranking
from ltr.ranking.source import RankingSource, Resources
from ltr.ranking.task import Task, find_task, task_names
from ltr.settings import checked
from ltr.settings.kinds import Number
from ltr.settings.shared import Blending
from ltr.text_models.chat import JUDGED, KIND, ChatReader, open_model
from ltr.text_models.rerankers import Reranker, RerankerName, open_reranker
from models.base import rankers

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


class Opened:
    """What a searcher works on; see `ltr.searcher.searcher.Searcher` for the parameters."""

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
        if left_out := self.corpus.left_out:
            more = f" and {len(left_out) - 3} more, see riposte check" if len(left_out) > 3 else ""
            progress.warn(f"{self.corpus.name}: left out: {', '.join(left_out[:3])}{more}")
        with progress.stage("model"):
            self.model: LoadedModel = load_model(self.task, model, threads=threads, progress=progress, encoder=encoder)
        if isinstance(index, Index):
            self._session.index = index
        self._questions: dict[str, Question] = {}
        self._weights: Mapping[str, float] | None = None
        self.reranking: Reranking | None = None
        self.reader: Reranker | None = None

    @property
    def indexed(self) -> IndexedCorpus:
        """The corpus and the folder of its index."""
        return self._session.indexed

    @property
    def corpus(self) -> Corpus:
        """The corpus."""
        return self.indexed.corpus

    def with_workers(self, workers: Workers) -> Self:
        """A new searcher, whose work is done by these processes."""
        return self._with(resources=replace(self.resources, workers=workers))

    def with_weights(self, weights: str | Mapping[str, float] | None) -> Self:
        """A new searcher, with other weights of the model's dimensions; None: as they are. Raises InputError.

        Dimensions that are not named have none; baselines in the model's blend, such as ``"words"``, keep theirs. A
        name, such as ``"readable"``, stands for weights: see ``riposte search --help``.
        Searchers that are made of each other share corpus and index, also when one of them is closed: it is opened
        again for whoever asks next.
        """
        if isinstance(weights, str):
            weights = Blending(blend=weights).weights(self.task.weights)
        return self._with(model=self.model.reweighted(weights), _weights=weights) if weights else self._with()

    def with_reranker(self, reranker: RerankerName | None, *, depth: int | None = None) -> Self:
        """A new searcher, with the best ``depth`` (100) items of each list ordered by a re-ranker; None: by the model.

        ``reranker``: a function ``(question, texts) -> scores``, ``MODULE:FUNCTION``, a folder with an ONNX
        cross-encoder, or another name for `ltr.text_models.open_reranker`. Raises InputError.
        """
        if reranker is None:
            if depth is not None:
                raise SettingError("rerank", "a depth needs a re-ranker", "name one")
            return self._with(reranking=None)
        depth = checked("depth", Number(1), DEPTH if depth is None else depth)
        opened = open_reranker(reranker, threads=self.resources.workers.jobs)
        return self._with(reranking=Reranking(opened, depth))

    def with_reader(self, reader: str | Reranker | None) -> Self:
        """A new searcher, whose sides the model ``chat:MODEL@URL`` reads: texts are sent there. Raises InputError."""
        if isinstance(reader, str):
            reader = open_model(reader.removeprefix(f"{KIND}:"), of=ChatReader)
        if reader and reader.width < len(JUDGED):
            what = f"{reader.name} returns one number a text, where a reader says {', '.join(JUDGED)}"
            raise SettingError("reader", what, "name a language model, as in chat:qwen3@http://localhost:8080/v1")
        return self._with(reader=reader)

    def _with(self, **changes: Any) -> Self:
        other = copy(self)
        vars(other).update(changes)
        return other

    def __getstate__(self) -> dict[str, Any]:
        """A copy is without the questions: they have the ranker of before."""
        return vars(self) | {"_questions": {}}

    @property
    def identity(self) -> tuple[Any, ...]:
        """Equal for searchers that produce the same ranking."""
        model, reranking = self.model, self.reranking
        ranked = model.manifest["digest"] if model.manifest else model.name
        of_object = model.blend if model.manifest is None and model.name not in rankers() else None
        weights = tuple(sorted(model.blend.weights.items()))
        encoder = model.second_step.digest if model.second_step else None
        by = (reranking.reranker.digest or reranking.reranker, reranking.depth) if reranking else None
        reader = self.reader and (self.reader.digest or self.reader)
        return str(self.corpus.name), self.task.name, ranked, of_object, weights, encoder, by, reader

    @property
    def description(self) -> str:
        """Which ranker, with which `choices`, orders the items, in a line."""
        return ", ".join([self.model.description, *self.choices])

    @property
    def choices(self) -> list[str]:
        """Which other weights, which re-ranker and which reader of sides were chosen, a phrase each."""
        weights = {**(self._weights or {}), **self.model.blend.weights}  # in the order in which they were given
        listed = ", ".join(f"{weight:g} {name}" for name, weight in weights.items() if weight)
        reranked = [self.reranking.description] if self.reranking else []
        read = [f"sides read by {self.reader.name}"] if self.reader else []
        return [*([f"weights {listed}"] if self._weights else []), *reranked, *read]

    def __enter__(self) -> Self:
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

    def topics(self, topics: Topics = None) -> list[Topic]:
        """The topics that ``topics`` names, see `Topics`. Raises InputError."""
        if topics is None or isinstance(topics, str | Path):
            return find_topics(self.corpus, None if topics is None else Path(topics))
        return topics_of(topics)

    def refuse_output(self, output: Path, read: Iterable[Path | None] = ()) -> None:
        """Raise InputError where ``output`` would lie in the index, or replace a file that is read."""
        encoder = [] if self.model.encoder is None else Path(self.model.encoder.name).glob("*")
        self.indexed.refuse_output(output, [*files_of_model(self.task, self.model.name), *encoder, *read])
