"""The frame of every study: data, described topics and folds; figures that are printed and written."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from features.core.feature import columns
from ltr.data.qrels import NEVER_ZERO, never_zero
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.escapes import say
from ltr.evaluation.report import Report
from ltr.files import writable_place, write_all
from ltr.learning.agreement import warn_of_votes
from ltr.learning.data import TrainingFiles, alike, example_topics, merge_topics, read_judgments
from ltr.learning.examples import Examples, split_topics
from ltr.learning.fit import FitSettings, cross_validate, head_examples, weighted_baselines, with_heads
from ltr.learning.held_out import relevant_items
from ltr.learning.judgments import Judgments
from ltr.learning.labels import Sources
from ltr.learning.manifest import dependencies
from ltr.learning.settings import LearningSettings
from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.ranking.candidates import Candidates
from ltr.ranking.corpus import IndexedCorpus
from ltr.ranking.source import RankingSource, Resources
from ltr.ranking.steps import describe_topics, refuse_empty
from ltr.ranking.task import Task, find_task
from ltr.settings import Settings, setting
from ltr.settings.kinds import TOPICS, File, Number
from ltr.settings.shared import CORPUS, Output
from ltr.text_models.encoders import Encoder
from models.base import DIMENSIONS, Parameters, Scores, baselines, make_parameters, make_ranker
from models.baselines import DENSE, DENSE_COLUMN
from models.blend import Blend

TREES = setting(Number(1, 5000), "trees of a ranker", default=200)
SEEDS = setting(Number(1, 50), "draws of the folds, and seeds of the rankers, that figures average over", default=1)


@dataclass(frozen=True, kw_only=True)
class StudySettings(LearningSettings, Output):
    """Files that a study reads, how often folds are drawn, and how large rankers are."""

    input: str = CORPUS
    topics: tuple[Path, ...] = setting(TOPICS, "training topics XML", several=True, default=...)
    seeds: int = SEEDS
    trees: int = TREES
    averaged: int = 2
    """Models of each objective that a ranker averages."""
    seed: int = 0
    """The first draw of the folds."""

    @property
    def draws(self) -> range:
        """The seeds of the draws of the folds."""
        return range(self.seed, self.seed + self.seeds)

    def size(self) -> dict[str, int | str]:
        """Task and size of a study, for its JSON."""
        names = ("task", "folds", "trees", "columns", "averaged")
        return {name: getattr(self, name) for name in names} | {"draws": self.seeds}


@dataclass(frozen=True, kw_only=True)
class ReportFiles(Settings):
    """The files of a study's report."""

    json: Path | None = setting(File(), "write the figures there too")
    html: Path | None = setting(File(), "write charts and tables there, as a page of its own")

    def report_files(self) -> dict[str, Path]:
        """Format -> its file, of those that are named."""
        return {name: path for name in ("json", "html") if (path := getattr(self, name))}


@dataclass(frozen=True)
class StudyData:
    """Topics, judgments and corpus of a study."""

    settings: StudySettings
    indexed: IndexedCorpus
    topics: list[Topic]
    """Judged ones."""
    judgments: Judgments
    encoder: Encoder | None


def read_study_data(settings: StudySettings, outputs: Sequence[Path | None] = ()) -> StudyData:
    """Read everything but the index, which may take long. Nothing is written.

    Raises InputError also where an output would lie in the index or replace an input.
    """
    task = find_task(settings.task)
    indexed = IndexedCorpus.open(task, settings.input, settings.index)
    files = TrainingFiles.of(settings, task)
    for output in filter(None, outputs):
        indexed.refuse_output(output, [*files.topics, *chain.from_iterable(files.by_judged().values())])
    topics = merge_topics(files.topics)
    judgments = read_judgments(task, files, topics)
    if not judgments.graded:
        raise InputError("judgments", f"figures of {task.name} need graded {task.name}", "add grades of them")
    return StudyData(settings, indexed, example_topics(judgments, topics), judgments, settings.open_encoder())


@dataclass(frozen=True)
class Study(StudyData):
    """The data with all topics described, and draws of folds."""

    source: RankingSource
    examples: Examples
    splits: list[list[list[int]]]
    """Draw -> fold -> positions of held-out topics."""
    dependencies: dict[str, Any]
    """What figures depend on beside the files, as plain data."""
    resources: Resources
    notes: Sequence[str] = ()
    """Notes for the report of a study with an encoder."""

    @property
    def task(self) -> Task:
        """The task that is studied."""
        return self.source.task

    @property
    def sources(self) -> Sources:
        """The sources that train by default."""
        return Sources(grades_alone=self.task.grades_alone)

    @property
    def table(self) -> Candidates:
        """The described items."""
        return self.examples.table

    def held_out_scores(self, judgments: Judgments, sources: Sources, draw: int, objective: str = "") -> Scores:
        """(n_rows,) scores by rankers of every dimension that can be learned, trained on other topics.

        They are blended as by `riposte train`: by the task's weights, with its baselines.
        Without an ``objective`` it is the task's.
        """
        settings = FitSettings(ranker_parameters(self.settings, draw, objective or self.task.objective), sources)
        plain = weighted_baselines(self.task.weights, self.task.kind)

        def scores_of(examples: Examples, known: Container[str] = DIMENSIONS) -> dict[str, Scores]:
            named = tuple(name for name in examples.labels(sources) if name in known)
            return cross_validate(replace(examples, dimensions=named), self.splits[draw], settings, self.resources)

        scores = scores_of(replace(self.examples, judgments=judgments))
        scores |= {name: ranker.score(self.table) for name, ranker in plain.items()}
        if self.encoder:
            best, examples = self._head(blended(scores, self.task.weights))
            examples = replace(examples, judgments=judgments)
            second = scores_of(head_examples(examples, examples.dimensions), {*scores} & {*self.task.second_step})
            scores = with_heads(scores, second, best, examples.table.in_head)
        return blended(scores, self.task.weights)

    def only_heads(self) -> Study:
        """The study of heads alone: the best of each topic by a first step that did not see it, and graded items."""
        if not self.encoder:
            return self
        one_step = replace(self, encoder=None)
        _, examples = self._head(one_step.held_out_scores(self.judgments, self.sources, 0))
        of = f"Of graded {self.task.kind}s and the {self.task.config.head} best of each topic"
        note = f"{of} by a first step that did not see the topic."
        return replace(one_step, examples=head_examples(examples, examples.dimensions), notes=[note])

    def _head(self, scores: Scores) -> tuple[npt.NDArray[np.bool_], Examples]:
        """(n_rows,) the best candidates by the scores of a first step; the examples with the encoder's columns too."""
        assert self.encoder
        of_encoder = columns(self.task.kind, head=True)
        return self.examples.with_head(scores, of_encoder, self.source, self.encoder, self.resources)


def ranker_parameters(settings: StudySettings, draw: int, objective: str) -> Parameters:
    """The rankers' parameters in a draw of the folds."""
    # Each draw has seeds of its own: with those of another draw it would train the same trees once more.
    first = draw * settings.averaged
    given = {"trees": settings.trees, "columns": settings.columns, "seeds": settings.averaged, "seed": first}
    known = vars(make_parameters(objective))
    return make_parameters(objective, {name: value for name, value in given.items() if name in known})


def baseline_scores(study: Study) -> dict[str, list[Scores]]:
    """Name -> (n_rows,) scores of the rankers of such items that learn nothing, the same for every draw of folds.

    With an encoder `DENSE` is one of them: it orders all described items.
    """
    table = study.table
    plain = {name: make_ranker(name, kind=table.kind).score(table) for name in baselines(table.kind)}
    if study.encoder:
        plain[DENSE] = study.examples.dense_scores(study.source, study.encoder, study.resources)
    elif (column := DENSE_COLUMN[table.kind]) in table:
        plain[DENSE] = table[column].to_numpy(np.float64)
    return {name: [scores] for name, scores in plain.items()}


def blended(scores: Mapping[str, Scores], weights: Mapping[str, float]) -> Scores:
    """(n_rows,) the scores of dimensions and baselines as `riposte train` adds them up."""
    return Blend(dict.fromkeys(scores), weights).combine(scores)  # type: ignore[arg-type]


def set_up(settings: StudySettings, files: Collection[Path], folder: Path | None = None) -> Study:
    """A study whose report goes into ``files``, and more into a ``folder``. Raises InputError."""
    for path in files:
        if path.is_dir():
            raise InputError(path, "this is a directory", "name the file to write")
    data = read_study_data(settings, [*files, folder])
    study = draw_folds(data)
    for path in files:
        writable_place(path, "figures")
    return study


def draw_folds(data: StudyData) -> Study:
    """Describe the topics, graded items included, and draw the folds. Raises InputError where that cannot be done."""
    task, topics, judgments, settings = data.indexed.task, data.topics, data.judgments, data.settings
    resources = Resources(Workers(settings.jobs), Progress(quiet=settings.quiet))
    index = data.indexed.open_index(resources)
    source = RankingSource(task, index, task.config)
    table = describe_topics(source, topics, resources, judgments.graded_ids())
    refuse_empty(table, settings.input)
    warn_of_votes(table, judgments, resources.progress.warn)
    for name, qrels in judgments.graded.items():
        if not relevant_items(table, qrels).described:
            files = [path for dimension, path in settings.pair_qrels if dimension == name]
            path = (files or {"relevance": settings.qrels, "quality": settings.quality_qrels}[name])[0]
            raise InputError(path, f"grades no {task.kind} of these topics above 0", f"name other graded {task.name}")
    similar = alike(topics, index.analyzer)
    splits = [split_topics(table, judgments, settings.folds, draw, similar) for draw in settings.draws]
    known, of_encoder = columns(task.kind), columns(task.kind, head=True) if data.encoder else []
    examples = Examples.from_columns(table, judgments, known, task.dimensions)
    about = dependencies(task, known + of_encoder, Sources(grades_alone=task.grades_alone), data.encoder)
    notes = []
    if data.encoder:
        best = f"The {task.config.head} best of each topic, by the first step of its own fold, are ordered with the "
        best += "encoder, and stand above the others."
        notes = [best, f"{DENSE}: all candidates by the encoder's cosine with the question, and nothing else."]
    notes += [f"{name}: {NEVER_ZERO}." for name, qrels in judgments.graded.items() if never_zero(qrels)]
    return Study(
        **vars(data),
        source=source,
        examples=examples,
        splits=splits,
        dependencies=about,
        resources=resources,
        notes=notes,
    )


def finish(study: Study, report: Report, outputs: Mapping[str, Path | None]) -> int:
    """Write the report into ``outputs``, by the name of its rendering, and print it; the exit code of the command."""
    report = replace(report, remarks=[*report.remarks, *study.notes])
    write_all({path: getattr(report, name)() for name, path in outputs.items() if path})
    say(*report.lines())
    return 0
