"""``riposte predict -i DIR -o DIR``: rank pairs or arguments for every topic, as a TREC run."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from ltr.cli.options import (
    RERANK_OPTIONS,
    RUN_OPTIONS,
    Parser,
    add_cluster_options,
    add_options,
    chosen_workers,
    finish,
    open_progress,
    tag,
)
from ltr.escapes import say


def parser() -> Parser:
    """The command's options."""
    p = Parser("riposte predict", "Rank pairs of sentences, or arguments, for every topic and write a TREC run.")
    corpus = "corpus: a directory with topics.xml and args_processed*.csv, .csv.gz, .tar.gz, args.me JSON, JSON lines "
    corpus += "or plain texts; such a file; or irds:<dataset>"
    model = "a model folder, or a baseline: bm25, bm25-tuned, dirichlet, length, random, dense (by --encoder alone); "
    model += "also argues, words for pairs; dph, elrond, heimdall for arguments; bilbo, cues, inigo, katana-2020, "
    model += "mercutio, source, zorro for comparative (default: the model that ships)"
    name = "name of the run, its last column (default: riposte, or riposte-<baseline>)"
    p.add_argument("-i", "--input", required=True, metavar="DIR", help=corpus)
    output = "folder for run.txt; created if missing"
    metadata = "write ir-metadata.yml beside the run, as TIRA reads it; TEAM is who submits (default: riposte)"
    p.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help=output)
    p.add_argument("-m", "--model", metavar="MODEL", help=model)
    add_options(p, "--topics")
    p.add_argument("--tag", type=tag, metavar="TAG", help=name)
    add_options(p, "--depth", "--diversify", "--stance")
    p.add_argument("--gzip", action="store_true", help="write run.txt.gz in place of run.txt")
    p.add_argument("--metadata", metavar="TEAM", nargs="?", const="riposte", help=metadata)
    add_options(p, "--dimension", "--blend", "--encoder", "--second-step-depth", *RERANK_OPTIONS)
    add_options(p, *RUN_OPTIONS, "--dry-run")
    add_cluster_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)

    from ltr.answers.sides import sides_in_run
    from ltr.commands._searcher import open_searcher
    from ltr.data.files import writable_folder
    from ltr.data.runs import run_place, validate_run, write_run
    from ltr.integrations.ir_metadata import METADATA, run_metadata, write_metadata
    from ltr.ranking.confidence import note_of_topics
    from ltr.ranking.describe import refuse_empty
    from ltr.ranking.final_list import ListOptions
    from ltr.tasks import find_task

    sides = sides_in_run(find_task(options.task), options.stance)
    progress = open_progress(options)
    searcher = open_searcher(options, progress)
    task, model, topics = searcher.task, searcher.model, searcher.topics(options.topics)
    for warning in task.notes(topics):
        progress.warn(warning)
    run = run_place(options.output, compressed=options.gzip)
    metadata = run.with_name(METADATA)
    for file in (run, metadata):
        searcher.refuse_output(file, [options.topics])
    if options.dry_run:
        written = {"run": [run]} | ({"metadata": [metadata]} if options.metadata is not None else {})
        topic_file = f"{options.topics or 'those beside the corpus'} ({len(topics)})"
        read = {"topics": [topic_file], "model": [searcher.description]}
        say(*searcher.indexed.plan(read, written, model.analysis))
        return 0
    writable_folder(options.output, "output directory")
    how = ListOptions(options.depth, options.diversify, options.second_step_depth, options.tag or model.tag)
    with chosen_workers(options) as workers:
        searcher.resources = replace(searcher.resources, workers=workers)
        lists = searcher.rank_topics(topics, how, options.stance)
    rows = lists.rows
    refuse_empty(rows, searcher.corpus.name)
    for topic in (topic for topic in topics if topic.number in lists.unmatched):
        progress.warn(f"topic {topic.number} ({topic.title}): no argument shares a word with it; it is not in the run")
    with progress.stage("write"):
        validate_run(rows, unit=task.unit, sides=sides, depth=options.depth)
        write_run(run, rows)
        if options.metadata is not None:
            write_metadata(metadata, run_metadata(searcher, options.topics, how.tag, options.metadata))
    sizes = Counter(row.topic for row in rows)
    if short := [topic for topic, size in sizes.items() if size < min(task.min_units, options.depth)]:
        progress.warn(f"fewer than {task.min_units} {task.unit}s, all that the corpus gives: topic {', '.join(short)}")
    counts = f"{run}: {len(rows):,} {task.unit}s for {len(sizes)} of {len(topics)} topics"
    say(counts, f"ranked by {searcher.description}", *filter(None, [note_of_topics(lists.expected)]))
    return finish(options, progress)
