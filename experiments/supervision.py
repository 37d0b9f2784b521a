"""``python -m experiments.supervision``: what each source of supervision is worth, alone and with the others.

A row is a ranker of the three dimensions, trained from some of the sources: judgments of arguments (distant),
labelling functions (weak), graded pairs. Every topic is ranked by rankers that saw other topics alone, over its whole
candidate list, and all rows learn from the same folds. Figures are those of the blended order, in each dimension.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.study_options import add_json_option, add_study_options, check_options, chosen_parameters, sizes
from ltr.cli.options import Parser
from ltr.cli.process import run_command
from ltr.errors import InputError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping, Sequence

    from experiments.figures import Figures, Values
    from experiments.study import Study
    from ltr.progress import Progress
    from models.base import Scores

ROWS = {
    "distant": ("distant",),
    "weak": ("weak",),
    "distant + weak": ("distant", "weak"),
    "graded": ("graded",),
    "graded + weak": ("graded", "weak"),
    "graded + distant": ("graded", "distant"),
    "all three": ("distant", "weak", "graded"),
    "all three, lambdarank": ("distant", "weak", "graded"),
    "all three, regression": ("distant", "weak", "graded"),
}
REFERENCE = "graded"
"""The row that others are compared with."""

TESTED = ("full", "condensed")
DEPTH = 100
"""Pairs a topic in the runs of ``--run``."""


def parser() -> Parser:
    """The command's options."""
    p = Parser(
        prog="python -m experiments.supervision",
        description="What each source of supervision is worth, by cross-validation over topics.",
    )
    add_study_options(p)
    add_json_option(p)
    p.add_argument(
        "--run",
        type=Path,
        metavar="DIR",
        help="write the held-out run of each row there: experiments.pool finds its ungraded pairs",
    )
    return p


def main(argv: list[str] | None = None) -> int:
    """Run the study. Raises InputError for anything that the user can mend."""
    options = parser().parse_args(argv)
    check_options(options)

    from experiments.figures import Figures, argument_values, mean_over
    from experiments.study import finish, set_up
    from ltr.data.files import writable_folder
    from ltr.progress import Progress

    progress = Progress(quiet=options.quiet)
    study = set_up(options, progress, outputs=[options.run])
    if options.run:
        writable_folder(options.run, "place of the runs")
    scores = all_scores(study, options, progress)
    if REFERENCE not in scores:
        raise InputError("--pair-qrels", "the grades do not differ, so nothing can be learned", "add graded pairs")
    if options.run:
        write_runs(options.run, study, {name: draws[0] for name, draws in scores.items()})
    with progress.stage("figures"):
        pairs = pair_figures(Figures(study.matrix, study.judgments.graded), scores)
        arguments: dict[str, dict[str, Values]] = {}
        for row, draws in scores.items():
            found = [argument_values(study.matrix, study.judgments, one) for one in draws]
            for dimension in found[0]:
                arguments.setdefault(dimension, {})[row] = mean_over(one[dimension] for one in found)
    results = summarise(study, options, pairs, arguments)
    return finish(options, results, table(results), progress)


def all_scores(study: Study, options: Namespace, progress: Progress) -> dict[str, list[Scores]]:
    """Row -> (n_rows,) held-out scores of the blend for each draw of folds; baselines last.

    A row that lacks one of its sources, as distant ones do without judgments of arguments, is left out and named.
    """
    from ltr.supervision.labels import Sources
    from ltr.training.figures import BLEND

    there = {"weak", "graded"} | ({"distant"} if any(study.judgments.distant.values()) else set())
    found: dict[str, list[Scores]] = {}
    for number, (row, names) in enumerate(ROWS.items(), 1):
        sources = Sources("distant" in names, "weak" in names, "graded" in names)
        if not there.issuperset(names) or not study.examples.labels(sources):
            progress.say(f"{row}: left out, there is nothing to learn from")
            continue
        for draw, split in enumerate(study.splits):
            parameters = chosen_parameters(options, draw)
            if ", " in row:
                parameters = replace(parameters, objective=row.partition(", ")[2])
            scores = study.held_out_scores(split, parameters, options.jobs, progress, sources=sources)
            found.setdefault(row, []).append(scores[BLEND])
        progress.say(f"{row}: trained and ranked, row {number} of {len(ROWS)}")
    return found | {name: [scores] for name, scores in study.baselines().items()}


def pair_figures(figures: Figures, scores: Mapping[str, Sequence[Scores]]) -> dict[str, dict[str, Values]]:
    """Dimension, the mean of all last -> row -> (n_topics, n_measures), the mean over draws."""
    from experiments.figures import MEAN, mean_over

    dimensions = [*figures.dimensions, *([MEAN] if len(figures.dimensions) > 1 else [])]
    return {
        name: {row: mean_over(figures.values(one, name) for one in draws) for row, draws in scores.items()}
        for name in dimensions
    }


def summarise(
    study: Study,
    options: Namespace,
    pairs: Mapping[str, Mapping[str, Values]],
    arguments: Mapping[str, Mapping[str, Values]],
) -> dict[str, Any]:
    """The table as plain data. All p values of it are corrected together by Holm."""
    from experiments.figures import LIST_MEASURES, MEASURES, correct

    found = {
        "pairs": {name: compared(by_row, MEASURES) for name, by_row in pairs.items()},
        "arguments": {name: compared(by_row, LIST_MEASURES) for name, by_row in arguments.items()},
    }
    rows = [row for level in found.values() for one in level.values() for row in one]
    correct([test for row in rows for test in row["tests"].values()])
    return {
        "study": {"topics": len(study.matrix.topics), **sizes(options)},
        "reference": REFERENCE,
        "topics": study.matrix.topics,
        **found,
    }


def compared(by_row: Mapping[str, Values], measures: Sequence[str]) -> list[dict[str, Any]]:
    """Rows with their figures, and with the differences from the reference in what is tested."""
    from experiments.figures import described, difference

    rows = []
    for name, values in by_row.items():
        tests = {}
        for place, measure in enumerate(measures):
            if measure in TESTED and name != REFERENCE:
                d = difference(values[:, place], by_row[REFERENCE][:, place])
                tests[measure] = {"mean": d.mean, "low": d.low, "high": d.high, "p": d.p, "effect": d.effect}
        rows.append({"row": name, "tests": tests, "measures": described(values, measures)})
    return rows


def write_runs(folder: Path, study: Study, scores: Mapping[str, Scores]) -> None:
    """A TREC run a row, from the first draw of folds."""
    from ltr.data.runs import write_run
    from ltr.pipeline.rerank import make_run
    from ltr.tasks import find_task

    for row, found in scores.items():
        tag = row.replace(" + ", "-").replace(", ", "-").replace(" ", "-")
        write_run(folder / f"{tag}.txt", make_run(find_task("pairs"), study.matrix, found, tag=tag, depth=DEPTH))


def table(results: Mapping[str, Any]) -> str:
    """The study in words and columns."""
    study = results["study"]
    lines = [
        f"lab nDCG@5 of held-out topics, whole candidate lists ranked by the blend; {study['topics']} topics, "
        f"{study['folds']} folds, drawn {study['draws']} times; 95% t intervals over topics",
        f"p: randomisation test of the difference from '{results['reference']}', by Holm over everything below",
    ]
    for level in ("pairs", "arguments"):
        for dimension, rows in results[level].items():
            topics = rows[0]["measures"]["full"]["topics"]
            of = "the mean of the dimensions" if dimension == "mean" else dimension
            lines += ["", f"{of} of {level}, {topics} topics"]
            lines.append(
                f"{'':<23}{'full [95%]':<22}{'judged':>7}  {'condensed [95%]':<22}"
                f"{'full - ' + results['reference']:>14}{'p':>7}{'condensed - ' + results['reference']:>20}{'p':>7}"
            )
            lines += [_line(row) for row in rows]
    return "\n".join(lines)


def _line(row: Mapping[str, Any]) -> str:
    from experiments.figures import interval_text

    one = row["measures"]
    cells = f"{row['row']:<23}{interval_text(one['full']):<22}{one['judged']['mean']:>7.2f}  "
    cells += f"{interval_text(one['condensed']):<22}"
    for measure, width in (("full", 14), ("condensed", 20)):
        if test := row["tests"].get(measure):
            cells += f"{test['mean']:>+{width}.3f}{test['p_holm']:>7.3f}"
    return cells.rstrip()


if __name__ == "__main__":
    run_command(main)
