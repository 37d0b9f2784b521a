"""``python -m ltr.evaluate``: measure runs against judgments, as a table for people or JSON for programs."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli import Parser, whole_number
from ltr.errors import InputError, run_command

if TYPE_CHECKING:  # numpy is slow to import, and --help should not wait for it
    from ltr.formats import Qrels, RunRow
    from ltr.metrics import Evaluation, Level

EPILOG = """\
measures (mean over the judged topics, with a 95% bootstrap interval):
  nDCG@k            as ir_measures computes it (pytrec_eval); whole grades only
  lab_nDCG@k        the Touche lab's own: gain = grade, negative grades gain 0
  judged@k          share of the first k results that have a judgment
  condensed_nDCG@k  lab_nDCG@k after taking unjudged results out

A judged topic that the run lacks, or without a grade above 0, scores 0; a topic
without judgments is left out. All are counted below the table.

examples:
  python -m ltr.evaluate --run out/run.txt --qrels pairs.qrels
  python -m ltr.evaluate --run a.txt --run b.txt --qrels args.qrels --level argument
  python -m ltr.evaluate --run out/run.txt --qrels pairs.qrels --json - | jq .runs[0].measures
"""


def main(argv: list[str] | None) -> int:
    """Evaluate the runs named in ``argv`` (the process's own arguments when None) and print the result.

    Raises InputError for anything wrong in usage or input, before anything is printed or written.
    """
    args = parser().parse_args(argv)
    from ltr.formats import read_all_qrels, read_run
    from ltr.metrics import evaluate

    qrels = read_all_qrels(args.qrels)
    level: Level = args.level or guess_level(qrels)
    runs = []
    for path in args.run:
        rows = read_run(path)
        check_match(path, rows, qrels, level)
        found = evaluate(rows, qrels, level=level, strict_order=args.strict_order, k=args.k, seed=args.seed)
        runs.append((path_text(path), found))
    if args.json:
        document = {
            "qrels": [path_text(path) for path in args.qrels],
            "level": level,
            "level_guessed": args.level is None,
            "strict_order": args.strict_order,
            "k": args.k,
            "seed": args.seed,
            "runs": [as_json(name, found) for name, found in runs],
        }
        text = json.dumps(document, indent=2, allow_nan=False) + "\n"
        if args.json == "-":
            sys.stdout.write(text)
            return 0
        _write(Path(args.json), text)
    guessed = "" if args.level else ", guessed from the ids of the qrels"
    print("\n".join(_report(runs, guessed)))
    if args.per_topic:
        print("\n".join(_topic_report(runs)))
    return 0


def parser() -> Parser:
    """The command's options."""
    from argparse import RawDescriptionHelpFormatter

    parser = Parser(
        prog="python -m ltr.evaluate",
        description="Measure how well one or more TREC runs agree with relevance judgments.",
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    run = "a run: topic stance pair rank score tag; repeat to compare runs"
    qrels = "judgments: topic 0 id grade; repeat to merge files"
    level = "what the qrels judge (default: pair when their ids hold a comma, else argument)"
    strict = "a pair matches a judged pair only with its sentences in the same order"
    seed = "seed of the bootstrap (default: 0)"
    add("--run", type=Path, action="append", required=True, metavar="FILE", help=run)
    add("--qrels", type=Path, action="append", required=True, metavar="FILE", help=qrels)
    add("--level", choices=("pair", "argument"), help=level)
    add("--json", metavar="FILE", help="write everything as JSON; - prints it in place of the table")
    add("--per-topic", action="store_true", help="print the values of every topic, too")
    add("--strict-order", action="store_true", help=strict)
    add("-k", type=whole_number(1), default=5, metavar="N", help="depth of the measures (default: 5)")
    add("--seed", type=whole_number(0), default=0, metavar="N", help=seed)
    return parser


def guess_level(qrels: Qrels) -> Level:
    """What the qrels judge, from their ids."""
    return "pair" if any("," in id_ for grades in qrels.values() for id_ in grades) else "argument"


def check_match(path: Path, rows: list[RunRow], qrels: Qrels, level: Level) -> None:
    """Refuse comparisons that could only come out as zeros."""
    if level != (judged := guess_level(qrels)):
        raise InputError("--level", f"{level} does not fit qrels that judge {judged}s", f"try {judged}")
    if level == "pair" and not any("," in row.pair for row in rows):
        raise InputError(path, "ranks no pairs, and the qrels judge pairs", "name qrels of arguments")
    if qrels.keys().isdisjoint(row.topic for row in rows):
        raise InputError(path, "has no topic in common with the qrels", "name the qrels of its topics")


# ---- JSON -----------------------------------------------------------------------------------------


def as_json(name: str, evaluation: Evaluation) -> dict[str, Any]:
    """A run's figures as plain data."""
    from dataclasses import asdict

    measures = {}
    for measure, mean in evaluation.means.items():
        low, high = evaluation.intervals[measure] or (None, None)
        measures[measure] = {
            "mean": mean,
            "low": low,
            "high": high,
            "per_topic": evaluation.values.get(measure),
            "unavailable": evaluation.unavailable.get(measure),
        }
    coverage = asdict(evaluation.coverage)
    counts = {key: len(found) if isinstance(found, tuple) else found for key, found in coverage.items()}
    topics = {key: found for key, found in coverage.items() if isinstance(found, tuple)}
    return {"run": name, "measures": measures, "counts": counts, "topics": topics}


def _write(path: Path, text: str) -> None:
    from ltr.files import atomic_text

    with atomic_text(path) as out:
        out.write(text)


# ---- table ----------------------------------------------------------------------------------------


def _report(runs: list[tuple[str, Evaluation]], guessed: str) -> list[str]:
    from ltr.metrics import RESAMPLES

    first = runs[0][1]  # what does not depend on the run is the same in all
    order = ""
    if first.level == "pair":
        order = ", in the judged order only" if first.strict_order else ", in either order"
    rows = [[name, *(_cell(found, measure) for measure in found.means)] for name, found in runs]
    return [
        *_table([["run", *first.means], *rows]),
        "",
        f"Level: {first.level}{order}{guessed}.",
        f"[low, high]: 95% percentile bootstrap over topics, {RESAMPLES:,} resamples, seed {first.seed}.",
        *(f"{measure}: not available; {reason}." for measure, reason in first.unavailable.items()),
        *all_counts(runs),
    ]


def all_counts(runs: list[tuple[str, Evaluation]]) -> list[str]:
    """A line a run, or one line where all runs have the same counts."""
    lines = {name: "; ".join(_counts(found)) for name, found in runs}
    if len(runs) > 1 and len(set(lines.values())) == 1:
        lines = {"every run": next(iter(lines.values()))}
    return [f"{name}: {line}." for name, line in lines.items()]


def _topic_report(runs: list[tuple[str, Evaluation]]) -> list[str]:
    lines = []
    for name, found in runs:
        rows = [
            [topic, *(f"{by_topic[topic]:.4f}" for by_topic in found.values.values())]
            for topic in found.coverage.judged
        ]
        lines += ["", name, *_table([["topic", *found.values], *rows])]
    return lines


def _cell(evaluation: Evaluation, measure: str) -> str:
    mean, interval = evaluation.means[measure], evaluation.intervals[measure]
    if mean is None or interval is None:
        return "n/a"
    return f"{mean:.4f} [{interval[0]:.4f}, {interval[1]:.4f}]"


def _counts(evaluation: Evaluation) -> list[str]:
    found = evaluation.coverage
    words = [
        _number(len(found.judged), "judged topic"),
        f"{len(found.missing)} missing from the run (scored 0)",
        f"{len(found.without_relevant)} without a relevant id (scored 0 in nDCG)",
        f"{_number(len(found.unjudged), 'topic')} of the run without judgments (left out)",
    ]
    if found.repeated:
        words.append(f"{_number(found.repeated, 'repeated result')} (only the first place counts)")
    if found.two_grades:
        words.append(f"{_number(found.two_grades, 'pair')} with two grades (the higher one counts)")
    return words


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _table(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def path_text(path: Path) -> str:
    """A path as text: a file name may hold bytes that are none."""
    return os.fsencode(path).decode("utf-8", "replace")


if __name__ == "__main__":
    run_command(main)
