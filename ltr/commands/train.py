"""``python -m ltr.train``: learn a ranker of pairs from judgments of arguments."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli.options import (
    Parser,
    add_blend_options,
    add_cluster_options,
    add_dry_run_option,
    add_number,
    add_ranker_options,
    add_run_options,
    add_seed_option,
    add_training_data_options,
    chosen_weights,
    chosen_workers,
)
from ltr.errors import InputError
from ltr.escapes import say
from ltr.sample import SAMPLES

if TYPE_CHECKING:
    from argparse import Namespace

    from ltr.corpora.base import Corpus
    from ltr.supervision.labels import Sources
    from models.lambdamart import Parameters

PARAMETERS = ("objective", "trees", "columns", "seed", "seeds")
"""Options that are parameters of a ranker."""


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m ltr.train",
        description="Train a ranker of sentence pairs on judgments of arguments. Without options: on the sample.",
    )
    p.add_argument("-i", "--input", metavar="DIR", help="corpus, as for ltr.predict (default: the sample)")
    sources = "what to learn from, comma-separated: distant (judgments of arguments), weak (labelling functions), "
    sources += "graded (graded pairs); default: all that there are"
    explain = "say how every labelling function votes, and stop before training"
    drop = "leave out a feature group, a feature or a column; may repeat"
    objective = "what trees minimise: LambdaMART's loss, the squared error of grades, or the mean of both; linear: "
    objective += "ridge regression in place of trees (default: %(default)s)"
    model: dict[str, Any] = {"type": Path, "default": Path("model"), "metavar": "DIR"}
    p.add_argument("-m", "--model", **model, help="where the model goes (default: %(default)s)")
    add_training_data_options(p)
    p.add_argument("--sources", metavar="NAMES", help=sources)
    p.add_argument("--labels", metavar="NAMES", help="labelling functions, comma-separated (default: all)")
    p.add_argument("--explain-labels", action="store_true", help=explain)
    add_blend_options(p)
    p.add_argument("--drop", action="append", default=[], metavar="NAME", help=drop)
    objectives = ("both", "lambdarank", "regression", "linear")
    p.add_argument("--objective", choices=objectives, default="both", help=objective)
    add_ranker_options(p)
    add_number(p, "--seeds", "models of each objective to average", 1, 1, 100)
    add_number(p, "--folds", "parts of the cross-validation", 5, 2, 100)
    add_seed_option(p)
    for name, text in (("stem", "index words as they are, without English stemming"), ("stop", "index stop words too")):
        p.add_argument(f"--no-{name}", dest=name, action="store_false", help=text)
    add_run_options(p)
    add_cluster_options(p)
    add_dry_run_option(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    start = time.perf_counter()
    options = parser().parse_args(argv)
    judged = options.qrels or options.quality_qrels or options.pair_qrels
    if options.input and not (options.topics and judged):  # the judgments of the sample are for the sample
        raise InputError("usage", "a corpus needs its judgments", "add --topics FILE and --qrels or --pair-qrels")

    from ltr.corpora.source import open_corpus
    from ltr.index.cache import index_place, open_index
    from ltr.pipeline.extract import FirstStage, Resources, describe_topics, refuse_empty
    from ltr.progress import Progress
    from ltr.supervision.agreement import agreement
    from ltr.tasks import find_task
    from ltr.training.bundle import check_model_place, save_bundle
    from ltr.training.data import (
        alike,
        example_topics,
        held_judgments,
        merge_topics,
        of_this_corpus,
        read_judgments,
        warn_of_test_topics,
    )
    from ltr.training.examples import Examples, kept_columns
    from ltr.training.fit import fit
    from ltr.training.manifest import explain, manifest, summary

    progress, task = Progress(quiet=options.quiet, since=start), find_task(options.task)
    weights = chosen_weights(options.dimension, options.blend, task.dimensions) or task.weights
    topic_files = options.topics or [SAMPLES[task.name].topics]
    arguments, pairs = judgment_files(options)
    files = files_by_kind(arguments, pairs)
    corpus = open_corpus(options.input or str(SAMPLES[task.name].folder))
    topics = merge_topics(topic_files)
    judgments = read_judgments(task, arguments, pairs, topics)
    columns = kept_columns(options.drop, task.unit)
    sources = chosen_sources(options)
    place = index_place(corpus, options.index, [options.model])
    check_model_place(options.model, place, make=not options.dry_run)
    warn_of_test_topics(corpus, topics, progress.warn)
    parameters = chosen_parameters(options)
    training = example_topics(judgments, topics)
    if options.dry_run:
        say(*planned(options, corpus, topic_files, files, f"{len(training)} judged topics of {len(topics)}", place))
        return 0
    with chosen_workers(options) as workers:
        index = open_index(corpus, place, progress, workers, stem=options.stem, stop=options.stop)
        held = of_this_corpus(held_judgments(index, judgments), files)
        first_stage, resources = FirstStage(task, index, task.config), Resources(workers, progress)
        matrix = describe_topics(first_stage, training, resources, graded=judgments.graded_ids())
        refuse_empty(matrix, corpus.name)
        if options.explain_labels:
            print("\n\n".join(explain(name, agreement(matrix, judgments, name)) for name in task.dimensions))
            return 0
        result = fit(
            Examples.of_columns(matrix, judgments, columns, task.dimensions),
            parameters,
            workers=workers,
            progress=progress,
            sources=sources,
            folds=options.folds,
            weights=weights,
            tied=alike(training, index.analyzer),
        )
    facts = manifest(task, index, task.config, sources, parameters, topic_files, files, result)
    facts |= {"dropped": sorted(set(options.drop))} if options.drop else {}
    save_bundle(options.model, task, result.model, facts)
    idle = {
        "trained on": len(matrix.topics),
        "without judgments": len(topics) - len(training),
        "judged, but matching nothing": len(matrix.unmatched),
    }
    say(*summary(result, judgments, held, idle).split("\n"), "", f"model: {options.model}")
    if options.timings:
        progress.print_report()
    return 0


def chosen_parameters(options: Namespace) -> Parameters:
    """What the options say of a ranker. Raises InputError for one of trees beside a linear ranker."""
    from models.lambdamart import Parameters

    for name in ("trees", "seeds") if options.objective == "linear" else ():
        if getattr(options, name) != parser().get_default(name):
            raise InputError("usage", f"--{name} is of trees, and --objective linear grows none", "leave it out")
    return Parameters(**{name: getattr(options, name) for name in PARAMETERS})


def planned(
    options: Namespace, corpus: Corpus, topics: list[Path], judged: dict[str, list[Path]], learned: str, place: Path
) -> list[str]:
    """What ``--dry-run`` says."""
    from ltr.pipeline.plan import plan

    judgments = [f"{kind}: {path}" for kind, paths in judged.items() for path in paths]
    read: dict[str, list[Any]] = {"topics": topics, "judgments": judgments, "to learn": [learned]}
    analysis = {"stem": options.stem, "stop": options.stop}
    return plan(corpus, read, place, analysis, {"model": [options.model]})


def files_by_kind(arguments: dict[str, list[Path]], pairs: list[tuple[str, Path]]) -> dict[str, list[Path]]:
    """``arguments, relevance`` and so on -> files, for the manifest."""
    files = {f"arguments, {name}": list(paths) for name, paths in arguments.items()}
    for name, path in pairs:
        files.setdefault(f"pairs, {name}", []).append(path)
    return files


def chosen_sources(options: Namespace) -> Sources:
    """What ``--sources`` and ``--labels`` come to. Raises InputError."""
    from ltr.supervision.labels import SOURCES, Sources, check_functions

    names = SOURCES if options.sources is None else options.sources.split(",")
    if unknown := [name for name in names if name not in SOURCES]:
        raise InputError("--sources", f"{unknown[0][:80]!r} is none of {', '.join(SOURCES)}")
    functions = check_functions(options.labels.split(",") if options.labels else ())
    return Sources("distant" in names, "weak" in names, "graded" in names, functions)


def judgment_files(options: Namespace) -> tuple[dict[str, list[Path]], list[tuple[str, Path]]]:
    """Files with judgments of arguments by dimension, and of pairs; without any option, those of the sample."""
    if options.qrels or options.quality_qrels or options.pair_qrels:
        arguments = {"relevance": options.qrels, "quality": options.quality_qrels}
        return {name: paths for name, paths in arguments.items() if paths}, options.pair_qrels
    sample = SAMPLES[options.task]
    return sample.qrels, sample.pair_qrels
