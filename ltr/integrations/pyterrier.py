"""Riposte as a stage of a PyTerrier pipeline: topics in, ranked pairs or arguments out, and no Java.

`RiposteTransformer` speaks PyTerrier's data model with pandas alone. Where python-terrier is installed it is also a
``pyterrier.Transformer``, so ``>>``, ``%`` and ``pt.Experiment`` take it; importing that starts no JVM either.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from ltr.data.topics import Topic
from ltr.evaluation.rankings import argument_ranking
from ltr.parallel import Workers
from ltr.pipeline.lists import ranked_lists
from ltr.pipeline.rerank import DIVERSIFY
from ltr.progress import Progress
from ltr.tasks import find_task
from ltr.training.model_choice import find_ranker
from models.base import Ranker

if TYPE_CHECKING:
    from ltr.index.reader import Index
    from ltr.retrieval.base import CandidateConfig


try:
    _Base: Any = importlib.import_module("pyterrier").Transformer
except ImportError:
    _Base = object


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
        corpus, task, own = open_corpus(source), find_task(options.get("task", "pairs")), dict(weights or {})
        ranker, config, analysis = find_ranker(task, model, options.get("jobs", 1), progress, own)
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
        how: dict[str, Any] = {"workers": Workers(self.jobs), "progress": Progress(quiet=True), "tag": self.name}
        how |= {"depth": self.depth, "diversify": self.diversify}
        lists = ranked_lists(self.task, self.index, asked, self.ranker, self.config, **how)
        if lists.unmatched:
            warnings.warn(f"no argument shares a word with topic {', '.join(lists.unmatched)}", stacklevel=2)
        query = {topic.number: topic.title for topic in asked}
        found = [(row.topic, query[row.topic], row.pair, row.rank - 1, row.score, row.stance) for row in lists.rows]
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


def _topics(frame: pd.DataFrame) -> list[Topic]:
    if missing := {"qid", "query"} - set(frame.columns):
        raise ValueError(f"the topics have no column {', '.join(sorted(missing))}")
    if frame["qid"].isna().any() or frame["query"].isna().any():
        raise ValueError("a topic has no qid or no query")
    topics = [Topic(str(qid), str(query)) for qid, query in zip(frame["qid"], frame["query"], strict=True)]
    if len({topic.number for topic in topics}) != len(topics):
        raise ValueError("a qid stands in two rows; a topic is one row")
    return topics
