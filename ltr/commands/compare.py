"""``riposte compare RUN... --qrels FILE``: compare TREC runs, with significance tests.

Anybody's runs will do. Every measure is tested over the topics, paired, against one run or between all.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from os.path import realpath
from pathlib import Path

from ltr.cli.options import Parser, add_judgment_options, add_options, open_progress, task_name
from ltr.data.files import refuse_twice
from ltr.errors import InputError
from ltr.escapes import say

TESTED = ("nDCG", "condensed_nDCG")
FURTHER = ("nDCG@10", "P@10", "AP", "RR")
FORMATS = {
    "json": "values, means and tests as JSON",
    "csv": "the value of every run, measure, topic and set of judgments as CSV",
    "latex": "the tables for LaTeX with booktabs",
    "markdown": "the tables as Markdown",
}


def parser() -> Parser:
    """The command's options."""
    description = "Compare TREC runs over the topics of relevance judgments, with tests and effect sizes."
    p = Parser("riposte compare", description, __file__)
    add = p.add_argument
    add("runs", type=Path, nargs="+", metavar="RUN", help="two or more runs: topic stance pair rank score tag")
    task = "what the runs rank: one that ranks something else is refused (default: whatever they rank)"
    add("--task", type=task_name, metavar="NAME", help=task)
    add_judgment_options(p)
    measure = f"a further measure, as ir-measures names it; repeat for more (default: {', '.join(FURTHER)})"
    add("--measure", action="append", metavar="NAME", help=measure)
    tested = f"a measure to test; repeat for more (default: {', '.join(f'{name}@k' for name in TESTED)})"
    add("--test-measure", action="append", metavar="NAME", help=tested)
    against = p.add_mutually_exclusive_group()
    baseline = "the run that the others are tested against (default: the first)"
    against.add_argument("--baseline", type=Path, metavar="RUN", help=baseline)
    against.add_argument("--all-pairs", action="store_true", help="test every run against every other")
    add_options(p, "--alpha")
    add("--per-topic", action="store_true", help="print the values and differences of every topic, too")
    for name, what in FORMATS.items():
        add(f"--{name}", type=Path, metavar="FILE", help=f"write {what}")
    add_options(p, "--quiet")
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the command. Raises InputError for what the user can correct, before anything is printed or written."""
    args = parser().parse_args(argv)
    outputs = check_usage(args)

    from ltr.data.files import atomic_text
    from ltr.evaluation.comparison import Plan, compare_sets
    from ltr.evaluation.comparison_report import ComparisonReport, read_runs, run_names
    from ltr.evaluation.evaluator import Settings
    from ltr.evaluation.inputs import JudgmentFiles
    from ltr.evaluation.irmeasures import parse_measures
    from ltr.evaluation.measures import standard_measures
    from ltr.evaluation.output import aligned
    from ltr.tasks.base import find_task

    tested = parse_measures(args.test_measure or [f"{name}@{args.k}" for name in TESTED])
    measures = parse_measures([*standard_measures(args.k), *(args.measure or FURTHER), *tested])
    names, unit = run_names(args.runs), find_task(args.task).unit if args.task else None
    baseline = names[list(map(realpath, args.runs)).index(realpath(args.baseline or args.runs[0]))]
    files = JudgmentFiles(args.qrels, args.pair_qrels, args.argument_qrels, args.level)
    judgments = files.read()
    runs = read_runs(dict(zip(names, args.runs, strict=True)), judgments, unit, open_progress(args))
    plan = Plan(list(map(str, tested)), None if args.all_pairs else baseline, alpha=args.alpha)
    settings = Settings(measures, args.strict_order, args.seed)
    report = ComparisonReport(files, args.k, compare_sets(runs, judgments, settings, plan))
    texts = {path: getattr(report, name)() for name, path in outputs.items()}
    printed = texts.pop(Path("-"), None)
    for path, text in texts.items():
        with atomic_text(path) as out:
            out.write(text)
    if printed is not None:
        sys.stdout.write(printed)
        return 0
    shown = report.tables()
    if args.per_topic:
        shown += report.topic_tables(baseline if not args.all_pairs else names[0])
    for table in shown:
        say(table.caption, *aligned(table.rows), "")
    say(*report.notes())
    return 0


def check_usage(args: Namespace) -> dict[str, Path]:
    """The files to write by format. Raises InputError for runs and files that do not go together."""
    runs = list(map(realpath, args.runs))
    if len(runs) < 2:
        hint = "name another run, or measure this one with riposte evaluate"
        raise InputError(args.runs[0], "is one run only, so there is nothing to compare", hint)
    refuse_twice(args.runs)
    if args.baseline and realpath(args.baseline) not in runs:
        raise InputError("--baseline", f"{args.baseline} is not among the runs", "name one of them")
    outputs = {name: path for name in FORMATS if (path := getattr(args, name))}
    taken = {*runs, *map(realpath, args.qrels), *(realpath(path) for _, path in args.pair_qrels + args.argument_qrels)}
    for name, path in outputs.items():
        if not path.parent.is_dir():
            raise InputError(f"--{name}", f"{path.parent} is not a directory", "make it or name another")
        if path.exists() and not path.is_file():
            raise InputError(f"--{name}", f"{path} is not a file", "name one")
        if realpath(path) in taken:
            raise InputError(f"--{name}", f"{path} is the file of another option", "name a file of its own")
        taken.add(realpath(path))
    return outputs
