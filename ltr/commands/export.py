"""``riposte export``: write the features of all candidates to a file for other tools.

LETOR (SVMlight with ``qid``) for rankers, Parquet and CSV for data frames. Without judgments there are no labels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from ltr.cli.parser import Command, open_progress
from ltr.errors import InputError
from ltr.escapes import say
from ltr.settings import setting, shared
from ltr.settings.kinds import Choice, File, Names, Switch
from models.defaults import DIMENSIONS


@dataclass(frozen=True, kw_only=True)
class ExportSettings(shared.Work, shared.Output):
    """Write the feature matrix of the candidates, with labels where there are judgments."""

    input: str = shared.CORPUS
    output: Path = replace(shared.OUTPUT, help="file to write the matrix to", kind=File())
    topics: Path | None = shared.TOPICS
    qrels: tuple[Path, ...] = setting(
        File(), "judgments of arguments (qid 0 id grade) to make labels from", several=True
    )
    pair_qrels: tuple[tuple[str, Path], ...] = shared.PAIR_QRELS
    votes: tuple[tuple[str, str, Path], ...] = shared.VOTES
    sources: tuple[str, ...] | None = setting(
        Names(), "sources of labels, as for riposte train: distant, weak, graded, votes (default: all that are given)"
    )
    grades: bool = setting(
        Switch(),
        "whole grades as labels, for LightGBM, XGBoost and similar rankers; rows without one are left out",
        default=False,
    )
    dimension: str = setting(Choice(DIMENSIONS), "what the labels are of", default="relevance")


def export(options: ExportSettings) -> int:
    """Describe the candidates and write the matrix. Raises InputError for anything that the user can correct."""
    from ltr.commands._searcher import open_searcher
    from ltr.files import writable_place
    from ltr.integrations.matrix_files import files_written, write_matrix
    from ltr.learning.data import TrainingFiles, check_coverage, judged_in_corpus, read_judgments
    from ltr.learning.labels import Sources, make_labels
    from ltr.ranking.steps import refuse_empty

    files = files_written(options.output)
    progress = open_progress(options)
    searcher = open_searcher(options, progress)
    name, task = options.dimension, searcher.task
    data = TrainingFiles((), {name: options.qrels}, options.pair_qrels, options.votes)
    for file in files:
        searcher.refuse_output(file, [options.topics, *chain.from_iterable(data.by_judged().values())])
    topics = searcher.topics(options.topics)
    if options.qrels and name == "coherence":
        what = "judgments of arguments have no grades of coherence"
        raise InputError("--qrels", what, "name --pair-qrels coherence=FILE")
    sources = Sources.of(options.sources) if options.sources else None
    judgments = read_judgments(task, data, topics)
    if options.pair_qrels and not options.qrels and name not in judgments.graded:
        hint = f"add --pair-qrels {name}=FILE or --dimension"
        raise InputError("--pair-qrels", f"no pairs are graded in {name}", hint)
    writable_place(options.output, "matrix")
    table = searcher.describe(searcher.propose(topics, include=judgments.graded_ids()))
    refuse_empty(table, searcher.corpus.name)
    labels = None
    if judgments.topics():
        check_coverage(judged_in_corpus(searcher.index, judgments, task.reads), data.by_judged(task.reads))
        with progress.stage("labels"):
            labels = make_labels(table, judgments, name, sources)
    for number in table.unmatched:
        progress.warn(f"topic {number}: no argument shares a word with it; it is not in the matrix")
    with progress.stage("write"):
        rows = write_matrix(options.output, table, labels, grades=options.grades)
    size = len(table.topics), len(table.feature_columns)
    left = "left out" if rows < len(table) else "without a label"
    used = 0 if labels is None else int(labels.used.sum())
    counts = f"; {used:,} labelled, {len(table) - used:,} {left}" if labels else ""
    say("{}: {:,} {}s of {} topics, {} features".format(options.output, rows, task.kind, *size) + counts)
    return 0


main = Command("export", ExportSettings, export, __file__)
