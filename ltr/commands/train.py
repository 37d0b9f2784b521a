"""``riposte train`` and :func:`ltr.train`: train a model on judgments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli.options import (
    RUN_OPTIONS,
    Parser,
    add_cluster_options,
    add_file,
    add_number,
    add_options,
    add_ranker_options,
    add_training_data_options,
    chosen_weights,
    chosen_workers,
    finish,
    open_progress,
)
from ltr.errors import InputError
from ltr.escapes import say
from ltr.plugins import load_plugin
from models.defaults import NO_ENCODER, RECIPES, SHIPPED_ENCODER

if TYPE_CHECKING:
    from argparse import Namespace

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

OF_COMMAND = ("input", "model", "plugin", "dry_run", "explain_labels", "quiet", "timings", "started")
"""Options that only the command has."""

REPEATED = ("topics", "qrels", "quality_qrels", "drop")
"""Options whose words come one by one, not with commas between them."""


def parser() -> Parser:
    """The command's options."""
    description = "Train a model on judgments of arguments, graded pairs or documents, votes, or weak labels alone. "
    p = Parser("riposte train", description + "Without options: on the sample.")
    p.add_argument("-i", "--input", metavar="DIR", help="corpus, as for riposte predict (default: the sample)")
    model = "folder of the model (default: %(default)s)"
    p.add_argument("-m", "--model", type=Path, default=Path("model"), metavar="DIR", help=model)
    add_training_data_options(p)
    add_options(p, "--votes")
    sources = "sources of labels, comma-separated: distant (judgments of arguments), weak (labelling functions), "
    sources += "graded (graded items), votes (--votes). Default: all that are given; from 200 graded pairs on, "
    sources += "relevance learns from them and from --votes alone"
    p.add_argument("--sources", metavar="NAMES", help=sources)
    recipe = "weak: --sources distant,weak --objective lambdarank, on all topics, judged or not; grades only measure"
    p.add_argument("--recipe", choices=[*RECIPES], metavar="NAME", help=recipe)
    p.add_argument("--labels", metavar="NAMES", help="labelling functions, comma-separated (default: all)")
    scale = "highest grade that judges and voters could give (default: the highest in each dimension's files)"
    add_number(p, "--grade-scale", scale, None, 1, 1000)
    votes = "print how every vote file and labelling function votes, with the worst disagreements, and stop"
    p.add_argument("--explain-labels", action="store_true", help=votes)
    add_options(p, "--dimension", "--blend")
    drop = "train without a feature group, a feature or a column; baselines in the blend keep theirs; may repeat"
    p.add_argument("--drop", action="append", default=[], metavar="NAME", help=drop)
    encoder = "train a second step with this encoder: a folder with model.onnx and tokenizer.json, or "
    encoder += f"{SHIPPED_ENCODER!r} (default: one step)"
    p.add_argument("--encoder", metavar="FOLDER", default=NO_ENCODER, help=encoder)
    add_options(p, "--objective")
    add_ranker_options(p)
    add_number(p, "--seeds", "models of each objective to average (default: 1)", None, 1, 100)
    held_out = "write the run of the training topics there, whole lists, each ranked by rankers that did not see it"
    add_file(p, "--held-out", held_out)
    add_number(p, "--folds", "parts of the cross-validation", 5, 2, 100)
    add_options(p, "--seed")
    for name, text in (("stem", "index words as they are, without English stemming"), ("stop", "index stop words too")):
        p.add_argument(f"--no-{name}", dest=name, action="store_false", help=text)
    add_options(p, *RUN_OPTIONS, "--dry-run")
    add_cluster_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)
    from ltr.training.run import Training

    progress = open_progress(options)
    training = Training(chosen_request(options), progress, dry_run=options.dry_run)
    if options.dry_run:
        say(*training.plan())
        return 0
    with chosen_workers(options) as workers:
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
    encoder: EncoderName = NO_ENCODER,
    **options: Any,
) -> TrainedModel:
    """Train a model as ``riposte train`` does; the options are its own, with ``_`` for ``-``.

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
    **options
        All others, such as ``task``, ``index``, ``sources``, ``objective``, ``trees``, ``folds``, ``seed``, ``jobs``,
        ``held_out``: numbers, words, or lists of words; ``stem=False`` and ``stop=False``.

    Returns
    -------
    TrainedModel
        Held-out figures as DataFrames, and the model to save.

    Raises
    ------
    InputError
        For everything that can be corrected.
    """
    training, workers = _training(corpus, plugins, encoder, options)
    with workers as several:
        return training.run(several)


def analyse_labels(
    corpus: str | Path | None = None, *, plugins: str | Path | Iterable[str | Path] = (), **options: Any
) -> pd.DataFrame:
    """How vote files and labelling functions vote, as ``riposte train --explain-labels`` prints it.

    Parameters
    ----------
    corpus, plugins, **options
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

    training, workers = _training(corpus, plugins, NO_ENCODER, options)
    with workers as several:
        return agreement_frame(training.label_rows(several)[1])


def _training(
    corpus: str | Path | None,
    plugins: str | Path | Iterable[str | Path],
    encoder: EncoderName,
    options: Mapping[str, Any],
) -> tuple[Training, AbstractContextManager[Workers]]:
    from ltr.progress import Logged
    from ltr.training.run import Training

    for path in [plugins] if isinstance(plugins, str | Path) else plugins:
        load_plugin(path)
    known = vars(parser().parse_args([])).keys() - OF_COMMAND
    if unknown := sorted(options.keys() - known):
        raise TypeError(f"train() has no option {unknown[0]!r}; it has {', '.join(sorted(known))}")
    words = [word for name, value in options.items() for word in _words(name, value)]
    given = parser().parse_args([*words, *([] if corpus is None else [f"--input={corpus}"])])
    given.encoder = encoder
    request = replace(chosen_request(given), model=None)
    return Training(request, Logged()), chosen_workers(given)


def _words(name: str, value: Any) -> Iterator[str]:
    """An option of :func:`train` as the command takes it."""
    option = f"--{name.replace('_', '-')}"
    if isinstance(value, bool):
        if not value:
            yield f"--no-{name}"
    elif isinstance(value, Mapping):
        for key, files in value.items():
            yield from (f"{option}={key}={file}" for file in ([files] if isinstance(files, str | Path) else files))
    elif isinstance(value, list | tuple) and name in REPEATED:
        yield from (f"{option}={one}" for one in value)
    elif value is not None:
        yield f"{option}={','.join(map(str, value)) if isinstance(value, list | tuple) else value}"


def chosen_request(options: Namespace) -> TrainingRequest:
    """The training that the options describe. Raises InputError."""
    from ltr.ranking.corpus import IndexedCorpus
    from ltr.supervision.labels import Sources
    from ltr.tasks import find_task
    from ltr.text_models.encoders import open_encoder
    from ltr.training.fit import TrainingSettings
    from ltr.training.run import TrainingRequest

    if options.input is not None and not options.topics:  # the topics of the sample are for the sample
        raise InputError("usage", "a corpus needs its topics", "add --topics FILE, and judgments or votes")
    follow_recipe(options)
    task, name = find_task(options.task), options.encoder
    weights = {**task.weights, **(chosen_weights(options.dimension, options.blend, task.weights) or {})}
    sources = Sources.parse(options.sources, options.labels, task.grades_alone)
    return TrainingRequest(
        IndexedCorpus.open(task, options.input, options.index),
        chosen_files(options, task),
        TrainingSettings(
            chosen_parameters(options, task.objective),
            sources,
            weights,
            options.folds,
            task.second_step,
            task.min_units,
            options.recipe or "",
        ),
        model=options.model,
        dropped=options.drop,
        analysis={"stem": options.stem, "stop": options.stop},
        held_out=options.held_out,
        encoder=None if name == NO_ENCODER else open_encoder(None if name == SHIPPED_ENCODER else name),
    )


def follow_recipe(options: Namespace) -> None:
    """Set the options that the recipe stands for. Raises InputError where one of them is given, too."""
    for name, value in RECIPES.get(options.recipe, {}).items():
        if getattr(options, name) is not None:
            raise InputError("usage", f"--recipe {options.recipe} sets --{name} itself", "leave one of them out")
        setattr(options, name, value)


def chosen_parameters(options: Namespace, default: str) -> Parameters:
    """The ranker's parameters, of the ``default`` objective where none is named. Raises InputError for an option that
    this ranker does not have."""
    from models.base import make_parameters

    objective = options.objective or default
    known = vars(make_parameters(objective))
    given = {name: value for name in PARAMETERS if (value := getattr(options, name)) is not None}
    for name in given:
        if name not in known:
            raise InputError("usage", f"--{name} does not apply to --objective {objective}", "leave it out")
    return make_parameters(objective, given)


def chosen_files(options: Namespace, task: Task) -> TrainingFiles:
    """Topics, judgments and votes; those of the sample where neither a corpus, a judgment nor a vote is named."""
    from ltr.training.data import TrainingFiles

    topics, sample = options.topics or [task.sample.topics], task.sample
    judged = options.qrels or options.quality_qrels or options.pair_qrels or options.votes
    if not (judged or options.input):
        return TrainingFiles(topics, sample.qrels, sample.pair_qrels, highest=options.grade_scale)
    arguments = {"relevance": options.qrels, "quality": options.quality_qrels}
    named = {name: paths for name, paths in arguments.items() if paths}
    return TrainingFiles(topics, named, options.pair_qrels, options.votes, options.grade_scale)
