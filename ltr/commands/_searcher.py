"""The searcher that the settings of a command name."""

from __future__ import annotations

from typing import Any

from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.ranking.source import Resources
from ltr.ranking.task import find_task
from ltr.searcher import Searcher
from ltr.settings import shared


def open_searcher(settings: shared.Work, progress: Progress) -> Searcher:
    """Open the corpus, model, task and so on that the settings name. Raises InputError.

    A command without a model needs candidates and features alone: those of a baseline are the task's own.
    """
    given: Any = settings
    weights = settings.weights(find_task(settings.task).weights) if isinstance(settings, shared.Ranking) else None
    jobs = Resources(Workers(settings.jobs), progress)  # wrong weights are refused before a corpus is opened
    model, encoder = (given.model, given.encoder) if isinstance(settings, shared.Ranking) else ("bm25", None)
    searcher = Searcher(
        given.input, model=model, task=settings.task, index=settings.index, encoder=encoder, jobs=jobs
    ).with_weights(weights)
    if isinstance(settings, shared.Reranking):
        searcher = searcher.with_reranker(settings.rerank, depth=settings.rerank_depth)
    return searcher.with_reader(getattr(settings, "reader", None))
