"""``python -m ltr.predict -i DIR -o DIR``: answer every topic with ranked pairs, as a TREC run."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import (
    Parser,
    add_blend_options,
    add_cluster_options,
    add_index_options,
    add_run_options,
    add_task_option,
    chosen_weights,
    chosen_workers,
    share,
    whole_number,
)
from ltr.cli.process import run_command
from ltr.errors import InputError

if TYPE_CHECKING:
    from ltr.corpora.base import Corpus
    from ltr.data.topics import Topic
    from ltr.pipeline.task import Task
    from ltr.progress import Progress
    from ltr.retrieval.base import CandidateConfig
    from models.base import Ranker

RUN = "run.txt"


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m ltr.predict", description="Rank pairs of sentences for every topic and write a TREC run."
    )
    p.add_argument(
        "-i",
        "--input",
        required=True,
        metavar="DIR",
        help="corpus: a directory with topics.xml and args_processed*.csv, .csv.gz, .tar.gz or args.me JSON; "
        "such a file; or irds:<dataset>",
    )
    p.add_argument(
        "-o", "--output", required=True, type=Path, metavar="DIR", help=f"where {RUN} goes; made when absent"
    )
    p.add_argument(
        "-m",
        "--model",
        metavar="MODEL",
        help="a model folder, or bm25, bm25-tuned, dirichlet, length (default: the model that ships)",
    )
    p.add_argument(
        "--topics", type=Path, metavar="FILE", help="topics XML (default: topics.xml in the input directory)"
    )
    p.add_argument(
        "--tag", metavar="TAG", help="name of the run, its last column (default: riposte, or riposte-<baseline>)"
    )
    p.add_argument(
        "--depth",
        type=whole_number(1, 1000),
        default=1000,
        metavar="N",
        help="pairs a topic, at most (default: %(default)s)",
    )
    p.add_argument(
        "--diversify",
        type=share,
        metavar="X",
        help="0 to 1: what a pair of arguments that were shown pays, in units of its score (default: 0.1)",
    )
    add_task_option(p)
    add_blend_options(p)
    add_index_options(p)
    add_run_options(p)
    add_cluster_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can mend."""
    start = time.perf_counter()
    options = parser().parse_args(argv)
    if options.tag is not None and (not options.tag or options.tag.split() != [options.tag]):
        raise InputError("--tag", "a tag is one word", "leave out the spaces")

    from ltr.corpora.base import open_corpus
    from ltr.data.files import writable_folder
    from ltr.data.runs import validate_run, write_run
    from ltr.index.reader import index_place, open_index
    from ltr.pipeline.confidence import expected_relevance, note_of_topics, score_with_relevance
    from ltr.pipeline.extract import describe_topics
    from ltr.pipeline.rerank import DIVERSIFY, make_run
    from ltr.progress import Progress
    from ltr.tasks import find_task

    progress = Progress(quiet=options.quiet)
    progress.seconds["start"] = time.perf_counter() - start
    task = find_task(options.task)
    weights = chosen_weights(options.dimension, options.blend)
    corpus = open_corpus(options.input)
    topics = find_topics(options.input, corpus, options.topics)
    with progress.stage("model"):
        ranker, config, analysis = find_ranker(task, options.model, options.jobs, progress, weights)
    place = index_place(corpus, options.index, progress, [options.output])
    folder = writable_folder(options.output, "output directory")
    with chosen_workers(options) as workers:
        index = open_index(corpus, place, progress, workers, **analysis)
        matrix = describe_topics(
            task, index, topics, config, columns=ranker.columns, workers=workers, progress=progress
        )
    if not matrix.topics:
        raise InputError(corpus.name, "no topic matches any argument", "check that topics and corpus belong together")
    for topic in topics:
        if topic.number in matrix.unmatched:
            progress.warn(
                f"topic {topic.number} ({topic.title}): no argument shares a word with it; it is not in the run"
            )
    tag = options.tag or (
        "riposte" if options.model is None or Path(options.model).is_dir() else f"riposte-{options.model}"
    )
    with progress.stage("rank and write"):
        scores, relevance = score_with_relevance(ranker, matrix)
        penalty = DIVERSIFY if options.diversify is None else options.diversify
        rows = make_run(task, matrix, scores, tag=tag, depth=options.depth, diversify=penalty)
        expected = expected_relevance(matrix, rows, relevance)
        validate_run(rows, depth=options.depth)
        write_run(folder / RUN, rows)
    sizes = Counter(row.topic for row in rows)
    short = [topic for topic, size in sizes.items() if size < min(task.min_units, options.depth)]
    if short:
        progress.warn(f"fewer than {task.min_units} {task.unit}s, all that the corpus gives: topic {', '.join(short)}")
    print(f"{folder / RUN}: {len(rows):,} {task.unit}s for {len(sizes)} of {len(topics)} topics")
    if note := note_of_topics(expected):
        print(note)
    if options.timings:
        progress.print_report()
    return 0


def find_topics(source: str, corpus: Corpus, path: Path | None) -> list[Topic]:
    """The topics of ``path``, else of topics.xml beside the corpus, else of the ir_datasets id."""
    from ltr.corpora.base import IRDS, FileCorpus
    from ltr.data.topics import Topic, read_topics

    if path is not None:
        return read_topics(path)
    if isinstance(corpus, FileCorpus):
        beside = corpus.path.parent / "topics.xml"
        if not beside.exists():
            raise InputError(beside, "there are no topics", "put topics.xml there or name a file with --topics")
        return read_topics(beside)
    from ltr.corpora.irds import topics

    return [Topic(*fields) for fields in topics(source.removeprefix(IRDS))]


def find_ranker(
    task: Task, name: str | None, threads: int, progress: Progress, weights: dict[str, float] | None = None
) -> tuple[Ranker, CandidateConfig, dict[str, bool]]:
    """The ranker of that name or folder, how wide it looks, and the text analysis that it needs.

    ``weights`` take the place of those that the model was trained to blend by.
    """
    from ltr.training.bundle import PRETRAINED, load_bundle
    from models.base import baselines, make_ranker

    if name in baselines():
        if weights:
            raise InputError("usage", f"{name} knows no dimensions", "leave out --dimension and --blend")
        return make_ranker(name, unit=task.unit), task.config, {"stem": True, "stop": True}
    folder = PRETRAINED / task.name if name is None else Path(name)
    if not folder.is_dir():
        raise InputError(folder, "there is no such model", f"name a model folder or one of: {', '.join(baselines())}")
    bundle = load_bundle(folder, task, threads=threads)
    if differing := bundle.other_versions():
        progress.warn(f"the model was trained with {', '.join(differing)}: its scores may differ a little")
    try:
        model = bundle.model.reweighted(weights) if weights else bundle.model
    except KeyError as error:
        raise InputError(folder, f"the model has no ranker of {error.args[0]}", "weigh other dimensions") from None
    return model, bundle.config, bundle.manifest["analysis"]


if __name__ == "__main__":
    run_command(main)
