"""``python -m ltr.predict -i DIR -o DIR``: answer every topic with ranked pairs or arguments, as a TREC run."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import (
    Parser,
    add_blend_options,
    add_cascade_option,
    add_cluster_options,
    add_dry_run_option,
    add_file,
    add_list_options,
    add_run_options,
    add_stance_option,
    check_tag,
    chosen_weights,
    chosen_workers,
)
from ltr.escapes import say

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Collection, Sequence

    from ltr.corpora.base import Corpus
    from ltr.data.runs import RunRow
    from ltr.data.topics import Topic
    from ltr.pipeline.task import Task
    from ltr.progress import Progress


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m ltr.predict",
        description="Rank pairs of sentences, or arguments, for every topic and write a TREC run.",
    )
    corpus = "corpus: a directory with topics.xml and args_processed*.csv, .csv.gz, .tar.gz or args.me JSON; "
    corpus += "such a file; or irds:<dataset>"
    model = "a model folder, or bm25, bm25-tuned, dirichlet, length; for arguments also dph, elrond, heimdall "
    model += "(default: the model that ships)"
    tag = "name of the run, its last column (default: riposte, or riposte-<baseline>)"
    p.add_argument("-i", "--input", required=True, metavar="DIR", help=corpus)
    output = "where run.txt goes; made when absent"
    metadata = "write ir-metadata.yml beside the run, as TIRA reads it; TEAM is who submits (default: riposte)"
    p.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help=output)
    p.add_argument("-m", "--model", metavar="MODEL", help=model)
    add_file(p, "--topics", "topics XML (default: topics.xml in the input directory)")
    add_list_options(p, tag)
    add_stance_option(p, "conclusion")
    p.add_argument("--gzip", action="store_true", help="write run.txt.gz in place of run.txt")
    p.add_argument("--metadata", metavar="TEAM", nargs="?", const="riposte", help=metadata)
    add_blend_options(p)
    add_cascade_option(p)
    add_run_options(p)
    add_cluster_options(p)
    add_dry_run_option(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    start = time.perf_counter()
    options = parser().parse_args(argv)
    check_tag(options.tag)

    from ltr.corpora.source import find_topics, open_corpus
    from ltr.data.files import writable_folder
    from ltr.data.runs import validate_run, write_run
    from ltr.index.cache import index_place, open_index
    from ltr.integrations.ir_metadata import METADATA, run_metadata, write_metadata
    from ltr.pipeline.confidence import note_of_topics
    from ltr.pipeline.extract import refuse_empty
    from ltr.pipeline.lists import ranked_lists
    from ltr.pipeline.sides import rows_toward, sides_in_run
    from ltr.progress import Progress
    from ltr.tasks import find_task
    from ltr.training.model_choice import find_ranker
    from models.cascade import HEAD

    progress, task = Progress(quiet=options.quiet, since=start), find_task(options.task)
    sides = sides_in_run(task, options.stance)
    weights = chosen_weights(options.dimension, options.blend, task.dimensions)
    corpus = open_corpus(options.input)
    topics = find_topics(corpus, options.topics)
    for warning in task.notes(topics):
        progress.warn(warning)
    with progress.stage("model"):
        ranker, config, analysis = find_ranker(task, options.model, options.jobs, progress, weights)
    place = index_place(corpus, options.index, [options.output])
    run = run_file(options, corpus)
    if options.dry_run:
        say(*planned(options, task, corpus, len(topics), place, analysis, run))
        return 0
    writable_folder(options.output, "output directory")
    with chosen_workers(options) as workers:
        index = open_index(corpus, place, progress, workers, **analysis)
        found = ranked_lists(
            task,
            index,
            topics,
            ranker,
            config,
            head=HEAD if options.cascade is None else options.cascade,
            tag=tag_of(options),
            depth=options.depth,
            diversify=options.diversify,
            workers=workers,
            progress=progress,
        )
    refuse_empty(found.rows, corpus.name)
    warn_of_missing(topics, {*found.unmatched}, progress)
    with progress.stage("write"):
        rows = rows_toward(index, topics, found.rows) if options.stance == "question" else found.rows
        validate_run(rows, unit=task.unit, sides=sides, depth=options.depth)
        write_run(run, rows)
        if options.metadata is not None:
            named = options.topics, options.model, analysis, rows[0].tag, options.metadata
            write_metadata(run.with_name(METADATA), run_metadata(task, corpus, *named))
    tell(run, rows, topics, task, options, progress)
    if note := note_of_topics(found.expected):
        say(note)
    if options.timings:
        progress.print_report()
    return 0


def run_file(options: Namespace, corpus: Corpus) -> Path:
    """Where the run goes. Raises InputError where it, or what is said of it, would replace what is read."""
    from ltr.corpora.source import files_of
    from ltr.data.files import refuse_to_overwrite
    from ltr.data.runs import run_place
    from ltr.integrations.ir_metadata import METADATA

    run = run_place(options.output, compressed=options.gzip)
    for file in (run, run.with_name(METADATA)):
        refuse_to_overwrite(file, [options.topics, *files_of(corpus)])
    return run


def tell(
    run: Path, rows: Sequence[RunRow], topics: Sequence[Topic], task: Task, options: Namespace, progress: Progress
) -> None:
    """Print what was written, and by which model."""
    from ltr.training.model_choice import told

    sizes = Counter(row.topic for row in rows)
    if short := [topic for topic, size in sizes.items() if size < min(task.min_units, options.depth)]:
        progress.warn(f"fewer than {task.min_units} {task.unit}s, all that the corpus gives: topic {', '.join(short)}")
    say(f"{run}: {len(rows):,} {task.unit}s for {len(sizes)} of {len(topics)} topics")
    say(f"ranked by {told(task, options.model)}")


def warn_of_missing(topics: Sequence[Topic], unmatched: Collection[str], progress: Progress) -> None:
    """Name the topics that the run will not have."""
    for topic in topics:
        if topic.number in unmatched:
            what = "no argument shares a word with it; it is not in the run"
            progress.warn(f"topic {topic.number} ({topic.title}): {what}")


def planned(
    options: Namespace, task: Task, corpus: Corpus, topics: int, place: Path, analysis: dict[str, bool], run: Path
) -> list[str]:
    """What ``--dry-run`` says."""
    from ltr.integrations.ir_metadata import METADATA
    from ltr.pipeline.plan import plan
    from ltr.training.model_choice import told

    source = options.topics or "those beside the corpus"
    read = {"topics": [f"{source} ({topics})"], "model": [told(task, options.model)]}
    written = {"run": [run]} | ({"metadata": [run.with_name(METADATA)]} if options.metadata is not None else {})
    return plan(corpus, read, place, analysis, written)


def tag_of(options: Namespace) -> str:
    """What the last column of the run says."""
    of_baseline = options.model is not None and not Path(options.model).is_dir()
    return options.tag or (f"riposte-{options.model}" if of_baseline else "riposte")
