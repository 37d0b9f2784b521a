"""``riposte report -i DIR --run FILE -o report.html``: write runs, studies and ranked texts to one HTML page.

The page is one file that loads nothing from a network: tables, charts and all ranked texts are in it.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli.options import RUN_OPTIONS, Parser, add_file, add_number, add_options
from ltr.errors import InputError
from ltr.escapes import say

if TYPE_CHECKING:
    from ltr.searcher import Searcher


def parser() -> Parser:
    """The command's options."""
    p = Parser(prog="riposte report", description="Write a report of runs, studies and texts as HTML.")
    p.add_argument("-i", "--input", required=True, metavar="DIR", help="corpus, as for riposte predict")
    p.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="the HTML file to write")
    add_file(p, "--run", "run to show; others are compared with the first", several=True, required=True)
    add_file(p, "--topics", "topics XML (default: topics.xml in the input directory)")
    add_file(p, "--qrels", "judgments of arguments or of pairs, a leaderboard a file", several=True)
    add_options(p, "--pair-qrels")
    add_number(p, "--depth", "ranks of a topic and run that can be read", 1000, 1, 1000)
    p.add_argument("--ablation", type=Path, metavar="DIR", help="output folder of riposte ablation")
    add_file(p, "--curve", "JSON of riposte learning-curve")
    add_options(p, *RUN_OPTIONS)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)
    from experiments.output import counted
    from experiments.report.page import page
    from ltr.data.files import atomic_text, refuse_twice, writable_place
    from ltr.parallel import Workers
    from ltr.progress import Progress
    from ltr.ranking.describe import Resources
    from ltr.searcher import Searcher

    refuse_twice(options.run)
    if options.output.is_dir():
        raise InputError(options.output, "this is a directory", "name the file to write, as in report.html")
    progress = Progress(quiet=options.quiet)
    jobs = Resources(Workers(options.jobs), progress)
    searcher = Searcher(options.input, model="bm25", task=options.task, index=options.index, jobs=jobs)
    read = [options.topics, *options.qrels, *options.run, options.curve, *(path for _, path in options.pair_qrels)]
    searcher.refuse_output(options.output, [*read, options.ablation and options.ablation / "results.json"])
    report = gather(searcher, options)
    text = page(report)
    writable_place(options.output, "report")
    with atomic_text(options.output) as out:
        out.write(text)
    size = len(text.encode()) / 1e6
    say(f"{options.output}: {size:.1f} MB, {counted(report['topics'], 'topic')}, {counted(report['runs'], 'run')}")
    if options.timings:
        progress.print_report()
    return 0


def gather(searcher: Searcher, options: Namespace) -> dict[str, Any]:
    """Everything that a report shows, as plain dicts, lists and numbers. Raises InputError."""
    from experiments.report.boards import all_boards, read_judged, read_pairs, read_runs
    from experiments.report.page import ablation, curve, show_study
    from experiments.report.units import pack, texts_of_topics
    from ltr.evaluation.inputs import path_text

    ablated = show_study(options.ablation / "results.json", ablation) if options.ablation else None
    learned = show_study(options.curve, curve) if options.curve else None
    task, progress, topics = searcher.task, searcher.resources.progress, searcher.topics(options.topics)
    judged, pairs = read_judged(options.qrels, topics, task), read_pairs(options.pair_qrels, topics, task)
    runs = read_runs(options.run, topics, task)
    with progress.stage("measures"):
        boards = all_boards(runs, judged, pairs)
    with progress.stage(f"texts of {task.name}"):
        shown = texts_of_topics(searcher, topics, runs, judged, pairs, options.depth)
    return {
        "unit": task.unit,
        "sides": task.has_stances,
        "corpus": path_text(Path(searcher.corpus.name).name),
        "topics": [{"number": topic.number, "title": topic.title} for topic in topics],
        "runs": list(runs),
        "boards": boards,
        "ablation": ablated,
        "curve": learned,
        "blobs": {number: pack(blob) for number, blob in shown.items()},
        "arguments": searcher.index.arguments,
    }
