"""Riposte as a stage of a PyTerrier pipeline: topics in, ranked pairs or arguments out, and no Java.

`RiposteTransformer` speaks PyTerrier's data model with pandas alone. Where python-terrier is installed it is also a
``pyterrier.Transformer``, so ``>>``, ``%`` and ``pt.Experiment`` take it; importing that starts no JVM either.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ltr.data.qrels import Qrels
from ltr.data.topics import Topic
from ltr.evaluation.rankings import argument_ranking
from ltr.parallel.processes import Processes
from ltr.pipeline.confidence import score_with_relevance
from ltr.pipeline.extract import describe_topics
from ltr.pipeline.rerank import DIVERSIFY, final_list
from ltr.progress import Progress
from ltr.tasks import find_task
from ltr.training.model_choice import find_ranker
from models.cascade import HEAD

if TYPE_CHECKING:
    from ltr.index.reader import Index
    from ltr.retrieval.base import CandidateConfig
from models.base import Ranker


class _Standalone:
    """What is left of a transformer where PyTerrier is not installed: it can be called."""

    def __call__(self, topics: pd.DataFrame) -> pd.DataFrame:
        return self.transform(topics)  # type: ignore[attr-defined]


def _base() -> Any:
    try:
        return importlib.import_module("pyterrier").Transformer
    except ImportError:
        return _Standalone


_Base: Any = _base()


class RiposteTransformer(_Base):  # type: ignore[misc]  # which base it is, is known at run time only
    """Queries to ranked pairs of sentences, or to whole arguments, as ``ltr.predict`` ranks them.

    ``transform`` takes a DataFrame with ``qid`` and ``query`` and gives ``qid, query, docno, rank, score, stance``:
    ``docno`` is the pair ``first,second``, or the argument, ``rank`` counts from 0 and ``score`` falls strictly within
    a topic.
    """

    def __init__(
        self,
        index: Index,
        ranker: Ranker,
        config: CandidateConfig | None = None,
        *,
        task: str = "pairs",
        depth: int = 1000,
        diversify: float = DIVERSIFY,
        jobs: int = 1,
    ) -> None:
        self.index = index
        self.ranker = ranker
        self.task = find_task(task)
        self.config = config or self.task.config
        self.depth = depth
        self.diversify = diversify
        self.jobs = jobs
        self.name = "riposte"

    @classmethod
    def from_corpus(
        cls,
        source: str,
        model: str | None = None,
        *,
        index: Path | None = None,
        weights: Mapping[str, float] | None = None,
        **options: Any,
    ) -> RiposteTransformer:
        """Open the corpus, its index (built when absent) and a model: what ``-i``, ``-m`` and ``--index`` name.

        ``options`` are those of the constructor. Raises InputError.
        """
        from ltr.corpora.source import open_corpus
        from ltr.index.cache import open_index

        progress = Progress(quiet=True)
        corpus = open_corpus(source)
        ranker, config, analysis = find_ranker(
            find_task(options.get("task", "pairs")),
            model,
            options.get("jobs", 1),
            progress,
            dict(weights) if weights else None,
        )
        made = cls(open_index(corpus, index, progress, **analysis), ranker, config, **options)
        made.name = "riposte" if model is None or Path(model).is_dir() else f"riposte-{model}"
        return made

    def __repr__(self) -> str:
        return self.name

    def transform(self, topics: pd.DataFrame) -> pd.DataFrame:
        """Rank units for each query; one that shares no word with the corpus is warned of and has no rows.

        Other columns of ``topics`` are left behind. Raises ValueError for missing columns, for rows that are
        not one query each, and for a query without a qid.
        """
        asked = _topics(topics)
        progress = Progress(quiet=True)
        matrix = describe_topics(
            self.task,
            self.index,
            asked,
            self.config,
            columns=self.ranker.columns,
            workers=Processes(self.jobs),
            progress=progress,
        )
        if matrix.unmatched:
            warnings.warn(f"no argument shares a word with topic {', '.join(matrix.unmatched)}", stacklevel=2)
        scores = score_with_relevance(self.ranker, matrix, HEAD)[0] if matrix.topics else np.zeros(0)
        query = {topic.number: topic.title for topic in asked}
        found = []
        for topic in matrix.topics:
            ranked = final_list(
                matrix,
                topic,
                scores,
                depth=self.depth,
                tag=self.name,
                min_units=self.task.min_units,
                diversify=self.diversify,
            )
            found += [(topic, query[topic], row.pair, row.rank - 1, row.score, row.stance) for row in ranked]
        types = {"qid": str, "query": str, "docno": str, "rank": int, "score": float, "stance": str}
        return pd.DataFrame(found, columns=list(types)).astype(types)


def to_arguments(results: pd.DataFrame) -> pd.DataFrame:
    """A ranking of pairs as one of arguments, in order of first appearance: what argument-level qrels can judge.

    ``docno`` becomes the argument's id, ``rank`` counts from 0, ``score`` is -``rank``. With PyTerrier:
    ``transformer >> pt.apply.generic(to_arguments)``.
    """
    rows = []
    for (qid, query), part in results.sort_values("rank").groupby(["qid", "query"], sort=False):
        rows += [(qid, query, name, rank, float(-rank)) for rank, name in enumerate(argument_ranking(part["docno"]))]
    types = {"qid": str, "query": str, "docno": str, "rank": int, "score": float}
    return pd.DataFrame(rows, columns=list(types)).astype(types)


def topics_frame(topics: Iterable[Topic]) -> pd.DataFrame:
    """``qid, query``: an automatic run uses the title alone."""
    return pd.DataFrame([(topic.number, topic.title) for topic in topics], columns=["qid", "query"])


def qrels_frame(qrels: Qrels) -> pd.DataFrame:
    """``qid, docno, label`` as ``pt.Experiment`` takes them; whole grades, negative ones as 0.

    pytrec_eval takes whole grades only, and not of both signs. Raises ValueError for a fractional grade.
    """
    rows = [(topic, name, grade) for topic, grades in qrels.items() for name, grade in grades.items()]
    if any(grade != int(grade) for _, _, grade in rows):
        raise ValueError("a grade is not whole, and pytrec_eval takes whole grades only")
    return pd.DataFrame(
        [(topic, name, max(int(grade), 0)) for topic, name, grade in rows], columns=["qid", "docno", "label"]
    )


def _topics(frame: pd.DataFrame) -> list[Topic]:
    if missing := {"qid", "query"} - set(frame.columns):
        raise ValueError(f"the topics have no column {', '.join(sorted(missing))}")
    if frame["qid"].isna().any() or frame["query"].isna().any():
        raise ValueError("a topic has no qid or no query")
    topics = [Topic(str(qid), str(query)) for qid, query in zip(frame["qid"], frame["query"], strict=True)]
    if len({topic.number for topic in topics}) != len(topics):
        raise ValueError("a qid stands in two rows; a topic is one row")
    return topics
