"""``python -m ltr.evaluate``: measure runs against judgments, as a table for people or JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ltr.cli import Parser
from ltr.errors import run_command
from ltr.judgments import MEAN, QRELS, add_judgment_options, check_match, evaluate_all, path_text, read_judgments

if TYPE_CHECKING:  # numpy is slow to import, and --help should not wait for it
    from ltr.metrics import Evaluation

RANDOM = "random"
EPILOG = """\
measures (mean over the judged topics, with a 95% t interval):
  nDCG@k            as ir_measures computes it (pytrec_eval)
  lab_nDCG@k        the Touche lab's own: gain = grade, negative grades gain 0
  judged@k          share of the first k results that have a judgment
  condensed_nDCG@k  lab_nDCG@k after taking unjudged results out
  --measure NAME    any measure of ir_measures that a provider on this machine computes: AP, P@10,
                    AP(rel=2), Bpref, nDCG(dcg='exp-log2')@5 ... Relevant is a grade of at least rel,
                    1 if nothing is said: of half grades 1 and 1.5 are, .5 is not

A judged topic that the run lacks, or without a grade above 0, scores 0; a topic
without judgments is left out. All are counted below the table. The row "random"
has the mean figures of 20 random orders of the first run's results: read every
figure beside it, condensed ones above all.

examples:
  python -m ltr.evaluate --run out/run.txt --qrels pairs.qrels
  python -m ltr.evaluate --run out/run.txt --pair-qrels relevance=r.qrels --pair-qrels quality=q.qrels
  python -m ltr.evaluate --run a.txt --run b.txt --qrels args.qrels --level argument --measure AP
  python -m ltr.evaluate --run out/run.txt --qrels pairs.qrels --json - | jq .runs[0].measures
"""


def main(argv: list[str] | None) -> int:
    """Evaluate the runs named in ``argv`` (the process's own arguments when None) and print the result.

    Raises InputError for anything wrong in usage or input, before anything is printed or written.
    """
    args = parser().parse_args(argv)
    from ltr.composition import composition
    from ltr.formats import read_run
    from ltr.irmeasures import parse_measure

    measures = [parse_measure(name) for name in args.measure]
    judgments = read_judgments(args)
    judged = {topic for one in judgments.values() for topic in one.qrels}
    found: list[tuple[str, dict[str, Evaluation]]] = []
    made: list[tuple[str, dict[str, float]]] = []
    by_luck: dict[str, Evaluation] = {}
    for path in args.run:
        rows = read_run(path)
        check_match(path, rows, judgments)
        found.append((path_text(path), evaluate_all(rows, judgments, args, measures)))
        made.append((path_text(path), composition(rows, args.k, judged)))
        by_luck = by_luck or evaluate_all(rows, judgments, args, measures, random=True)
    if args.json:
        document = {
            **described(args, next(iter(judgments.values())).level),
            "runs": [
                {**as_json(name, one), "composition": parts}
                for (name, one), (_, parts) in zip(found, made, strict=True)
            ],
            RANDOM: as_json(RANDOM, by_luck),
        }
        text = json.dumps(document, indent=2, allow_nan=False) + "\n"
        if args.json == "-":
            sys.stdout.write(text)
            return 0
        _write(Path(args.json), text)
    print("\n".join([*_report(found, by_luck), *_composition(made, args.k), "", *notes(found, args)]))
    if args.per_topic:
        print("\n".join(_topic_report(found)))
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
    add("--run", type=Path, action="append", required=True, metavar="FILE", help=run)
    add_judgment_options(parser)
    measure = "a further measure, as ir_measures names it; may repeat"
    add("--measure", action="append", default=[], metavar="NAME", help=measure)
    add("--json", metavar="FILE", help="write everything as JSON; - prints it in place of the table")
    add("--per-topic", action="store_true", help="print the values of every topic, too")
    return parser


# ---- JSON -----------------------------------------------------------------------------------------


def described(args: Any, level: str) -> dict[str, Any]:
    """What was measured with, as plain data."""
    pairs: dict[str, list[str]] = {}
    for dimension, path in args.pair_qrels:
        pairs.setdefault(dimension, []).append(path_text(path))
    return {
        "qrels": [path_text(path) for path in args.qrels],
        "pair_qrels": pairs,
        "level": level,
        "level_guessed": bool(args.qrels) and args.level is None,
        "strict_order": args.strict_order,
        "k": args.k,
        "seed": args.seed,
    }


def as_json(name: str, found: Mapping[str, Evaluation]) -> dict[str, Any]:
    """A run's figures as plain data: those of ``--qrels``, and those of each dimension."""
    dimensions = {one: _figures(evaluation) for one, evaluation in found.items() if one != QRELS}
    own = _figures(found[QRELS]) if QRELS in found else {}
    return {"run": name, **own, **({"dimensions": dimensions} if dimensions else {})}


def _figures(evaluation: Evaluation) -> dict[str, Any]:
    from dataclasses import asdict

    measures = {}
    for measure, mean in evaluation.means.items():
        low, high = evaluation.intervals[measure]
        measures[measure] = {"mean": mean, "low": low, "high": high, "per_topic": evaluation.values[measure]}
    coverage = asdict(evaluation.coverage)
    counts = {key: len(found) if isinstance(found, tuple) else found for key, found in coverage.items()}
    topics = {key: found for key, found in coverage.items() if isinstance(found, tuple)}
    return {"measures": measures, "counts": counts, "topics": topics}


def _write(path: Path, text: str) -> None:
    from ltr.files import atomic_text

    with atomic_text(path) as out:
        out.write(text)


# ---- table ----------------------------------------------------------------------------------------


def set_title(name: str) -> str:
    """What a set of judgments is called above its figures."""
    return "mean of the dimensions" if name == MEAN else name


def _report(found: Sequence[tuple[str, dict[str, Evaluation]]], by_luck: Mapping[str, Evaluation]) -> list[str]:
    lines: list[str] = []
    for name, luck in by_luck.items():
        rows = [[run, *_cells(figures[name])] for run, figures in [*found, (RANDOM, by_luck)]]
        heading = [set_title(name)] if len(by_luck) > 1 else []
        lines += [*heading, *_table([["run", *luck.means], *rows]), ""]
    return lines[:-1]


def _composition(made: Iterable[tuple[str, dict[str, float]]], k: int) -> list[str]:
    from ltr.composition import COMPOSITION

    rows = [[run, *(f"{value:.2f}" for value in parts.values())] for run, parts in made if parts]
    return ["", *_table([[f"first {k} of a topic", *COMPOSITION.values()], *rows])] if rows else []


def notes(found: Sequence[tuple[str, Mapping[str, Evaluation]]], args: Any) -> list[str]:
    """What a reader must know beside the figures, a line each."""
    name, figures = found[0]
    first = figures.get(QRELS) or next(iter(figures.values()))  # the level is the same in all runs
    order = ""
    if first.level == "pair":
        order = ", in the judged order only" if first.strict_order else ", in either order"
    guessed = ", guessed from the ids of the qrels" if QRELS in figures and args.level is None else ""
    return [
        f"Level: {first.level}{order}{guessed}.",
        "[low, high]: 95% t interval over topics.",
        f"{RANDOM}: mean over 20 random orders of what {name} ranks, seed {args.seed}.",
        *_all_counts(found),
    ]


def _all_counts(found: Sequence[tuple[str, Mapping[str, Evaluation]]]) -> list[str]:
    """A line a run and set of judgments, or a line for all of them where the counts are the same."""
    by_set: dict[str, dict[str, str]] = {}
    for run, figures in found:
        for name, evaluation in figures.items():
            if name != MEAN:
                by_set.setdefault(name, {})[run] = "; ".join(_counts(evaluation))
    same = {name: len(lines) > 1 and len(set(lines.values())) == 1 for name, lines in by_set.items()}
    merged = {
        name: {"every run": next(iter(lines.values()))} if same[name] else lines for name, lines in by_set.items()
    }
    named = {name: f", {name}" if len(merged) > 1 else "" for name in merged}
    return [f"{run}{named[name]}: {line}." for name, lines in merged.items() for run, line in lines.items()]


def _topic_report(found: Sequence[tuple[str, dict[str, Evaluation]]]) -> list[str]:
    lines = []
    for run, figures in found:
        for name, evaluation in figures.items():
            rows = [
                [topic, *(f"{by_topic[topic]:.4f}" for by_topic in evaluation.values.values())]
                for topic in evaluation.coverage.judged
            ]
            heading = f"{run}, {set_title(name)}" if len(figures) > 1 else run
            lines += ["", heading, *_table([["topic", *evaluation.values], *rows])]
    return lines


def _cells(evaluation: Evaluation) -> list[str]:
    found = ((mean, *evaluation.intervals[measure]) for measure, mean in evaluation.means.items())
    return [f"{mean:.4f} [{low:.4f}, {high:.4f}]" for mean, low, high in found]


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


if __name__ == "__main__":
    run_command(main)
