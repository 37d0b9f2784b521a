"""A training from its files to its model folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ltr.corpora.base import Corpus
from ltr.index.cache import index_place, open_index
from ltr.index.reader import Index
from ltr.parallel import Workers
from ltr.pipeline.extract import FirstStage, Resources, describe_topics, refuse_empty
from ltr.pipeline.matrix import Matrix
from ltr.pipeline.plan import plan
from ltr.pipeline.task import Task
from ltr.progress import Progress
from ltr.supervision.labels import agreement
from ltr.training.bundle import check_model_place, save_bundle
from ltr.training.data import (
    TrainingFiles,
    alike,
    check_coverage,
    example_topics,
    judged_in_corpus,
    merge_topics,
    read_judgments,
    warn_of_test_topics,
)
from ltr.training.examples import Examples, kept_columns
from ltr.training.fit import TrainingSettings, fit
from ltr.training.manifest import agreement_table, manifest, summary


@dataclass(frozen=True)
class TrainingRequest:
    """A model to train, and where it goes."""

    task: Task
    corpus: Corpus
    files: TrainingFiles
    settings: TrainingSettings
    model: Path = Path("model")
    """Folder of the model."""
    index: Path | None = None
    """Folder of the index; None: in the user's cache."""
    dropped: Sequence[str] = ()
    """Feature groups, features and columns to leave out."""
    analysis: Mapping[str, bool] = field(default_factory=lambda: {"stem": True, "stop": True})


class Training:
    """Reads and checks all files when it is made. Raises InputError for everything that the user can correct."""

    def __init__(self, request: TrainingRequest, progress: Progress, *, dry_run: bool = False) -> None:
        self._request, self._progress, task, files = request, progress, request.task, request.files
        self._topics = merge_topics(files.topics)
        self._judgments = read_judgments(task, files.arguments, files.pairs, self._topics)
        self._columns = kept_columns(request.dropped, task.unit)
        self._place = index_place(request.corpus, request.index, [request.model])
        check_model_place(request.model, self._place, make=not dry_run)
        warn_of_test_topics(request.corpus, self._topics, progress.warn)
        self._examples = example_topics(self._judgments, self._topics)

    def plan(self) -> list[str]:
        """The lines of ``--dry-run``."""
        files = self._request.files
        read = {
            "topics": files.topics,
            "judgments": [f"{judged}: {path}" for judged, paths in files.by_judged().items() for path in paths],
            "to learn": [f"{len(self._examples)} judged topics of {len(self._topics)}"],
        }
        return plan(self._request.corpus, read, self._place, self._request.analysis, {"model": [self._request.model]})

    def label_tables(self, workers: Workers) -> str:
        """How every labelling function votes, a table per dimension."""
        _, matrix, _ = self._described(workers)
        names = self._request.task.dimensions
        return "\n\n".join(agreement_table(name, agreement(matrix, self._judgments, name)) for name in names)

    def run(self, workers: Workers) -> str:
        """Train, save the model, and return the summary for the user."""
        request, judgments = self._request, self._judgments
        index, matrix, covered = self._described(workers)
        result = fit(
            Examples.of_columns(matrix, judgments, self._columns, request.task.dimensions),
            request.settings,
            workers=workers,
            progress=self._progress,
            tied=alike(self._examples, index.analyzer),
        )
        facts = manifest(request.task, index, request.settings, request.files, result)
        facts |= {"dropped": sorted(set(request.dropped))} if request.dropped else {}
        save_bundle(request.model, request.task, result.model, facts)
        counts = {
            "trained on": len(matrix.topics),
            "without judgments": len(self._topics) - len(self._examples),
            "judged, but without candidates": len(matrix.unmatched),
        }
        return summary(result, covered, counts)

    def _described(self, workers: Workers) -> tuple[Index, Matrix, dict[str, tuple[int, int]]]:
        request, progress = self._request, self._progress
        index = open_index(request.corpus, self._place, progress, workers, **request.analysis)
        covered = judged_in_corpus(index, self._judgments)
        check_coverage(covered, request.files.by_judged())
        first_stage = FirstStage(request.task, index, request.task.config)
        graded = self._judgments.graded_ids()
        matrix = describe_topics(first_stage, self._examples, Resources(workers, progress), graded=graded)
        refuse_empty(matrix, request.corpus.name)
        return index, matrix, covered
