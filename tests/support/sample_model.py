"""An index of the sample and a small model trained on it, each made once a session."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from features.core.feature import columns
from ltr.corpora.source import open_corpus
from ltr.index.cache import open_index
from ltr.learning.data import TrainingFiles, merge_topics, read_judgments
from ltr.learning.examples import Examples
from ltr.learning.fit import weighted_baselines
from ltr.learning.judgments import Judgments
from ltr.learning.labels import make_labels
from ltr.model_folder.store import bundle_of, load_bundle, save_bundle
from ltr.parallel import Workers
from ltr.progress import Progress
from ltr.ranking.candidates import Candidates
from ltr.ranking.source import RankingSource, Resources
from ltr.ranking.steps import describe_topics
from ltr.ranking.task import find_task
from ltr.retrieval.base import CandidateConfig
from ltr.sample import SAMPLE, TRAIN_PAIR_QRELS, TRAIN_QRELS, TRAIN_TOPICS
from models.base import DIMENSIONS
from models.blend import WEIGHTS, Blend
from models.lambdamart import Parameters
from support.encoders import word_encoder
from support.judged import judgments_of
from support.planted import train

QUIET = Progress(quiet=True)
PARAMETERS = Parameters(trees=25, seeds=1, learning_rate=0.1, columns=12)
_KEPT: list[tempfile.TemporaryDirectory[str]] = []


@cache
def _folder() -> Path:
    _KEPT.append(tempfile.TemporaryDirectory())
    return Path(_KEPT[0].name)


@cache
def sample_index() -> Path:
    """The folder of an index of the sample."""
    place = _folder() / "index"
    open_index(open_corpus(str(SAMPLE)), place, QUIET)
    return place


@cache
def sample_training() -> tuple[Candidates, Judgments]:
    """Two training topics of the sample with all features, and every judgment of training topics."""
    topics = merge_topics([TRAIN_TOPICS])
    task = find_task("pairs")
    judgments = read_judgments(task, TrainingFiles([TRAIN_TOPICS], TRAIN_QRELS, TRAIN_PAIR_QRELS), topics)
    index = open_index(open_corpus(str(SAMPLE)), sample_index(), QUIET)
    two = [topic for topic in topics if topic.number in ("1", "5")]
    graded = judgments.graded_ids()
    table = describe_topics(RankingSource(task, index, task.config), two, Resources(Workers(1)), graded)
    return table, judgments


@cache
def sample_model(*, graded: bool = True) -> Path:
    """The folder of a model with few trees, of graded pairs or of judgments of arguments alone."""
    table, judgments = sample_training()
    known = judgments if graded else judgments_of({}, judgments.distant)
    examples = Examples.from_columns(table, known, columns(), DIMENSIONS)
    rankers = {name: train(examples, make_labels(table, known, name), PARAMETERS) for name in DIMENSIONS}
    folder = _folder() / f"model-{graded}"
    blend = Blend(rankers | weighted_baselines(WEIGHTS, "pair"), expected_grades=graded)
    save_bundle(folder, *bundle_of(find_task("pairs"), blend, facts(graded=graded)))
    return folder


def two_step_matrix(size: int = 40) -> Candidates:
    """The training topics with their heads described by `word_encoder`."""
    table, judgments = sample_training()
    task = find_task("pairs")
    index = open_index(open_corpus(str(SAMPLE)), sample_index(), QUIET)
    first = load_bundle(sample_model(), task).blend
    source, resources = RankingSource(task, index, task.config).with_head(size), Resources(Workers(1))
    examples = Examples.from_columns(table, judgments, columns(), DIMENSIONS)
    return examples.with_head(first.score(table), columns(head=True), source, word_encoder(), resources)[1].table


@cache
def two_step_model() -> Path:
    """The folder of the small model of graded pairs, with a second step of `word_encoder`."""
    table, judgments = two_step_matrix(), sample_training()[1]
    head = table.in_head
    every = Examples.from_columns(table, judgments, [*columns()[::9], *columns(head=True)], DIMENSIONS)
    examples = replace(every, table=table[head], values=np.ascontiguousarray(every.values[head]))
    some = replace(PARAMETERS, columns=0)
    rankers = {name: train(examples, make_labels(examples.table, judgments, name), some) for name in DIMENSIONS}
    first, encoder = load_bundle(sample_model(), find_task("pairs")).blend, word_encoder()
    folder = _folder() / "model-two-steps"
    known = {"encoder": {"name": encoder.name, "digest": encoder.digest, "size": encoder.size}}
    save_bundle(folder, *bundle_of(find_task("pairs"), replace(first, head=rankers), facts() | known))
    return folder


def facts(*, graded: bool = True) -> dict[str, Any]:
    """What the manifest says of the training."""
    return {
        "analysis": {"stem": True, "stop": True},
        "candidates": asdict(CandidateConfig()),
        "data": {"topics": {}},
        "expected_grades": graded,
        "parameters": asdict(PARAMETERS),
    }
