"""``riposte report -i DIR -o report.html``: write figures, studies and ranked texts to one HTML page.

The page is one file that asks nothing of any network: tables, charts and all that is ranked are in it.
"""

from __future__ import annotations

from pathlib import Path

from ltr.cli.options import RERANK_OPTIONS, RUN_OPTIONS, Parser, add_file, add_number, add_options
from ltr.data.files import atomic_text, refuse_twice, writable_place
from ltr.errors import InputError
from ltr.escapes import say


def parser() -> Parser:
    """The command's options."""
    p = Parser(prog="riposte report", description="Write a report of runs, studies and texts as HTML.")
    add = p.add_argument
    runs_only = "show the runs of --run alone: neither the model nor the baselines run"
    add("-i", "--input", required=True, metavar="DIR", help="corpus, as for riposte predict")
    add("-o", "--output", required=True, type=Path, metavar="FILE", help="the HTML file to write")
    add("-m", "--model", metavar="MODEL", help="model folder (default: the model that ships)")
    add_file(p, "--topics", "topics XML (default: topics.xml in the input directory)")
    add_file(p, "--qrels", "judgments of arguments or of pairs, a leaderboard a file", several=True)
    add_options(p, "--pair-qrels")
    add_file(p, "--run", "a run to show beside ours", several=True)
    add("--runs-only", action="store_true", help=runs_only)
    add_number(p, "--depth", "ranks of a topic and run that can be read", 1000, 1, 1000)
    add("--ablation", type=Path, metavar="DIR", help="folder with results.json of experiments.ablation")
    add_file(p, "--curve", "JSON of riposte learning-curve")
    add("--official", type=Path, metavar="DIR", help="folder with published results-2022-*.csv")
    add_options(p, "--encoder", *RERANK_OPTIONS, *RUN_OPTIONS)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can correct."""
    options = parser().parse_args(argv)
    if options.runs_only and not options.run:
        raise InputError("usage", "--runs-only without --run leaves nothing to show", "add --run FILE")
    if options.runs_only and (options.model or options.rerank):
        raise InputError("usage", "--runs-only does not run a model", "leave out -m and --rerank, or --runs-only")
    refuse_twice(options.run)
    if options.output.is_dir():
        raise InputError(options.output, "this is a directory", "name the file to write, as in report.html")

    from experiments.figures import counted
    from experiments.report.data import Sources, gather
    from experiments.report.page import page
    from ltr.parallel import Workers
    from ltr.progress import Progress
    from ltr.ranking.describe import Resources
    from ltr.searcher import Searcher

    if options.output.parent.exists():  # else it is made when there is something to put there
        writable_place(options.output, "report")
    progress = Progress(quiet=options.quiet)
    searcher = Searcher(
        options.input,
        model="bm25" if options.runs_only else options.model,  # no model is asked for its runs
        task=options.task,
        index=options.index,
        encoder=options.encoder,
        jobs=Resources(Workers(options.jobs), progress),
    ).reranked(options.rerank, depth=options.rerank_depth, weight=options.rerank_weight)
    names = "topics", "qrels", "pair_qrels", "ablation", "curve", "official"
    sources = Sources(runs=options.run, **{name: getattr(options, name) for name in names})
    searcher.refuse_output(options.output, sources.files())
    report = gather(searcher, sources, runs_only=options.runs_only, depth=options.depth)
    text = page(report)
    writable_place(options.output, "report")
    with atomic_text(options.output) as out:
        out.write(text)
    size = len(text.encode()) / 1e6
    say(f"{options.output}: {size:.1f} MB, {counted(report['topics'], 'topic')}, {counted(report['runs'], 'run')}")
    if options.timings:
        progress.print_report()
    return 0
