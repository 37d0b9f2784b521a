"""``riposte evaluate``: measure runs by judgments, and compare them, with significance tests."""

from __future__ import annotations

import sys
from argparse import Namespace
from os.path import realpath
from pathlib import Path

from ltr.cli.options import Parser, add_file, add_judgment_options, add_options
from ltr.errors import InputError
from ltr.escapes import say

FORMATS = {
    "json": "everything as JSON",
    "csv": "the value of every run, measure, topic and set of judgments as CSV",
    "latex": "the tables for LaTeX with booktabs",
    "markdown": "the tables as Markdown",
    "html": "charts and tables, of every topic too, as a page of its own",
}


def parser() -> Parser:
    """The command's options."""
    description = "Measure one or more TREC runs by relevance judgments, and compare them."
    parser = Parser("riposte evaluate", description, __file__)
    add = parser.add_argument
    add("runs", type=Path, nargs="*", metavar="RUN", help="a run: topic stance pair (or argument) rank score tag")
    add_file(parser, "--run", "a run, as RUN", several=True)
    add_judgment_options(parser)
    add_file(parser, "--stance-qrels", "sides of documents (topic 0 id side): adds the F1 of the run's second column")
    measure = "a further measure, as ir_measures names it; may repeat"
    add("--measure", action="append", default=[], metavar="NAME", help=measure)
    test = "test the differences between runs in this measure, as --measure; may repeat"
    add("--test", action="append", default=[], metavar="NAME", help=test)
    against = parser.add_mutually_exclusive_group()
    add_file(against, "--baseline", "the run that others are compared with: adds their risk (--test: the first run)")
    against.add_argument("--all-pairs", action="store_true", help="test every run against every other")
    add_options(parser, "--alpha")
    add("--brief", action="store_true", help="print one table in place of those of all measures")
    add("--per-topic", action="store_true", help="print the values of every topic, too")
    for name, what in FORMATS.items():
        add(f"--{name}", type=Path, metavar="FILE", help=f"write {what}; - prints it in place of the tables")
    return parser


def main(argv: list[str] | None) -> int:
    """Evaluate the runs named in ``argv`` (the process's own arguments when None) and print the result.

    Raises InputError for anything wrong in usage or input, before anything is printed or written.
    """
    args = parser().parse_args(argv)
    runs = [*args.runs, *args.run]
    outputs = check_usage(args, runs)

    from ltr.data.files import atomic_text
    from ltr.evaluation.evaluator import Settings
    from ltr.evaluation.inputs import JudgmentFiles, path_text
    from ltr.evaluation.irmeasures import parse_measures
    from ltr.evaluation.measures import standard_measures
    from ltr.evaluation.report import Plan
    from ltr.evaluation.runs import RunFiles

    tested = parse_measures(args.test)
    settings = Settings(
        parse_measures([*standard_measures(args.k), *args.measure, *tested]), args.strict_order, args.seed
    )
    baseline = args.baseline or (runs[0] if tested and not args.all_pairs else None)
    named = next((path_text(run) for run in runs if baseline and realpath(run) == realpath(baseline)), None)
    plan = Plan(list(map(str, tested)) or [f"nDCG@{args.k}"], named, bool(tested), alpha=args.alpha)
    further = {"stance": args.stance_qrels} if args.stance_qrels else {}
    files = JudgmentFiles(args.qrels, args.pair_qrels, args.argument_qrels, args.level)
    report = RunFiles(runs, files, settings, args.k, further).report(plan, brief=args.brief)
    texts = {path: getattr(report, name)() for name, path in outputs.items()}
    printed = texts.pop(Path("-"), None)
    for path, text in texts.items():
        with atomic_text(path) as out:
            out.write(text)
    if printed is not None:
        sys.stdout.write(printed)
        return 0
    say(*report.lines(per_topic=args.per_topic))
    return 0


def check_usage(args: Namespace, runs: list[Path]) -> dict[str, Path]:
    """The files to write by format. Raises InputError for runs and files that do not go together."""
    from ltr.data.files import refuse_twice

    if not runs:
        raise InputError("usage", "no run is named", "add --run FILE")
    refuse_twice(runs)
    if len(runs) < 2 and (args.test or args.all_pairs or args.baseline):
        raise InputError(runs[0], "is one run only, so there is nothing to compare", "name another run")
    if args.all_pairs and not args.test:
        raise InputError("usage", "--all-pairs needs a measure to test", "add --test nDCG@5")
    if args.baseline and realpath(args.baseline) not in map(realpath, runs):
        raise InputError("--baseline", f"{args.baseline} is not among the runs", "name one of them")
    outputs = {name: path for name in FORMATS if (path := getattr(args, name))}
    judged = [args.stance_qrels] * bool(args.stance_qrels) + [path for _, path in args.pair_qrels + args.argument_qrels]
    taken = set(map(realpath, [*runs, *args.qrels, *judged]))
    for name, path in outputs.items():
        if not path.parent.is_dir():
            raise InputError(f"--{name}", f"{path.parent} is not a directory", "make it or name another")
        if path.exists() and not path.is_file():
            raise InputError(f"--{name}", f"{path} is not a file", "name one")
        if realpath(path) in taken:
            raise InputError(f"--{name}", f"{path} is the file of another option", "name a file of its own")
        taken.add(realpath(path))
    return outputs
