"""What every study sets up: corpus, topics, judgments, the described pairs, folds, and figures of held-out scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.study_options import judged_files
from ltr.data.qrels import Qrels
from ltr.data.topics import Topic
from ltr.errors import InputError
from ltr.evaluation.significance import mean_interval
from ltr.parallel.processes import Processes
from ltr.pipeline.matrix import Matrix
from ltr.supervision.judgments import Judgments
from ltr.supervision.labels import Sources, graded_labels
from ltr.tasks import find_task
from ltr.training import held_out
from ltr.training.cross_validation import cross_validate
from ltr.training.data import example_topics
from ltr.training.examples import Examples
from ltr.training.figures import BLEND
from ltr.training.held_out import ArgumentEvaluator, UnitEvaluator
from ltr.training.splits import split_topics
from models.base import DIMENSIONS, Scores, baselines, make_ranker
from models.blend import WEIGHTS, Blend

if TYPE_CHECKING:
    from argparse import Namespace

    from ltr.corpora.base import Corpus
    from ltr.index.reader import Index
    from ltr.progress import Progress
    from models.lambdamart import Parameters

LIST_MEASURES = held_out.MEASURES
MEASURES = (*LIST_MEASURES, "correlation")
"""Lab nDCG@5 of whole lists, their judged share, lab nDCG@5 of the graded pairs alone, and how far the scores of a
topic's graded pairs rise with their grades (Spearman): of all pairs, so less is left to luck than in the top five."""

MEAN = "mean"
"""What figures call the mean of the dimensions."""

Values = npt.NDArray[np.float64]


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
    """`find_places`, `read_material` and `draw_folds`."""
    return draw_folds(options, *read_material(options, *find_places(options, progress, outputs), progress), progress)


def find_places(options: Namespace, progress: Progress, outputs: Sequence[Path | None] = ()) -> tuple[Corpus, Path]:
    """The corpus, and where its index is. Nothing is made.

    Raises InputError when an output would lie in the index, or replace what the study is made from.
    """
    from ltr.corpora.source import open_corpus
    from ltr.data.files import refuse_to_overwrite
    from ltr.index.reader import index_place

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
    from ltr.index.reader import open_index
    from ltr.training.data import merge_topics, read_judgments

    topics = merge_topics(options.topics)
    arguments = {"relevance": options.qrels, "quality": options.quality_qrels}
    judgments = read_judgments(find_task("pairs"), arguments, options.pair_qrels, topics)
    return open_index(corpus, place, progress), example_topics(judgments, topics), judgments


def draw_folds(
    options: Namespace, index: Index, topics: list[Topic], judgments: Judgments, progress: Progress
) -> Study:
    """Describe the topics, and draw ``options.seeds`` times ``options.folds`` folds.

    Raises InputError when no topic matches, or too little is judged to hold some of it out.
    """
    from features.core.registry import columns
    from ltr.pipeline import extract as pipeline
    from ltr.training.data import alike

    task = find_task("pairs")
    graded, workers = judgments.graded_ids(), Processes(options.jobs)
    matrix = pipeline.describe_topics(
        task, index, topics, task.config, graded=graded, workers=workers, progress=progress
    )
    if not matrix.topics:
        raise InputError(options.input, "no topic matches any argument", "check that topics and corpus belong together")
    for name, qrels in judgments.graded.items():
        if not UnitEvaluator(matrix, qrels).topics:
            path = next(path for dimension, path in options.pair_qrels if dimension == name)
            raise InputError(path, "grades no pair of these topics above 0", "name other graded pairs")
    tied = alike(topics, index.analyzer)
    splits = [split_topics(matrix, judgments, options.folds, seed, tied) for seed in range(options.seeds)]
    return Study(Examples.of_columns(matrix, judgments, columns(), task.dimensions), splits)


# ---- figures --------------------------------------------------------------------------------------


class Figures:
    """Figures of scored pairs by dimension, of topics in the order of the matrix.

    It keeps ids alone, no features, so that it can be handed to another process.
    """

    def __init__(self, matrix: Matrix, pairs: Mapping[str, Qrels]) -> None:
        lists = copy(matrix)
        lists.features = pd.DataFrame(index=matrix.features.index)
        self._topics = list(matrix)
        self._dimensions = {name: _Dimension(lists, pairs[name]) for name in DIMENSIONS if name in pairs}

    @property
    def dimensions(self) -> list[str]:
        """Those that pairs are graded in."""
        return list(self._dimensions)

    def values(self, scores: Scores, dimension: str) -> Values:
        """(n_topics, n_measures) of `MEASURES`, NaN for topics without a pair of a grade above 0.

        `MEAN` is the mean of all dimensions, of topics that can be scored in each.
        """
        if dimension == MEAN:
            return np.asarray(np.mean([self.values(scores, name) for name in self._dimensions], axis=0))
        one = self._dimensions[dimension]
        found = np.full((len(self._topics), len(MEASURES)), np.nan)
        found[one.scorable, :-1] = one.lists.values(scores)
        for place in np.flatnonzero(one.scorable):
            rows = one.graded[place]
            found[place, -1] = rank_correlation(scores[rows], one.grades[rows])
        return found


class _Dimension:
    def __init__(self, lists: Matrix, qrels: Qrels) -> None:
        self.lists = UnitEvaluator(lists, qrels)
        self.scorable = np.array([max(qrels.get(topic, {}).values(), default=0) > 0 for topic in lists.topics])
        self.grades = graded_labels(lists, qrels)
        self.graded = [np.arange(r.start, r.stop)[~np.isnan(self.grades[r])] for _, r in lists]


def rank_correlation(scores: Scores, grades: Scores) -> float:
    """Spearman's rho, ties at their mean rank; 0 where either is constant.

    >>> round(rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 2.0])), 3)
    0.866
    """
    from scipy.stats import rankdata

    if len(scores) < 2 or np.ptp(scores) == 0 or np.ptp(grades) == 0:
        return 0.0
    return float(np.corrcoef(rankdata(scores), rankdata(grades))[0, 1].round(9))


def argument_values(matrix: Matrix, judgments: Judgments, scores: Scores) -> dict[str, Values]:
    """Dimension -> (n_topics, n_list_measures) of arguments in the order of their best pair."""
    found = {name: ArgumentEvaluator(matrix, qrels) for name, qrels in judgments.distant.items()}
    return {name: one.values(scores) for name, one in found.items() if one.topics}


def mean_with_interval(values: Values, bounds: tuple[float, float] = (0, 1)) -> dict[str, Any]:
    """Mean over topics with its 95% t interval, as plain data; NaN are topics that cannot be scored."""
    known = values[~np.isnan(values)]
    low, high = mean_interval(known, bounds)
    return {"mean": float(known.mean()), "low": low, "high": high, "topics": len(known)}


def interval_text(row: Mapping[str, float]) -> str:
    """``.5 [.4, .6]`` with three decimals."""
    return f"{row['mean']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
