"""``python -m ltr.train``: learn a ranker of pairs from judgments of arguments."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import (
    Parser,
    add_blend_options,
    add_cluster_options,
    add_index_options,
    add_ranker_options,
    add_run_options,
    add_task_option,
    add_training_data_options,
    chosen_weights,
    chosen_workers,
    whole_number,
)
from ltr.cli.process import run_command
from ltr.errors import InputError
from ltr.sample import SAMPLE, TRAIN_PAIR_QRELS, TRAIN_QRELS, TRAIN_TOPICS

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from features.core.registry import Unit
    from ltr.corpora.base import Corpus
    from ltr.data.topics import Topic
    from ltr.progress import Progress
    from ltr.supervision.labels import Sources


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m ltr.train",
        description="Train a ranker of sentence pairs on judgments of arguments. Without options: on the sample.",
    )
    p.add_argument("-i", "--input", metavar="DIR", help="corpus, as for ltr.predict (default: the sample)")
    p.add_argument(
        "-m",
        "--model",
        type=Path,
        default=Path("model"),
        metavar="DIR",
        help="where the model goes (default: %(default)s)",
    )
    add_training_data_options(p)
    add_task_option(p)
    p.add_argument(
        "--sources",
        type=source_names,
        metavar="NAMES",
        help="what to learn from, comma-separated: distant (judgments of arguments), weak (labelling functions), "
        "graded (graded pairs); default: all that there are",
    )
    p.add_argument("--labels", metavar="NAMES", help="labelling functions, comma-separated (default: all)")
    p.add_argument(
        "--explain-labels", action="store_true", help="say how every labelling function votes, and stop before training"
    )
    add_blend_options(p)
    p.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="NAME",
        help="leave out a feature group, a feature or a column; may repeat",
    )
    p.add_argument(
        "--objective",
        choices=("both", "lambdarank", "regression"),
        default="both",
        help="what trees minimise: LambdaMART's loss, the squared error of grades, or the mean of both "
        "(default: %(default)s)",
    )
    add_ranker_options(p)
    p.add_argument(
        "--seeds",
        type=whole_number(1, 100),
        default=1,
        metavar="N",
        help="models of each objective to average (default: %(default)s)",
    )
    p.add_argument(
        "--folds",
        type=whole_number(2, 100),
        default=5,
        metavar="N",
        help="parts of the cross-validation (default: %(default)s)",
    )
    p.add_argument(
        "--seed", type=whole_number(0), default=0, metavar="N", help="seed of everything random (default: %(default)s)"
    )
    p.add_argument(
        "--no-stem", dest="stem", action="store_false", help="index words as they are, without English stemming"
    )
    p.add_argument("--no-stop", dest="stop", action="store_false", help="index stop words too")
    add_index_options(p)
    add_run_options(p)
    add_cluster_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    start = time.perf_counter()
    options = parser().parse_args(argv)
    check_usage(options)

    from ltr.corpora.source import open_corpus
    from ltr.index.cache import open_index
    from ltr.pipeline.extract import describe_topics
    from ltr.progress import Progress
    from ltr.supervision.agreement import agreement
    from ltr.tasks import find_task
    from ltr.training.bundle import save_bundle
    from ltr.training.data import (
        alike,
        example_topics,
        held_judgments,
        merge_topics,
        of_this_corpus,
        read_judgments,
    )
    from ltr.training.examples import Examples
    from ltr.training.fit import fit
    from ltr.training.manifest import explain, manifest, summary
    from models.lambdamart import Parameters

    progress = Progress(quiet=options.quiet)
    progress.seconds["start"] = time.perf_counter() - start
    task = find_task(options.task)
    weights = chosen_weights(options.dimension, options.blend, task.dimensions) or task.weights
    source = options.input or str(SAMPLE)
    topic_files = options.topics or [TRAIN_TOPICS]
    arguments, pairs = judgment_files(options)
    files = files_by_kind(arguments, pairs)
    corpus = open_corpus(source)
    topics = merge_topics(topic_files)
    judgments = read_judgments(task, arguments, pairs, topics)
    columns = kept_columns(options.drop, task.unit)
    sources = chosen_sources(options)
    place = find_places(corpus, options.index, options.model, progress)
    warn_of_test_topics(corpus, topics, progress.warn)
    parameters = Parameters(
        objective=options.objective,
        trees=options.trees,
        columns=options.columns,
        seed=options.seed,
        seeds=options.seeds,
    )
    training = example_topics(judgments, topics)
    with chosen_workers(options) as workers:
        index = open_index(corpus, place, progress, workers, stem=options.stem, stop=options.stop)
        held = of_this_corpus(held_judgments(index, judgments), files)
        matrix = describe_topics(
            task, index, training, task.config, graded=judgments.graded_ids(), workers=workers, progress=progress
        )
        if not matrix.topics:
            raise InputError(
                corpus.name, "no topic matches any argument", "check that topics and corpus belong together"
            )
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
    dropped = {"dropped": sorted(set(options.drop))} if options.drop else {}
    save_bundle(options.model, task, result.model, facts | dropped)
    idle = {
        "trained on": len(matrix.topics),
        "without judgments": len(topics) - len(training),
        "judged, but matching nothing": len(matrix.unmatched),
    }
    print(summary(result, judgments, held, idle), f"model: {options.model}", sep="\n\n")
    if options.timings:
        progress.print_report()
    return 0


def check_usage(options: Namespace) -> None:
    """Raise InputError for a corpus without judgments: those of the sample are for the sample."""
    judged = options.qrels or options.quality_qrels or options.pair_qrels
    if options.input and not (options.topics and judged):
        raise InputError("usage", "a corpus needs its judgments", "add --topics FILE and --qrels or --pair-qrels")


def files_by_kind(arguments: dict[str, list[Path]], pairs: list[tuple[str, Path]]) -> dict[str, list[Path]]:
    """``arguments, relevance`` and so on -> files, for the manifest."""
    files = {f"arguments, {name}": list(paths) for name, paths in arguments.items()}
    for name, path in pairs:
        files.setdefault(f"pairs, {name}", []).append(path)
    return files


def find_places(corpus: Corpus, index: Path | None, model: Path, progress: Progress) -> Path:
    """Where the index is kept. Raises InputError when it or the model cannot be put where it is to go."""
    from ltr.data.files import writable_folder
    from ltr.index.cache import index_place
    from ltr.index.folder import refuse_outputs
    from ltr.training.bundle import refuse_foreign

    refuse_foreign(model)
    place = index_place(corpus, index, progress, [model])
    refuse_outputs(model, [place], "model")  # a model's folder is replaced whole
    writable_folder(model.absolute().parent, "place of the model")
    return place


def source_names(text: str) -> frozenset[str]:
    """An argparse ``type``: names of sources, comma-separated."""
    from argparse import ArgumentTypeError

    from ltr.supervision.labels import SOURCES

    names = text.split(",")
    if unknown := [name for name in names if name not in SOURCES]:
        raise ArgumentTypeError(f"{unknown[0][:80]!r} is none of {', '.join(SOURCES)}")
    return frozenset(names)


def chosen_sources(options: Namespace) -> Sources:
    """What ``--sources`` and ``--labels`` come to. Raises InputError."""
    from ltr.supervision.labels import SOURCES, Sources, check_functions

    names = options.sources or frozenset(SOURCES)
    functions = check_functions(options.labels.split(",") if options.labels else ())
    return Sources("distant" in names, "weak" in names, "graded" in names, functions)


def judgment_files(options: Namespace) -> tuple[dict[str, list[Path]], list[tuple[str, Path]]]:
    """Files with judgments of arguments by dimension, and of pairs; without any option, those of the sample."""
    if options.qrels or options.quality_qrels or options.pair_qrels:
        arguments = {"relevance": options.qrels, "quality": options.quality_qrels}
        return {name: paths for name, paths in arguments.items() if paths}, options.pair_qrels
    return TRAIN_QRELS, TRAIN_PAIR_QRELS if options.task == "pairs" else []


def kept_columns(dropped: list[str], unit: Unit = "pair") -> list[str]:
    """The feature columns without the dropped groups, features and columns. Raises InputError for an unknown name."""
    from features.core.registry import column_features

    columns = column_features(unit)
    names = {name for column, feature in columns.items() for name in (column, feature.name, feature.group)}
    for name in dropped:
        if name not in names:
            groups = ", ".join(sorted({feature.group for feature in columns.values()}))
            raise InputError("--drop", f"no feature group, feature or column {name!r}", f"groups are: {groups}")
    kept = [c for c, feature in columns.items() if not {c, feature.name, feature.group} & set(dropped)]
    if not kept:
        raise InputError("--drop", "no feature is left", "drop fewer")
    return kept


def warn_of_test_topics(corpus: Corpus, topics: list[Topic], warn: Callable[[str], None]) -> None:
    """Say so when a training topic is one that predict answers by default: figures on it prove nothing."""
    from features.core.text import normalise
    from ltr.corpora.source import find_topics

    try:
        answered = find_topics(corpus)
    except InputError:
        return  # a corpus without topics of its own
    titles = {normalise(topic.title) for topic in answered}
    shared = [topic.number for topic in topics if normalise(topic.title) in titles]
    if shared:
        warn(
            f"training on {len(shared)} of the topics that come with {corpus.name} ({', '.join(shared[:5])}"
            f"{', ...' if len(shared) > 5 else ''}): a run for them is not a fair test"
        )


if __name__ == "__main__":
    run_command(main)
