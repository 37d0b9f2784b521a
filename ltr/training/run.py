"""A training from its files to its model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np

from features.core.plugins import LOADED
from ltr.answers.snippets import snippets_of
from ltr.data.files import writable_place
from ltr.data.runs import write_run
from ltr.errors import InputError
from ltr.index.reader import Index
from ltr.model_folder.store import check_model_place
from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.ranking.corpus import ANALYSIS, IndexedCorpus
from ltr.ranking.describe import FirstStage, Resources, describe_topics, refuse_empty
from ltr.ranking.final_list import ListOptions, make_run
from ltr.ranking.matrix import Matrix
from ltr.supervision.agreement import Agreement, agreement, agreement_table, disagreements, number
from ltr.supervision.judgments import JudgedSet
from ltr.supervision.labels import Sources
from ltr.text_models.encoders import SHIPPED, Encoder
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
from ltr.training.fit import TrainingSettings, fit, fit_second_step
from ltr.training.manifest import encoder_facts, manifest
from ltr.training.result import TrainedModel
from models.base import make_parameters
from models.baselines import DENSE, DENSE_COLUMN
from models.blend import best_rows


@dataclass(frozen=True)
class TrainingRequest:
    """A model to train."""

    indexed: IndexedCorpus
    files: TrainingFiles
    settings: TrainingSettings
    model: Path | None = None
    """Folder that the model will be saved in, where that is known."""
    dropped: Sequence[str] = ()
    """Feature groups, features and columns to leave out."""
    analysis: Mapping[str, bool] = field(default_factory=lambda: ANALYSIS)
    held_out: Path | None = None
    """File for the run of all training topics, each ranked by rankers that did not see it."""
    encoder: Encoder | None = None
    """Encoder of the second step; None: the model has one step."""

    @property
    def usual(self) -> bool:
        """Whether a task of ours is trained by its own defaults, but for the seed and the number of folds."""
        task, settings = self.indexed.task, self.settings
        usual = make_parameters(task.objective, {"seed": settings.parameters.seed})
        usual_sources = Sources(grades_alone=task.grades_alone)
        if (settings.parameters, settings.sources, settings.weights) != (usual, usual_sources, task.weights):
            return False
        other = LOADED or self.dropped or dict(self.analysis) != dict(ANALYSIS)
        return not other and (self.encoder is None or self.encoder.name == str(SHIPPED))


class Training:
    """Reads and checks all files when it is made. Raises InputError for everything that the user can correct."""

    def __init__(self, request: TrainingRequest, progress: Progress, *, dry_run: bool = False) -> None:
        self._request, self._progress, files = request, progress, request.files
        self._corpus, self._task = request.indexed.corpus, request.indexed.task
        self._topics = merge_topics(files.topics)
        self._judgments = read_judgments(self._task, files, self._topics)
        self._columns = kept_columns(request.dropped, self._task.unit)
        self._of_head = kept_columns(request.dropped, self._task.unit, head=True) if request.encoder else []
        if request.model:
            request.indexed.refuse_output(request.model)
        if request.held_out:
            of_encoder = Path(request.encoder.name).glob("*") if request.encoder else ()
            read = [*files.topics, *chain.from_iterable(files.by_judged().values()), *of_encoder]
            request.indexed.refuse_output(request.held_out, read)
            place = request.held_out.absolute()
            if request.model and request.model.absolute() in (place, *place.parents):
                what = "lies in the folder of the model, which is replaced whole"
                raise InputError(request.held_out, what, "name another file")
            if not dry_run:
                writable_place(request.held_out, "held-out run")
        if request.model:
            check_model_place(request.model, request.indexed.folder, make=not dry_run)
        warn_of_test_topics(self._corpus, self._topics, progress.warn)
        judged = example_topics(self._judgments, self._topics)
        self._examples = self._topics if request.settings.recipe else judged

    def plan(self) -> list[str]:
        """The lines of ``--dry-run``."""
        request, files = self._request, self._request.files
        by_judged, topics = files.by_judged(self._task.reads), len(self._topics)
        every = request.settings.recipe or not self._judgments.topics()
        learned = f"{topics} topics" if every else f"{len(self._examples)} judged topics of {topics}"
        judged = [f"{name}: {path}" for name, paths in by_judged.items() for path in paths]
        read: dict[str, Sequence[object]] = {
            "topics": files.topics,
            "judgments": judged or ["none: labelling functions alone train"],
            "to learn": [learned],
        }
        read |= {"encoder": [request.encoder.name]} if request.encoder else {}
        written = {"model": [request.model]} if request.model else {}
        written |= {"held-out run": [request.held_out]} if request.held_out else {}
        return request.indexed.plan(read, written, request.analysis)

    def label_rows(self, workers: Workers) -> tuple[Index, dict[str, list[Agreement]]]:
        """Dimension -> how every vote file and labelling function that may label votes."""
        index, matrix, _ = self._described(Resources(workers, self._progress))
        sources, rows = self._request.settings.sources, dict[str, list[Agreement]]()
        for name in self._task.dimensions:
            asked = {function.name for function in sources.chosen(name, self._task.unit)}
            asked |= {votes.name for votes in self._judgments.votes} if sources.votes else set()
            if kept := [row for row in agreement(matrix, self._judgments, name) if row.name in asked]:
                rows[name] = kept
        return index, rows

    def label_tables(self, workers: Workers) -> str:
        """`label_rows` as text, and the worst disagreements."""
        index, rows = self.label_rows(workers)
        units = sorted({bad.id for found in rows.values() for row in found for bad in row.worst})
        texts = {
            unit: " / ".join(snippet.text for snippet in snippets_of(index, unit, self._task.unit)) for unit in units
        }
        tables = [agreement_table(name, found) for name, found in rows.items()]
        return "\n\n".join([*tables, *(disagreements(name, found, texts) for name, found in rows.items())])

    def run(self, workers: Workers) -> TrainedModel:
        """Train, and write the held-out run. Raises InputError."""
        request, judgments, resources = self._request, self._judgments, Resources(workers, self._progress)
        index, matrix, covered = self._described(resources)
        examples = Examples.from_columns(matrix, judgments, self._columns, self._task.dimensions)
        result = fit(examples, request.settings, resources, alike(self._examples, index.analyzer))
        if request.encoder:
            # The head by rankers that did not see the topic, as it will be of new topics.
            scores = {name: result.held_out[name] for name, weight in result.model.weights.items() if weight}
            best = best_rows(result.model.combine(scores), matrix.groups, self._task.config.head)
            stage = FirstStage(self._task, index, self._task.config, request.encoder)
            described = examples.describe_head(best, self._of_head, stage, self._examples, resources)
            column, all_rows = DENSE_COLUMN[matrix.unit], np.ones(len(matrix), bool)
            encoded = examples.describe_head(all_rows, [column], stage, self._examples, resources)
            dense = {DENSE: encoded.features[column].to_numpy(np.float64)}
            every = [*self._columns, *self._of_head]
            examples = Examples.from_columns(described, judgments, every, self._task.dimensions)
            result = fit_second_step(result, examples, request.settings, best, resources, dense)
        if request.held_out:
            scores = {name: values for name, values in result.held_out.items() if result.model.weights[name]}
            rows = make_run(self._task, matrix, result.model.combine(scores), ListOptions(len(matrix), tag="held-out"))
            write_run(request.held_out, rows)
        facts = manifest(self._task, index, request.settings, request.files, result)
        facts |= encoder_facts(request.encoder)
        facts |= {"recipe": request.settings.recipe} if request.settings.recipe else {}
        facts |= {"dropped": sorted(set(request.dropped))} if request.dropped else {}
        counts = {
            "trained on": len(matrix.topics),
            "without judgments": len(self._topics) - len(self._examples),
            "judged, but without candidates": len(matrix.unmatched),
        }
        return TrainedModel(self._task, result, facts, request.encoder, covered, counts, request.usual)

    def _described(self, resources: Resources) -> tuple[Index, Matrix, dict[JudgedSet, tuple[int, int]]]:
        request = self._request
        index = request.indexed.open_index(resources, request.analysis)
        covered = judged_in_corpus(index, self._judgments, self._task.reads)
        check_coverage(covered, request.files.by_judged(self._task.reads))
        first_stage = FirstStage(self._task, index, self._task.config)
        graded = self._judgments.graded_ids()
        matrix = describe_topics(first_stage, self._examples, resources, graded=graded)
        refuse_empty(matrix, self._corpus.name)
        self._warn_of_votes(matrix)
        return index, matrix, covered

    def _warn_of_votes(self, matrix: Matrix) -> None:
        """Warn in one line of vote files that contradict each other, or grades: they count all the same."""
        doubtful = []
        for name in sorted({votes.dimension for votes in self._judgments.votes}):
            files = {votes.name for votes in self._judgments.votes_in(name)}
            rows = [row for row in agreement(matrix, self._judgments, name) if row.name in files]
            others = [row.with_others for row in rows if len(rows) > 1]
            if np.nansum(others) <= 0 < len(others) or any(row.with_grades <= 0 for row in rows):
                found = (f"{row.name} {number(row.with_others)}/{number(row.with_grades)}" for row in rows)
                doubtful.append(f"{name} ({', '.join(found)})")
        if doubtful:
            what = "the votes contradict each other or trusted grades (correlation with the others/with grades)"
            self._progress.warn(f"{what}: {'; '.join(doubtful)}; --explain-labels shows where")
