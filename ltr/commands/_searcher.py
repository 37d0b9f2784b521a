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
    """Open what ``-i``, ``-m``, ``--task`` and so on name. Raises InputError.

    A command without ``-m`` needs candidates and features alone: those of a baseline are the task's own.
    """
    weights = None
    if "blend" in options:  # wrong usage is refused before a corpus is opened
        weights = chosen_weights(options.dimension, options.blend, find_task(options.task).weights)
    jobs = Resources(Workers(options.jobs), progress)
    model, encoder = (options.model, options.encoder) if "model" in options else ("bm25", None)
    searcher = Searcher(options.input, model=model, task=options.task, index=options.index, encoder=encoder, jobs=jobs)
    searcher = searcher.with_weights(weights)
    if "rerank" in options:
        searcher = searcher.with_reranker(options.rerank, depth=options.rerank_depth, weight=options.rerank_weight)
    return searcher
