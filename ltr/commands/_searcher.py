"""The searcher that the options of a command name."""

from __future__ import annotations

from argparse import Namespace

from ltr.cli.options import chosen_weights
from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.ranking.describe import Resources
from ltr.searcher import Searcher
from ltr.tasks import find_task


def open_searcher(options: Namespace, progress: Progress) -> Searcher:
    """Open what ``-i``, ``-m``, ``--task`` and so on name. Raises InputError."""
    weights = chosen_weights(options.dimension, options.blend, find_task(options.task).weights)
    jobs, encoder = Resources(Workers(options.jobs), progress), options.encoder
    searcher = Searcher(
        options.input, model=options.model, task=options.task, index=options.index, encoder=encoder, jobs=jobs
    ).with_weights(weights)
    if "rerank" not in options:
        return searcher
    return searcher.with_reranker(options.rerank, depth=options.rerank_depth, weight=options.rerank_weight)


def open_candidates(options: Namespace, progress: Progress) -> Searcher:
    """Open a corpus for its candidates and features alone: those of a baseline are the task's own."""
    resources = Resources(Workers(options.jobs), progress)
    return Searcher(options.input, model="bm25", task=options.task, index=options.index, jobs=resources)
