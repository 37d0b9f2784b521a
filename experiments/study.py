"""What every study sets up and ends with: options -> material -> described units and folds; a table and JSON."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.json_files import write_json
from features.core.feature import columns
from ltr.corpora.base import Corpus
from ltr.corpora.source import open_corpus
from ltr.data.files import refuse_to_overwrite, writable_place
from ltr.data.qrels import Qrels
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.escapes import say
from ltr.index.cache import index_place, open_index
from ltr.index.reader import Index
from ltr.parallel.processes import Processes
from ltr.pipeline.extract import FirstStage, Resources, describe_topics
from ltr.pipeline.matrix import Matrix
from ltr.pipeline.task import Task
from ltr.supervision.judgments import Judgments
from ltr.supervision.labels import Sources
from ltr.tasks import find_task
from ltr.training.cross_validation import cross_validate
from ltr.training.data import alike, example_topics, merge_topics, read_judgments
from ltr.training.examples import Examples
from ltr.training.figures import BLEND
from ltr.training.held_out import UnitEvaluator
from ltr.training.splits import split_topics
from models.base import Parameters, Scores, baselines, make_ranker
from models.blend import Blend

if TYPE_CHECKING:
    from argparse import Namespace

    from ltr.progress import Progress
    from ltr.retrieval.base import CandidateConfig


@dataclass(frozen=True)
class Material:
    """What a study is made from."""

    task: Task
    corpus: Corpus
    place: Path
    """Of the index."""
    topics: list[Topic]
    """Those that are judged."""
    judgments: Judgments
    jobs: int

    def open_index(self, progress: Progress, **analysis: bool) -> Index:
        """Build it first where it is absent."""
        return open_index(self.corpus, self.place, progress, Processes(self.jobs), **analysis)


def read_material(options: Namespace, progress: Progress, outputs: Sequence[Path | None] = ()) -> Material:
    """All that is read before the index, which may take long. Nothing is made.

    Raises InputError when units have no grades, which nothing else can stand for, and when an output would lie in the
    index or replace what the study is made from.
    """
    task, corpus = find_task(options.task), open_corpus(options.input)
    arguments = {"relevance": options.qrels, "quality": options.quality_qrels}
    place = index_place(corpus, options.index, outputs)
    pairs = [path for _, path in options.pair_qrels]
    inputs = [*options.topics, *options.qrels, *options.quality_qrels, *pairs, getattr(corpus, "path", None)]
    for output in filter(None, outputs):
        refuse_to_overwrite(output, inputs)
    topics = merge_topics(options.topics)
    judgments = read_judgments(task, arguments, options.pair_qrels, topics)
    if not judgments.graded:
        ways = " or ".join(task.graded_by.values())
        raise InputError("usage", f"figures of {task.name} need graded {task.name}", f"add {ways}")
    return Material(task, corpus, place, example_topics(judgments, topics), judgments, options.jobs)


@dataclass(frozen=True)
class Study:
    """Topics described once, what is judged, and draws of folds."""

    task: Task
    examples: Examples
    splits: list[list[list[int]]]
    """Draw -> fold -> positions of held-out topics."""

    @property
    def matrix(self) -> Matrix:
        """The described units."""
        return self.examples.matrix

    @property
    def judgments(self) -> Judgments:
        """What is judged."""
        return self.examples.judgments

    def held_out_scores(
        self,
        split: Sequence[Sequence[int]],
        parameters: Parameters,
        jobs: int,
        progress: Progress,
        *,
        sources: Sources | None = None,
        judgments: Judgments | None = None,
    ) -> dict[str, Scores]:
        """`BLEND` and every dimension that can be learned -> (n_rows,) scores of rankers that saw other topics alone.

        The blend is that of `ltr.train`: the task's weights, of the dimensions that there are.
        """
        sources = sources or Sources()
        examples = self.examples.judged_by(judgments or self.judgments)
        scores = cross_validate(
            examples,
            split,
            parameters,
            sources=sources,
            workers=Processes(jobs),
            progress=progress,
            dimensions=list(examples.labels(sources)),
        )
        return {BLEND: blended(scores, self.task.weights), **scores}


@dataclass(frozen=True)
class FewGraded(Judgments):
    """Judgments whose units train for few topics: for the first ``size`` of ``order`` that are not held out."""

    order: tuple[str, ...] = ()
    size: int = 0

    def without(self, topics: Collection[str]) -> Judgments:
        """Those that may train when ``topics`` are held out."""
        rest = super().without(topics)
        kept = [topic for topic in self.order if topic not in topics][: self.size]
        return Judgments(
            {name: Qrels({t: q[t] for t in kept if t in q}, q.level) for name, q in rest.graded.items()},
            rest.distant,
            tops=rest.tops,
        )


def baseline_scores(matrix: Matrix) -> dict[str, Scores]:
    """Name -> (n_rows,) scores of the rankers of such units that learn nothing."""
    return {name: make_ranker(name, unit=matrix.unit).score(matrix) for name in baselines(matrix.unit)}


def blended(scores: Mapping[str, Scores], weights: Mapping[str, float]) -> Scores:
    """(n_rows,) the dimensions' scores as `ltr.train` adds them up."""
    return Blend(dict.fromkeys(scores), weights).combine(scores)  # type: ignore[arg-type]


def set_up(options: Namespace, progress: Progress, outputs: Sequence[Path | None] = ()) -> Study:
    """A study whose figures go where ``--json`` says, from its options. Raises InputError."""
    if options.json and options.json.is_dir():
        raise InputError(options.json, "this is a directory", "name the file to write")
    material = read_material(options, progress, [options.json, *outputs])
    study = draw_folds(options, material, material.open_index(progress), progress)
    if options.json:
        writable_place(options.json, "figures")
    return study


def described(
    task: Task,
    index: Index,
    topics: Sequence[Topic],
    config: CandidateConfig,
    options: Namespace,
    progress: Progress,
    judgments: Judgments | None = None,
) -> Matrix:
    """The candidates of all topics, and what is graded, with every feature. Raises InputError when there are none."""
    graded, resources = judgments.graded_ids() if judgments else {}, Resources(Processes(options.jobs), progress)
    matrix = describe_topics(FirstStage(task, index, config), topics, resources, graded=graded)
    if not matrix.topics:
        raise InputError(options.input, "no topic matches any argument", "check that topics and corpus belong together")
    return matrix


def draw_folds(options: Namespace, material: Material, index: Index, progress: Progress) -> Study:
    """Describe the topics, and draw ``options.seeds`` times ``options.folds`` folds.

    Raises InputError as `described`, for graded units none of which is good, and when too little is judged to hold
    some of it out.
    """
    task, topics, judgments = material.task, material.topics, material.judgments
    matrix = described(task, index, topics, task.config, options, progress, judgments)
    for name, qrels in judgments.graded.items():
        if not UnitEvaluator(matrix, qrels).topics:
            files = [path for dimension, path in options.pair_qrels if dimension == name]
            path = (files or {"relevance": options.qrels, "quality": options.quality_qrels}[name])[0]
            what = f"grades no {task.unit} of these topics above 0"
            raise InputError(path, what, f"name other graded {task.name}")
    tied = alike(topics, index.analyzer)
    splits = [split_topics(matrix, judgments, options.folds, seed, tied) for seed in range(options.seeds)]
    return Study(task, Examples.of_columns(matrix, judgments, columns(task.unit), task.dimensions), splits)


def finish(options: Namespace, results: Any, text: str, progress: Progress) -> int:
    """Write the results where ``--json`` says, print the text and, if wanted, the timings."""
    if place := getattr(options, "json", None):
        writable_place(place, "figures")
        write_json(place, results)
    say(*text.split("\n"))
    if options.timings:
        progress.print_report()
    return 0
