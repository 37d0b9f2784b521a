"""``riposte rerank -i DIR --scores FILE -o DIR``: make a TREC run of other scores for exported rows."""

from __future__ import annotations

from pathlib import Path

from ltr.cli.options import RUN_OPTIONS, Parser, add_file, add_options, finish, open_progress, tag
from ltr.escapes import say


def parser() -> Parser:
    """The command's options."""
    description = "Turn scores of exported rows into a run: duplicates, diversity and ties as in riposte predict."
    p = Parser("riposte rerank", description, __file__)
    p.add_argument("-i", "--input", required=True, metavar="DIR", help="corpus, as for riposte export")
    add_file(p, "--scores", "a number a line, in the order of the rows, higher is better", required=True)
    key = "what the rows are, as riposte export --grades writes it (default: all that riposte export writes)"
    add_file(p, "--key", key)
    p.add_argument("-o", "--output", required=True, type=Path, metavar="DIR", help="where run.txt goes")
    name = "name of the run, its last column (default: %(default)s)"
    p.add_argument("--tag", type=tag, default="reranked", metavar="TAG", help=name)
    add_options(p, "--topics", "--depth", "--diversify", *RUN_OPTIONS)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)

    from ltr.commands._searcher import open_searcher
    from ltr.data.files import writable_folder
    from ltr.data.runs import run_place, validate_run, write_run
    from ltr.ranking.describe import refuse_empty
    from ltr.ranking.external_scores import check_topics, read_key, read_scores, scored_rows, units_of_key
    from ltr.ranking.final_list import ListOptions, make_run

    progress, run = open_progress(options), run_place(options.output)
    searcher = open_searcher(options, progress)
    task = searcher.task
    searcher.refuse_output(run, [options.scores, options.key, options.topics])
    topics = searcher.topics(options.topics)
    scores, key = read_scores(options.scores), None
    if options.key:
        key = read_key(options.key)
        topics = check_topics(options.key, key, topics)
    matrix = searcher.describe(topics, columns=(), graded=units_of_key(key or []))
    refuse_empty(matrix, searcher.corpus.name)
    matrix, scores = scored_rows(matrix, scores, options.scores, key, options.key)
    how = ListOptions(options.depth, options.diversify, tag=options.tag)
    rows = make_run(task, matrix, scores, how)
    validate_run(rows, unit=task.unit, sides=task.sides, depth=options.depth)
    writable_folder(options.output, "output directory")
    write_run(run, rows)
    say(f"{run}: {len(rows):,} {task.unit}s for {len(matrix.topics)} topics, of {len(scores):,} scores")
    return finish(options, progress)
