"""``python -m ltr.evaluate``: measure runs against judgments, as a table for people or JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

from ltr.cli.options import Parser, add_file
from ltr.escapes import say
from ltr.evaluation.judgments import add_judgment_options, check_match, evaluate_all, path_text, read_judgments
from ltr.evaluation.output import RANDOM, aligned, as_json, described, notes, set_title

if TYPE_CHECKING:  # numpy is slow to import, and --help should not wait for it
    from ltr.evaluation.evaluator import Evaluation
    from ltr.evaluation.stance import StanceFigures


def main(argv: list[str] | None) -> int:
    """Evaluate the runs named in ``argv`` (the process's own arguments when None) and print the result.

    Raises InputError for anything wrong in usage or input, before anything is printed or written.
    """
    args = parser().parse_args(argv)
    from ltr.data.files import atomic_text
    from ltr.data.runs import read_run
    from ltr.evaluation.composition import composition
    from ltr.evaluation.irmeasures import parse_measure
    from ltr.evaluation.stance import read_stances, stance_figures

    measures = [parse_measure(name) for name in args.measure]
    judgments = read_judgments(args)
    judged = {topic for one in judgments.values() for topic in one.qrels}
    found: list[tuple[str, dict[str, Evaluation]]] = []
    made: list[tuple[str, dict[str, float]]] = []
    by_luck: dict[str, Evaluation] = {}
    stances = read_stances(args.stance_qrels) if args.stance_qrels else {}
    sides: list[StanceFigures] = []
    for path in args.run:
        rows = read_run(path)
        check_match(path, rows, judgments)
        found.append((path_text(path), evaluate_all(rows, judgments, args, measures)))
        made.append((path_text(path), composition(rows, args.k, judged)))
        sides += [stance_figures(rows, stances)] if stances else []
        by_luck = by_luck or evaluate_all(rows, judgments, args, measures, random=True)
    if args.json:
        document = {
            **described(args, next(iter(judgments.values())).level),
            "runs": [
                {**as_json(name, one), "composition": parts, **({"stance": asdict(side)} if side else {})}
                for (name, one), (_, parts), side in zip_longest(found, made, sides)
            ],
            RANDOM: as_json(RANDOM, by_luck),
        }
        text = json.dumps(document, indent=2, allow_nan=False) + "\n"
        if args.json == "-":
            sys.stdout.write(text)
            return 0
        with atomic_text(Path(args.json)) as out:
            out.write(text)
    if args.brief:
        lines = [*_brief(found, by_luck, args.k), *_sides(found, sides), *notes(found, args)[1:3]]
    else:
        lines = [*_report(found, by_luck), *_composition(made, args.k), *_sides(found, sides), "", *notes(found, args)]
        lines += _topic_report(found) if args.per_topic else []
    say(*lines)
    return 0


def parser() -> Parser:
    """The command's options."""
    parser = Parser(
        prog="python -m ltr.evaluate",
        description="Measure how well one or more TREC runs agree with relevance judgments.",
        file=__file__,
    )
    add = parser.add_argument
    run = "a run: topic stance pair (or argument) rank score tag; repeat to compare runs"
    add("--run", type=Path, action="append", required=True, metavar="FILE", help=run)
    add_judgment_options(parser)
    add_file(parser, "--stance-qrels", "sides of documents (topic 0 id side): adds the F1 of the run's second column")
    measure = "a further measure, as ir_measures names it; may repeat"
    add("--measure", action="append", default=[], metavar="NAME", help=measure)
    add("--json", metavar="FILE", help="write everything as JSON; - prints it in place of the table")
    add("--brief", action="store_true", help="print one table of nDCG, a column a set of judgments, and nothing else")
    add("--per-topic", action="store_true", help="print the values of every topic, too")
    return parser


# ---- table ----------------------------------------------------------------------------------------


def _report(found: Sequence[tuple[str, dict[str, Evaluation]]], by_luck: Mapping[str, Evaluation]) -> list[str]:
    lines: list[str] = []
    for name, luck in by_luck.items():
        rows = [[run, *_cells(figures[name])] for run, figures in [*found, (RANDOM, by_luck)]]
        heading = [set_title(name)] if len(by_luck) > 1 else []
        lines += [*heading, *aligned([["run", *luck.means], *rows]), ""]
    return lines[:-1]


def _brief(found: Sequence[tuple[str, dict[str, Evaluation]]], by_luck: Mapping[str, Evaluation], k: int) -> list[str]:
    """The figure of each set of judgments; the last one, the mean where there are several, with its interval."""
    ndcg, judged, last = f"nDCG@{k}", f"judged@{k}", list(by_luck)[-1]
    rows = [[ndcg, *(set_title(name) for name in by_luck), judged]]
    for run, figures in [*found, (RANDOM, by_luck)]:
        low, high = figures[last].intervals[ndcg]
        *means, share = *(one.means[ndcg] for one in figures.values()), figures[last].means[judged]
        rows.append([run, *(f"{mean:.2f}" for mean in means), f"{share:.2f}"])
        rows[-1][-2] += f" [{low:.2f}, {high:.2f}]"
    return aligned(rows)


def _sides(found: Sequence[tuple[str, object]], sides: Sequence[StanceFigures]) -> list[str]:
    """Macro-F1 of the sides that the runs name, and how many judged documents of each side they name which."""
    if not sides:
        return []
    rows = [["side", "macro-F1", "judged", "judged side: documents by the side that the run names"]]
    for (run, _), one in zip(found, sides, strict=True):
        told = (
            f"{side}: " + " ".join(f"{number} {named}" for named, number in names.items() if number)
            for side, names in one.confusion.items()
        )
        rows.append([run, f"{one.macro_f1:.3f}", f"{one.documents:,}", "; ".join(told)])
    return ["", *aligned(rows)]


def _composition(made: Iterable[tuple[str, dict[str, float]]], k: int) -> list[str]:
    from ltr.evaluation.composition import COMPOSITION

    rows = [[run, *(f"{value:.2f}" for value in parts.values())] for run, parts in made if parts]
    return ["", *aligned([[f"first {k} of a topic", *COMPOSITION.values()], *rows])] if rows else []


def _topic_report(found: Sequence[tuple[str, dict[str, Evaluation]]]) -> list[str]:
    lines = []
    for run, figures in found:
        for name, evaluation in figures.items():
            rows = [
                [topic, *(f"{one[topic]:.4f}" if topic in one else "-" for one in evaluation.values.values())]
                for topic in evaluation.coverage.judged
            ]
            heading = f"{run}, {set_title(name)}" if len(figures) > 1 else run
            lines += ["", heading, *aligned([["topic", *evaluation.values], *rows])]
    return lines


def _cells(evaluation: Evaluation) -> list[str]:
    found = ((mean, *evaluation.intervals[measure]) for measure, mean in evaluation.means.items())
    return [f"{mean:.4f} [{low:.4f}, {high:.4f}]" for mean, low, high in found]
