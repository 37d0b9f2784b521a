"""``python -m ltr.train``: learn a ranker of pairs from judgments of arguments."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli import (
    Parser,
    add_cluster_options,
    add_index_options,
    add_run_options,
    add_target_options,
    chosen_weights,
    chosen_workers,
    share,
    whole_number,
)
from ltr.errors import InputError, run_command

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from features.text import Analyzer
    from ltr.corpus import Corpus
    from ltr.formats import Qrels, Topic
    from ltr.index import Index
    from ltr.learning import Teaching
    from ltr.matrix import Matrix
    from ltr.progress import Progress
    from ltr.supervision import WeakLabels

SAMPLE = Path(__file__).resolve().parent / "sample"


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
    p.add_argument(
        "--topics", type=Path, action="append", default=[], metavar="FILE", help="training topics XML; may repeat"
    )
    p.add_argument(
        "--qrels",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="judgments of arguments (qid 0 id grade); may repeat",
    )
    p.add_argument(
        "--quality-qrels",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="judgments of the quality of arguments; may repeat (default: none, and quality is ranked by what "
        "people prefer in other texts)",
    )
    p.add_argument(
        "--labels",
        metavar="NAMES",
        help="labelling functions, comma-separated, or all: several are weighed against each other by a label model",
    )
    p.add_argument(
        "--unjudged",
        type=share,
        metavar="X",
        help="what the unjudged pairs of a topic weigh as negatives, as a share of the judged ones "
        "(default: .1 for relevance, .06 for quality)",
    )
    p.add_argument(
        "--explain-labels", action="store_true", help="say what every labelling function does, and stop before training"
    )
    add_target_options(p)
    p.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="NAME",
        help="leave out a feature group, a feature or a column; may repeat",
    )
    p.add_argument(
        "--trees",
        type=whole_number(0, 5000),
        default=60,
        metavar="N",
        help="most trees to try; cross-validation chooses how many stay (default: %(default)s)",
    )
    p.add_argument(
        "--seeds", type=whole_number(1, 100), default=5, metavar="N", help="models to average (default: %(default)s)"
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
    """Run the command. Raises InputError for anything that the user can mend."""
    start = time.perf_counter()
    options = parser().parse_args(argv)
    if options.input and not (options.topics and (options.qrels or options.quality_qrels)):
        raise InputError("usage", "a corpus needs its judgments", "add --topics FILE and --qrels FILE")

    from ltr.account import account, explain, summary
    from ltr.bundle import save_bundle
    from ltr.candidates import Settings
    from ltr.corpus import open_corpus
    from ltr.formats import read_all_qrels
    from ltr.index import open_index
    from ltr.learning import learn
    from ltr.pipeline import describe_topics
    from ltr.progress import Progress
    from models.blend import WEIGHTS
    from models.lambdamart import Parameters

    progress = Progress(quiet=options.quiet)
    progress.seconds["start"] = time.perf_counter() - start
    weights = chosen_weights(options.target, options.blend) or WEIGHTS
    source = options.input or str(SAMPLE)
    topic_files = options.topics or [SAMPLE / "topics-train.xml"]
    files = judgment_files(options)
    corpus = open_corpus(source)
    topics = merge_topics(topic_files)
    qrels = {name: known_qrels(read_all_qrels(paths), topics, paths) for name, paths in files.items()}
    columns = kept_columns(options.drop, progress)
    place = find_places(corpus, options.index, options.model, progress)
    warn_of_test_topics(source, corpus, topics, progress.warn)
    parameters = Parameters(seed=options.seed, trees=options.trees, seeds=options.seeds)

    functions = {name: label_functions(options.labels, name, explain=options.explain_labels) for name in qrels}
    training = [topic for topic in topics if any(topic.number in grades for grades in qrels.values())]
    settings = Settings()
    with chosen_workers(options) as workers:
        index = open_index(corpus, place, progress, workers, stem=options.stem, stop=options.stop)
        matrix = describe_topics(index, training, settings, workers=workers, progress=progress)
        if not matrix.topics:
            raise InputError(
                corpus.name, "no topic matches any argument", "check that topics and corpus belong together"
            )
        with progress.stage("labels"):
            teaching = label(matrix, index, qrels, functions, files, options.unjudged)
        if options.explain_labels:
            print("\n\n".join(explain(name, one) for name, one in teaching.items()))
            return 0
        lesson = learn(
            matrix,
            teaching,
            columns,
            parameters,
            folds=options.folds,
            threads=options.jobs,
            progress=progress,
            weights=weights,
            tied=alike(training, index.analyzer),
            grow=workers.grow,
        )
    dropped = {"dropped": sorted(set(options.drop))} if options.drop else {}
    save_bundle(options.model, lesson.model, account(index, settings, topic_files, files, teaching, lesson) | dropped)
    idle = {
        "topics without judgments": len(topics) - len(training),
        "judged topics that match nothing": len(matrix.unmatched),
    }
    print(summary(teaching, lesson, idle), f"model: {options.model}", sep="\n\n")
    if options.timings:
        progress.print_report()
    return 0


def find_places(corpus: Corpus, index: Path | None, model: Path, progress: Progress) -> Path:
    """Where the index is kept. Raises InputError when it or the model cannot be put where it is to go."""
    from ltr.bundle import refuse_foreign
    from ltr.files import writable_folder
    from ltr.index import index_place
    from ltr.index_folder import refuse_outputs

    refuse_foreign(model)
    place = index_place(corpus, index, progress, [model])
    refuse_outputs(model, [place], "model")  # a model's folder is replaced whole
    writable_folder(model.absolute().parent, "place of the model")
    return place


def judgment_files(options: Namespace) -> dict[str, list[Path]]:
    """The qrels of each judged dimension; without any option, those of the sample."""
    if options.qrels or options.quality_qrels:
        files = {"relevance": options.qrels, "quality": options.quality_qrels}
    else:
        files = {name: [SAMPLE / f"qrels-train-{name}.qrels"] for name in ("relevance", "quality")}
    return {name: paths for name, paths in files.items() if paths}


def merge_topics(paths: list[Path]) -> list[Topic]:
    """The topics of all files. Raises InputError when a number has two titles."""
    from ltr.formats import read_topics

    merged: dict[str, Topic] = {}
    for path in paths:
        for topic in read_topics(path):
            if merged.setdefault(topic.number, topic).title != topic.title:
                raise InputError(
                    path, f"topic {topic.number} has another title in an earlier file", "renumber one of the two"
                )
    return list(merged.values())


def known_qrels(qrels: Qrels, topics: list[Topic], paths: list[Path]) -> Qrels:
    """``qrels``, when all of its topics are known. Raises InputError naming those that are not."""
    numbers = {topic.number for topic in topics}
    unknown = [number for number in qrels if number not in numbers]
    if unknown:
        shown = ", ".join(unknown[:5]) + (", ..." if len(unknown) > 5 else "")
        where = " ".join(map(str, paths))
        raise InputError(
            where,
            f"judgments for {len(unknown)} topics that no topics file holds ({shown})",
            "add --topics FILE with them",
        )
    if any("," in judged for grades in qrels.values() for judged in grades):
        raise InputError(paths[0], "these judge pairs, and training needs judgments of arguments", "name such qrels")
    return qrels


def kept_columns(dropped: list[str], progress: Progress) -> list[str]:
    """The feature columns without the dropped groups, features and columns. Raises InputError for an unknown name.

    Says how many of them count, and warns of a name that makes no difference.
    """
    from features.registry import column_features

    columns = column_features()
    names = {name for column, feature in columns.items() for name in (column, feature.name, feature.group)}
    for name in dropped:
        if name not in names:
            groups = ", ".join(sorted({feature.group for feature in columns.values()}))
            raise InputError("--drop", f"no feature group, feature or column {name!r}", f"groups are: {groups}")
    kept = [c for c, feature in columns.items() if not {c, feature.name, feature.group} & set(dropped)]
    if not kept:
        raise InputError("--drop", "no feature is left", "drop fewer")
    learned = sum(columns[column].sign != 0 for column in kept)
    for name in dropped:
        if not any(f.sign for column, f in columns.items() if name in (column, f.name, f.group)):
            what = "rankers learn from features with a sign only, see python -m features"
            progress.warn(f"--drop {name} changes nothing in the model: {what}")
    progress.say(f"features: {len(columns)} columns described, {learned} learned from (those with a sign)")
    return kept


def warn_of_test_topics(source: str, corpus: Corpus, topics: list[Topic], warn: Callable[[str], None]) -> None:
    """Say so when a training topic is one that predict answers by default: figures on it prove nothing."""
    from features.text import normalise
    from ltr.predict import find_topics

    try:
        answered = find_topics(source, corpus, None)
    except InputError:
        return  # a corpus without topics of its own
    titles = {normalise(topic.title) for topic in answered}
    shared = [topic.number for topic in topics if normalise(topic.title) in titles]
    if shared:
        warn(
            f"training on {len(shared)} of the topics that come with {source} ({', '.join(shared[:5])}"
            f"{', ...' if len(shared) > 5 else ''}): a run for them is not a fair test"
        )


def label(
    matrix: Matrix,
    index: Index,
    qrels: dict[str, Qrels],
    functions: dict[str, list[str]],
    files: dict[str, list[Path]],
    unjudged: float | None,
) -> dict[str, Teaching]:
    """Weak labels of each judged dimension. Raises InputError when nothing judged is in the corpus."""
    from ltr.learning import Teaching
    from ltr.supervision import UNJUDGED, weak_labels

    teaching = {}
    for name, judgments in qrels.items():
        held = index.argument_rows([argument for grades in judgments.values() for argument in grades])
        mass = UNJUDGED[name] if unjudged is None else unjudged
        known = frozenset(held)

        def relabel(seen: Qrels, known: frozenset[str] = known, name: str = name, mass: float = mass) -> WeakLabels:
            return weak_labels(matrix, seen, known, functions[name], name, unjudged=mass)

        labels = relabel(judgments)
        if not labels.used.any():
            what = "no judged argument is " + ("among the candidates of its topic" if held else "in this corpus")
            raise InputError(files[name][0], what, "use judgments that belong to the corpus")
        teaching[name] = Teaching(labels, judgments, relabel)
    return teaching


def label_functions(names: str | None, dimension: str, *, explain: bool) -> list[str]:
    """The labelling functions that are asked for; to be explained, all of them by default."""
    from ltr.labelling import labelling_functions
    from ltr.supervision import DEFAULT, check_functions

    if names == "all" or (explain and not names):
        return list(labelling_functions())
    chosen = names.split(",") if names else list(DEFAULT[dimension])
    check_functions(chosen)
    return chosen


def alike(topics: list[Topic], analyzer: Analyzer) -> list[tuple[str, str]]:
    """Pairs of topics whose titles share half of their words or more: they may not stand on both sides of a split."""
    from itertools import combinations

    words = {topic.number: set(analyzer.terms(topic.title)) for topic in topics}
    return [
        (one, other)
        for one, other in combinations(words, 2)
        if 2 * len(words[one] & words[other]) >= max(len(words[one] | words[other]), 1)
    ]


if __name__ == "__main__":
    run_command(main)
