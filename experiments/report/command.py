"""``python -m experiments.report -i DIR -o report.html``: figures, studies and ranked pairs on one page.

The page is one file that asks nothing of any network: tables, charts and every ranked pair are in it.
"""

from __future__ import annotations

from os.path import realpath
from pathlib import Path

from ltr.cli.options import Parser, add_index_options, add_pair_qrels_option, add_run_options, whole_number
from ltr.errors import InputError


def parser() -> Parser:
    """The command's options."""
    p = Parser(prog="python -m experiments.report", description="Write a report of runs, studies and pairs as HTML.")
    p.add_argument("-i", "--input", required=True, metavar="DIR", help="corpus, as for ltr.predict")
    p.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="the HTML file to write")
    p.add_argument("-m", "--model", metavar="MODEL", help="model folder (default: the model that ships)")
    p.add_argument(
        "--topics", type=Path, metavar="FILE", help="topics XML (default: topics.xml in the input directory)"
    )
    p.add_argument(
        "--qrels",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="judgments of arguments or of pairs; may repeat, each file has a leaderboard of its own",
    )
    add_pair_qrels_option(p)
    p.add_argument(
        "--run", type=Path, action="append", default=[], metavar="FILE", help="a run to show beside ours; may repeat"
    )
    p.add_argument(
        "--runs-only", action="store_true", help="show the runs of --run alone: neither the model nor the baselines run"
    )
    p.add_argument(
        "--depth",
        type=whole_number(1, 1000),
        default=1000,
        metavar="N",
        help="pairs a topic and run that can be read (default: %(default)s)",
    )
    p.add_argument("--ablation", type=Path, metavar="DIR", help="folder with results.json of experiments.ablation")
    p.add_argument("--curve", type=Path, metavar="FILE", help="JSON of experiments.learning_curve")
    p.add_argument("--official", type=Path, metavar="DIR", help="folder with published results-2022-*.csv")
    add_index_options(p)
    add_run_options(p)
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for anything that the user can mend."""
    options = parser().parse_args(argv)
    if options.runs_only and not options.run:
        raise InputError("usage", "--runs-only without --run leaves nothing to show", "add --run FILE")
    if options.runs_only and options.model:
        raise InputError("usage", "--runs-only does not run a model", "leave out -m or --runs-only")
    places = list(map(realpath, options.run))
    for path, place in zip(options.run, places, strict=True):
        if places.count(place) > 1:
            raise InputError(path, "is named twice among the runs", "name it once")
    if options.output.is_dir():
        raise InputError(options.output, "this is a directory", "name the file to write, as in report.html")

    from experiments.figures import counted
    from experiments.report.data import gather
    from experiments.report.page import page
    from ltr.data.files import atomic_text, writable_place
    from ltr.progress import Progress

    if options.output.parent.exists():  # else it is made when there is something to put there
        writable_place(options.output, "report")
    progress = Progress(quiet=options.quiet)
    report = gather(options, progress)
    text = page(report)
    writable_place(options.output, "report")
    with atomic_text(options.output) as out:
        out.write(text)
    size = len(text.encode()) / 1e6
    print(f"{options.output}: {size:.1f} MB, {counted(report['topics'], 'topic')}, {counted(report['runs'], 'run')}")
    if options.timings:
        progress.print_report()
    return 0
