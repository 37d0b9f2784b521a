"""The searcher that the options of a command name."""

from __future__ import annotations

from argparse import Namespace

from ltr.cli.options import chosen_weights
from ltr.data.topics import Topic
from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.ranking.describe import Resources
from ltr.searcher import Searcher
from ltr.tasks import find_task


def open_searcher(options: Namespace, progress: Progress) -> Searcher:
    """Open what ``-i``, ``-m``, ``--task`` and so on name. Raises InputError."""
    weights = chosen_weights(options.dimension, options.blend, find_task(options.task).dimensions)
    searcher = Searcher(
        options.input,
        model=options.model,
        task=options.task,
        index=options.index,
        encoder=options.encoder,
        jobs=Resources(Workers(options.jobs), progress),
    ).with_weights(weights)
    if "rerank" not in options:
        return searcher
    return searcher.with_reranker(options.rerank, depth=options.rerank_depth, weight=options.rerank_weight)


def open_candidates(options: Namespace, progress: Progress) -> Searcher:
    """Open a corpus for its candidates and features alone: those of a baseline are the task's own."""
    resources = Resources(Workers(options.jobs), progress)
    return Searcher(options.input, model="bm25", task=options.task, index=options.index, jobs=resources)


def named_topics(searcher: Searcher, options: Namespace) -> list[Topic]:
    """The topics of ``--topics``, or those beside the corpus. Raises InputError."""
    return searcher.topics(options.topics)
