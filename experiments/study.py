"""What every study sets up and ends with: corpus, topics, judgments, described pairs, folds; a table and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.json_files import write_json
from experiments.study_options import judged_files
from features.core.registry import columns
from ltr.data.files import refuse_to_overwrite, writable_place
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.parallel.processes import Processes
from ltr.pipeline.extract import describe_topics
from ltr.pipeline.matrix import Matrix
from ltr.supervision.judgments import Judgments
from ltr.supervision.labels import Sources
from ltr.tasks import find_task
from ltr.training.cross_validation import cross_validate
from ltr.training.data import alike, example_topics, merge_topics, read_judgments
from ltr.training.examples import Examples
from ltr.training.figures import BLEND
from ltr.training.held_out import UnitEvaluator
from ltr.training.splits import split_topics
from models.base import Scores, baselines, make_ranker
from models.blend import WEIGHTS, Blend

if TYPE_CHECKING:
    from argparse import Namespace

    from ltr.corpora.base import Corpus
    from ltr.index.reader import Index
    from ltr.pipeline.task import Task
    from ltr.progress import Progress
    from ltr.retrieval.base import CandidateConfig
    from models.lambdamart import Parameters


@dataclass(frozen=True)
class Study:
    """Topics described once, what is judged, and draws of folds."""

    examples: Examples
    splits: list[list[list[int]]]
    """Draw -> fold -> positions of held-out topics."""

    @property
    def matrix(self) -> Matrix:
        """The described pairs."""
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

        The blend is that of `ltr.train`: weights of `models.blend`, of the dimensions that there are.
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
        return {BLEND: blended(scores), **scores}

    def baselines(self) -> dict[str, Scores]:
        """Name -> (n_rows,) scores of the rankers that learn nothing."""
        return {name: make_ranker(name).score(self.matrix) for name in baselines()}


def blended(scores: Mapping[str, Scores]) -> Scores:
    """(n_rows,) the dimensions' scores as `ltr.train` adds them up."""
    return Blend(dict.fromkeys(scores), WEIGHTS).combine(scores)  # type: ignore[arg-type]


def set_up(options: Namespace, progress: Progress, *, outputs: Sequence[Path | None] = ()) -> Study:
    """`find_places`, `read_material` and `draw_folds`; ``--json`` can be written. Raises InputError."""
    outputs = [options.json, *outputs]
    study = draw_folds(options, *read_material(options, *find_places(options, progress, outputs), progress), progress)
    if options.json:
        writable_place(options.json, "figures")
    return study


def find_places(options: Namespace, progress: Progress, outputs: Sequence[Path | None] = ()) -> tuple[Corpus, Path]:
    """The corpus, and where its index is. Nothing is made.

    Raises InputError when an output would lie in the index, or replace what the study is made from.
    """
    from ltr.corpora.source import open_corpus
    from ltr.index.cache import index_place

    corpus = open_corpus(options.input)
    place = index_place(corpus, options.index, progress, outputs)
    for output in outputs:
        if output is not None:
            refuse_to_overwrite(output, [*judged_files(options), getattr(corpus, "path", None)])
    return corpus, place


def read_material(
    options: Namespace, corpus: Corpus, place: Path, progress: Progress
) -> tuple[Index, list[Topic], Judgments]:
    """The index, the topics that are judged, and the judgments: those are read first, indexing takes longer."""
    from ltr.index.cache import open_index

    topics = merge_topics(options.topics)
    arguments = {"relevance": options.qrels, "quality": options.quality_qrels}
    judgments = read_judgments(find_task("pairs"), arguments, options.pair_qrels, topics)
    return open_index(corpus, place, progress), example_topics(judgments, topics), judgments


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
    graded, workers = judgments.graded_ids() if judgments else {}, Processes(options.jobs)
    matrix = describe_topics(task, index, topics, config, graded=graded, workers=workers, progress=progress)
    if not matrix.topics:
        raise InputError(options.input, "no topic matches any argument", "check that topics and corpus belong together")
    return matrix


def make_study(
    index: Index, topics: Sequence[Topic], matrix: Matrix, judgments: Judgments, folds: int, seeds: Iterable[int]
) -> Study:
    """Draw folds by each of the ``seeds``. Raises InputError when too little is judged to hold some of it out."""
    tied = alike(topics, index.analyzer)
    splits = [split_topics(matrix, judgments, folds, seed, tied) for seed in seeds]
    return Study(Examples.of_columns(matrix, judgments, columns(), find_task("pairs").dimensions), splits)


def draw_folds(
    options: Namespace, index: Index, topics: list[Topic], judgments: Judgments, progress: Progress
) -> Study:
    """Describe the topics, and draw ``options.seeds`` times ``options.folds`` folds.

    Raises InputError as `described` and `make_study`, and for graded pairs none of which is good.
    """
    task = find_task("pairs")
    matrix = described(task, index, topics, task.config, options, progress, judgments)
    for name, qrels in judgments.graded.items():
        if not UnitEvaluator(matrix, qrels).topics:
            path = next(path for dimension, path in options.pair_qrels if dimension == name)
            raise InputError(path, "grades no pair of these topics above 0", "name other graded pairs")
    return make_study(index, topics, matrix, judgments, options.folds, range(options.seeds))


def finish(options: Namespace, results: Any, text: str, progress: Progress) -> int:
    """Write the results where ``--json`` says, print the text and, if wanted, the timings."""
    if options.json:
        writable_place(options.json, "figures")
        write_json(options.json, results)
    print(text)
    if options.timings:
        progress.print_report()
    return 0
