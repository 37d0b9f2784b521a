"""``riposte train`` and :func:`ltr.train`: train a model on judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli.parser import Command, finish, open_progress
from ltr.errors import InputError, SettingError
from ltr.escapes import say
from ltr.plugins import plugins_of_call
from ltr.settings import make, setting
from ltr.settings.kinds import (
    COUNT,
    FOLDER,
    GRADES,
    TOPICS,
    Choice,
    File,
    Model,
    Names,
    Number,
    Switch,
    Text,
)
from ltr.settings.shared import (
    Blending,
    Output,
    Sharing,
    Work,
    corpus_field,
    dry_run_field,
    pair_qrels_field,
    votes_field,
)
from models.defaults import COLUMNS, NO_ENCODER, RECIPES, SHIPPED_ENCODER, TREES

if TYPE_CHECKING:
    import pandas as pd

    from ltr.model_folder.choice import EncoderName
    from ltr.parallel import Workers
    from ltr.ranking.task import Task
    from ltr.training.data import TrainingFiles
    from ltr.training.result import TrainedModel
    from ltr.training.run import Training, TrainingRequest
    from models.base import Parameters

PARAMETERS = ("trees", "columns", "seeds", "seed")
"""Options that are parameters of a ranker, where it has them."""


@dataclass(frozen=True, kw_only=True)
class TrainingSettings(Blending, Work, Sharing):
    """What a model is trained on, and how."""

    input: str | None = corpus_field("corpus, as for riposte predict (default: the sample)", None)
    topics: tuple[Path, ...] = setting(TOPICS, "training topics XML", several=True)
    qrels: tuple[Path, ...] = setting(GRADES, "judgments of arguments or documents (qid 0 id grade)", several=True)
    quality_qrels: tuple[Path, ...] = setting(GRADES, "judgments of their quality", several=True)
    pair_qrels: tuple[tuple[str, Path], ...] = pair_qrels_field()
    votes: tuple[tuple[str, str, Path], ...] = votes_field()
    sources: tuple[str, ...] | None = setting(
        Names(),
        "sources of labels, comma-separated: distant (judgments of arguments), weak (labelling functions), graded "
        "(graded items), votes (--votes). Default: all that are given; from 200 graded pairs on, relevance learns from "
        "them and from --votes alone",
    )
    recipe: str | None = setting(
        Choice(tuple(RECIPES)),
        "weak: --sources distant,weak --objective lambdarank, on all topics, judged or not; grades only measure",
    )
    labels: tuple[str, ...] | None = setting(Names(), "labelling functions, comma-separated (default: all)")
    grade_scale: int | None = setting(
        COUNT, "highest grade that judges and voters could give (default: the highest in each dimension's files)"
    )
    drop: tuple[str, ...] = setting(
        Text(),
        "train without a feature group, a feature or a column; baselines in the blend keep theirs",
        several=True,
    )
    encoder: EncoderName = setting(
        Model(metavar="FOLDER", objects=True),
        "train a second step with this encoder: a folder with model.onnx and tokenizer.json, or "
        f"{SHIPPED_ENCODER!r} (default: one step)",
        default=NO_ENCODER,
    )
    objective: str | None = setting(
        Choice("models.base:objectives"),
        "what a ranker minimises: both, lambdarank, regression, linear, or that of a plug-in. Trees: LambdaMART's "
        "loss, the squared error of grades, or both, averaged; linear: ridge regression (default: regression for "
        "pairs, both for other tasks)",
    )
    trees: int | None = setting(Number(1, 5000), f"trees of a ranker (default: {TREES})")
    columns: int = setting(Number(), "feature columns that each ranker keeps; 0 keeps all", default=COLUMNS)
    seeds: int | None = setting(Number(1, 100), "models of each objective to average (default: 1)")
    held_out: Path | None = setting(
        File(),
        "write the run of the training topics there, whole lists, each ranked by rankers that did not see it",
    )
    folds: int = setting(Number(2, 100), "parts of the cross-validation", default=5)
    seed: int = setting(Number(), "seed of everything random", default=0)


@dataclass(frozen=True, kw_only=True)
class TrainSettings(TrainingSettings, Output):
    """Train a model on judgments of arguments, graded pairs or documents, votes, or weak labels alone. Without options:
    on the sample."""

    model: Path = setting(FOLDER, "folder of the model", "-m", "--model", default=Path("model"))
    explain_labels: bool = setting(
        Switch(),
        "print how every vote file and labelling function votes, with the worst disagreements, and stop",
        default=False,
    )
    dry_run: bool = dry_run_field()


def train_model(options: TrainSettings) -> int:
    """Train and save. Raises InputError for anything that the user can correct."""
    from ltr.training.run import Training

    progress = open_progress(options)
    training = Training(chosen_request(options, options.model), progress, dry_run=options.dry_run)
    if options.dry_run:
        say(*training.plan())
        return 0
    with options.open_workers(options.jobs) as workers:
        if options.explain_labels:
            say(*training.label_tables(workers).split("\n"))
            return 0
        trained = training.run(workers)
    trained.save(options.model)
    say(*str(trained).split("\n"), "", f"model: {options.model}")
    return finish(options, progress)


def train(
    corpus: str | Path | None = None,
    *,
    plugins: str | Path | Iterable[str | Path] = (),
    **settings: Any,
) -> TrainedModel:
    """Train a model as ``riposte train`` does; the settings are its options, with ``_`` for ``-``.

    Parameters
    ----------
    corpus : str or Path, optional
        As for ``riposte train -i``, with ``topics``; by default the sample.
    plugins : file, or list of files
        Python files that add features, labelling functions, rankers, ...
    encoder : str, Path or function
        Encoder of a second step: a folder, ``"shipped"`` or a function with a ``name``; by default there is one step.
    topics, qrels, quality_qrels : file, or list of files
        Training topics; judgments of whole arguments or documents, in relevance and in quality.
    pair_qrels, votes : dict
        Files, or lists of them, of graded pairs by dimension, of votes by ``"name:dimension"``.
    **settings
        All others, such as ``task``, ``index``, ``sources``, ``objective``, ``trees``, ``folds``, ``seed``, ``jobs``,
        ``held_out``: numbers, words, or lists of words; ``blend`` is a dict of weights.

    Returns
    -------
    TrainedModel
        Held-out figures as DataFrames, and the model to save.

    Raises
    ------
    InputError
        For everything that can be corrected.
    """
    with _training(corpus, plugins, settings) as (training, workers):
        return training.run(workers)


def analyse_labels(
    corpus: str | Path | None = None, *, plugins: str | Path | Iterable[str | Path] = (), **settings: Any
) -> pd.DataFrame:
    """How vote files and labelling functions vote, as ``riposte train --explain-labels`` prints it.

    Parameters
    ----------
    corpus, plugins, **settings
        As for `train`.

    Returns
    -------
    DataFrame
        A row a dimension and voter: shares of the units that it votes on (``coverage``), that others vote on too
        (``overlaps``) and where they vote the other way (``conflicts``), its correlation with the other votes and with
        trusted grades, and its weight.

    Raises
    ------
    InputError
        For everything that can be corrected.
    """
    from ltr.supervision.agreement import agreement_frame

    with _training(corpus, plugins, settings) as (training, workers):
        return agreement_frame(training.label_rows(workers)[1])


@contextmanager
def _training(
    corpus: str | Path | None, plugins: str | Path | Iterable[str | Path], given: Mapping[str, Any]
) -> Iterator[tuple[Training, Workers]]:
    """The training that keywords describe, for the time of a call."""
    from ltr.progress import Logged
    from ltr.training.run import Training

    with plugins_of_call([plugins] if isinstance(plugins, str | Path) else plugins):
        settings = make(TrainingSettings, {**given, **({} if corpus is None else {"input": corpus})}, "train")
        training = Training(chosen_request(settings), Logged())
        with settings.open_workers(settings.jobs) as workers:
            yield training, workers


def chosen_request(options: TrainingSettings, model: Path | None = None) -> TrainingRequest:
    """The training that the options describe. Raises InputError."""
    from ltr.ranking.corpus import IndexedCorpus
    from ltr.supervision.labels import Sources
    from ltr.tasks.base import find_task
    from ltr.text_models.encoders import open_encoder
    from ltr.training.fit import TrainingSettings as FitSettings
    from ltr.training.run import TrainingRequest

    if options.input is not None and not options.topics:  # the topics of the sample are for the sample
        raise InputError("usage", "a corpus needs its topics", "add --topics FILE, and judgments or votes")
    recipe, options = options.recipe or "", follow_recipe(options)
    task, name = find_task(options.task), options.encoder
    weights = {**task.weights, **(options.weights(task.weights) or {})}
    sources = Sources.of(options.sources, options.labels, task.grades_alone)
    return TrainingRequest(
        IndexedCorpus.open(task, options.input, options.index),
        chosen_files(options, task),
        FitSettings(
            chosen_parameters(options, task.objective),
            sources,
            weights,
            options.folds,
            task.second_step,
            task.min_units,
            recipe,
        ),
        model=model,
        dropped=options.drop,
        held_out=options.held_out,
        encoder=None if name == NO_ENCODER else open_encoder(None if name == SHIPPED_ENCODER else name),
    )


def follow_recipe(options: TrainingSettings) -> TrainingSettings:
    """The settings that the recipe stands for. Raises SettingError where one of them is given, too."""
    recipe = RECIPES.get(options.recipe or "", {})
    for name in recipe:
        if getattr(options, name) is not None:
            raise SettingError("recipe", f"{options.recipe} sets {name} itself", "leave one of them out")
    return replace(options, **recipe, recipe=None) if recipe else options


def chosen_parameters(options: TrainingSettings, default: str) -> Parameters:
    """The ranker's parameters, of the ``default`` objective where none is named. Raises InputError for an option that
    this ranker does not have."""
    from models.base import make_parameters

    objective = options.objective or default
    known = vars(make_parameters(objective))
    given = {name: value for name in PARAMETERS if (value := getattr(options, name)) is not None}
    for name in given:
        if name not in known:
            raise SettingError(name, f"does not apply to the objective {objective}", "leave it out")
    return make_parameters(objective, given)


def chosen_files(options: TrainingSettings, task: Task) -> TrainingFiles:
    """Topics, judgments and votes; those of the sample where neither a corpus, a judgment nor a vote is named."""
    from ltr.training.data import TrainingFiles

    topics, sample = options.topics or [task.sample.topics], task.sample
    judged = options.qrels or options.quality_qrels or options.pair_qrels or options.votes
    if not (judged or options.input):
        return TrainingFiles(topics, sample.qrels, sample.pair_qrels, highest=options.grade_scale)
    arguments = {"relevance": options.qrels, "quality": options.quality_qrels}
    named = {name: paths for name, paths in arguments.items() if paths}
    return TrainingFiles(topics, named, options.pair_qrels, options.votes, options.grade_scale)


main = Command("train", TrainSettings, train_model)
