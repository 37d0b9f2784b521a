"""``riposte predict -i DIR -o DIR``: rank pairs or arguments for every topic, as a TREC run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from ltr.cli.parser import Command, finish, open_progress
from ltr.escapes import say
from ltr.settings import setting, shared
from ltr.settings.kinds import Switch, Tag, Text


@dataclass(frozen=True, kw_only=True)
class PredictSettings(shared.Ranking, shared.Reranking, shared.Work, shared.Timed, shared.Sharing):
    """Rank pairs of sentences, or arguments, for every topic and write a TREC run."""

    input: str = replace(
        shared.CORPUS,
        help="corpus: a directory with topics.xml and args_processed*.csv, .csv.gz, .tar.gz, args.me JSON, JSON "
        "lines or plain texts; such a file; or irds:<dataset>",
    )
    output: Path = replace(shared.OUTPUT, help="folder for run.txt; created if missing")
    model: str | None = replace(
        shared.MODEL,
        help="a model folder, or a baseline, such as bm25, or dense (by --encoder alone); an unknown name lists "
        "those of the task (default: the model that ships)",
    )
    topics: Path | None = shared.TOPICS
    tag: str | None = setting(Tag(), "name of the run, its last column (default: riposte, or riposte-<baseline>)")
    depth: int = shared.DEPTH
    diversify: float = shared.DIVERSIFIED
    stance: str = shared.STANCE
    gzip: bool = setting(Switch(), "write run.txt.gz in place of run.txt", default=False)
    metadata: str | None = setting(
        Text(metavar="TEAM"),
        "write ir-metadata.yml beside the run, as TIRA reads it; TEAM is who submits (default: riposte)",
        bare="riposte",
    )
    second_step_depth: int | None = shared.SECOND_STEP_DEPTH
    dry_run: bool = shared.DRY_RUN


def predict(options: PredictSettings) -> int:
    """Rank and write the run. Raises InputError for anything that the user can correct."""
    from ltr.answers.sides import sides_in_run
    from ltr.commands._searcher import open_searcher
    from ltr.data.runs import run_place, validate_run, write_run
    from ltr.files import writable_folder
    from ltr.integrations.ir_metadata import METADATA, run_metadata, write_metadata
    from ltr.ranking.confidence import note_of_topics
    from ltr.ranking.final_list import ListOptions
    from ltr.ranking.steps import refuse_empty
    from ltr.ranking.task import find_task

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
        say(*searcher.indexed.plan(read, written))
        return 0
    writable_folder(options.output, "output directory")
    how = ListOptions(options.depth, options.diversify, options.second_step_depth, options.tag or model.tag)
    with options.open_workers(options.jobs) as workers:
        ranked = searcher.with_workers(workers).rank_topics(topics, how, options.stance)
    rows = ranked.rows()
    refuse_empty(rows, searcher.corpus.name)
    for topic in (topic for topic in topics if topic.number in ranked.attrs["unmatched"]):
        progress.warn(f"topic {topic.number} ({topic.title}): no argument shares a word with it; it is not in the run")
    with progress.stage("write"):
        validate_run(rows, kind=task.kind, sides=sides, depth=options.depth)
        write_run(run, rows)
        if options.metadata is not None:
            write_metadata(metadata, run_metadata(searcher, options.topics, how.tag, options.metadata))
    sizes = Counter(row.topic for row in rows)
    if short := [topic for topic, size in sizes.items() if size < min(task.min_items, options.depth)]:
        progress.warn(f"fewer than {task.min_items} {task.kind}s, all that the corpus gives: topic {', '.join(short)}")
    counts = f"{run}: {len(rows):,} {task.kind}s for {len(sizes)} of {len(topics)} topics"
    say(counts, f"ranked by {searcher.description}", *filter(None, [note_of_topics(ranked.attrs["expected"])]))
    return finish(options, progress)


main = Command("predict", PredictSettings, predict)
