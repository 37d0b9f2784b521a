"""``riposte evaluate``: measure runs against judgments."""

from __future__ import annotations

import sys
from pathlib import Path

from ltr.cli.options import Parser, add_file, add_judgment_options, add_options
from ltr.escapes import say


def main(argv: list[str] | None) -> int:
    """Evaluate the runs named in ``argv`` (the process's own arguments when None) and print the result.

    Raises InputError for anything wrong in usage or input, before anything is printed or written.
    """
    args = parser().parse_args(argv)
    from ltr.data.files import atomic_text
    from ltr.evaluation.evaluator import Settings
    from ltr.evaluation.inputs import JudgmentFiles
    from ltr.evaluation.irmeasures import parse_measures
    from ltr.evaluation.measures import standard_measures
    from ltr.evaluation.output import RunReport

    files = JudgmentFiles(args.qrels, args.pair_qrels, args.argument_qrels, args.level)
    settings = Settings(parse_measures([*standard_measures(args.k), *args.measure]), args.strict_order, args.seed)
    against = args.baseline, args.alpha
    report = RunReport.of(args.run, files, settings, args.k, args.stance_qrels, against)
    if args.json == "-":
        sys.stdout.write(report.json())
        return 0
    if args.json:
        with atomic_text(Path(args.json)) as out:
            out.write(report.json())
    say(*(report.brief() if args.brief else report.lines(per_topic=args.per_topic)))
    return 0


def parser() -> Parser:
    """The command's options."""
    description = "Measure how well one or more TREC runs agree with relevance judgments."
    parser = Parser("riposte evaluate", description, __file__)
    add = parser.add_argument
    run = "a run: topic stance pair (or argument) rank score tag; repeat to compare runs"
    add("--run", type=Path, action="append", required=True, metavar="FILE", help=run)
    add_judgment_options(parser)
    add_file(parser, "--stance-qrels", "sides of documents (topic 0 id side): adds the F1 of the run's second column")
    measure = "a further measure, as ir_measures names it; may repeat"
    add("--measure", action="append", default=[], metavar="NAME", help=measure)
    add_file(parser, "--baseline", "one of the runs: adds what the others lose and win against it, and their risk")
    add_options(parser, "--alpha")
    add("--json", metavar="FILE", help="write everything as JSON; - prints it in place of the table")
    add("--brief", action="store_true", help="print one table of nDCG, with the risk and sides asked for")
    add("--per-topic", action="store_true", help="print the values of every topic, too")
    return parser
